#include "stack/stack.hpp"

#include <gtest/gtest.h>

#include <cmath>
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

/// So many rows of each class whose only learner says `log_odds` for their own class, and so many for which
/// it says it for the other one.
Rows one_learner(int right, int wrong, double log_odds) {
  Rows rows{Eigen::MatrixXd(2 * (right + wrong), 1), {}};
  Eigen::Index next = 0;
  for (const int label : {1, 0}) {
    for (int i = 0; i < right + wrong; ++i) {
      const bool says_p = (label == 1) == (i < right);
      rows.log_odds(next++, 0) = says_p ? log_odds : -log_odds;
      rows.labels.push_back(static_cast<std::uint8_t>(label));
    }
  }
  return rows;
}

// With a share a of n rows right and log-odds of ±x, the loss is a·log(1 + e^-wx) + (1 - a)·log(1 + e^wx) and
// the penalty 2w/n: the derivative is 0 where sigmoid(wx) = a - 2/(nx).
TEST(FitStack, HasTheWeightThatTheShareOfRightRowsGives) {
  const Stack unit = fit_stack(one_learner(18, 2, 1).log_odds, one_learner(18, 2, 1).labels, {});
  EXPECT_NEAR(unit.weights[0], std::log(0.85 / 0.15), 1e-6);
  EXPECT_NEAR(unit.intercept, 0, 1e-9);
  const Stack twofold = fit_stack(one_learner(18, 2, 2).log_odds, one_learner(18, 2, 2).labels, {});
  EXPECT_NEAR(twofold.weights[0], std::log(0.875 / 0.125) / 2, 1e-6);
}

// A learner that is right in half of the rows and one whose gain is below its penalty: at w = 0 the loss
// falls by x(a - 1/2) for each unit of weight, and the penalty rises by 2/n.
TEST(FitStack, AWeightStartsWhereItsGainExceedsThePenalty) {
  const Rows half = one_learner(10, 10, 1);
  EXPECT_EQ(fit_stack(half.log_odds, half.labels, {}).weights[0], 0);
  const Rows as_much = one_learner(11, 9, 0.9);  // gain 0.9 · 0.05 = 0.045, penalty 2/40 = 0.05
  EXPECT_EQ(fit_stack(as_much.log_odds, as_much.labels, {}).weights[0], 0);
  const Rows more = one_learner(11, 9, 1.2);  // gain 1.2 · 0.05 = 0.06: sigmoid(1.2w) = 0.55 - 1/24
  EXPECT_NEAR(fit_stack(more.log_odds, more.labels, {}).weights[0],
              std::log((0.55 - 1.0 / 24) / (0.45 + 1.0 / 24)) / 1.2, 1e-6);
}

// Two learners that say the same share the weight of one; their sum is what is determined.
TEST(FitStack, CopiesShareTheWeightOfOne) {
  const Rows rows = one_learner(18, 2, 1);
  Eigen::MatrixXd twice(rows.log_odds.rows(), 2);
  twice << rows.log_odds, rows.log_odds;
  const Stack stack = fit_stack(twice, rows.labels, {});
  EXPECT_NEAR(stack.weights[0] + stack.weights[1], std::log(0.85 / 0.15), 1e-6);
  EXPECT_NEAR(stack(twice)[0], stack.intercept + std::log(0.85 / 0.15), 1e-6);
}

// Classes count one half each: rows of Q that are there four times, or weigh a quarter, change only the
// number of rows that the penalty is spread over.
TEST(FitStack, ClassesCountOneHalfEach) {
  const Rows rows = one_learner(18, 2, 1);
  std::vector<double> weights;
  for (const std::uint8_t label : rows.labels) weights.push_back(label == 1 ? 1 : 0.25);
  const Stack weighted = fit_stack(rows.log_odds, rows.labels, weights);
  EXPECT_NEAR(weighted.weights[0], std::log(0.85 / 0.15), 1e-6);
  EXPECT_NEAR(weighted.intercept, 0, 1e-9);
}

// A learner whose log-odds are all too high by 1: the intercept takes it back. The exact minimum has a share
// of the penalty of the intercept, 1e-3/√n · b², whose pull on b is 2e-3/√40 · w ≈ 5e-4 over a curvature of
// about 0.13: some 4e-3.
TEST(FitStack, TheInterceptTakesABiasBack) {
  Rows rows = one_learner(18, 2, 1);
  rows.log_odds.array() += 1;
  const Stack stack = fit_stack(rows.log_odds, rows.labels, {});
  EXPECT_NEAR(stack.weights[0], std::log(0.85 / 0.15), 0.01);
  EXPECT_NEAR(stack.intercept, -stack.weights[0], 0.01);
}

// Right: log(1 + e^-2); wrong: log(1 + e^2), in one row of four of each class.
TEST(BalancedLogLoss, IsTheMeanOfTheClassesMeans) {
  const Rows rows = one_learner(3, 1, 2);
  const double expected = 0.75 * std::log1p(std::exp(-2.0)) + 0.25 * std::log1p(std::exp(2.0));
  EXPECT_NEAR(balanced_log_loss(rows.log_odds.col(0), rows.labels, {}), expected, 1e-15);
  // Three rows of P and one of Q: 1/2 (0 + log 2) and so on; the row of weight 0 does not count.
  const std::vector<std::uint8_t> labels = {1, 1, 1, 0};
  const std::vector<double> weights = {1, 3, 0, 5};
  const Eigen::Vector4d log_odds(0, 2, 50, -1);
  const double of_p = (std::log(2.0) + 3 * std::log1p(std::exp(-2.0))) / 4;
  EXPECT_NEAR(balanced_log_loss(log_odds, labels, weights), 0.5 * (of_p + std::log1p(std::exp(-1.0))), 1e-15);
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
