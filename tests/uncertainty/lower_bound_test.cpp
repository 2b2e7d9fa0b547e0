#include "uncertainty/lower_bound.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/parallel.hpp"
#include "jsdiv/random.hpp"
#include "uncertainty/held_out_draws.hpp"

namespace jsdiv {
namespace {

// Truths by quadrature for the shifts given.
struct KnownPair {
  double shift, jsd;
};
constexpr double shift_of_jsd_02 = 1.1320979;

Draw separated(std::size_t rows_a_side) {
  Draw draw;
  for (std::size_t row = 0; row < 2 * rows_a_side; ++row) {
    draw.labels.push_back(row % 2);
    draw.log_odds.push_back(row % 2 == 1 ? 9 : -9);
    draw.folds.push_back(static_cast<std::uint32_t>(row / 2 % 5));
  }
  return draw;
}

Draw copied(const Draw& once, std::uint32_t copies) {
  Draw result;
  for (std::uint32_t row = 0; row < copies * once.labels.size(); ++row) {
    result.log_odds.push_back(once.log_odds[row / copies]);
    result.labels.push_back(once.labels[row / copies]);
    result.folds.push_back(once.folds[row / copies]);
    result.groups.push_back(row / copies);
  }
  return result;
}

TEST(LowerBound, EqualsTheFormulaWorkedOutByHand) {
  // Terms log2(2 D) of P: D = 3/4, 1/2; of Q, log2(2 (1 - D)): D = 1/4, 1/2. Means of either: log2(1.5) / 2.
  const double a = std::log(3);
  const std::vector<std::uint8_t> labels = {1, 1, 0, 0};
  const std::vector<double> log_odds = {a, 0, -a, 0};
  const double mean = std::log2(1.5) / 2;
  const double misclassified = std::log2(0.5) / 2;  // the other table's rows: D = 1/4, 1/2
  const double cost = (mean - misclassified) / 3;
  // The floor of one misclassified row is above the variance of either mean: the mean square of what the
  // other table's terms of -1 and 0 lack of the mean, over 2² rows; a quarter of each table's in the error.
  const double error = std::sqrt(2 * 0.25 * 0.5 * (std::pow(-1 - mean, 2) + mean * mean) / 4);
  EXPECT_NEAR(divergence_lower_bound(log_odds, {labels, {}, {}}, 0.51),
              mean - cost - 0.0250689082587111 * error, 1e-12);
}

TEST(LowerBound, OfCompleteSeparationLacksTheClipAndOneRow) {
  const std::size_t rows = 1000;
  const Draw draw = separated(rows);
  const double right = std::log2(2 * 0.99);
  const double wrong = std::log2(2 * 0.01);
  const double cost = (right - wrong) / (rows + 1);
  const double error = 0.5 * (right - wrong) * std::sqrt(2.0) / rows;  // the floor of one row a table
  EXPECT_NEAR(divergence_lower_bound(draw.log_odds, draw.rows(), 0.95), right - cost - 1.6448536 * error,
              1e-8);
}

TEST(LowerBound, HoldsAsOftenAsItSaysAndSaysSomething) {
  // With the true log-ratio, which has no shortfall to make up for too high a bound.
  constexpr int replications = 1000;
  for (const KnownPair pair : {KnownPair{0.2363005, 0.01}, {2.0435394, 0.5}, {2.5199, 0.64}}) {
    for (const std::size_t rows : {60, 200}) {
      int held = 0;
      double mean = 0;
      for (std::uint64_t replication = 0; replication < replications; ++replication) {
        const Draw draw =
            gaussian_oracle(rows, rows, pair.shift, RandomStream(3).child(rows).child(replication));
        const double bound = divergence_lower_bound(draw.log_odds, draw.rows(), 0.95);
        held += bound <= pair.jsd ? 1 : 0;
        mean += bound / replications;
      }
      EXPECT_GE(held, 930) << pair.jsd << ", rows " << rows;  // 950 less three errors of such a count
      if (pair.jsd == 0.64 && rows == 200) {
        EXPECT_NEAR(mean, 0.56, 0.01);
        EXPECT_LE(held, 985);
      }
    }
  }
}

TEST(LowerBound, IsZeroForAClassifierThatIsWrongAndForATableOfOneGroup) {
  Draw draw = gaussian_oracle(500, 500, shift_of_jsd_02, RandomStream(8));
  EXPECT_GT(divergence_lower_bound(draw.log_odds, draw.rows(), 0.95), 0.1);
  const std::vector<std::uint32_t> one_group(1000, 4);
  EXPECT_EQ(divergence_lower_bound(draw.log_odds, {draw.labels, {}, one_group}, 0.95), 0);
  for (double& value : draw.log_odds) value *= -1;
  EXPECT_EQ(divergence_lower_bound(draw.log_odds, draw.rows(), 0.95), 0);
  EXPECT_EQ(betting_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95), 0);
}

TEST(LowerBound, TakesAGroupOfCopiesAsOneRow) {
  const Draw once = gaussian_oracle(600, 600, shift_of_jsd_02, RandomStream(5));
  const Draw thrice = copied(once, 3);
  EXPECT_NEAR(divergence_lower_bound(thrice.log_odds, thrice.rows(), 0.95),
              divergence_lower_bound(once.log_odds, once.rows(), 0.95), 1e-12);
  EXPECT_LT(divergence_lower_bound(thrice.log_odds, thrice.rows(), 0.95),
            divergence_lower_bound(thrice.log_odds, {thrice.labels, {}, {}}, 0.95));
  EXPECT_EQ(betting_lower_bound(thrice.log_odds, thrice.rows(), thrice.folds, 0.95),
            betting_lower_bound(once.log_odds, once.rows(), once.folds, 0.95));
}

TEST(LowerBound, TakesWeightsAsSharesAndLeavesOutRowsOfNoWeight) {
  const Draw draw = gaussian_oracle(300, 300, shift_of_jsd_02, RandomStream(2));
  const std::vector<double> equal(600, 2.5);
  std::vector<double> every_other(600);
  Draw half;
  for (std::size_t row = 0; row < 600; row += 2) {
    every_other[row] = 3;
    half.log_odds.push_back(draw.log_odds[row]);
    half.labels.push_back(draw.labels[row]);
  }
  const double plain = divergence_lower_bound(draw.log_odds, draw.rows(), 0.95);
  EXPECT_NEAR(divergence_lower_bound(draw.log_odds, {draw.labels, equal, {}}, 0.95), plain, 1e-12);
  EXPECT_NEAR(divergence_lower_bound(draw.log_odds, {draw.labels, every_other, {}}, 0.95),
              divergence_lower_bound(half.log_odds, half.rows(), 0.95), 1e-12);
}

TEST(Betting, CapitalIsTheMeanOverTheStakedShares) {
  // Against m = 0 with values of at least -1: (1 + c v), c being 0.005, 0.015, 0.04, 0.1, 0.2, 0.4, 0.65,
  // 0.9.
  const std::vector<double> values = {0.5, -1};
  double mean = 0;
  for (const double c : {0.005, 0.015, 0.04, 0.1, 0.2, 0.4, 0.65, 0.9}) mean += (1 + 0.5 * c) * (1 - c) / 8;
  EXPECT_NEAR(log_betting_capital(values, -1, 0), std::log(mean), 1e-14);
  EXPECT_EQ(log_betting_capital({}, -1, 0), 0);
  // No product of many factors overflows or vanishes.
  EXPECT_NEAR(log_betting_capital(std::vector<double>(100'000, 1), -1, 0),
              100'000 * std::log(1.9) - std::log(8), 1e-6);
}

TEST(Betting, CapitalAgainstATrueStatementIsOneOnAverage) {
  // Values -1 with probability 0.3, else 3/7: mean 0.
  double mean = 0;
  constexpr int replications = 20'000;
  RandomStream random(5);
  for (int replication = 0; replication < replications; ++replication) {
    std::vector<double> values(6);
    for (double& value : values) value = random.uniform() < 0.3 ? -1 : 3 / 7.0;
    mean += std::exp(log_betting_capital(values, -1, 0)) / replications;
  }
  EXPECT_NEAR(mean, 1, 0.03);
}

TEST(Betting, OfOneFoldAtCompleteSeparationIsSolvedByHand) {
  // 40 pairs in one fold, all at the upper clip. The clips 0.01, 0.05 and 0.2 are bet on side by side.
  Draw draw = separated(40);
  std::fill(draw.folds.begin(), draw.folds.end(), 0);
  const double bound = betting_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95);
  const auto capital = [](double m) {
    double mean = 0;
    for (const double eta : {0.01, 0.05, 0.2}) {
      for (const double c : {0.005, 0.015, 0.04, 0.1, 0.2, 0.4, 0.65, 0.9}) {
        const double gain = (std::log2(2 * (1 - eta)) - m) / (m - std::log2(2 * eta));
        mean += std::pow(1 + c * gain, 40) / 24;
      }
    }
    return mean;
  };
  EXPECT_GE(capital(bound), 20);
  EXPECT_LT(capital(bound + 1 / 8192.0), 20);
  EXPECT_GT(bound, 0.4);
}

TEST(Betting, PairsUnequalTablesAndMixedGroups) {
  // One row of Q against three of P, and a group with rows of both: Y = 1/2 (term of Q + mean of P).
  Draw unequal = separated(40);
  std::fill(unequal.folds.begin(), unequal.folds.end(), 0);
  const double equal = betting_lower_bound(unequal.log_odds, unequal.rows(), unequal.folds, 0.95);
  for (std::uint32_t row = 0; row < 80; ++row) {  // three times as many rows of P
    unequal.log_odds.push_back(9);
    unequal.labels.push_back(1);
    unequal.folds.push_back(0);
  }
  EXPECT_EQ(betting_lower_bound(unequal.log_odds, unequal.rows(), unequal.folds, 0.95), equal);
  Draw mixed = separated(40);
  std::fill(mixed.folds.begin(), mixed.folds.end(), 0);
  for (std::uint32_t row = 0; row < 80; ++row) mixed.groups.push_back(row / 2);
  EXPECT_EQ(betting_lower_bound(mixed.log_odds, mixed.rows(), mixed.folds, 0.95), equal);
  Draw larger = separated(80);  // two rows of each table in a group count as their mean
  std::fill(larger.folds.begin(), larger.folds.end(), 0);
  for (std::uint32_t row = 0; row < 160; ++row) larger.groups.push_back(row / 4);
  EXPECT_EQ(betting_lower_bound(larger.log_odds, larger.rows(), larger.folds, 0.95), equal);
}

TEST(Betting, HoldsAndIsBelowTheNormalBound) {
  int above_truth = 0;
  double mean = 0;
  for (std::uint64_t replication = 0; replication < 60; ++replication) {
    const Draw draw = gaussian_oracle(800, 1200, 2.0435394, RandomStream(9).child(replication));
    const double bound = betting_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95);
    EXPECT_LT(bound, divergence_lower_bound(draw.log_odds, draw.rows(), 0.95));
    above_truth += bound > 0.5 ? 1 : 0;
    mean += bound / 60;
  }
  EXPECT_LE(above_truth, 3);  // 5 %
  EXPECT_GT(mean, 0.3);
}

TEST(Betting, IsTheSameForEveryThreadCount) {
  const Draw draw = gaussian_oracle(800, 1200, 2, RandomStream(9));
  std::vector<double> bounds;
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] {
      bounds.push_back(betting_lower_bound(draw.log_odds, draw.rows(), draw.folds, 0.95));
    });
  }
  EXPECT_EQ(bounds[0], bounds[1]);
}

}  // namespace
}  // namespace jsdiv
