#include "uncertainty/standard_error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/numeric.hpp"
#include "jsdiv/random.hpp"
#include "measure/posteriors.hpp"
#include "uncertainty/held_out_draws.hpp"
#include "uncertainty/interval.hpp"

namespace jsdiv {
namespace {

using Labels = std::vector<std::uint8_t>;

TEST(StandardError, IsThatOfTheTwoMeansWhereRowsDiffer) {
  const auto [log_odds, labels, folds, groups] = gaussian_oracle(40, 60, 0.7, RandomStream(6));
  std::vector<double> weights;
  for (std::size_t row = 0; row < labels.size(); ++row) weights.push_back(0.5 + static_cast<double>(row % 4));
  for (const std::vector<double>& given : {std::vector<double>{}, weights}) {
    std::vector<double> posteriors;
    for (const double value : log_odds) posteriors.push_back(sigmoid(value));
    const JsdEstimate expected = jsd_from_posteriors(posteriors, labels, given);
    const Measured measured = divergence_with_error(jsd_terms(log_odds, labels), {labels, given, {}});
    EXPECT_NEAR(measured.value, expected.raw, 1e-13);
    EXPECT_NEAR(measured.standard_error, expected.standard_error, 1e-13);
  }
}

TEST(JsdTerms, LoseNothingWhereAPosteriorIsTooNearToZero) {
  EXPECT_NEAR(jsd_terms(std::vector<double>{-2000, 1}, Labels{1, 0}).own[0], 1 - 2000 / std::log(2.0), 1e-9);
}

TEST(StandardError, HasTheFloorOfOneMisclassifiedRowAtCompleteSeparation) {
  const Labels labels = {1, 1, 1, 1, 0, 0};
  const std::vector<double> log_odds = {3, 3, 3, 3, -3, -3};
  const double right = 1 - std::log2(1 + std::exp(-3));
  const double wrong = 1 - std::log2(1 + std::exp(3));
  const Measured measured = divergence_with_error(jsd_terms(log_odds, labels), {labels, {}, {}});
  EXPECT_NEAR(measured.value, right, 1e-14);
  EXPECT_NEAR(measured.standard_error, 0.5 * (right - wrong) * std::sqrt(1 / 16.0 + 1 / 4.0), 1e-14);
  // Two rows a group: a misclassified group is twice the share.
  const std::vector<std::uint32_t> groups = {7, 7, 9, 9, 1, 2};
  const Measured grouped = divergence_with_error(jsd_terms(log_odds, labels), {labels, {}, groups});
  EXPECT_NEAR(grouped.standard_error, 0.5 * (right - wrong) * std::sqrt(1 / 4.0 + 1 / 4.0), 1e-14);
  // Where nothing is told apart, a misclassified row costs nothing.
  EXPECT_EQ(divergence_with_error(jsd_terms(std::vector<double>(6), labels), {labels, {}, {}}).standard_error,
            0);
}

TermSums sums_of(const JsdTerms& terms, const Labels& labels, std::uint8_t label) {
  TermSums sums;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] != label) continue;
    sums.rows += 1;
    sums.own += terms.own[row];
    sums.own_squares += terms.own[row] * terms.own[row];
    sums.swapped += terms.swapped[row];
    sums.swapped_squares += terms.swapped[row] * terms.swapped[row];
  }
  return sums;
}

TEST(StandardError, FollowsFromSums) {
  const auto drawn = gaussian_oracle(40, 60, 0.7, RandomStream(6));
  const std::vector<double> apart = {3, 3, 3, 3, -3, -3};
  const Labels labels_apart = {1, 1, 1, 1, 0, 0};
  for (const auto& [log_odds, labels] : {std::pair(std::vector<double>(drawn.log_odds), Labels(drawn.labels)),
                                         std::pair(apart, labels_apart)}) {
    const JsdTerms terms = jsd_terms(log_odds, labels);
    const Measured expected = divergence_with_error(terms, {labels, {}, {}});
    const Measured found = divergence_with_error(sums_of(terms, labels, 1), sums_of(terms, labels, 0));
    EXPECT_NEAR(found.value, expected.value, 1e-14);
    EXPECT_NEAR(found.standard_error, expected.standard_error, 1e-12);
  }
}

