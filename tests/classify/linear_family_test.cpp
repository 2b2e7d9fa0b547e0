#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "classify/linear/families.hpp"
#include "classify/linear/path.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

const Fit plain_fit{RandomStream(0), {}, Loss::plain};

struct Data {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  std::vector<RowIndex> rows;

  Data(std::size_t count, std::size_t columns) : features(count, columns), labels(count), rows(count) {
    std::iota(rows.begin(), rows.end(), RowIndex{0});
  }
  Problem problem() const { return {features.view(), labels, weights, rows}; }
};

Data normal_data(std::size_t rows_p, std::size_t rows_q, std::size_t columns, double shift,
                 std::uint64_t seed) {
  Data data(rows_p + rows_q, columns);
  RandomStream random(seed);
  for (std::size_t i = 0; i < data.rows.size(); ++i) {
    data.labels[i] = i < rows_p ? 1 : 0;
    for (std::size_t j = 0; j < columns; ++j) {
      data.features.at(i, j) = static_cast<float>(random.normal() + (i < rows_p ? shift : 0.0));
    }
  }
  return data;
}

Config config_of(const std::string& penalty, const std::string& class_weight, double c) {
  Config config;
  config.set("penalty", penalty);
  config.set("class_weight", class_weight);
  config.set("C", c);
  return config;
}

std::vector<double> scores_of(const Model& model, const Data& data) {
  std::vector<double> scores(data.rows.size());
  model.log_odds(data.features.view(), data.rows, scores);
  return scores;
}

/// By how much the log-odds change when one column goes from 0 to `value`, the others being 0.
double effect(const Model& model, std::size_t columns, std::size_t column, float value) {
  Matrix points(2, columns);
  for (std::size_t j = 0; j < columns; ++j) points.at(0, j) = points.at(1, j) = 0;
  points.at(1, column) = value;
  std::vector<double> scores(2);
  model.log_odds(points.view(), std::vector<RowIndex>{0, 1}, scores);
  return scores[1] - scores[0];
}

std::vector<double> fitted_scores(const Data& data, const Config& config) {
  return scores_of(*logreg_family().prepare(data.problem())->fit(data.rows, config, plain_fit), data);
}

TEST(LinearFamilies, OfferTheSpaceOfThePaper) {
  const SearchSpace space = lr_pol_family().search_space({40, true});
  EXPECT_EQ(space.path_name, "C");
  EXPECT_EQ(space.path_values.size(), 25U);
  EXPECT_DOUBLE_EQ(space.path_values.front(), 1e-4);
  EXPECT_DOUBLE_EQ(space.path_values.back(), 1e2);
  ASSERT_EQ(space.parameters.size(), 4U);
  EXPECT_EQ(space.parameters[0].name, "degree");
  EXPECT_EQ(space.parameters[0].choices.size(), 2U);  // 40 columns: degree 3 has 12,340 features
  EXPECT_EQ(lr_pol_family().search_space({29, true}).parameters[0].choices.size(), 3U);
  EXPECT_EQ(lr_pol_family().search_space({6000, true}).parameters[0].choices.size(), 1U);
  EXPECT_EQ(logreg_family().search_space({40, false}).parameters[1].choices.size(), 1U);
  EXPECT_EQ(logreg_family().search_space({40, true}).parameters[1].choices.size(), 2U);
}

TEST(LinearFamilies, FoldLossesAreThoseOfSeparateFits) {
  const Data data = normal_data(150, 100, 3, 0.6, 21);
  std::vector<RowIndex> train, held_out;
  for (const RowIndex row : data.rows) (row % 5 == 0 ? held_out : train).push_back(row);
  const Problem problem = data.problem();
  for (const Family* family : {&logreg_family(), &lr_pol_family()}) {
    const auto trainer = family->prepare(problem);
    const SearchSpace space = family->search_space({3, true});
    for (const Loss loss : {Loss::plain, Loss::balanced}) {
      const auto fold = trainer->fold(train, held_out, {RandomStream(0), {}, loss});
      for (const std::string penalty : {"l1", "l2"}) {
        for (const std::string class_weight : {"none", "balanced"}) {
          Config config = config_of(penalty, class_weight, 1);
          if (family == &lr_pol_family()) {
            config.set("degree", std::int64_t{3});
            config.set("interaction_only", "true");
          }
          const std::vector<double> losses = fold->losses(config);
          ASSERT_EQ(losses.size(), space.path_values.size());
          for (const std::size_t k : {0U, 8U, 12U}) {
            config.set("C", space.path_values[k]);
            const auto model = trainer->fit(train, config, plain_fit);
            std::vector<double> scores(held_out.size());
            model->log_odds(problem.features, held_out, scores);
            EXPECT_NEAR(losses[k], held_out_loss(problem, held_out, scores, model->prior_log_odds(), loss),
                        1e-5);
          }
        }
      }
    }
  }
}

TEST(LinearFamilies, ThePathStopsWhereTheHeldOutLossKeepsRising) {
  // Noise with more features than rows: the more freedom, the worse.
  const Data data = normal_data(30, 30, 60, 0.0, 2);
  std::vector<RowIndex> train, held_out;
  for (const RowIndex row : data.rows) (row % 2 == 0 ? held_out : train).push_back(row);
  const Problem problem = data.problem();
  const auto trainer = logreg_family().prepare(problem);
  const auto losses = trainer->fold(train, held_out, plain_fit)->losses(config_of("l2", "none", 1));
  EXPECT_EQ(losses.size(), 25U);
  EXPECT_EQ(losses[24], losses[23]);
  EXPECT_GT(losses[24], *std::min_element(losses.begin(), losses.end()));
}

