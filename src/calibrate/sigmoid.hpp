#pragma once

#include <cstdint>
#include <span>

namespace jsdiv {

/// p(score) = 1 / (1 + exp(slope * score + intercept)); a useful classifier has a negative slope.
struct SigmoidMap {
  double slope = 0;
  double intercept = 0;

  double operator()(double score) const;
};

/// Platt, "Probabilistic outputs for support vector machines" (1999): a logistic regression of smoothed
/// targets on the score. Both classes must have weight; `weights` is [rows] or empty.
SigmoidMap fit_sigmoid(std::span<const double> scores, std::span<const std::uint8_t> labels,
                       std::span<const double> weights);

}  // namespace jsdiv
