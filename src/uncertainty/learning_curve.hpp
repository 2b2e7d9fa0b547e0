#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "uncertainty/standard_error.hpp"

namespace jsdiv {

/// How far the limit lies beyond J(n), in steps from J(n/2) to J(n). A regular model's excess loss falls as
/// 1/n, which makes it 1; but the stack's weights are fitted to models of half the size and are a little too
/// small for the whole, and rings, trees and networks learn more slowly. Over the 24 kinds of pairs of
/// docs/accuracy.md that are extrapolated the truth lay 1.4 to 4.6 steps away, 2.2 in the median; a
/// little less is safer, because the step is noisy.
inline constexpr double steps_to_limit = 1.9;
/// An estimate that is fewer standard errors above 0 is not told from it (one-sided 5 %), and not
/// extrapolated.
inline constexpr double least_errors_above_zero = 1.6448536269514722;
/// With fewer training rows of the smaller class the two sizes show noise, not the curve.
inline constexpr std::size_t fewest_training_rows = 100;

struct LearningCurve {
  Measured held_out;               ///< J(n), from the full fits
  std::array<double, 2> halves{};  ///< J(n / 2) of either half
  double half = 0;                 ///< their mean
  bool extrapolated = false;
  /// The limit where extrapolated, not cut off; else J(n).
  double raw = 0;
  /// The same, at most 1, with the error of what lies above it.
  Measured limit;
  double standard_error_below = 0;     ///< smaller: what is not learnt makes it too low, not too high
  std::vector<double> terms;           ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `raw`
  std::vector<double> held_out_terms;  ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `held_out`
};

/// J∞ = J(n) + steps_to_limit · (J(n) - J(n / 2)) + stacking_cost: what the stack's own weights cost does not
/// show in the step, as both sizes share them. Not taken where J(n) is less than 1.64 standard errors
/// above 0 or the smaller class has fewer than 100 training rows (it adds noise there and, cut off at 0,
/// bias), nor where J(n) ≤ J(n / 2). The errors are those of the population (population.hpp).
///
/// `halves` are the terms of the same held-out rows under the fits on the two complementary halves of the
/// training part.
LearningCurve extrapolate_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                         const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                         std::size_t columns, double stacking_cost);

}  // namespace jsdiv
