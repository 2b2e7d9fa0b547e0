#include "encode/scaling.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace jsdiv {
namespace {

/// 2^-e, where 2^e is the magnitude of the largest value.
double normalising_factor(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  if (largest == 0) return 1;
  return std::ldexp(1.0, std::clamp(-std::ilogb(largest), -1000, 1000));
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments(std::span<const double> values, double factor) {
  const double count = static_cast<double>(values.size());
  const double origin = values[0] * factor;  // large offsets cancel before anything is summed
  double sum = 0;
  for (const double value : values) sum += value * factor - origin;
  const double mean = origin + sum / count;
  double squares = 0;
  for (const double value : values) {
    const double difference = value * factor - mean;
    squares += difference * difference;
  }
  return {mean, std::sqrt(squares / count)};
}

double nth(std::span<double> values, std::size_t n) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n), values.end());
  return values[n];
}

}  // namespace

Scaling standard_scaling(std::span<const double> values) {
  if (values.empty()) return {0, 0, 1};
  const double factor = normalising_factor(values);
  const auto [low, high] = std::ranges::minmax(values);
  if (low == high) return {1, low, 1};
  const Moments found = moments(values, factor);
  return {factor, found.mean, found.deviation};
}

Scaling robust_scaling(std::span<double> values) {
  if (values.empty()) return {0, 0, 1};
  const double factor = normalising_factor(values);
  const std::size_t half = values.size() / 2;
  const double median = nth(values, half) * factor;
  const double upper = nth(values.subspan(half), values.size() * 3 / 4 - half) * factor;
  const double lower = half > 0 ? nth(values.first(half), values.size() / 4) * factor : median;
  const double spread = (upper - lower) / 1.349;
  if (spread > 0) return {factor, median, spread};
  const double deviation = moments(values, factor).deviation;
  if (deviation > 0) return {factor, median, deviation};
  return {1, values[0], 1};
}

float compress_tails(double z) {
  constexpr double linear_up_to = 10;
  const double size = std::abs(z);
  if (size <= linear_up_to) return static_cast<float>(z);
  const double finite = std::min(size, 1e308);
  return static_cast<float>(std::copysign(linear_up_to + linear_up_to * std::log(finite / linear_up_to), z));
}

float bounded(double z) {
  return static_cast<float>(std::clamp(z, -1e9, 1e9));
}

}  // namespace jsdiv
