#include <gtest/gtest.h>

#include <cmath>

#include "classify/pairs/additive_model.hpp"
#include "classify/pairs/hats.hpp"
#include "classify/pairs/pairs.hpp"
#include "classify/pairs/screen.hpp"
#include "core/numeric.hpp"

namespace jsdiv::pairs {
namespace {

Hats hats_of(const std::vector<float>& values, std::size_t most, const std::vector<double>& weights = {}) {
  std::vector<RowIndex> rows(values.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<RowIndex>(i);
  return {WeightedValues(values, rows, weights), most};
}

TEST(Hats, InterpolateBetweenTheirKnots) {
  const Hats hats = hats_of({0, 10, 20, 30, 40}, 5);
  ASSERT_EQ(hats.size(), 5U);
  const auto inside = hats.place(12.5F);
  EXPECT_EQ(inside.below, 1);
  EXPECT_FLOAT_EQ(inside.share, 0.25F);
  EXPECT_EQ(hats.place(-7).below, 0);
  EXPECT_EQ(hats.place(-7).share, 0);
  EXPECT_EQ(hats.place(99).below, 3);
  EXPECT_EQ(hats.place(99).share, 1);
}

TEST(Hats, KnotsAreQuantilesOrTheValuesThemselves) {
  std::vector<float> values;
  for (int i = 0; i <= 100; ++i) values.push_back(static_cast<float>(i));
  const Hats quantiles = hats_of(values, 5);
  ASSERT_EQ(quantiles.size(), 5U);
  EXPECT_FLOAT_EQ(quantiles.place(60).share, 0.4F);  // knots 0, 25, 50, 75, 100
  EXPECT_EQ(hats_of({1, 1, 0, 1, 0}, 8).size(), 2U);
  EXPECT_TRUE(hats_of({3, 3, 3}, 8).constant());
  // Almost all rows share a value: the quantiles are that value and the ends.
  std::vector<float> heavy(1000, 0.0F);
  for (int i = 0; i < 20; ++i) heavy[static_cast<std::size_t>(i)] = static_cast<float>(i);
  EXPECT_EQ(hats_of(heavy, 5).size(), 2U);
}

/// Rows of features drawn by `draw(random, label, row)`.
struct Rowset {
  template <typename Draw>
  Rowset(std::size_t rows_of_each, std::size_t columns, const Draw& draw)
      : features(2 * rows_of_each, columns), labels(2 * rows_of_each), rows(2 * rows_of_each) {
    RandomStream random(1);
    std::vector<float> values(columns);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<RowIndex>(i);
      labels[i] = i % 2 == 0 ? 1 : 0;
      draw(random, labels[i], values);
      for (std::size_t j = 0; j < columns; ++j) features.at(i, j) = values[j];
    }
  }

  Problem problem() const {
    return {.features = features.view(), .labels = labels, .weights = {}, .training_rows = rows};
  }

  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;
};

/// Ten uniform columns; in P column 7 follows column 2 in a V, so that neither a marginal nor a correlation
/// differs.
void draw_bent(RandomStream& random, std::uint8_t label, std::vector<float>& row) {
  for (float& value : row) value = static_cast<float>(random.uniform());
  if (label == 1) row[7] = std::abs(2 * row[2] - 1);
}

TEST(Screen, FindsABentDependenceAmongOthers) {
  const Rowset set(500, 10, draw_bent);
  EXPECT_EQ(telling_pairs(set.problem(), set.rows), (std::vector<Pair>{{2, 7}}));
}

TEST(Screen, FindsNothingWhereOnlyMarginalsDiffer) {
  const Rowset set(1000, 6, [](RandomStream& random, std::uint8_t label, std::vector<float>& row) {
    for (float& value : row) value = static_cast<float>(random.normal() + 0.5 * label);
  });
  EXPECT_TRUE(telling_pairs(set.problem(), set.rows).empty());
}

TEST(PlacesTest, RowsOnKnotsNeedNoShares) {
  Matrix features(4, 2);
  std::ranges::copy(std::vector<float>{0, 2, 1, 2}, features.column(0).begin());
  std::ranges::copy(std::vector<float>{0, 2, 1, 1.5}, features.column(1).begin());
  const std::vector<Hats> hats = {hats_of({0, 1, 2}, 4), hats_of({0, 1, 2}, 4)};
  const std::vector<RowIndex> rows = {0, 1, 2, 3};
  const std::vector<Places> places = places_of(hats, features.view(), rows);
  EXPECT_TRUE(places[0].on_knots());
  EXPECT_EQ(places[0].below, (std::vector<std::uint16_t>{0, 2, 1, 2}));
  EXPECT_FALSE(places[1].on_knots());
  EXPECT_EQ(places[1].below, (std::vector<std::uint16_t>{0, 1, 1, 1}));
  EXPECT_EQ(places[1].share, (std::vector<float>{0, 1, 0, 0.5}));
}

TEST(AdditiveModelTest, SweepsAreTransposesOfEachOther) {
  // Three features between knots, two on them: parts of every combination.
  const Rowset set(20, 5, [](RandomStream& random, std::uint8_t, std::vector<float>& row) {
    for (float& value : row) value = static_cast<float>(random.normal());
    for (const std::size_t j : {3, 4}) row[j] = row[j] > 0 ? 1.0F : 0.0F;
  });
  std::vector<Hats> hats;
  for (std::size_t j = 0; j < 5; ++j) {
    const auto column = set.features.view().column(j);
    hats.push_back(hats_of({column.begin(), column.end()}, 4));
  }
  const AdditiveModel model(hats, {{0, 2}, {0, 3}, {3, 2}, {3, 4}});
  ASSERT_EQ(model.size(), 1U + 4 + 16 + 8 + 8 + 4);
  const std::vector<Places> places = places_of(model.hats(), set.features.view(), set.rows);
  RandomStream random(2);
  std::vector<double> coefficients(model.size()), residuals(set.rows.size());
  for (double& value : coefficients) value = random.normal();
  for (double& value : residuals) value = random.normal();
  std::vector<double> forward(residuals.size()), back(model.size());
  model.apply(places, coefficients, forward);
  model.transpose(places, residuals, back);
  double left = 0, right = 0;
  for (std::size_t i = 0; i < forward.size(); ++i) left += forward[i] * residuals[i];
  for (std::size_t k = 0; k < back.size(); ++k) right += back[k] * coefficients[k];
  EXPECT_NEAR(left, right, 1e-10);
}

/// One binary feature: the penalised optimum solves two equations that can be written down.
TEST(AdditiveModelTest, RidgeStopsWhereTheGradientVanishes) {
  const Rowset set(200, 1, [](RandomStream& random, std::uint8_t label, std::vector<float>& row) {
    row[0] = random.uniform() < (label == 1 ? 0.7 : 0.4) ? 1.0F : 0.0F;
  });
  const auto column = set.features.view().column(0);
  const AdditiveModel model({hats_of({column.begin(), column.end()}, 4)}, {});
  const std::vector<Places> places = places_of(model.hats(), set.features.view(), set.rows);
  Target target;
  for (const std::uint8_t label : set.labels) {
    target.signs.push_back(label == 1 ? 1 : -1);
    target.weights.push_back(1);
  }
  constexpr double c = 0.05;
  std::vector<double> beta(model.size(), 0.0);
  fit_ridge(model, places, target, c, 1e-8, beta);
  double gradient[2] = {beta[1], beta[2]};
  double free = 0;
  for (std::size_t i = 0; i < set.rows.size(); ++i) {
    const std::size_t level = column[i] > 0.5F ? 1 : 0;
    const double slope = c * (sigmoid(beta[0] + beta[1 + level]) - set.labels[i]);
    gradient[level] += slope;
    free += slope;
  }
  EXPECT_NEAR(gradient[0], 0, 1e-6);
  EXPECT_NEAR(gradient[1], 0, 1e-6);
  EXPECT_NEAR(free, 0, 1e-6);
  EXPECT_GT(beta[2], 0.1);
}

TEST(PairsFamily, SeesTheBentDependence) {
  const Rowset train(1500, 10, draw_bent);
  const Problem problem = train.problem();
  const Family& family = pairs_family();
  const auto model = family.prepare(problem)->fit(train.rows, family.defaults({.features = 10}),
                                                  {.random = RandomStream(1), .validation = {}});
  std::vector<double> odds(train.rows.size());
  model->log_odds(problem.features, train.rows, odds);
  EXPECT_LT(held_out_loss(problem, train.rows, odds, 0, Loss::plain), 0.4);  // 0.69 without the pair
  EXPECT_EQ(model->config().integer("pairs_used"), 1);
}

}  // namespace
}  // namespace jsdiv::pairs
