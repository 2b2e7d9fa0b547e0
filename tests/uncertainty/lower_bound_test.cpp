#include "uncertainty/lower_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/random.hpp"
#include "uncertainty/held_out_draws.hpp"

namespace jsdiv {
namespace {

constexpr double shift_of_jsd_02 = 1.1320979;

TEST(LowerBound, EqualsTheInequalityWorkedOutByHand) {
  // Mean 0.5, sample variance 1/3, log(2 / 0.1) = 2.9957.
  const std::vector<double> values = {0, 0, 1, 1};
  const double log_term = std::log(20.0);
  EXPECT_NEAR(empirical_bernstein_lower(values, 2, 0.1),
              0.5 - std::sqrt(2 * log_term / 3 / 4) - 7 * 2 * log_term / 9, 1e-14);
}

TEST(LowerBound, OfCompleteSeparationLacksOnlyTheRangeTerm) {
  constexpr std::size_t rows = 2000;
  Draw draw;
  for (std::size_t row = 0; row < rows; ++row) {
    draw.labels.push_back(row % 2);
    draw.log_odds.push_back(row % 2 == 1 ? 9 : -9);
    draw.folds.push_back(4);
  }
  const double clip = 0.05;
  const std::vector<double> clips = {clip};
  const double log_term = std::log(2 / 0.05);
  const double range = std::log2(0.95 / 0.05);
  EXPECT_NEAR(divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95, clips),
              std::log2(2 * 0.95) - 7 * range * log_term / (3 * (rows - 1.0)), 1e-12);
}

TEST(LowerBound, SharesAlphaBetweenFoldsAndClips) {
  const Draw draw = gaussian_oracle(4000, 4000, shift_of_jsd_02, RandomStream(1));
  const std::vector<double> one = {0.05};
  const std::vector<double> twice = {0.05, 0.05};
  const double of_one = divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95, one);
  EXPECT_EQ(divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95, twice),
            divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.975, one));
  EXPECT_GT(of_one, divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95, twice));
  EXPECT_GT(of_one, 0.03);
  // The same rows in one fold: fewer bounds to share between, and more rows in it.
  EXPECT_GT(divergence_lower_bound(draw.log_odds, draw.rows(), std::vector<std::uint32_t>(8000), 0.95, one),
            0.1);
}

TEST(LowerBound, IsBelowTheTruthWhateverTheClassifier) {
  int above_truth = 0;
  int above_zero = 0;
  double highest = 0;
  for (std::uint64_t replication = 0; replication < 300; ++replication) {
    Draw draw = gaussian_oracle(1500, 2500, shift_of_jsd_02, RandomStream(8).child(replication));
    // Three kinds of classifier: the true ratio, one that is too sure, one that is wrong.
    const double factor = std::vector<double>{1, 3, -1}[replication % 3];
    for (double& value : draw.log_odds) value *= factor;
    const double bound = divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95);
    above_truth += bound > 0.2 ? 1 : 0;
    above_zero += bound > 0 ? 1 : 0;
    highest = std::max(highest, bound);
    if (replication % 3 == 2) {
      EXPECT_EQ(bound, 0);
    }
  }
  EXPECT_LE(above_truth, 15);  // 5 %
  EXPECT_GE(above_zero, 50);
  EXPECT_GT(highest, 0.02);
}

TEST(LowerBound, OfGroupsHoldsWhenRowsOfAGroupAreCopies) {
  // With every row three times, the bound by rows would take three times as many draws as there are.
  int above_truth = 0;
  for (std::uint64_t replication = 0; replication < 100; ++replication) {
    const Draw once = gaussian_oracle(600, 600, shift_of_jsd_02, RandomStream(5).child(replication));
    Draw copies;
    for (std::uint32_t row = 0; row < 3600; ++row) {
      copies.log_odds.push_back(once.log_odds[row / 3]);
      copies.labels.push_back(once.labels[row / 3]);
      copies.folds.push_back(0);
      copies.groups.push_back(row / 3);
    }
    const double by_group = divergence_lower_bound(copies.log_odds, copies.rows(), copies.folds, 0.95);
    const double by_row =
        divergence_lower_bound(copies.log_odds, {copies.labels, {}, {}}, copies.folds, 0.95);
    EXPECT_NEAR(by_group,
                divergence_lower_bound(once.log_odds, once.rows(), std::vector<std::uint32_t>(1200), 0.95),
                1e-12);
    EXPECT_LT(by_group, by_row);
    above_truth += by_group > 0.2 ? 1 : 0;
  }
  EXPECT_LE(above_truth, 5);
}

TEST(LowerBound, OfWeightsThatCountRowsIsThatOfTheLargestShare) {
  const Draw draw = gaussian_oracle(3000, 3000, 3.8775152, RandomStream(2));
  const std::vector<double> equal(6000, 2.5);
  std::vector<double> unequal(6000, 1);
  unequal[17] = 30;
  const double plain = divergence_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95);
  EXPECT_NEAR(divergence_lower_bound(draw.log_odds, {draw.labels, equal, {}}, draw.folds, 0.95), plain,
              1e-12);
  const std::vector<std::uint32_t> one_fold(6000);
  EXPECT_LT(divergence_lower_bound(draw.log_odds, {draw.labels, unequal, {}}, one_fold, 0.95),
            divergence_lower_bound(draw.log_odds, draw.rows(), one_fold, 0.95) - 0.05);
}

TEST(LowerBound, IsZeroForFoldsThatBoundNothing) {
  const std::vector<double> log_odds = {5, -5};
  const std::vector<std::uint8_t> labels = {1, 0};
  EXPECT_EQ(divergence_lower_bound(log_odds, {labels, {}, {}}, std::vector<std::uint32_t>{0, 1}, 0.95), 0);
}

}  // namespace
}  // namespace jsdiv
