#include "uncertainty/learning_curve.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "uncertainty/population_estimate.hpp"

namespace jsdiv {
namespace {

/// Terms whose mean moves with those of J(n) and of the step as the estimate does, and is the estimate.
std::vector<double> terms_of(const PopulationEstimate& estimate, const LearningCurve& curve,
                             const std::vector<double>& full, const std::array<JsdTerms, 2>& halves) {
  JSDIV_ASSERT(halves[0].own.size() == full.size() && halves[1].own.size() == full.size());
  const double mean =
      estimate.per_value * curve.held_out.value + estimate.per_step * (curve.held_out.value - curve.half);
  std::vector<double> result(full.size());
  for (std::size_t row = 0; row < full.size(); ++row) {
    const double step = full[row] - 0.5 * (halves[0].own[row] + halves[1].own[row]);
    result[row] = estimate.per_value * full[row] + estimate.per_step * step + curve.raw - mean;
  }
  return result;
}

/// From J(n) and J(n / 2) of the curve to its limit.
PopulationEstimate follow(LearningCurve& curve, std::size_t smaller_class_training_rows,
                          std::size_t columns) {
  curve.half = 0.5 * (curve.halves[0] + curve.halves[1]);
  const PopulationEstimate estimate =
      population_estimate({.held_out = curve.held_out.value,
                           .half = curve.half,
                           .row_error = curve.held_out.standard_error,
                           .training_rows = static_cast<double>(smaller_class_training_rows),
                           .columns = static_cast<double>(columns)});
  curve.raw = std::min(curve.held_out.value, 0.0) + estimate.value;
  curve.limit = {estimate.value, estimate.errors.above};
  curve.standard_error_below = estimate.errors.below;
  return estimate;
}

}  // namespace

LearningCurve learning_curve_of(const Measured& full, const std::array<double, 2>& halves,
                                std::size_t smaller_class_training_rows, std::size_t columns) {
  LearningCurve curve;
  curve.held_out = full;
  curve.halves = halves;
  follow(curve, smaller_class_training_rows, columns);
  return curve;
}

LearningCurve follow_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                    const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                    std::size_t columns) {
  LearningCurve curve;
  curve.held_out = divergence_with_error(full, rows);
  curve.held_out_terms = full.own;
  for (const std::size_t half : {0, 1}) curve.halves[half] = divergence_with_error(halves[half], rows).value;
  const PopulationEstimate estimate = follow(curve, smaller_class_training_rows, columns);
  curve.terms = terms_of(estimate, curve, full.own, halves);
  return curve;
}

}  // namespace jsdiv
