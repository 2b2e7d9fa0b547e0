#include "classify/xgboost/xgboost.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "classify/gaussian_pair.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using test::GaussianPair;
using test::log_odds;

Config small_config() {
  Config config = xgboost_family().defaults({});
  config.set("rounds", std::int64_t{60});
  config.set("max_depth", std::int64_t{4});
  config.set("eta", 0.1);
  return config;
}

struct FoldRows {
  std::vector<RowIndex> train;
  std::vector<RowIndex> held_out;
};

FoldRows one_in_four_held_out(const GaussianPair& pair) {
  FoldRows fold;
  for (const RowIndex row : pair.rows) (row % 4 == 0 ? fold.held_out : fold.train).push_back(row);
  return fold;
}

TEST(Xgboost, GivesTheMarginsOfTheLibrarysPythonPackage) {
  std::ifstream file(JSDIV_GOLDEN_DIR "/xgboost/margins.json");
  const auto fixture = nlohmann::json::parse(file);
  const std::size_t row_count = fixture["labels"].size();
  Matrix features(row_count, 3);
  std::vector<RowIndex> rows(row_count);
  for (std::size_t i = 0; i < row_count; ++i) {
    rows[i] = static_cast<RowIndex>(i);
    for (std::size_t j = 0; j < 3; ++j) features.at(i, j) = fixture["features"][i][j];
  }
  const auto labels = fixture["labels"].get<std::vector<std::uint8_t>>();
  Config config;
  for (const auto& [name, value] : fixture["parameters"].items()) {
    if (value.is_number_integer()) {
      config.set(name, value.get<std::int64_t>());
    } else {
      config.set(name, value.get<double>());
    }
  }
  const Problem problem{features.view(), labels, {}, rows};
  const auto model = xgboost_family().prepare(problem)->fit(rows, config, Fit{RandomStream(1)});
  EXPECT_NEAR(model->prior_log_odds(), std::log(90.0 / 60 * 1.5), 1e-12);
  const auto scores = log_odds(*model, features.view(), rows);
  for (std::size_t i = 0; i < row_count; ++i)
    EXPECT_NEAR(scores[i], fixture["margins"][i], 2e-5) << "row " << i;
}

// The paper's error of this family at its training size is 0.028; a held-out value exceeds the truth by
// chance only (standard error 0.006 with this test set).
TEST(Xgboost, MeasuresTheDivergenceOfAGaussianPair) {
  const GaussianPair train(2000, 2000, 0.9, 0, 1);
  const GaussianPair test(4000, 4000, 0.9, 0, 2);
  const auto model =
      xgboost_family().prepare(train.problem())->fit(train.rows, small_config(), Fit{RandomStream(1)});
  const double jsd = test::measured_jsd(*model, test);
  EXPECT_GT(jsd, 0.3105 - 0.04);
  EXPECT_LT(jsd, 0.3105 + 0.02);
}

TEST(Xgboost, PathOfAFoldAgreesWithAFitOfThatManyRounds) {
  const GaussianPair pair(300, 200, 0.8, 0.3, 3);
  const auto trainer = xgboost_family().prepare(pair.problem());
  const auto [train, held_out] = one_in_four_held_out(pair);
  Config config = small_config();
  config.set("eta", 0.01);
  config.set("max_bin", std::int64_t{64});  // the search uses no fewer
  config.set("scale_pos_weight", 2.0);
  for (const Loss loss : {Loss::plain, Loss::balanced}) {
    const Fit fit{RandomStream(4), {}, loss};
    const auto losses = trainer->fold(train, held_out, fit)->losses(config);
    const auto path_values = xgboost_family().search_space({.features = 2}).path_values;
    ASSERT_EQ(losses.size(), path_values.size());
    for (const std::size_t index : {0, 3}) {
      Config fixed = config;
      fixed.set("rounds", path_values[index]);
      const auto model = trainer->fit(train, fixed, fit);
      const auto scores = log_odds(*model, pair.features.view(), held_out);
      EXPECT_NEAR(losses[index],
                  held_out_loss(pair.problem(), held_out, scores, model->prior_log_odds(), loss), 1e-6);
    }
  }
}

