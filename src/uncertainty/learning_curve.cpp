#include "uncertainty/learning_curve.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "uncertainty/interval.hpp"

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

double square(double value) {
  return value * value;
}

}  // namespace

LearningCurve extrapolate_learning_curve(const JsdTerms& full, const std::array<JsdTerms, 2>& halves,
                                         const HeldOutRows& rows, std::size_t smaller_class_training_rows,
                                         double stacking_cost) {
  LearningCurve curve;
  curve.held_out = divergence_with_error(full, rows);
  curve.held_out_terms = full.own;
  for (const std::size_t half : {0, 1}) curve.halves[half] = divergence_with_error(halves[half], rows).value;
  curve.half = 0.5 * (curve.halves[0] + curve.halves[1]);
  curve.extrapolated = curve.held_out.value > one_sided_5_percent * curve.held_out.standard_error &&
                       smaller_class_training_rows >= fewest_training_rows &&
                       curve.held_out.value > curve.half;
  const auto training_rows = static_cast<double>(smaller_class_training_rows);
  if (!curve.extrapolated) {
    curve.raw = curve.held_out.value;
    const double unlearnt =
        std::max(unlearnt_times_rows / training_rows, steps_to_limit * (curve.held_out.value - curve.half));
    curve.limit = {std::min(1.0, curve.raw), std::hypot(curve.held_out.standard_error, unlearnt)};
    curve.standard_error_below = curve.held_out.standard_error;
    curve.terms = full.own;
    return curve;
  }
  JsdTerms combined = {combine(full.own, halves[0].own, halves[1].own, stacking_cost),
                       combine(full.swapped, halves[0].swapped, halves[1].swapped, stacking_cost)};
  const Measured limit = divergence_with_error(combined, rows);
  curve.raw = limit.value;
  const double value = std::min(1.0, limit.value);
  const double step = (value - stacking_cost - curve.held_out.value) / steps_to_limit;
  const double between_halves = square(steps_to_limit * (curve.halves[0] - curve.halves[1])) / 4;
  curve.standard_error_below =
      std::sqrt(square(limit.standard_error) + between_halves + square(step_uncertainty * step));
  curve.limit = {value,
                 std::hypot(curve.standard_error_below, unlearnt_beyond_limit_times_rows / training_rows)};
  curve.terms = std::move(combined.own);
  return curve;
}

}  // namespace jsdiv
