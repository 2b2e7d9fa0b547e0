#include "classify/linear/logistic_loss.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/simd.hpp"
#include "core/vector_exp.hpp"

namespace jsdiv::linear {
namespace {

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
