#include "uncertainty/learning_curve.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "uncertainty/population_errors.hpp"

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

TEST(LearningCurve, GoesOnByTheStepBetweenTheSizes) {
  const LearningCurve curve = extrapolate_learning_curve(
      terms(0.71, 0.69, 0.5), {terms(0.62, 0.58, 0.5), terms(0.52, 0.48, 0.5)}, rows, 100, 7, 0.01);
  EXPECT_TRUE(curve.extrapolated);
  EXPECT_NEAR(curve.held_out.value, 0.6, 1e-14);
  EXPECT_NEAR(curve.held_out.standard_error, 0.5 * 0.01, 1e-14);
  EXPECT_NEAR(curve.halves[0], 0.55, 1e-14);
  EXPECT_NEAR(curve.halves[1], 0.5, 1e-14);
  EXPECT_NEAR(curve.half, 0.525, 1e-14);
  // A step of 0.075, of which 1.9 are taken, and the cost of the stack's weights: 0.6 + 0.1425 + 0.01.
  EXPECT_NEAR(curve.raw, 0.7525, 1e-14);
  EXPECT_NEAR(curve.limit.value, 0.7525, 1e-14);
  EXPECT_NEAR(curve.held_out_terms[0], 0.71, 1e-14);
  // Rows of P: 0.71 + 1.9 * 0.14 = 0.976 and 0.69 + 1.9 * 0.16 = 0.994, each with the cost.
  EXPECT_NEAR(curve.terms[0], 0.986, 1e-14);
  EXPECT_NEAR(curve.terms[1], 1.004, 1e-14);
  EXPECT_NEAR(curve.terms[2], 0.51, 1e-14);
  const SideErrors errors = population_errors({.estimate = 0.7525,
                                               .row_error = 0.005,
                                               .step = 0.075,
                                               .extrapolated = true,
                                               .training_rows = 100,
                                               .columns = 7});
  EXPECT_NEAR(curve.limit.standard_error, errors.above, 1e-14);
  EXPECT_NEAR(curve.standard_error_below, errors.below, 1e-14);
}

TEST(LearningCurve, StopsAtOneAndKeepsTheRawValue) {
  const LearningCurve curve = extrapolate_learning_curve(
      terms(0.96, 0.94, 0.95), {terms(0.8, 0.8, 0.8), terms(0.8, 0.8, 0.8)}, rows, 500, 7, 0);
  EXPECT_TRUE(curve.extrapolated);
  EXPECT_NEAR(curve.raw, 0.95 + 1.9 * 0.15, 1e-14);
  EXPECT_EQ(curve.limit.value, 1);
}

TEST(LearningCurve, TakesNoStepItCannotDefend) {
  const JsdTerms full = terms(0.71, 0.69, 0.5);
  const JsdTerms lower = terms(0.6, 0.6, 0.5);
  const JsdTerms higher = terms(0.8, 0.8, 0.5);
  const JsdTerms noisy = terms(0.9, -0.6, 0);  // 0.075 with a standard error of 0.375
  const auto plain = [&](const LearningCurve& curve) {
    EXPECT_FALSE(curve.extrapolated);
    EXPECT_EQ(curve.raw, curve.held_out.value);
    EXPECT_EQ(curve.limit.value, curve.held_out.value);
    EXPECT_EQ(curve.terms, curve.held_out_terms);
  };
  plain(extrapolate_learning_curve(full, {lower, lower}, rows, 10, 7, 0.01));
  plain(extrapolate_learning_curve(full, {lower, lower}, rows, 99, 7, 0.01));
  plain(extrapolate_learning_curve(full, {higher, higher}, rows, 100, 7, 0.01));
  plain(extrapolate_learning_curve(full, {full, full}, rows, 100, 7, 0.01));
  plain(extrapolate_learning_curve(noisy, {terms(0, 0, 0), terms(0, 0, 0)}, rows, 100, 7, 0.01));
}

}  // namespace
}  // namespace jsdiv
