#pragma once

#include <cstddef>
#include <cstdint>

/// One column of a hidden block, over the rows of a batch: batch norm, dropout and LeakyReLU fused into one
/// pass each way. A column is one neuron; its values for the rows of the batch are contiguous.
namespace jsdiv::mlp {

constexpr double leaky_slope = 0.2;
constexpr double norm_epsilon = 1e-5;
constexpr double norm_momentum = 0.1;  ///< share of the new batch in the running statistics

/// Words of 32 random bits that a column of `rows` values needs for its dropout mask.
constexpr std::size_t mask_words(std::size_t rows) {
  return (rows + 31) / 32;
}

template <typename Real>
struct NormStatistics {
  Real mean;
  Real inverse_deviation;  ///< 1 / sqrt(biased variance + epsilon)
  Real unbiased_variance;  ///< what the running statistics follow; of a single row: 0
};

/// On entry z[rows] holds the linear layer's output, on return the normalised values; activation[rows]
/// receives LeakyReLU(scale · mask · (gamma · z + beta)). A row with a zero bit in `mask` is dropped, none
/// without a mask; `scale` is 1 / the share of the rows that are kept.
template <typename Real>
NormStatistics<Real> block_forward(std::size_t rows, Real gamma, Real beta, const std::uint32_t* mask,
                                   Real scale, Real* z, Real* activation);

/// On entry gradient[rows] is the loss's derivative by the activation, on return by the linear layer's
/// output. `normalised` and `activation` are what block_forward left. Adds nothing: gradients of gamma and
/// beta are returned.
template <typename Real>
struct NormGradients {
  Real gamma;
  Real beta;
};
template <typename Real>
NormGradients<Real> block_backward(std::size_t rows, Real gamma, Real inverse_deviation, Real scale,
                                   const Real* normalised, const Real* activation, Real* gradient);

}  // namespace jsdiv::mlp
