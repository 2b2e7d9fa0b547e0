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
/// The standard error of that number.
inline constexpr double step_uncertainty = 0.6;
/// With fewer training rows of the smaller class the two sizes show noise, not the curve.
inline constexpr std::size_t fewest_training_rows = 100;
/// What the classifiers have not learnt, and no curve shows, joins the standard error upwards: this over the
/// training rows of the smaller class, in bits. Where the limit is not taken it is more (3 to 7 on the pairs
/// of 20 to 110 rows in docs/accuracy.md), or the way to the limit, if that is longer.
inline constexpr double unlearnt_beyond_limit_times_rows = 4;
inline constexpr double unlearnt_times_rows = 6;

struct LearningCurve {
  Measured held_out;               ///< J(n), from the full fits
  std::array<double, 2> halves{};  ///< J(n / 2) of either half
  double half = 0;                 ///< their mean
  bool extrapolated = false;
  /// The limit where extrapolated, not cut off; else J(n).
  double raw = 0;
  /// The same, at most 1, with its standard error.
  Measured limit;
  double standard_error_below = 0;     ///< smaller: what is not learnt makes it too low, not too high
  std::vector<double> terms;           ///< per row; 1/2 mean over P + 1/2 mean over Q of them is `raw`
  std::vector<double> held_out_terms;  ///< the same for `held_out`
};

/// J∞ = J(n) + steps_to_limit · (J(n) - J(n / 2)) + stacking_cost: what the stack's own weights cost does not
/// show in the step, as both sizes share them. Not taken where J(n) is less than 1.64 standard errors
/// above 0 or the smaller class has fewer than 100 training rows (it adds noise there and, cut off at 0,
/// bias), nor where J(n) ≤ J(n / 2). The variance is that of the per-row combination, plus that of the mean
/// of the halves from their difference, steps_to_limit² (J_a - J_b)² / 4, plus (step_uncertainty · step)²;
/// where it is not taken, that of J(n). What is not learnt adds its square, and speaks only of what lies
/// above: unlearnt_beyond_limit_times_rows / training rows; where the limit is not taken unlearnt_times_rows
/// / training rows, or steps_to_limit · (J(n) - J(n / 2)).
///
/// `halves` are the terms of the same held-out rows under the fits on the two complementary halves of the
/// training part.
LearningCurve extrapolate_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                         const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                         double stacking_cost);

}  // namespace jsdiv
