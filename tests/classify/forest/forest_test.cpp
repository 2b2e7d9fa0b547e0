#include "classify/forest/forest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "classify/registry.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

/// `rows_p` rows of P around +shift, then `rows_q` of Q around 0.
struct Data {
  Data(std::size_t rows_p, std::size_t rows_q, std::size_t columns, double shift, std::uint64_t seed = 0)
      : features(rows_p + rows_q, columns), labels(rows_p + rows_q), rows(rows_p + rows_q) {
    RandomStream random(seed);
    for (std::size_t row = 0; row < rows.size(); ++row) {
      labels[row] = row < rows_p;
      for (std::size_t j = 0; j < columns; ++j) {
        features.at(row, j) = static_cast<float>(random.normal() + shift * labels[row]);
      }
    }
    std::iota(rows.begin(), rows.end(), 0U);
  }

  Problem problem() const {
    return {.features = features.view(), .labels = labels, .weights = weights, .training_rows = rows};
  }

  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  std::vector<RowIndex> rows;
};

Config small_forest() {
  Config config = random_forest_family().defaults({.features = 2});
  config.set("trees", std::int64_t{50});
  return config;
}

std::vector<double> fit_and_score(const Data& data, Rows train, const Config& config,
                                  std::uint64_t seed = 0) {
  const auto trainer = random_forest_family().prepare(data.problem());
  const auto model = trainer->fit(train, config, {.random = RandomStream(seed), .validation = {}});
  std::vector<double> scores(data.rows.size());
  model->log_odds(data.features.view(), data.rows, scores);
  return scores;
}

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Forest, IsRegistered) {
  EXPECT_EQ(&family("rf"), &random_forest_family());
  EXPECT_TRUE(random_forest_family().stochastic());
  EXPECT_TRUE(random_forest_family().needs_calibration());
  EXPECT_FALSE(random_forest_family().calibrates_on_log_odds());
}

TEST(Forest, OffersClassWeightsOnlyWithReweighting) {
  const auto choices = [](bool reweighting) {
    for (const Parameter& parameter :
         random_forest_family().search_space({.features = 3, .reweighting = reweighting}).parameters) {
      if (parameter.name == "class_weight") return parameter.choices;
    }
    return std::vector<Config::Value>{};
  };
  EXPECT_EQ(choices(true).size(), 3U);
  EXPECT_EQ(choices(false), (std::vector<Config::Value>{std::string("none")}));
}

TEST(Forest, ScoresTheSameForAnyThreadCount) {
  const Data data(900, 700, 5, 0.5);
  std::vector<std::vector<double>> scores;
  for (const std::size_t threads : {1, 2, 5}) {
    with_threads(threads, [&] { scores.push_back(fit_and_score(data, data.rows, small_forest())); });
  }
  EXPECT_EQ(scores[0], scores[1]);
  EXPECT_EQ(scores[0], scores[2]);
}

TEST(Forest, FollowsItsSeed) {
  const Data data(200, 200, 2, 0.5);
  EXPECT_EQ(fit_and_score(data, data.rows, small_forest(), 1),
            fit_and_score(data, data.rows, small_forest(), 1));
  EXPECT_NE(fit_and_score(data, data.rows, small_forest(), 1),
            fit_and_score(data, data.rows, small_forest(), 2));
}

TEST(Forest, ScoresAMatrixThatItHasNotSeen) {
  const Data data(400, 400, 2, 1.0);
  const auto trainer = random_forest_family().prepare(data.problem());
  const auto model = trainer->fit(data.rows, small_forest(), {.random = RandomStream(0), .validation = {}});
  Matrix extremes(2, 2);
  for (std::size_t j = 0; j < 2; ++j) {
    extremes.at(0, j) = std::numeric_limits<float>::max();
    extremes.at(1, j) = std::numeric_limits<float>::lowest();
  }
  std::vector<double> scores(2);
  model->log_odds(extremes.view(), std::vector<RowIndex>{0, 1}, scores);
  EXPECT_GT(scores[0], 1);
  EXPECT_LT(scores[1], -1);
  EXPECT_TRUE(std::isfinite(scores[0]) && std::isfinite(scores[1]));
}

TEST(Forest, GivesFiniteScoresUnderCompleteSeparation) {
  const Data data(300, 300, 1, 50);
  const std::vector<double> scores = fit_and_score(data, data.rows, small_forest());
  EXPECT_EQ(scores.front(), bounded_logit(1));
  EXPECT_EQ(scores.back(), bounded_logit(0));
}

TEST(Forest, DeclaresThePriorOfItsWeights) {
  Data data(300, 100, 2, 0.5);
  const auto prior = [&](const std::string& class_weight) {
    Config config = small_forest();
    config.set("class_weight", class_weight);
    const auto trainer = random_forest_family().prepare(data.problem());
    return trainer->fit(data.rows, config, {.random = RandomStream(0), .validation = {}})->prior_log_odds();
  };
  EXPECT_DOUBLE_EQ(prior("none"), std::log(3.0));
  EXPECT_EQ(prior("balanced"), 0);
  EXPECT_EQ(prior("balanced_subsample"), 0);
  data.weights.assign(400, 1.0);
  for (std::size_t row = 300; row < 400; ++row) data.weights[row] = 6;
  EXPECT_DOUBLE_EQ(prior("none"), std::log(0.5));
}

