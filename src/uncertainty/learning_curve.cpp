#include "uncertainty/learning_curve.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "uncertainty/interval.hpp"
#include "uncertainty/population_errors.hpp"

namespace jsdiv {
namespace {

std::vector<double> combine(const std::vector<double>& full, const std::vector<double>& first_half,
                            const std::vector<double>& second_half, double stacking_cost) {
  JSDIV_ASSERT(first_half.size() == full.size() && second_half.size() == full.size());
  std::vector<double> result(full.size());
  for (std::size_t row = 0; row < full.size(); ++row) {
    result[row] =
        full[row] + steps_to_limit * (full[row] - 0.5 * (first_half[row] + second_half[row])) + stacking_cost;
  }
  return result;
}

}  // namespace

LearningCurve extrapolate_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                         const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                         std::size_t columns, double stacking_cost) {
  LearningCurve curve;
  curve.held_out = divergence_with_error(full, rows);
  curve.held_out_terms = full.own;
  for (const std::size_t half : {0, 1}) curve.halves[half] = divergence_with_error(halves[half], rows).value;
  curve.half = 0.5 * (curve.halves[0] + curve.halves[1]);
  curve.extrapolated = curve.held_out.value > least_errors_above_zero * curve.held_out.standard_error &&
                       smaller_class_training_rows >= fewest_training_rows &&
                       curve.held_out.value > curve.half;
  if (!curve.extrapolated) {
    curve.raw = curve.held_out.value;
    curve.terms = full.own;
  } else {
    curve.terms = combine(full.own, halves[0].own, halves[1].own, stacking_cost);
    curve.raw = curve.held_out.value + steps_to_limit * (curve.held_out.value - curve.half) + stacking_cost;
  }
  const SideErrors errors =
      population_errors({.estimate = std::clamp(curve.raw, 0.0, 1.0),
                         .row_error = curve.held_out.standard_error,
                         .step = curve.held_out.value - curve.half,
                         .extrapolated = curve.extrapolated,
                         .training_rows = static_cast<double>(smaller_class_training_rows),
                         .columns = static_cast<double>(columns)});
  curve.limit = {std::min(1.0, curve.raw), errors.above};
  curve.standard_error_below = errors.below;
  return curve;
}

}  // namespace jsdiv