TEST(Xgboost, TheModelOfAPathHasTheLossThatThePathSays) {
  const GaussianPair pair(300, 200, 0.8, 0.3, 3);
  const auto trainer = xgboost_family().prepare(pair.problem());
  const auto [train, held_out] = one_in_four_held_out(pair);
  Config config = small_config();
  config.set("eta", 0.01);
  const auto scorer = trainer->fold(train, held_out, Fit{RandomStream(4), {}, Loss::balanced});
  const auto losses = scorer->losses(config);
  for (const std::size_t step : {0, 3}) {
    const auto model = scorer->last_model(step);
    const auto scores = log_odds(*model, pair.features.view(), held_out);
    EXPECT_NEAR(losses[step],
                held_out_loss(pair.problem(), held_out, scores, model->prior_log_odds(), Loss::balanced),
                1e-6);
    EXPECT_EQ(model->config().integer("rounds"), 100 + 10 * static_cast<int>(step));
  }
}

TEST(Xgboost, SeesBothOfTwoColumnsWithAShareOfThreeQuartersOfThem) {
  const GaussianPair pair(1000, 1000, 0.9, 0, 5);
  Config config = small_config();
  config.set("colsample_bytree", 0.75);
  const auto model = xgboost_family().prepare(pair.problem())->fit(pair.rows, config, Fit{RandomStream(1)});
  EXPECT_GT(test::measured_jsd(*model, GaussianPair(1000, 1000, 0.9, 0, 6)), 0.2);
}

// Boosting on subsamples: the two runs draw the same rows for each tree, and differ by ties of splits alone.
TEST(Xgboost, SwappingTheTablesMirrorsTheScores) {
  const GaussianPair pair(600, 400, 0.6, 0.2, 7);
  const GaussianPair swapped = pair.swapped();
  const auto model =
      xgboost_family().prepare(pair.problem())->fit(pair.rows, small_config(), Fit{RandomStream(1)});
  const auto mirror =
      xgboost_family().prepare(swapped.problem())->fit(swapped.rows, small_config(), Fit{RandomStream(1)});
  EXPECT_NEAR(model->prior_log_odds(), -mirror->prior_log_odds(), 1e-12);
  const GaussianPair test(2000, 2000, 0.6, 0.2, 8);
  EXPECT_NEAR(test::measured_jsd(*model, test), test::measured_jsd(*mirror, test.swapped()), 1e-2);
}

TEST(Xgboost, DependsOnTheSeedAndNotOnTheThreads) {
  const GaussianPair pair(300, 300, 0.8, 0, 9);
  const auto trainer = xgboost_family().prepare(pair.problem());
  Config config = small_config();
  config.set("subsample", 0.5);
  const auto run = [&](std::size_t threads) {
    std::vector<std::vector<double>> scores(8);
    with_threads(threads, [&] {
      parallel_for(scores.size(), [&](std::size_t job) {
        const auto model = trainer->fit(pair.rows, config, Fit{RandomStream(2).child(job)});
        scores[job] = log_odds(*model, pair.features.view(), pair.rows);
      });
    });
    return scores;
  };
  const auto one = run(1);
  EXPECT_EQ(one, run(4));
  EXPECT_NE(one[0], one[1]);
}

TEST(Xgboost, OneModelMayBeAskedByManyThreads) {
  const GaussianPair pair(3000, 3000, 0.8, 0, 10);
  const auto model =
      xgboost_family().prepare(pair.problem())->fit(pair.rows, small_config(), Fit{RandomStream(1)});
  const auto expected = log_odds(*model, pair.features.view(), pair.rows);
  std::vector<std::vector<double>> scores(8);
  with_threads(4, [&] {
    parallel_for(scores.size(),
                 [&](std::size_t job) { scores[job] = log_odds(*model, pair.features.view(), pair.rows); });
  });
  for (const auto& each : scores) EXPECT_EQ(each, expected);
}

