#include "uncertainty/evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "uncertainty/held_out_draws.hpp"
#include "uncertainty/lower_bound.hpp"

namespace jsdiv {
namespace {

/// The curve of classifiers that learn nothing more from twice as many rows.
LearningCurve flat_curve(const Draw& draw, std::size_t training_rows) {
  const JsdTerms terms = jsd_terms(draw.log_odds, draw.labels);
  return follow_learning_curve(terms, {terms, terms}, draw.rows(), training_rows, 7);
}

Evidence evidence(const Draw& draw, double level = 0.95) {
  return evidence_of(flat_curve(draw, 1000), draw.log_odds, draw.rows(), draw.folds, level, RandomStream(1));
}

void expect_consistent(const Evidence& found) {
  EXPECT_LE(found.lower_bound, found.jsd);
  EXPECT_LE(found.finite_sample_bound.value_or(0), found.jsd);
  EXPECT_LE(found.confidence_interval.low, found.jsd);
  EXPECT_GE(found.confidence_interval.high, found.jsd);
}

TEST(Evidence, FitsTogetherForEveryKindOfClassifier) {
  for (const double shift : {0.0, 0.3, 1.1320979, 3.0}) {
    for (const double believed : {-3.0, -1.0, 0.0, 1.0, 3.0, 8.0}) {
      Draw draw = gaussian_oracle(200, 300, shift, RandomStream(5));
      for (double& value : draw.log_odds) value *= believed;
      expect_consistent(evidence(draw));
    }
  }
}

TEST(Evidence, OfAnOverconfidentStackIsBoundedByItsEstimate) {
  // Clipped, the rows would show more than the estimate of the stack as it is.
  Draw draw = gaussian_oracle(2000, 2000, 2.0435394, RandomStream(5));
  for (double& value : draw.log_odds) value = std::clamp(6 * value, -30.0, 30.0);
  const Evidence found = evidence(draw);
  EXPECT_GT(divergence_lower_bound(draw.log_odds, draw.rows(), 0.95), found.jsd);
  EXPECT_EQ(found.lower_bound, found.jsd);
}

TEST(Evidence, OfABrokenStackLeavesTheDivergenceOpen) {
  Draw draw = gaussian_oracle(500, 500, 1, RandomStream(2));
  for (double& value : draw.log_odds) value *= -4;
  for (const double level : {0.8, 0.95, 0.99}) {
    const Evidence found = evidence(draw, level);
    EXPECT_TRUE(found.broken);
    EXPECT_EQ(found.jsd, 0);
    EXPECT_EQ(found.confidence_interval.low, 0);
    EXPECT_EQ(found.confidence_interval.high, 1);
  }
  // Equal tables: a little below 0 is not broken, and the interval is short.
  draw = gaussian_oracle(500, 500, 0, RandomStream(2));
  RandomStream random(3);
  for (double& value : draw.log_odds) value = 0.1 * random.normal();
  const Evidence equal = evidence(draw);
  EXPECT_FALSE(equal.broken);
  EXPECT_LT(equal.confidence_interval.high, 0.1);
  EXPECT_TRUE(is_broken({-0.06, 0.01}));
  EXPECT_FALSE(is_broken({-0.06, 0.03}));
  EXPECT_FALSE(is_broken({-0.04, 0.001}));
}

TEST(Evidence, ExcludesZeroAtALevelBeyondWhatPermutationsShow) {
  const Draw draw = gaussian_oracle(500, 500, 2, RandomStream(2));
  const Evidence found = evidence(draw, 0.9999);
  EXPECT_TRUE(found.p_value_is_bound);
  EXPECT_GT(found.confidence_interval.low, 0.2);
}

TEST(Evidence, OfWeightedRowsHasNoTestAndNoFiniteSampleBound) {
  const Draw draw = gaussian_oracle(200, 200, 2, RandomStream(2));
  const std::vector<double> weights(400, 1);
  const HeldOutRows rows{draw.labels, weights, {}};
  const Evidence found =
      evidence_of(flat_curve(draw, 200), draw.log_odds, rows, draw.folds, 0.95, RandomStream(1));
  EXPECT_FALSE(found.p_value || found.finite_sample_bound);
  EXPECT_GT(found.lower_bound, 0.3);
}

}  // namespace
}  // namespace jsdiv
