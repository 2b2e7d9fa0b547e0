#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace jsdiv::tabpfn::reference {

/// The kernels as their formulas read, in double: what the fast ones are tested against.

inline double gelu(double x) {
  return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
}

/// LN(state + change) of one row.
inline std::vector<double> add_and_normalise(const float* state, const float* change, std::size_t width) {
  std::vector<double> sum(width);
  double mean = 0, variance = 0;
  for (std::size_t i = 0; i < width; ++i) mean += (sum[i] = static_cast<double>(state[i]) + change[i]);
  mean /= static_cast<double>(width);
  for (const double x : sum) variance += (x - mean) * (x - mean);
  variance /= static_cast<double>(width);
  for (double& x : sum) x = (x - mean) / std::sqrt(variance + 1e-5);
  return sum;
}

/// softmax in base 2 of query . keys, applied to values; keys, values: [count, head_size].
inline std::vector<double> attend(const float* query, const std::vector<float>& keys,
                                  const std::vector<float>& values, std::size_t count,
                                  std::size_t head_size) {
  std::vector<double> scores(count);
  for (std::size_t j = 0; j < count; ++j) {
    for (std::size_t d = 0; d < head_size; ++d)
      scores[j] += static_cast<double>(query[d]) * keys[j * head_size + d];
  }
  const double largest = *std::max_element(scores.begin(), scores.end());
  std::vector<double> out(head_size);
  double total = 0;
  for (std::size_t j = 0; j < count; ++j) {
    const double weight = std::exp2(scores[j] - largest);
    total += weight;
    for (std::size_t d = 0; d < head_size; ++d) out[d] += weight * values[j * head_size + d];
  }
  for (double& x : out) x /= total;
  return out;
}

}  // namespace jsdiv::tabpfn::reference