TEST(Xgboost, AWeightIsARowRepeated) {
  const GaussianPair pair(80, 80, 0.5, 0.5, 11);
  GaussianPair weighted = pair;
  weighted.weights.assign(pair.rows.size(), 1.0);
  std::vector<RowIndex> repeated;
  for (const RowIndex row : pair.rows) {
    weighted.weights[row] = row % 3;
    repeated.insert(repeated.end(), row % 3, row);
  }
  Config config = small_config();
  config.set("subsample", 1.0);
  config.set("min_child_weight", std::int64_t{0});
  config.set("alpha", 0.0);
  config.set("lambda", 0.0);  // the only terms that are on the scale of the weights
  const auto by_weight =
      xgboost_family().prepare(weighted.problem())->fit(weighted.rows, config, Fit{RandomStream(1)});
  const auto by_repetition =
      xgboost_family().prepare(pair.problem())->fit(repeated, config, Fit{RandomStream(1)});
  EXPECT_NEAR(by_weight->prior_log_odds(), by_repetition->prior_log_odds(), 1e-12);
  const auto one = log_odds(*by_weight, pair.features.view(), pair.rows);
  const auto other = log_odds(*by_repetition, pair.features.view(), pair.rows);
  double difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i) difference += std::abs(one[i] - other[i]);
  EXPECT_LT(difference / static_cast<double>(one.size()),
            0.05);  // the two sketches may cut at other quantiles
}

TEST(Xgboost, StaysFiniteOnAwkwardColumns) {
  constexpr std::size_t row_count = 40;
  Matrix features(row_count, 4);
  std::vector<std::uint8_t> labels(row_count);
  std::vector<RowIndex> rows(row_count);
  for (std::size_t i = 0; i < row_count; ++i) {
    rows[i] = static_cast<RowIndex>(i);
    labels[i] = i % 2;
    features.at(i, 0) = 3;                      // constant
    features.at(i, 1) = static_cast<float>(i);  //
    features.at(i, 2) = static_cast<float>(i);  // duplicate
    features.at(i, 3) = (i % 3 == 0 ? -1e30F : i % 3 == 1 ? 1e30F : 0.0F);
  }
  for (const std::size_t count : {std::size_t{2}, std::size_t{8}, row_count}) {
    const Rows some(rows.data(), count);
    const auto model = xgboost_family()
                           .prepare({features.view(), labels, {}, rows})
                           ->fit(some, small_config(), Fit{RandomStream(1)});
    for (const double score : log_odds(*model, features.view(), rows)) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(Xgboost, RefusesASingleClass) {
  const GaussianPair pair(20, 20, 0, 0, 12);
  const auto trainer = xgboost_family().prepare(pair.problem());
  EXPECT_THROW(trainer->fit(Rows(pair.rows).first(20), small_config(), Fit{RandomStream(1)}), InvalidInput);
  GaussianPair weightless = pair;
  weightless.weights.assign(40, 1.0);
  std::fill_n(weightless.weights.begin(), 20, 0.0);
  EXPECT_THROW(
      xgboost_family().prepare(weightless.problem())->fit(pair.rows, small_config(), Fit{RandomStream(1)}),
      InvalidInput);
}

TEST(Xgboost, WithoutReweightingThePositiveWeightStaysAtOne) {
  const auto has_weight = [](const SearchSpace& space) {
    return std::any_of(space.parameters.begin(), space.parameters.end(),
                       [](const Parameter& parameter) { return parameter.name == "scale_pos_weight"; });
  };
  EXPECT_TRUE(has_weight(xgboost_family().search_space({.features = 2, .reweighting = true})));
  EXPECT_FALSE(has_weight(xgboost_family().search_space({.features = 2, .reweighting = false})));
  EXPECT_EQ(xgboost_family().defaults({}).real("scale_pos_weight"), 1.0);
}

}  // namespace
}  // namespace jsdiv
