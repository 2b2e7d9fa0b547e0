#include "uncertainty/population_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "uncertainty/population_model.hpp"

namespace jsdiv {
namespace {

const RunFacts facts = {.estimate = 0.3, .row_error = 0.02, .step = 0.01, .training_rows = 200, .columns = 9};

void expect_formula(const RunFacts& run, const PopulationModel& model) {
  const double open = 1 / (1 + 200 / (model.kappa * std::pow(9, model.alpha)));
  const double above = model.above * std::hypot(model.weight * 0.01, 0.7 * open);
  const double below = model.below * std::hypot(0.01, 0.3 * open);
  const SideErrors errors = population_errors(run);
  EXPECT_NEAR(errors.above, std::hypot(0.02, above), 1e-15);
  EXPECT_NEAR(errors.below, std::hypot(0.02, below), 1e-15);

  RunFacts falling = run;  // J(n) below J(n/2): no step
  falling.step = -0.05;
  EXPECT_NEAR(population_errors(falling).above, std::hypot(0.02, model.above * 0.7 * open), 1e-15);
}

TEST(PopulationErrors, AreWhatTheFormulaSays) {
  expect_formula(facts, population_not_extrapolated);
  RunFacts limit = facts;
  limit.extrapolated = true;
  expect_formula(limit, population_extrapolated);
}

TEST(PopulationErrors, AreTheRowErrorOnceThereIsNothingLeftToLearn) {
  double before = 1, last_ratio = 0;
  for (const double rows : {100.0, 1e3, 1e4, 1e6, 1e9}) {
    const RunFacts each = {.estimate = 0.3,
                           .row_error = 0.3 / std::sqrt(rows),
                           .step = 1 / rows,
                           .extrapolated = true,
                           .training_rows = rows,
                           .columns = 50};
    const SideErrors errors = population_errors(each);
    EXPECT_LT(errors.above, before);
    EXPECT_GE(errors.above, each.row_error);
    EXPECT_GE(errors.below, each.row_error);
    before = errors.above;
    last_ratio = errors.above / each.row_error;
  }
  EXPECT_NEAR(last_ratio, 1, 0.01);
}

TEST(PopulationErrors, GrowWithColumnsAndStepsAndFewRows) {
  const double usual = population_errors(facts).above;
  RunFacts other = facts;
  other.columns = 90;
  EXPECT_GE(population_errors(other).above, usual);
  other = facts;
  other.step = 0.1;
  EXPECT_GT(population_errors(other).above, usual);
  other = facts;
  other.training_rows = 20;
  EXPECT_GT(population_errors(other).above, usual);
  EXPECT_GE(population_errors(other).below, population_errors(facts).below);
}

// A larger estimate never has a smaller upper end: what is left to learn shrinks no faster than it grows.
TEST(PopulationErrors, UpperEndsRiseWithTheEstimate) {
  for (const double rows : {10.0, 50.0, 1000.0}) {
    for (const double level : {0.5, 0.95, 0.999}) {
      double before = 0;
      for (double estimate = 0; estimate <= 1; estimate += 0.02) {
        RunFacts each = facts;
        each.estimate = estimate;
        each.training_rows = rows;
        const double high = divergence_interval(estimate, population_errors(each), level).high;
        EXPECT_GE(high, before - 1e-12) << rows << " " << level << " " << estimate;
        before = high;
      }
    }
  }
}

TEST(RowsToSettle, LeaveWhatWasAskedFor) {
  for (const bool extrapolated : {false, true}) {
    RunFacts each = facts;
    each.extrapolated = extrapolated;
    each.row_error = each.step = 0;
    each.training_rows = rows_to_settle(each, 0.05, 0.95);
    EXPECT_GT(each.training_rows, 0);
    EXPECT_NEAR(1.959963984540054 * population_errors(each).above, 0.05, 1e-12);
    each.estimate = 1;
    EXPECT_EQ(rows_to_settle(each, 0.05, 0.95), 0);
  }
}

TEST(PopulationErrors, IntervalsHoldZeroWhereTheTestDoesNotReject) {
  EXPECT_EQ(divergence_interval(0.3, population_errors(facts), 0.95, 0.06).low, 0);
  RunFacts none = facts;
  none.estimate = 0;
  EXPECT_EQ(divergence_interval(0, population_errors(none), 0.95, 0.001).low, 0);
}

}  // namespace
}  // namespace jsdiv
