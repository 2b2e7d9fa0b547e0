#include "classify/linear/logistic_loss.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/simd.hpp"

namespace jsdiv::linear {
namespace {

constexpr double log2_e = 1.4426950408889634;
constexpr double ln2_high =
    6.93147180369123816490e-01;  // the upper 32 bits of ln 2, so that n·ln2_high is exact
constexpr double ln2_low = 1.90821492927058770002e-10;
constexpr double round_to_integer =
    6755399441055744.0;  // 1.5·2^52: adding it leaves the integer in the low bits

/// exp(x) for x in [-700, 0] to an ulp or two: x = n·ln 2 + r, Taylor series of exp(r) for |r| <= ln(2)/2.
inline double exp_of_negative(double x) {
  const double shifted = x * log2_e + round_to_integer;
  const double n = shifted - round_to_integer;
  const double r = (x - n * ln2_high) - n * ln2_low;
  double series = 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return series * std::bit_cast<double>(exponent);
}

/// log(1 + e) for e in [0, 1]: 2·atanh(z) with z = e / (2 + e) <= 1/3.
inline double log1p_unit(double e) {
  const double z = e / (2.0 + e);
  const double square = z * z;
  double series = 1.0 / 33.0;
  series = series * square + 1.0 / 31.0;
  series = series * square + 1.0 / 29.0;
  series = series * square + 1.0 / 27.0;
  series = series * square + 1.0 / 25.0;
  series = series * square + 1.0 / 23.0;
  series = series * square + 1.0 / 21.0;
  series = series * square + 1.0 / 19.0;
  series = series * square + 1.0 / 17.0;
  series = series * square + 1.0 / 15.0;
  series = series * square + 1.0 / 13.0;
  series = series * square + 1.0 / 11.0;
  series = series * square + 1.0 / 9.0;
  series = series * square + 1.0 / 7.0;
  series = series * square + 1.0 / 5.0;
  series = series * square + 1.0 / 3.0;
  series = series * square + 1.0;
  return 2.0 * z * series;
}

constexpr std::size_t block = 64;

/// Exactly `block` rows: the fixed length is what lets the compiler turn the loop into vector code.
JSDIV_SIMD_CLONES void block_terms(double* eta, const double* sign, const double* weight, double* curvature,
                                   double* loss) {
  for (std::size_t i = 0; i < block; ++i) {
    const double margin = sign[i] * eta[i];
    const double distance = std::fabs(margin) < 700.0 ? std::fabs(margin) : 700.0;
    const double e = exp_of_negative(-distance);
    const double inverse = 1.0 / (1.0 + e);
    const double wrong = margin < 0 ? inverse : e * inverse;
    const double overshoot = margin < 0 ? -margin : 0.0;
    loss[i] = weight[i] * (overshoot + log1p_unit(e));
    eta[i] = -(weight[i] * wrong) * sign[i];
    curvature[i] = weight[i] * (e * inverse) * inverse;
  }
}

double block_sum(const std::array<double, block>& values) {
  std::array<double, 8> partial{};
  for (std::size_t i = 0; i < block; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) partial[lane] += values[i + lane];
  }
  return ((partial[0] + partial[1]) + (partial[2] + partial[3])) +
         ((partial[4] + partial[5]) + (partial[6] + partial[7]));
}

}  // namespace

double logistic_terms(std::size_t count, double* eta, const double* sign, const double* weight,
                      double* curvature) {
  std::array<double, block> loss;
  double total = 0;
  std::size_t first = 0;
  for (; first + block <= count; first += block) {
    block_terms(eta + first, sign + first, weight + first, curvature + first, loss.data());
    total += block_sum(loss);
  }
  if (first == count) return total;
  const std::size_t rest = count - first;
  std::array<double, block> rest_eta{}, rest_sign{}, rest_weight{}, rest_curvature{};
  std::copy_n(eta + first, rest, rest_eta.begin());
  std::copy_n(sign + first, rest, rest_sign.begin());
  std::copy_n(weight + first, rest, rest_weight.begin());
  block_terms(rest_eta.data(), rest_sign.data(), rest_weight.data(), rest_curvature.data(), loss.data());
  std::copy_n(rest_eta.begin(), rest, eta + first);
  std::copy_n(rest_curvature.begin(), rest, curvature + first);
  return total + block_sum(loss);
}

}  // namespace jsdiv::linear
