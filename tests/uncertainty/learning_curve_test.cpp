#include "uncertainty/learning_curve.hpp"

#include <gtest/gtest.h>

#include "uncertainty/population_estimate.hpp"

namespace jsdiv {
namespace {

using Labels = std::vector<std::uint8_t>;

const Labels labels = {1, 1, 0, 0};
const HeldOutRows rows = {labels, {}, {}};

/// The swapped terms equal the means, so that the floor of the standard error is 0.
JsdTerms terms(double first_p, double second_p, double q) {
  const double mean_p = 0.5 * (first_p + second_p);
  return {{first_p, second_p, q, q}, {q, q, mean_p, mean_p}};
}

TEST(LearningCurve, GoesOnAsPairsLikeItDo) {
  const LearningCurve curve = follow_learning_curve(
      terms(0.71, 0.69, 0.5), {terms(0.62, 0.58, 0.5), terms(0.52, 0.48, 0.5)}, rows, 100, 7);
  EXPECT_NEAR(curve.held_out.value, 0.6, 1e-14);
  EXPECT_NEAR(curve.held_out.standard_error, 0.5 * 0.01, 1e-14);
  EXPECT_NEAR(curve.halves[0], 0.55, 1e-14);
  EXPECT_NEAR(curve.halves[1], 0.5, 1e-14);
  EXPECT_NEAR(curve.half, 0.525, 1e-14);
  const PopulationEstimate expected = population_estimate(
      {.held_out = 0.6, .half = 0.525, .row_error = 0.005, .training_rows = 100, .columns = 7});
  EXPECT_NEAR(curve.raw, expected.value, 1e-12);
  EXPECT_NEAR(curve.limit.value, expected.value, 1e-12);
  EXPECT_NEAR(curve.limit.standard_error, expected.errors.above, 1e-12);
  EXPECT_NEAR(curve.standard_error_below, expected.errors.below, 1e-12);
  EXPECT_NEAR(curve.held_out_terms[0], 0.71, 1e-14);
  // Rows of P: steps of 0.14 and 0.16, rows of Q: none.
  EXPECT_NEAR(curve.terms[1] - curve.terms[0], -0.02 * expected.per_value + 0.02 * expected.per_step, 1e-12);
  EXPECT_NEAR(curve.terms[0] - curve.terms[2], 0.21 * expected.per_value + 0.14 * expected.per_step, 1e-12);
  EXPECT_NEAR(0.25 * (curve.terms[0] + curve.terms[1] + curve.terms[2] + curve.terms[3]), curve.raw, 1e-12);
}

TEST(LearningCurve, BelowZeroKeepsTheRawValue) {
  const LearningCurve curve =
      follow_learning_curve(terms(-0.1, -0.1, -0.2), {terms(0, 0, 0), terms(0, 0, 0)}, rows, 100, 7);
  EXPECT_NEAR(curve.raw, -0.15, 1e-14);
  EXPECT_EQ(curve.limit.value, 0);
  EXPECT_NEAR(curve.terms[0], -0.1, 1e-14);
}

TEST(LearningCurve, FollowsFromTheValuesAlone) {
  const JsdTerms full = terms(0.71, 0.69, 0.5);
  const std::array<JsdTerms, 2> halves = {terms(0.62, 0.58, 0.5), terms(0.52, 0.48, 0.5)};
  const LearningCurve expected = follow_learning_curve(full, halves, rows, 100, 7);
  const LearningCurve found = learning_curve_of(expected.held_out, expected.halves, 100, 7);
  EXPECT_EQ(found.half, expected.half);
  EXPECT_EQ(found.raw, expected.raw);
  EXPECT_EQ(found.limit.value, expected.limit.value);
  EXPECT_EQ(found.limit.standard_error, expected.limit.standard_error);
  EXPECT_EQ(found.standard_error_below, expected.standard_error_below);
  EXPECT_TRUE(found.terms.empty());
}

}  // namespace
}  // namespace jsdiv