TEST(StandardError, TakesAGroupOfCopiesAsOneRow) {
  const Labels labels = {1, 1, 1, 0, 0};
  const std::vector<double> log_odds = {1, -0.5, 2, -1, 0.3};
  Labels labels_twice;
  std::vector<double> log_odds_twice;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t row = 0; row < labels.size(); ++row) {
    for (int copy = 0; copy < 2; ++copy) {
      labels_twice.push_back(labels[row]);
      log_odds_twice.push_back(log_odds[row]);
      groups.push_back(100 - row);
    }
  }
  const Measured once = divergence_with_error(jsd_terms(log_odds, labels), {labels, {}, {}});
  const Measured twice =
      divergence_with_error(jsd_terms(log_odds_twice, labels_twice), {labels_twice, {}, groups});
  EXPECT_NEAR(once.value, twice.value, 1e-14);
  EXPECT_NEAR(once.standard_error, twice.standard_error, 1e-14);
}

TEST(StandardError, AddsTheInfluencesOfAGroupWithRowsOfBothTables) {
  // Influences of P: +-a, of Q: +-b, in two groups; m / (m - 1) = 2 for both tables.
  const Labels labels = {1, 1, 0, 0};
  const std::vector<double> terms = {0.4, 0.2, 0.9, 0.1};
  const std::vector<std::uint32_t> together = {0, 1, 0, 1};
  const std::vector<std::uint32_t> opposed = {0, 1, 1, 0};
  const double a = 0.5 * 0.1;
  const double b = 0.5 * 0.4;
  EXPECT_NEAR(sum_of_class_means(terms, {labels, {}, together}).standard_error, std::sqrt(2 * 2) * (a + b),
              1e-14);
  EXPECT_NEAR(sum_of_class_means(terms, {labels, {}, opposed}).standard_error, std::sqrt(2 * 2) * (b - a),
              1e-14);
}

TEST(StandardError, IsNotANumberForATableOfOneGroup) {
  const Labels labels = {1, 1, 0, 0};
  const std::vector<std::uint32_t> groups = {0, 0, 1, 2};
  EXPECT_TRUE(
      std::isnan(sum_of_class_means(std::vector<double>{1, 2, 3, 4}, {labels, {}, groups}).standard_error));
}

TEST(StandardError, MatchesTheSpreadOfClusteredEstimates) {
  constexpr int replications = 600;
  double sum = 0, squares = 0, mean_error = 0, mean_error_by_rows = 0;
  for (int replication = 0; replication < replications; ++replication) {
    RandomStream random = RandomStream(11).child(static_cast<std::uint64_t>(replication));
    Draw draw;
    for (std::uint32_t group = 0; group < 80; ++group) {
      const double shared = random.normal();
      const std::size_t size = 1 + random.below(5);
      for (std::size_t row = 0; row < size; ++row) {
        // Half of the groups hold rows of both tables.
        const bool of_p = group < 40 ? row % 2 == 0 : group % 2 == 0;
        const double x = shared + 0.5 * random.normal() + (of_p ? 0.5 : -0.5);
        draw.log_odds.push_back(x);
        draw.labels.push_back(of_p ? 1 : 0);
        draw.groups.push_back(group);
      }
    }
    const JsdTerms terms = jsd_terms(draw.log_odds, draw.labels);
    const Measured measured = divergence_with_error(terms, draw.rows());
    sum += measured.value;
    squares += measured.value * measured.value;
    mean_error += measured.standard_error / replications;
    mean_error_by_rows += divergence_with_error(terms, {draw.labels, {}, {}}).standard_error / replications;
  }
  const double spread = std::sqrt((squares - sum * sum / replications) / (replications - 1));
  // The spread of 600 values is known to 3 %.
  EXPECT_NEAR(mean_error / spread, 1, 0.1);
  EXPECT_LT(mean_error_by_rows / spread, 0.9);
}

