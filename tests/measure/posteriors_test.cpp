#include "measure/posteriors.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "core/numeric.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

using Labels = std::vector<std::uint8_t>;

TEST(Jsd, EqualsTheValueWorkedOutByHand) {
  // P: log2(1.5), log2(0.5) = -1; Q: log2(1.5), log2(1.5).
  const std::vector<double> posteriors = {0.75, 0.25, 0.25, 0.25};
  const Labels labels = {1, 1, 0, 0};
  const double bits = std::log2(1.5);
  const JsdEstimate estimate = jsd_from_posteriors(posteriors, labels);
  EXPECT_NEAR(estimate.raw, 0.5 * (bits - 1) / 2 + 0.5 * bits, 1e-12);
  EXPECT_NEAR(estimate.terms[0], bits, 1e-12);
  EXPECT_NEAR(estimate.terms[1], -1, 1e-12);
  // P's terms have variance (bits + 1)^2 / 2 and there are two; Q's have none.
  EXPECT_NEAR(estimate.standard_error, 0.5 * (bits + 1) / 2, 1e-12);
}

TEST(Jsd, IsZeroAtOneHalfAndOneAtCertainty) {
  const Labels labels = {1, 1, 0, 0};
  EXPECT_EQ(jsd_from_posteriors(std::vector<double>(4, 0.5), labels).raw, 0);
  const std::vector<double> certain = {1 - 1e-15, 1 - 1e-15, 1e-15, 1e-15};
  const JsdEstimate estimate = jsd_from_posteriors(certain, labels);
  EXPECT_NEAR(estimate.raw, 1, 1e-12);
  EXPECT_NEAR(estimate.standard_error, 0, 1e-12);
}

TEST(Jsd, WeightsByCountsAsIfRowsWereRepeated) {
  const Labels labels = {1, 1, 0, 0};
  const std::vector<double> posteriors = {0.9, 0.4, 0.3, 0.6};
  const JsdEstimate weighted = jsd_from_posteriors(posteriors, labels, std::vector<double>{2, 1, 1, 3});
  const JsdEstimate repeated = jsd_from_posteriors(std::vector<double>{0.9, 0.9, 0.4, 0.3, 0.6, 0.6, 0.6},
                                                   Labels{1, 1, 1, 0, 0, 0, 0});
  EXPECT_NEAR(weighted.raw, repeated.raw, 1e-12);
  // The ratio estimator: n / (n - 1) times the sum of (share times deviation from the mean) squared.
  const double p = std::log2(0.9 / 0.4);
  const double q = std::log2(0.7 / 0.4);
  const double variance_p = 2 * (std::pow(2.0 / 3 * p / 3, 2) + std::pow(1.0 / 3 * p * 2 / 3, 2));
  const double variance_q = 2 * (std::pow(1.0 / 4 * q * 3 / 4, 2) + std::pow(3.0 / 4 * q / 4, 2));
  EXPECT_NEAR(weighted.standard_error, 0.5 * std::sqrt(variance_p + variance_q), 1e-12);
  const JsdEstimate scaled = jsd_from_posteriors(posteriors, labels, std::vector<double>{20, 10, 10, 30});
  EXPECT_NEAR(scaled.standard_error, weighted.standard_error, 1e-12);
}

TEST(Jsd, StandardErrorIsTheSpreadOfTheEstimate) {
  // N(0,1) against N(1,1): the true log-odds are 1/2 - x. 400 estimates from 200 + 100 rows; the spread of
  // 400 values is known to 3.5 %.
  constexpr int repetitions = 400;
  double sum = 0;
  double squares = 0;
  double mean_error = 0;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    RandomStream random = RandomStream(5).child(static_cast<std::uint64_t>(repetition));
    std::vector<double> posteriors;
    Labels labels;
    for (int row = 0; row < 300; ++row) {
      labels.push_back(row < 200);
      posteriors.push_back(sigmoid(0.5 - (random.normal() + (row < 200 ? 0 : 1))));
    }
    const JsdEstimate estimate = jsd_from_posteriors(posteriors, labels);
    sum += estimate.raw;
    squares += estimate.raw * estimate.raw;
    mean_error += estimate.standard_error / repetitions;
  }
  const double spread = std::sqrt(squares / repetitions - std::pow(sum / repetitions, 2));
  EXPECT_NEAR(mean_error / spread, 1, 0.14);
}