// No split is allowed, so every tree is the class share of its bootstrap sample: the prior, but for the noise
// of 400 draws a tree, which over 200 trees has a standard deviation of 0.12 / sqrt(200) in the log-odds.
TEST(Forest, IsThePriorWhereLeavesMustBeLargerThanTheData) {
  Data data(300, 100, 2, 0.5);
  Config config = small_forest();
  config.set("trees", std::int64_t{200});
  config.set("min_samples_leaf", std::int64_t{1000});
  EXPECT_NEAR(fit_and_score(data, data.rows, config)[0], std::log(3.0), 0.04);
  config.set("class_weight", "balanced");
  EXPECT_NEAR(fit_and_score(data, data.rows, config)[0], 0, 0.04);
  config.set("class_weight", "balanced_subsample");
  EXPECT_NEAR(fit_and_score(data, data.rows, config)[0], 0, 1e-12);
  config.set("class_weight", "none");
  data.weights.assign(400, 0.5);
  for (std::size_t row = 300; row < 400; ++row) data.weights[row] = 3;
  EXPECT_NEAR(fit_and_score(data, data.rows, config)[0], std::log(0.5), 0.04);
  config.set("class_weight", "balanced");
  EXPECT_NEAR(fit_and_score(data, data.rows, config)[0], 0, 0.04);
}

TEST(Forest, NeverDrawsRowsOfWeightZero) {
  Data weighted(400, 400, 2, 1.0);
  weighted.weights.assign(800, 2.0);
  std::vector<RowIndex> kept;
  for (RowIndex row = 0; row < 800; ++row) {
    if (row % 4 == 1) {
      weighted.weights[row] = 0;
    } else {
      kept.push_back(row);
    }
  }
  const std::vector<double> with_zeros = fit_and_score(weighted, weighted.rows, small_forest());
  EXPECT_EQ(with_zeros, fit_and_score(weighted, kept, small_forest()));
  EXPECT_GT(mean_of(std::span(with_zeros).first(400)), mean_of(std::span(with_zeros).last(400)) + 1);
}

// Q has two clusters; weights say that the one P overlaps is rare. Where P and the rare cluster meet, P's
// odds grow by the ratio of the weights: log(9) = 2.2.
TEST(Forest, LearnsTheDistributionThatWeightsDescribe) {
  Data data(1000, 1000, 1, 0);
  for (std::size_t row = 1500; row < 2000; ++row) data.features.at(row, 0) += 20;
  const auto mean_of_p = [&] {
    const std::vector<double> scores = fit_and_score(data, data.rows, small_forest());
    return mean_of(std::span(scores).first(1000));
  };
  const double plain = mean_of_p();
  data.weights.assign(2000, 1.0);
  for (std::size_t row = 1000; row < 1500; ++row) data.weights[row] = 1.0 / 9;
  EXPECT_NEAR(mean_of_p() - plain, std::log(9.0), 0.2);
}

TEST(Forest, NeedsRowsOfBothClasses) {
  const Data data(50, 50, 2, 0.5);
  const auto trainer = random_forest_family().prepare(data.problem());
  const Rows only_p = Rows(data.rows).first(50);
  for (const char* class_weight : {"none", "balanced", "balanced_subsample"}) {
    Config config = small_forest();
    config.set("class_weight", class_weight);
    EXPECT_THROW(trainer->fit(only_p, config, {.random = RandomStream(0), .validation = {}}), InvalidInput);
  }
}

TEST(Forest, CopesWithConstantDuplicateAndExtremeColumns) {
  Data data(300, 300, 4, 1.0);
  for (std::size_t row = 0; row < 600; ++row) {
    data.features.at(row, 0) = 3;
    data.features.at(row, 2) = data.features.at(row, 1);
    data.features.at(row, 3) = data.labels[row] == 1 ? 3e38F : -3e38F;
  }
  Config config = small_forest();
  config.set("max_features", "log2");
  const std::vector<double> scores = fit_and_score(data, data.rows, config);
  for (std::size_t row = 0; row < 600; ++row) EXPECT_EQ(scores[row] > 0, data.labels[row] == 1);
}

TEST(Forest, OfConstantColumnsIsThePrior) {
  Data data(100, 100, 2, 0);
  for (std::size_t row = 0; row < 200; ++row) data.features.at(row, 0) = data.features.at(row, 1) = 1;
  const std::vector<double> scores = fit_and_score(data, data.rows, small_forest());
  EXPECT_EQ(scores, std::vector<double>(200, scores[0]));
  EXPECT_NEAR(scores[0], 0, 5 * std::sqrt(4.0 / 200 / 50));
}

TEST(Forest, TakesMoreRowsThanNarrowRecordsHold) {
  const Data data(40'000, 30'000, 2, 1.0);
  Config config = small_forest();
  config.set("trees", std::int64_t{3});
  const std::vector<double> scores = fit_and_score(data, data.rows, config);
  EXPECT_GT(mean_of(std::span(scores).first(40'000)), 0.8);
  EXPECT_LT(mean_of(std::span(scores).last(30'000)), -0.3);
}

}  // namespace
}  // namespace jsdiv