TEST(Interval, IsSymmetricInTheMiddleAndOneSidedAtTheEnds) {
  const Interval middle = divergence_interval(0.5, 0.1, 0.95);
  EXPECT_NEAR(middle.low, 0.5 - 1.959964 * 0.1, 1e-7);
  EXPECT_NEAR(middle.high, 0.5 + 1.959964 * 0.1, 1e-7);
  EXPECT_EQ(middle.level, 0.95);
  EXPECT_EQ(divergence_interval(0.16, 0.1, 0.95).low, 0);  // 1.6 standard errors
  EXPECT_EQ(divergence_interval(0.84, 0.1, 0.95).high, 1);
  EXPECT_NEAR(divergence_interval(0.16, 0.1, 0.5).low, 0.16 - 0.6744898 * 0.1, 1e-7);
  EXPECT_NEAR(divergence_interval(0.84, 0.1, 0.5).high, 0.84 + 0.6744898 * 0.1, 1e-7);
  EXPECT_EQ(divergence_interval(0.5, 0.1, 0.95, 0.2).low, 0);
  EXPECT_GT(divergence_interval(0.5, 0.1, 0.95, 0.01).low, 0);
  const Interval lopsided = divergence_interval(0.3, {0.1, 0.2}, 0.95);
  EXPECT_NEAR(lopsided.low, 0.3 - 1.959964 * 0.1, 1e-7);
  EXPECT_NEAR(lopsided.high, 0.3 + 1.959964 * 0.2, 1e-7);
  EXPECT_EQ(divergence_interval(0.7, {0.1, 0.2}, 0.95).high, 1);  // 1.5 standard errors
  const Interval below_chance = divergence_interval(-0.02, 0.01, 0.95);
  EXPECT_EQ(below_chance.low, 0);
  EXPECT_NEAR(below_chance.high, 0.01959964, 1e-7);
  const Interval beyond = divergence_interval(1.01, 0.01, 0.95);
  EXPECT_EQ(beyond.high, 1);
  EXPECT_NEAR(beyond.low, 1 - 0.01959964, 1e-7);
}

TEST(Interval, TellsFromZeroByTheErrorThatItsLevelAllows) {
  // p = 0.03 rejects P = Q at 5 %, not at 1 %; one-sided normal quantiles are 1.645 and 2.326.
  EXPECT_GT(divergence_interval(0.5, 0.1, 0.95, 0.03).low, 0);
  EXPECT_EQ(divergence_interval(0.5, 0.1, 0.99, 0.03).low, 0);
  EXPECT_GT(divergence_interval(0.5, 0.1, 0.99, 0.009).low, 0);
  EXPECT_EQ(divergence_interval(0.5, 0.1, 0.8, 0.21).low, 0);
  EXPECT_GT(divergence_interval(0.5, 0.1, 0.8, 0.19).low, 0);
  EXPECT_EQ(divergence_interval(0.77, 0.1, 0.99).high, 1);  // 2.3 standard errors
  // A higher level holds all that a lower one does.
  for (const double estimate : {0.002, 0.1, 0.16, 0.2, 0.5, 0.8, 0.9, 0.99}) {
    for (const double p_value : {0.0005, 0.02, 0.2}) {
      Interval inner = divergence_interval(estimate, 0.1, 0.05, p_value);
      for (const double level : {0.3, 0.5, 0.8, 0.9, 0.95, 0.99, 0.9999}) {
        const Interval outer = divergence_interval(estimate, 0.1, level, p_value);
        EXPECT_LE(outer.low, inner.low) << estimate << " at " << level;
        EXPECT_GE(outer.high, inner.high) << estimate << " at " << level;
        inner = outer;
      }
    }
  }
}

// Truths by quadrature for the shifts given.
struct KnownPair {
  double shift, jsd;
};

TEST(Interval, HoldsTheTruthAsOftenAsItSays) {
  constexpr int replications = 1000;
  for (const KnownPair pair :
       {KnownPair{0.2363005, 0.01}, {2.0435394, 0.5}, {3.8775152, 0.9}, {5.6259775, 0.99}}) {
    for (const std::size_t rows : {60, 400}) {
      int held = 0;
      for (int replication = 0; replication < replications; ++replication) {
        const Draw draw =
            gaussian_oracle(rows, rows, pair.shift,
                            RandomStream(3).child(rows).child(static_cast<std::uint64_t>(replication)));
        const Measured measured = divergence_with_error(jsd_terms(draw.log_odds, draw.labels), draw.rows());
        const Interval interval = divergence_interval(measured.value, measured.standard_error, 0.95);
        held += interval.low <= pair.jsd && pair.jsd <= interval.high ? 1 : 0;
      }
      // Nominal 95 % less three standard errors of a share of 1000, and what the normal law lacks at 60 rows.
      EXPECT_GE(held, 915) << "shift " << pair.shift << ", rows " << rows;
    }
  }
}

}  // namespace
}  // namespace jsdiv