TEST(LinearFamilies, SwappedLabelsMirrorTheLogOddsExactly) {
  Data data = normal_data(200, 50, 3, 0.5, 4);
  Data swapped = data;
  for (auto& label : swapped.labels) label = label == 1 ? 0 : 1;
  for (const std::string penalty : {"l1", "l2"}) {
    for (const std::string class_weight : {"none", "balanced"}) {
      const auto one = fitted_scores(data, config_of(penalty, class_weight, 1));
      const auto two = fitted_scores(swapped, config_of(penalty, class_weight, 1));
      for (std::size_t i = 0; i < one.size(); ++i) EXPECT_EQ(one[i], -two[i]);
    }
  }
}

TEST(LinearFamilies, DeclareThePriorThatTheLossSaw) {
  const Data data = normal_data(100, 10, 2, 0.5, 4);
  const Problem problem = data.problem();
  const auto trainer = logreg_family().prepare(problem);
  EXPECT_DOUBLE_EQ(trainer->fit(data.rows, config_of("l2", "none", 1), plain_fit)->prior_log_odds(),
                   std::log(10));
  EXPECT_EQ(trainer->fit(data.rows, config_of("l2", "balanced", 1), plain_fit)->prior_log_odds(), 0);
}

TEST(LinearFamilies, AWeightOfZeroIsARowLessAndOfTwoARowMore) {
  Data weighted = normal_data(40, 40, 2, 0.7, 6);
  weighted.weights.assign(80, 1.0);
  weighted.weights[5] = 0;
  weighted.weights[60] = 2;
  Data repeated(80, 2);
  for (std::size_t i = 0; i < 80; ++i) {
    const std::size_t source = i == 5 ? 60 : i;
    repeated.labels[i] = weighted.labels[source];
    for (std::size_t j = 0; j < 2; ++j) repeated.features.at(i, j) = weighted.features.at(source, j);
  }
  for (const std::string penalty : {"l1", "l2"}) {
    const Config config = config_of(penalty, "balanced", 1);
    const auto one = logreg_family().prepare(weighted.problem())->fit(weighted.rows, config, plain_fit);
    const auto two = logreg_family().prepare(repeated.problem())->fit(repeated.rows, config, plain_fit);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(effect(*one, 2, j, 1), effect(*two, 2, j, 1), 1e-6);
    }
  }
}

TEST(LinearFamilies, SurviveDegenerateColumns) {
  // constant, duplicate, and of magnitude 1e6
  Data data = normal_data(100, 100, 4, 0.5, 7);
  for (std::size_t i = 0; i < 200; ++i) {
    data.features.at(i, 1) = 0.1F;
    data.features.at(i, 2) = data.features.at(i, 0);
    data.features.at(i, 3) = 1e6F * data.features.at(i, 3) + 3e6F;
  }
  for (const std::string penalty : {"l1", "l2"}) {
    const Problem problem = data.problem();
    const auto model =
        logreg_family().prepare(problem)->fit(data.rows, config_of(penalty, "none", 1), plain_fit);
    EXPECT_EQ(effect(*model, 4, 1, 1), 0);
    if (penalty == "l2") {
      EXPECT_NEAR(effect(*model, 4, 0, 1), effect(*model, 4, 2, 1), 1e-6);
    }
    EXPECT_GT(std::fabs(effect(*model, 4, 3, 1e6F)), 1e-2);
    for (const double score : scores_of(*model, data)) EXPECT_TRUE(std::isfinite(score));

    Config cubic = config_of(penalty, "none", 1);
    cubic.set("degree", std::int64_t{3});
    cubic.set("interaction_only", "false");
    const auto expanded = lr_pol_family().prepare(problem)->fit(data.rows, cubic, plain_fit);
    for (const double score : scores_of(*expanded, data)) EXPECT_TRUE(std::isfinite(score));
  }
}

TEST(LinearFamilies, SeparateSeparableDataWithFiniteCoefficients) {
  for (const std::size_t rows_a_side : {2U, 100U}) {
    Data data(2 * rows_a_side, 1);
    for (std::size_t i = 0; i < data.rows.size(); ++i) {
      data.labels[i] = i < rows_a_side ? 1 : 0;
      data.features.at(i, 0) = (i < rows_a_side ? 1.0F : -1.0F) * (1 + static_cast<float>(i % 3));
    }
    for (const std::string penalty : {"l1", "l2"}) {
      const auto scores = fitted_scores(data, config_of(penalty, "none", 100));
      for (std::size_t i = 0; i < scores.size(); ++i) {
        EXPECT_TRUE(std::isfinite(scores[i]));
        EXPECT_EQ(scores[i] > 0, data.labels[i] == 1);
      }
    }
  }
}

TEST(LinearFamilies, RefuseWhatCannotBeFitted) {
  Data data = normal_data(20, 20, 2, 0.5, 9);
  const Problem problem = data.problem();
  const auto trainer = logreg_family().prepare(problem);
  const std::vector<RowIndex> only_p(data.rows.begin(), data.rows.begin() + 20);
  EXPECT_THROW(trainer->fit(only_p, config_of("l2", "none", 1), plain_fit), InvalidInput);
  EXPECT_THROW(trainer->fold(only_p, data.rows, plain_fit), InvalidInput);
  EXPECT_THROW(trainer->fit(data.rows, config_of("l2", "none", 0), plain_fit), InvalidInput);
  EXPECT_THROW(trainer->fit(data.rows, config_of("elastic", "none", 1), plain_fit), InvalidInput);
  EXPECT_THROW(trainer->fit(data.rows, config_of("l1", "subsample", 1), plain_fit), InvalidInput);
}

}  // namespace
}  // namespace jsdiv
