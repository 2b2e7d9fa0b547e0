#include "stack/stack.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

/// Rows of N(±½, 1), whose true log-odds are x, and a column of noise.
struct Rows {
  Eigen::MatrixXd log_odds;
  std::vector<std::uint8_t> labels;
};

Rows draw(Eigen::Index rows, double scale) {
  Rows result{Eigen::MatrixXd(rows, 2), {}};
  RandomStream random(3);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const bool in_p = i % 2 == 0;
    result.labels.push_back(in_p ? 1 : 0);
    result.log_odds(i, 0) = (random.normal() + (in_p ? 0.5 : -0.5)) / scale;
    result.log_odds(i, 1) = random.normal();
  }
  return result;
}

TEST(Stack, UndoesAScaleAndLeavesNoiseOut) {
  const Rows rows = draw(40'000, 3);
  const Stack stack = fit_stack(rows.log_odds, rows.labels, {});
  // The weight's standard error is about 3 · sqrt(4 / (n · mean x²)) = 0.03.
  EXPECT_NEAR(stack.weights[0], 3, 0.15);
  EXPECT_LT(stack.weights[1], 0.03);
  EXPECT_NEAR(stack.intercept, 0, 0.05);
}

TEST(Stack, GivesTheConstantWhereThereIsNothingToKnow) {
  Rows rows = draw(2000, 1);
  RandomStream(5).shuffle(std::span<std::uint8_t>(rows.labels));
  const Stack stack = fit_stack(rows.log_odds, rows.labels, {});
  // Twice the log-likelihood ratio of a weight on noise is χ² with one degree of freedom and reaches the
  // penalty's equivalent rarely; whatever is left moves the log-odds by little.
  EXPECT_LT(stack.weights[0] + stack.weights[1], 0.1);
}

TEST(Stack, NeverUsesAClassifierBackwards) {
  Rows rows = draw(2000, 1);
  rows.log_odds *= -1;
  const Stack stack = fit_stack(rows.log_odds, rows.labels, {});
  EXPECT_EQ(stack.weights[0], 0);
}

TEST(NeededLearners, KeepsTheOnesThatKnowAndDropsACopyAndNoise) {
  const Rows rows = draw(4000, 1);
  Eigen::MatrixXd learners(4000, 3);
  learners << rows.log_odds.col(1), rows.log_odds.col(0), rows.log_odds.col(0);
  const auto needed = needed_learners(learners, rows.labels, {}, 1.0 / 4000);
  ASSERT_EQ(needed.size(), 1);
  EXPECT_NE(needed[0], 0);
}

TEST(NeededLearners, KeepsTwoThatKnowDifferentThings) {
  // The log-odds of two independent coordinates: half of the knowledge lies in each, some 0.1 nats.
  RandomStream random(4);
  Rows rows{Eigen::MatrixXd(2000, 2), {}};
  for (Eigen::Index i = 0; i < 2000; ++i) {
    const double mean = i % 2 == 0 ? 0.5 : -0.5;
    rows.labels.push_back(i % 2 == 0 ? 1 : 0);
    rows.log_odds(i, 0) = random.normal() + mean;
    rows.log_odds(i, 1) = random.normal() + mean;
  }
  EXPECT_EQ(needed_learners(rows.log_odds, rows.labels, {}, 0.001), (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(needed_learners(rows.log_odds, rows.labels, {}, 0.5).size(), 1);
}

TEST(NeededLearners, OneStaysWhereNoneKnowsAnything) {
  Rows rows = draw(2000, 1);
  rows.log_odds *= -1;
  EXPECT_EQ(needed_learners(rows.log_odds.leftCols(1), rows.labels, {}, 0.001),
            (std::vector<std::size_t>{0}));
}

TEST(Stack, AWeightCountsAsRepeatedRows) {
  const Rows rows = draw(500, 2);
  std::vector<double> weights;
  Rows repeated{Eigen::MatrixXd(750, 2), {}};
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < 500; ++i) {
    const int copies = i % 4 < 2 ? 2 : 1;
    weights.push_back(copies);
    for (int copy = 0; copy < copies; ++copy) {
      repeated.log_odds.row(next++) = rows.log_odds.row(i);
      repeated.labels.push_back(rows.labels[static_cast<std::size_t>(i)]);
    }
  }
  const Stack weighted = fit_stack(rows.log_odds, rows.labels, weights);
  const Stack plain = fit_stack(repeated.log_odds, repeated.labels, {});
  // The penalty is spread over 500 rows here and over 750 there: 2/500 - 2/750 = 0.0013 over a curvature of
  // about 0.04 moves the weight by 0.03.
  EXPECT_NEAR(weighted.weights[0], plain.weights[0], 0.045);
}

TEST(Stack, LossOfTheConstantIsLogTwo) {
  const std::vector<std::uint8_t> labels = {1, 0, 0, 0};
  EXPECT_NEAR(balanced_log_loss(Eigen::VectorXd::Zero(4), labels, {}), std::numbers::ln2, 1e-15);
}

}  // namespace
}  // namespace jsdiv
