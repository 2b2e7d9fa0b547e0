#include "classify/mlp/block.hpp"

#include <algorithm>
#include <cmath>

#include "core/simd.hpp"

namespace jsdiv::mlp {
namespace {

/// Independent partial sums, so that the compiler may use vector registers without reordering a sum on its
/// own.
constexpr std::size_t lanes = 32;

template <typename Real>
[[gnu::always_inline]] inline Real total(const Real (&partial)[lanes]) {
  Real sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += partial[lane];
  return sum;
}

/// Calls body(row, lane) for every row; rows of one lane are added up together.
template <typename Body>
[[gnu::always_inline]] inline void for_each_row(std::size_t rows, const Body& body) {
  std::size_t row = 0;
  for (; row + lanes <= rows; row += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) body(row + lane, lane);
  }
  for (std::size_t lane = 0; row < rows; ++row, ++lane) body(row, lane);
}

template <typename Real>
[[gnu::always_inline]] inline NormStatistics<Real> forward(std::size_t rows, Real gamma, Real beta,
                                                           const std::uint32_t* mask, Real scale, Real* z,
                                                           Real* activation) {
  const Real count = static_cast<Real>(rows);
  Real partial[lanes] = {};
  for_each_row(rows, [&](std::size_t row, std::size_t lane) { partial[lane] += z[row]; });
  const Real mean = total(partial) / count;

  std::fill(partial, partial + lanes, Real{0});
  for_each_row(
      rows, [&](std::size_t row, std::size_t lane) { partial[lane] += (z[row] - mean) * (z[row] - mean); });
  const Real squares = total(partial);
  const Real inverse_deviation = 1 / std::sqrt(squares / count + static_cast<Real>(norm_epsilon));

  const auto activate = [&](std::size_t row, Real keep) {
    const Real normalised = (z[row] - mean) * inverse_deviation;
    const Real output = keep * (gamma * normalised + beta);
    z[row] = normalised;
    activation[row] = std::max(output, static_cast<Real>(leaky_slope) * output);
  };
  if (mask == nullptr) {
    for_each_row(rows, [&](std::size_t row, std::size_t) { activate(row, scale); });
  } else {
    for_each_row(rows, [&](std::size_t row, std::size_t lane) {
      const auto bit = static_cast<std::int32_t>((mask[row / lanes] >> lane) & 1);
      activate(row, static_cast<Real>(bit) * scale);
    });
  }
  return {mean, inverse_deviation, rows > 1 ? squares / (count - 1) : 0};
}

template <typename Real>
[[gnu::always_inline]] inline NormGradients<Real> backward(std::size_t rows, Real gamma,
                                                           Real inverse_deviation, Real scale,
                                                           const Real* normalised, const Real* activation,
                                                           Real* gradient) {
  // The sign of the activation says which branch the row took: 0 was dropped.
  const Real leaky = static_cast<Real>(leaky_slope) * scale;
  Real beta_partial[lanes] = {};
  Real gamma_partial[lanes] = {};
  for_each_row(rows, [&](std::size_t row, std::size_t lane) {
    const Real slope = activation[row] > 0 ? scale : leaky;
    const Real through = gradient[row] * (activation[row] == 0 ? Real{0} : slope);
    gradient[row] = through;
    beta_partial[lane] += through;
    gamma_partial[lane] += through * normalised[row];
  });
  const Real beta_gradient = total(beta_partial);
  const Real gamma_gradient = total(gamma_partial);

  const Real norm_scale = gamma * inverse_deviation;
  const Real mean_gradient = beta_gradient / static_cast<Real>(rows);
  const Real mean_product = gamma_gradient / static_cast<Real>(rows);
  for_each_row(rows, [&](std::size_t row, std::size_t) {
    gradient[row] = norm_scale * (gradient[row] - mean_gradient - normalised[row] * mean_product);
  });
  return {gamma_gradient, beta_gradient};
}

}  // namespace

static_assert(lanes == 32, "a lane is a bit of the dropout mask");

template <>
JSDIV_SIMD_CLONES NormStatistics<float> block_forward(std::size_t rows, float gamma, float beta,
                                                      const std::uint32_t* mask, float scale, float* z,
                                                      float* activation) {
  return forward(rows, gamma, beta, mask, scale, z, activation);
}
template <>
NormStatistics<double> block_forward(std::size_t rows, double gamma, double beta, const std::uint32_t* mask,
                                     double scale, double* z, double* activation) {
  return forward(rows, gamma, beta, mask, scale, z, activation);
}

template <>
JSDIV_SIMD_CLONES NormGradients<float> block_backward(std::size_t rows, float gamma, float inverse_deviation,
                                                      float scale, const float* normalised,
                                                      const float* activation, float* gradient) {
  return backward(rows, gamma, inverse_deviation, scale, normalised, activation, gradient);
}
template <>
NormGradients<double> block_backward(std::size_t rows, double gamma, double inverse_deviation, double scale,
                                     const double* normalised, const double* activation, double* gradient) {
  return backward(rows, gamma, inverse_deviation, scale, normalised, activation, gradient);
}

}  // namespace jsdiv::mlp
