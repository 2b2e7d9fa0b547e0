#include "core/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

// Continued fraction of the regularised incomplete beta function by Lentz's method (DLMF 8.17.22).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1;
  double d = 1 / std::max(1 - (a + b) * x / (a + 1), tiny);
  double value = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      c = 1 + term / c;
      if (std::abs(d) < tiny) d = tiny;
      if (std::abs(c) < tiny) c = tiny;
      d = 1 / d;
      value *= c * d;
    }
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return value;
}

double regularised_incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double upper_tail_normal(double x) {
  return 0.5 * std::erfc(x / std::numbers::sqrt2);
}

double upper_tail_student_t(double x, double df) {
  return 0.5 * regularised_incomplete_beta(df / 2, 0.5, df / (df + x * x));
}

/// The x ≥ 0 whose upper tail is `tail` ≤ ½, for a tail function that falls.
template <typename Tail>
double invert_upper_tail(double tail, const Tail& upper_tail) {
  double low = 0;
  double high = 1;
  while (upper_tail(high) > tail) high *= 2;
  for (int step = 0; step < 200 && high - low > 1e-15 * high; ++step) {
    const double middle = 0.5 * (low + high);
    (upper_tail(middle) > tail ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

template <typename Tail>
double symmetric_quantile(double probability, const Tail& upper_tail) {
  JSDIV_ASSERT(probability > 0 && probability < 1);
  if (probability < 0.5) return -invert_upper_tail(probability, upper_tail);
  return invert_upper_tail(1 - probability, upper_tail);
}

}  // namespace

double normal_quantile(double probability) {
  return symmetric_quantile(probability, upper_tail_normal);
}

double student_t_quantile(double probability, double degrees_of_freedom) {
  return symmetric_quantile(probability,
                            [=](double x) { return upper_tail_student_t(x, degrees_of_freedom); });
}

}  // namespace jsdiv
