#include "protocol/rung.hpp"

#include <algorithm>
#include <utility>

namespace jsdiv {

Rung rung_from(std::string name, const LearningCurve& curve, const Evidence& evidence, Maybe reach) {
  Rung rung{.rung = std::move(name),
            .jsd = evidence.jsd,
            .raw = curve.raw,
            .standard_error = evidence.standard_error,
            .confidence_interval = evidence.confidence_interval,
            .held_out = curve.held_out,
            .lower_bound = evidence.lower_bound,
            .finite_sample_bound = evidence.finite_sample_bound,
            .p_value = evidence.p_value,
            .p_value_is_bound = evidence.p_value_is_bound};
  if (reach) rung.confidence_interval->high = std::max(rung.confidence_interval->high, *reach);
  return rung;
}

void take_first_rung(Result& result, const LearningCurve& curve, Maybe reach) {
  const Rung& first = result.ladder.front();
  result.jsd = first.jsd;
  result.raw = first.raw;
  result.standard_error = first.standard_error;
  result.standard_error_below = curve.standard_error_below;
  result.interval_reach = reach;
  result.held_out = first.held_out;
  result.confidence_interval = first.confidence_interval;
  result.lower_bound = first.lower_bound;
  result.finite_sample_bound = first.finite_sample_bound;
  result.p_value = first.p_value;
  result.p_value_is_bound = first.p_value_is_bound;
  result.learning_curve = {{0.5, curve.half}, {1, curve.held_out.value}};
}

}  // namespace jsdiv
