#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "uncertainty/standard_error.hpp"

namespace jsdiv {

/// What is known of the limit beyond J(n), as a share of the step from J(n) to it: the standard error of the
/// 1/n law.
inline constexpr double step_uncertainty = 0.5;
/// With fewer training rows of the smaller class the two sizes show noise, not the curve.
inline constexpr std::size_t fewest_training_rows = 100;

struct LearningCurve {
  Measured held_out;               ///< J(n), from the full fits
  std::array<double, 2> halves{};  ///< J(n / 2) of either half
  double half = 0;                 ///< their mean
  bool extrapolated = false;
  /// 2 J(n) - J(n / 2) where extrapolated, not cut off; else J(n).
  double raw = 0;
  /// The same, at most 1, with its standard error.
  Measured limit;
  std::vector<double> terms;  ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `raw`
};

/// The excess loss of a regular model falls as 1/n, so that J(n) = J∞ - b/n and J∞ = 2 J(n) - J(n / 2). Not
/// taken where J(n) is less than 1.64 standard errors above 0 or the smaller class has fewer than 100
/// training rows (it adds noise there and, cut off at 0, bias), nor where J(n) ≤ J(n / 2). The variance is
/// that of the per-row combination, plus that of the mean of the halves from their difference, (J_a - J_b)² /
/// 4, plus (step_uncertainty * step)².
///
/// `halves` are the terms of the same held-out rows under the fits on the two complementary halves of the
/// training part.
LearningCurve extrapolate_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                         const HeldOutRows& rows, std::size_t smaller_class_training_rows);

}  // namespace jsdiv
