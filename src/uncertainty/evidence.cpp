#include "uncertainty/evidence.hpp"

#include <algorithm>

#include "uncertainty/interval.hpp"
#include "uncertainty/lower_bound.hpp"
#include "uncertainty/permutation.hpp"

namespace jsdiv {

bool is_broken(const Measured& held_out) {
  return held_out.value < -broken_below && held_out.value < -3 * held_out.standard_error;
}

Evidence evidence_of(const LearningCurve& curve, std::span<const double> log_odds, const HeldOutRows& rows,
                     std::span<const std::uint32_t> folds, double level, const RandomStream& random) {
  Evidence evidence;
  evidence.broken = is_broken(curve.held_out);
  evidence.jsd = std::clamp(curve.limit.value, 0.0, 1.0);
  evidence.standard_error = evidence.broken ? 1.0 : curve.limit.standard_error;
  if (const auto test = permutation_test(log_odds, rows, folds, random)) {
    evidence.p_value = test->p_value;
    evidence.p_value_is_bound = test->p_value_is_bound;
  }
  evidence.confidence_interval =
      divergence_interval(evidence.jsd, {curve.standard_error_below, evidence.standard_error}, level,
                          evidence.p_value_is_bound ? std::nullopt : evidence.p_value);
  // Clipped posteriors may do better than those of the estimate: a bound above it is cut to it.
  evidence.lower_bound = std::min(evidence.jsd, divergence_lower_bound(log_odds, rows, level));
  if (rows.weights.empty()) {
    evidence.finite_sample_bound = std::min(evidence.jsd, betting_lower_bound(log_odds, rows, folds, level));
  }
  return evidence;
}

}  // namespace jsdiv
