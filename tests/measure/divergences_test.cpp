#include "measure/divergences.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "jsdiv/random.hpp"
#include "measure/posteriors.hpp"

namespace jsdiv {
namespace {

using Labels = std::vector<std::uint8_t>;
constexpr double no_cap = std::numeric_limits<double>::infinity();

struct Draw {
  std::vector<double> log_odds;
  Labels labels;
};

/// N(0, 1) against N(shift, 1), with the log-ratio of a classifier that believes in `believed`.
Draw gaussians(std::size_t rows_p, std::size_t rows_q, double shift, double believed, std::uint64_t seed) {
  RandomStream random(seed);
  Draw draw;
  for (std::size_t row = 0; row < rows_p + rows_q; ++row) {
    const double x = random.normal() + (row < rows_p ? 0 : shift);
    draw.log_odds.push_back(-believed * x + believed * believed / 2);
    draw.labels.push_back(row < rows_p ? 1 : 0);
  }
  return draw;
}

void expect_within_errors(const std::optional<Measured>& measured, double truth, double largest_error,
                          const char* name) {
  ASSERT_TRUE(measured) << name;
  EXPECT_NEAR(measured->value, truth, 4 * measured->standard_error) << name;
  EXPECT_GT(measured->standard_error, 0) << name;
  EXPECT_LT(measured->standard_error, largest_error) << name;
}

TEST(Divergences, OfTwoGaussiansAreTheClosedForms) {
  const Draw draw = gaussians(30000, 50000, 1, 1, 1);
  const Divergences found = divergences_from_log_odds(draw.log_odds, {draw.labels, {}, {}}, no_cap);
  const auto normal_cdf = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  expect_within_errors(found.kl_pq, 0.5 / std::numbers::ln2, 0.02, "kl_pq");
  expect_within_errors(found.kl_qp, 0.5 / std::numbers::ln2, 0.02, "kl_qp");
  expect_within_errors(found.total_variation, 2 * normal_cdf(0.5) - 1, 0.01, "total_variation");
  expect_within_errors(found.hellinger, 1 - std::exp(-1 / 8.0), 0.01, "hellinger");
  expect_within_errors(found.chi2, std::numbers::e - 1, 0.2, "chi2");
  expect_within_errors(found.auc, normal_cdf(1 / std::numbers::sqrt2), 0.01, "auc");
  expect_within_errors(found.accuracy, normal_cdf(0.5), 0.01, "accuracy");
  expect_within_errors(found.pmse, 0.05101356640837669, 0.001, "pmse");  // by quadrature
  EXPECT_TRUE(found.warnings.empty());
}

TEST(Divergences, OfAWrongClassifierAreTooLowNotTooHigh) {
  // The expected values of the dual forms with z = -2x + 2 on N(0, 1) against N(1, 1).
  const Draw draw = gaussians(40000, 40000, 1, 2, 2);
  const Divergences found = divergences_from_log_odds(draw.log_odds, {draw.labels, {}, {}}, no_cap);
  // E_P z = 2, E_Q e^z = e^(-2 + 2 + 2) = e^2.
  EXPECT_NEAR(found.kl_pq->value, (2 - std::exp(2) + 1) / std::numbers::ln2, 4 * found.kl_pq->standard_error);
  EXPECT_LT(found.kl_pq->value, 0.5 / std::numbers::ln2);
  // E_P e^(-z/2) = e^(-1 + 1/2), E_Q e^(z/2) = e^(-1 + 1 + 1/2).
  EXPECT_NEAR(found.hellinger->value, 1 - 0.5 * (std::exp(-0.5) + std::exp(0.5)),
              4 * found.hellinger->standard_error);
  EXPECT_LT(found.hellinger->value, 1 - std::exp(-1 / 8.0));
}

TEST(Divergences, OfEqualTablesAreNearZero) {
  const Draw draw = gaussians(5000, 5000, 0, 0.03, 3);
  const Divergences found = divergences_from_log_odds(draw.log_odds, {draw.labels, {}, {}}, std::log(4000));
  for (const auto& measured : {found.kl_pq, found.kl_qp, found.hellinger, found.chi2}) {
    EXPECT_NEAR(measured->value, 0, 0.01);
    EXPECT_LT(measured->standard_error, 0.005);
  }
  EXPECT_NEAR(found.total_variation->value, 0, 4 * found.total_variation->standard_error);
  EXPECT_NEAR(found.auc->value, 0.5, 4 * found.auc->standard_error);
  EXPECT_NEAR(found.pmse->value, 0, 1e-3);
}

TEST(Divergences, OfDisjointTablesLeaveOutWhatIsInfinite) {
  const Labels labels = {1, 1, 1, 0, 0, 0};
  const std::vector<double> separated = {4, 5, 3, -4, -5, -3};
  const Divergences found = divergences_from_log_odds(separated, {labels, {}, {}}, 5);
  EXPECT_FALSE(found.kl_pq || found.kl_qp || found.chi2);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_EQ(found.warnings[0].code, "disjoint_supports");
  EXPECT_TRUE(found.warnings[0].message.starts_with("KL(P || Q), KL(Q || P) and chi2 are not reported"));
  EXPECT_EQ(found.total_variation->value, 1);
  EXPECT_EQ(found.accuracy->value, 1);
  EXPECT_EQ(found.auc->value, 1);
}

/// Of `draws` pairs with the true log-ratio, cut at the cap of a cross-fit: how often the value is marked "at
/// least", and how often its 95 % interval holds the truth.
struct Tail {
  int at_least = 0;
  int held = 0;
};

Tail tail_of(std::optional<Measured> Divergences::*which, double truth, double shift, std::size_t rows,
             int draws) {
  Tail tail;
  const double cap = std::log(0.8 * static_cast<double>(rows));
  for (int seed = 0; seed < draws; ++seed) {
    Draw draw = gaussians(rows, rows, shift, shift, 100 + static_cast<std::uint64_t>(seed));
    for (double& value : draw.log_odds) value = std::clamp(value, -cap, cap);
    const Divergences found = divergences_from_log_odds(draw.log_odds, {draw.labels, {}, {}}, cap);
    const Measured& measured = (found.*which).value();
    tail.at_least += measured.at_least ? 1 : 0;
    tail.held += std::abs(measured.value - truth) < 1.96 * measured.standard_error ? 1 : 0;
  }
  return tail;
}

TEST(Divergences, SayAtLeastWhereTheRowsDoNotShowTheTail) {
  const auto kl = [](double shift) { return 0.5 * shift * shift / std::numbers::ln2; };
  const auto chi2 = [](double shift) { return std::expm1(shift * shift); };
  // Where intervals fail even with the true log-ratio, none is given.
  const Tail chi2_at_2 = tail_of(&Divergences::chi2, chi2(2), 2, 5000, 40);
  EXPECT_EQ(chi2_at_2.at_least, 40);
  EXPECT_LT(chi2_at_2.held, 28);  // half of them: the reason for the rule
  const Tail chi2_at_3 = tail_of(&Divergences::chi2, chi2(3), 3, 5000, 40);
  EXPECT_EQ(chi2_at_3.at_least, 40);
  EXPECT_EQ(chi2_at_3.held, 0);
  const Tail kl_at_4 = tail_of(&Divergences::kl_pq, kl(4), 4, 5000, 40);
  EXPECT_EQ(kl_at_4.at_least, 40);
  EXPECT_LT(kl_at_4.held, 6);
  // Where they hold, they are given: 95 % of 300 less three errors of such a count.
  for (const auto which : {&Divergences::kl_pq, &Divergences::kl_qp}) {
    const Tail seen = tail_of(which, kl(1), 1, 1000, 300);
    EXPECT_LE(seen.at_least, 3);
    EXPECT_GE(seen.held, 273);
  }
  const Tail seen = tail_of(&Divergences::chi2, chi2(0.5), 0.5, 1000, 300);
  EXPECT_LE(seen.at_least, 3);
  EXPECT_GE(seen.held, 270);
}

TEST(Divergences, TakeTheTailOfGroupsAndWeightsAsOfTheRowsTheyStandFor) {
  // Ten copies of 30 rows are 30 draws: with a tail of few, what 300 rows would show is not seen.
  Draw draw = gaussians(15, 15, 1, 1, 4);
  Draw copies;
  std::vector<std::uint32_t> groups;
  for (std::uint32_t row = 0; row < 300; ++row) {
    copies.log_odds.push_back(draw.log_odds[row / 10]);
    copies.labels.push_back(draw.labels[row / 10]);
    groups.push_back(row / 10);
  }
  EXPECT_TRUE(
      divergences_from_log_odds(copies.log_odds, {copies.labels, {}, groups}, no_cap).kl_pq->at_least);
  // Nor do the rows of P, however many, show the tail of 15 rows of Q.
  draw = gaussians(400, 15, 0.3, 0.3, 4);
  EXPECT_TRUE(divergences_from_log_odds(draw.log_odds, {draw.labels, {}, {}}, no_cap).kl_pq->at_least);
  // One row of Q with nearly all of its weight, or a row that weighs nothing.
  draw = gaussians(400, 400, 0.3, 0.3, 6);
  std::vector<double> weights(800, 1);
  const auto marked = [&] {
    return divergences_from_log_odds(draw.log_odds, {draw.labels, weights, {}}, no_cap).kl_pq->at_least;
  };
  EXPECT_FALSE(marked());
  for (std::size_t row = 400; row < 800; ++row) weights[row] = std::pow(static_cast<double>(row) - 399, -1.5);
  EXPECT_TRUE(marked());
}

TEST(Divergences, OfATableThatReachesBeyondTheOtherLoseOneDirection) {
  // Half of P lies where Q has no row; all of Q lies where P has rows.
  const Labels labels = {1, 1, 1, 1, 0, 0, 0, 0};
  const std::vector<double> log_odds = {5, 5, -0.4, -0.4, -0.4, -0.4, -0.4, -0.4};
  const Divergences found = divergences_from_log_odds(log_odds, {labels, {}, {}}, 5);
  EXPECT_FALSE(found.kl_pq || found.chi2);
  EXPECT_TRUE(found.kl_qp);
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(found.warnings[0].message.find("50 % of P's rows lie where"), std::string::npos);
}

TEST(Divergences, EqualTheValuesWorkedOutByHand) {
  const double a = std::log(3);  // D = 3/4
  const Labels labels = {1, 1, 0, 0};
  const std::vector<double> log_odds = {a, 0, -a, a};
  const Divergences found = divergences_from_log_odds(log_odds, {labels, {}, {}}, no_cap);
  EXPECT_NEAR(found.accuracy->value, 0.5 * (0.75 + 0.5), 1e-14);
  EXPECT_NEAR(found.pmse->value, 0.5 * (1 / 32.0 + 1 / 16.0), 1e-14);
  EXPECT_NEAR(found.kl_pq->value, (a / 2 - ((1 / 3.0 + 3) / 2 - 1)) / std::numbers::ln2, 1e-14);
  EXPECT_NEAR(found.chi2->value, 2 * (3 + 1) / 2.0 - (1 / 9.0 + 9) / 2 - 1, 1e-13);
  EXPECT_NEAR(found.hellinger->value,
              1 - 0.5 * ((1 / std::sqrt(3) + 1) / 2 + (1 / std::sqrt(3) + std::sqrt(3)) / 2), 1e-14);
  // Placements: P 3/4 and 1/2; Q 1 and 1/4. DeLong: var(P) / 2 + var(Q) / 2.
  EXPECT_NEAR(found.auc->value, 0.625, 1e-14);
  EXPECT_NEAR(found.auc->standard_error, std::sqrt(0.25 * 0.25 / 2 / 2 + 0.75 * 0.75 / 2 / 2), 1e-14);
}

TEST(Divergences, OfWeightsMatchTheOtherMeasures) {
  Draw draw = gaussians(40, 30, 1, 1, 5);
  std::vector<double> weights;
  std::vector<double> posteriors;
  for (std::size_t row = 0; row < draw.labels.size(); ++row) {
    draw.log_odds[row] = std::round(2 * draw.log_odds[row]) / 2;  // ties
    weights.push_back(static_cast<double>(row % 3));
    posteriors.push_back(1 / (1 + std::exp(-draw.log_odds[row])));
  }
  const Divergences found = divergences_from_log_odds(draw.log_odds, {draw.labels, weights, {}}, no_cap);
  EXPECT_NEAR(found.auc->value, auc(draw.log_odds, draw.labels, weights), 1e-14);
  EXPECT_NEAR(found.accuracy->value, accuracy(posteriors, draw.labels, weights), 1e-14);
}

TEST(Auc, HasTheErrorOfItsSpread) {
  constexpr int replications = 500;
  double sum = 0, squares = 0, error = 0;
  for (int replication = 0; replication < replications; ++replication) {
    const Draw draw = gaussians(50, 80, 1, 1, 1000 + static_cast<std::uint64_t>(replication));
    const Measured measured = auc_with_error(draw.log_odds, {draw.labels, {}, {}});
    sum += measured.value;
    squares += measured.value * measured.value;
    error += measured.standard_error / replications;
  }
  const double spread = std::sqrt((squares - sum * sum / replications) / (replications - 1));
  EXPECT_NEAR(error / spread, 1, 0.12);  // the spread of 500 values is known to 3 %
}

}  // namespace
}  // namespace jsdiv
