#include "uncertainty/population_estimate.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace jsdiv {
namespace {

/// Four pairs that differ in their place along the columns only; the fifth is too far away to count.
constexpr PopulationPair few_pairs[] = {{{0.5, 0.5, 4, 0, 4}, -1},
                                        {{0.5, 0.5, 4, 1, 4}, 0.5},
                                        {{0.5, 0.5, 4, 2, 4}, 2},
                                        {{0.5, 0.5, 4, 3, 4}, 3},
                                        {{0.5, 0.5, 4, 9, 4}, 100}};

PopulationModel small_model() {
  return {.kappa = 5,
          .alpha = 1,
          .guess = {2, 0.5, -1},
          .scales = {0, 0, 0, 1, 0},
          .neighbours = 3,
          .widen_below = 1,
          .widen_above = 1.5,
          .pairs = few_pairs};
}

// J = 0.36 with a step of 0.04 and 60 rows of e = 2.718 columns: unlearnt 0.64 / (1 + 60 / (5 e)).
RunFacts small_facts() {
  return {.held_out = 0.36, .half = 0.32, .row_error = 0.03, .training_rows = 60, .columns = std::exp(1.0)};
}

TEST(PopulationEstimate, IsWhatItsFormulaSays) {
  const double unlearnt = 0.64 / (1 + 60 / (5 * std::exp(1.0)));
  const double unit = std::sqrt(0.03 * 0.03 + 0.04 * 0.04 + unlearnt * unlearnt);
  const double guess = 0.36 + 2 * 0.04 + 0.5 * unlearnt - 0.03;
  // The place is log columns = 1. At distances 0, 1, 1 the weights are 1 - d² / 2² with the fourth pair at
  // distance 2: 0.75 for -1, 1 for 0.5, 0.75 for 2. Their middles are at 0.15, 0.5 and 0.85.
  const double middle = guess + 0.5 * unit;
  const PopulationEstimate found = population_estimate(small_facts(), small_model());
  EXPECT_NEAR(found.value, middle, 1e-12);
  const double z = 1.959963984540054;  // the tails lie beyond the outer middles: the outer pairs
  EXPECT_NEAR(found.errors.below, 1.5 * unit / z, 1e-12);
  EXPECT_NEAR(found.errors.above, 1.5 * 1.5 * unit / z, 1e-12);
  EXPECT_NEAR(found.per_step, 2, 1e-12);
  EXPECT_NEAR(found.per_value, 1 - 0.5 / (1 + 60 / (5 * std::exp(1.0))), 1e-12);
}

TEST(PopulationEstimate, InterpolatesBetweenTheWeightedResiduals) {
  RunFacts facts = small_facts();
  facts.columns = std::exp(1.25);
  const double unlearnt = 0.64 / (1 + 60 / (5 * facts.columns));
  const double unit = std::sqrt(0.03 * 0.03 + 0.04 * 0.04 + unlearnt * unlearnt);
  const double guess = 0.36 + 2 * 0.04 + 0.5 * unlearnt - 0.03;
  // Distances 5/4, 1/4 and 3/4, the fourth 7/4: weights 24/49, 48/49 and 40/49 with middles at 3/28, 12/28
  // and 23/28, so that the median lies 2/11 of the way from 0.5 to 2.
  EXPECT_NEAR(population_estimate(facts, small_model()).value, guess + unit * 17 / 22, 1e-12);
}

TEST(PopulationEstimate, LeavesWhatIsNotClearOfZeroWhereItIs) {
  RunFacts facts = small_facts();
  facts.row_error = 0.72;  // half a row error above 0
  const PopulationEstimate unclear = population_estimate(facts, small_model());
  EXPECT_NEAR(unclear.value, 0.36, 1e-12);
  EXPECT_EQ(unclear.per_step, 0);
  facts.row_error = 0.36;  // half way to 1.5 row errors
  const PopulationEstimate half = population_estimate(facts, small_model());
  EXPECT_GT(half.value, 0.36);
  EXPECT_NEAR(half.per_step, 1, 1e-12);
  facts.held_out = -0.2;
  const PopulationEstimate below = population_estimate(facts, small_model());
  EXPECT_EQ(below.value, 0);
  // A value of 0 may hide as much as the upper end of a pair like it says.
  EXPECT_GT(below.errors.above, facts.row_error);
}

TEST(PopulationEstimate, GivesBothTailsToTheUpperEndWhereTheLowerOneIsZero) {
  // Twenty residuals 0, 1, …, 19 that count alike; the twenty-first, as far away, is not looked at. Their
  // middles are at 0.025, 0.075, …, 0.975: the quantile at 95 % is 18.5, that at 97.5 % is 19.
  std::array<PopulationPair, 21> alike{};
  for (std::size_t i = 0; i < alike.size(); ++i) alike[i].residual = static_cast<double>(i);
  const PopulationModel model = {
      .kappa = 1, .alpha = 1, .guess = {}, .scales = {}, .neighbours = 20, .pairs = alike};
  RunFacts facts = {
      .held_out = 0.0005, .half = 0.0005, .row_error = 0.001, .training_rows = 9999, .columns = 1};
  const double z = 1.959963984540054, unlearnt = 0.9995 / 10'000;
  const PopulationEstimate unclear = population_estimate(facts, model);
  EXPECT_EQ(unclear.value, 0.0005);
  EXPECT_NEAR(unclear.errors.above, 18.5 * std::hypot(0.001, unlearnt) / z, 1e-12);
  facts.row_error = 0.0001;
  const PopulationEstimate clear = population_estimate(facts, model);
  const double unit = std::hypot(0.0001, unlearnt);
  EXPECT_NEAR(clear.value, 0.0005 + 9.5 * unit, 1e-12);
  EXPECT_NEAR(clear.errors.above, 9.5 * unit / z, 1e-12);
}

TEST(PopulationEstimate, NeverLiesBelowWhatWasFoundNorAboveOne) {
  PopulationModel model = small_model();
  model.guess = {-50, 0, 0};
  EXPECT_GE(population_estimate(small_facts(), model).value, 0.36);
  model.guess = {500, 0, 0};
  EXPECT_EQ(population_estimate(small_facts(), model).value, 1);
}

TEST(PopulationEstimate, IsTheValueWithItsRowErrorOnceThereIsNothingLeftToLearn) {
  double before = 1;
  for (const double rows : {100.0, 1e3, 1e4, 1e6, 1e9}) {
    const RunFacts each = {.held_out = 0.3,
                           .half = 0.3 - 1 / rows,
                           .row_error = 0.6 / std::sqrt(rows),
                           .training_rows = rows,
                           .columns = 20};
    const PopulationEstimate found = population_estimate(each);
    EXPECT_LT(found.errors.above, before) << rows;
    EXPECT_GE(found.errors.above, each.row_error);
    EXPECT_GE(found.errors.below, each.row_error);
    before = found.errors.above;
    if (rows < 1e6) continue;
    EXPECT_NEAR(found.value, 0.3, each.row_error);
    EXPECT_LT(found.errors.above, 2 * each.row_error);
  }
}

TEST(PopulationEstimate, OfEqualTablesIsZeroWithAnUpperEndThatFallsWithTheRows) {
  // With 3,000 rows of five columns, the population has pairs that look equal and differ in a sum modulo some
  // number.
  double before = 1;
  for (const double rows : {30.0, 300.0, 3000.0, 30'000.0}) {
    const RunFacts none = {
        .held_out = 0, .half = 0, .row_error = 0.1 / rows, .training_rows = rows, .columns = 5};
    const PopulationEstimate found = population_estimate(none);
    EXPECT_EQ(found.value, 0);
    EXPECT_LT(found.errors.above, before);
    before = found.errors.above;
  }
  EXPECT_LT(before, 0.01);
}

TEST(PopulationEstimate, IsWideWhereRowsAreFewAndColumnsMany) {
  const RunFacts wide = {
      .held_out = 0.1, .half = 0.08, .row_error = 0.03, .training_rows = 54, .columns = 50};
  RunFacts narrow = wide;
  narrow.columns = 2;
  EXPECT_GT(population_estimate(wide).errors.above, 0.1);
  EXPECT_GT(population_estimate(wide).errors.above, population_estimate(narrow).errors.above);
}

TEST(RowsToSettle, LeaveWhatWasAskedFor) {
  const RunFacts facts = {.held_out = 0.3, .half = 0.2, .row_error = 0.05, .training_rows = 80, .columns = 9};
  const double rows = rows_to_settle(facts, 0.05, 0.95);
  EXPECT_GT(rows, 80);
  const double times = rows / 80;
  const RunFacts then = {.held_out = 0.3,
                         .half = 0.3 - 0.1 / times,
                         .row_error = 0.05 / std::sqrt(times),
                         .training_rows = rows,
                         .columns = 9};
  EXPECT_LE(1.959963984540054 * population_estimate(then).errors.above, 0.05);
  EXPECT_EQ(rows_to_settle(facts, 1, 0.95), 80);
}

}  // namespace
}  // namespace jsdiv
