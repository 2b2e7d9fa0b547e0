#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "uncertainty/standard_error.hpp"

namespace jsdiv {

struct LearningCurve {
  Measured held_out;               ///< J(n), from the full fits
  std::array<double, 2> halves{};  ///< J(n / 2) of either half
  double half = 0;                 ///< their mean
  /// J(n) where it is below 0; else where the truth of pairs like this one lies, in [0, 1].
  double raw = 0;
  /// The same, at least 0, with the error of what lies above it.
  Measured limit;
  double standard_error_below = 0;
  std::vector<double> terms;           ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `raw`
  std::vector<double> held_out_terms;  ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `held_out`
};

/// The limit of the learning curve, as pairs of the population that look like this one have it
/// (population_estimate.hpp).
///
/// `halves` are the terms of the same held-out rows under the fits on the two complementary halves of the
/// training part.
LearningCurve follow_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                    const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                    std::size_t columns);

/// The same from the values alone: without the terms of the rows.
LearningCurve learning_curve_of(const Measured& full, const std::array<double, 2>& halves,
                                std::size_t smaller_class_training_rows, std::size_t columns);

}  // namespace jsdiv
