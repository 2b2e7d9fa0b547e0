#include "uncertainty/population_errors.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/quantiles.hpp"
#include "uncertainty/population_model.hpp"

namespace jsdiv {
namespace {

const PopulationModel& model_of(const RunFacts& facts) {
  return facts.extrapolated ? population_extrapolated : population_not_extrapolated;
}

/// Rows that leave one half of what there is to learn of these columns.
double half_learnt_rows(const PopulationModel& model, double columns) {
  return model.kappa * std::pow(columns, model.alpha);
}

}  // namespace

SideErrors population_errors(const RunFacts& facts) {
  JSDIV_ASSERT(facts.estimate >= 0 && facts.estimate <= 1 && facts.row_error >= 0);
  JSDIV_ASSERT(facts.training_rows > 0 && facts.columns > 0);
  const PopulationModel& model = model_of(facts);
  const double step = std::max(0.0, facts.step);
  const double unlearnt = 1 / (1 + facts.training_rows / half_learnt_rows(model, facts.columns));
  const double above = std::hypot(model.weight * step, (1 - facts.estimate) * unlearnt);
  const double below = std::hypot(step, facts.estimate * unlearnt);
  return {std::hypot(facts.row_error, model.below * below), std::hypot(facts.row_error, model.above * above)};
}

double rows_to_settle(const RunFacts& facts, double reach, double level) {
  const PopulationModel& model = model_of(facts);
  const double without_rows = normal_quantile(0.5 + 0.5 * level) * model.above * (1 - facts.estimate);
  return half_learnt_rows(model, facts.columns) * std::max(0.0, without_rows / reach - 1);
}

}  // namespace jsdiv