TEST(Jsd, SaysSoWhenATableHasNoRow) {
  EXPECT_THROW(jsd_from_posteriors(std::vector<double>{0.5}, Labels{1}), InvalidInput);
  EXPECT_THROW(jsd_from_posteriors(std::vector<double>{0.5, 0.5}, Labels{1, 0}, std::vector<double>{1, 0}),
               InvalidInput);
  EXPECT_THROW(jsd_from_posteriors(std::vector<double>{0.5, 1.0}, Labels{1, 0}), InternalError);
  EXPECT_TRUE(std::isnan(jsd_from_posteriors(std::vector<double>{0.5, 0.5}, Labels{1, 0}).standard_error));
}

TEST(Prior, CorrectionEqualsTheShiftOfTheLogOdds) {
  EXPECT_DOUBLE_EQ(correct_prior(0.5, 1), 0.5);
  EXPECT_DOUBLE_EQ(correct_prior(0.8, 0.25), 0.5);  // odds 4 at a ratio of 1/4
  for (const double ratio : {0.1, 1.0, 7.0}) {
    for (const double posterior : {1e-9, 0.3, 0.999}) {
      EXPECT_NEAR(correct_prior(posterior, ratio), sigmoid(logit(posterior) + std::log(ratio)), 1e-12);
    }
    EXPECT_EQ(correct_prior(0, ratio), 0);
    EXPECT_DOUBLE_EQ(correct_prior(1, ratio), 1);
  }
  EXPECT_EQ(clip_posterior(0, 1e-6), 1e-6);
  EXPECT_EQ(clip_posterior(1, 1e-6), 1 - 1e-6);
  EXPECT_EQ(clip_posterior(0.3, 1e-6), 0.3);
}

TEST(Auc, CountsPairsAndTies) {
  // Pairs: 0.9 beats both, 0.4 beats 0.1 and ties with 0.4: 3.5 of 4.
  const std::vector<double> scores = {0.9, 0.4, 0.4, 0.1};
  const Labels labels = {1, 1, 0, 0};
  EXPECT_DOUBLE_EQ(auc(scores, labels), 3.5 / 4);
  // Weight 3 on the row at 0.4 of P: (2 + 3 * 1.5) / 8.
  EXPECT_DOUBLE_EQ(auc(scores, labels, std::vector<double>{1, 3, 1, 1}), 6.5 / 8);
  EXPECT_DOUBLE_EQ(auc(std::vector<double>(4, 0.5), labels), 0.5);
  EXPECT_DOUBLE_EQ(auc(std::vector<double>{0, 0, 1, 1}, labels), 0);
}

TEST(Accuracy, CountsEachTableHalf) {
  const std::vector<double> posteriors = {0.9, 0.2, 0.5, 0.1, 0.6};
  const Labels labels = {1, 1, 1, 0, 0};
  EXPECT_DOUBLE_EQ(accuracy(posteriors, labels), 0.5 * (1.5 / 3 + 1.0 / 2));
  EXPECT_DOUBLE_EQ(accuracy(posteriors, labels, std::vector<double>{2, 1, 0, 1, 0}), 0.5 * (2.0 / 3 + 1));
}

TEST(LogLoss, IsTheWeightedMeanInNats) {
  const std::vector<double> posteriors = {0.4, 0.25};
  const Labels labels = {1, 0};
  EXPECT_NEAR(log_loss(posteriors, labels), -0.5 * (std::log(0.4) + std::log(0.75)), 1e-12);
  EXPECT_NEAR(log_loss(posteriors, labels, std::vector<double>{3, 1}),
              -0.25 * (3 * std::log(0.4) + std::log(0.75)), 1e-12);
}

}  // namespace
}  // namespace jsdiv
