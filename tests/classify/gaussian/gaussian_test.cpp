#include "classify/gaussian/gaussian_family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "classify/gaussian/discriminant.hpp"
#include "classify/gaussian/normal_scores.hpp"
#include "core/numeric.hpp"

namespace jsdiv {
namespace {

Moments moments_from(const std::vector<double>& values) {
  const Eigen::MatrixXd x =
      Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  return moments_of(x, Eigen::VectorXd::Ones(x.rows()));
}

/// log N(x; mean, variance) without the constant that cancels.
double log_density(double x, double mean, double variance) {
  return -0.5 * ((x - mean) * (x - mean) / variance + std::log(variance));
}

// Q has mean 0 and variance 1, P mean 2 and variance 4, exactly.
TEST(Discriminant, IsTheLogRatioOfTwoGaussians) {
  const std::array<Moments, 2> moments = {moments_from({-1, 1}), moments_from({0, 4})};
  const Discriminant discriminant(moments, {});
  const Eigen::MatrixXd x = Eigen::Vector3d(-1, 0.5, 3);
  const Eigen::VectorXd values = discriminant(x);
  for (Eigen::Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(values[i], log_density(x(i, 0), 2, 4) - log_density(x(i, 0), 0, 1), 1e-5);
  }
}

TEST(Discriminant, PoolingMakesItLinear) {
  const std::array<Moments, 2> moments = {moments_from({-1, 1}), moments_from({0, 4})};
  const Discriminant discriminant(moments, {.pooling = 1, .diagonal = 0});
  const Eigen::MatrixXd x = Eigen::Vector3d(0, 1, 2);
  const Eigen::VectorXd values = discriminant(x);
  EXPECT_NEAR(values[1] - values[0], values[2] - values[1], 1e-9);
  EXPECT_NEAR(values[1] - values[0], 2 / 2.5, 1e-5);  // distance of the means over the mean variance
}

TEST(Discriminant, DiagonalShrinkageForgetsTheCorrelation) {
  Eigen::MatrixXd equal(4, 2);
  equal << 1, 1, -1, -1, 2, 2, -2, -2;
  Eigen::MatrixXd opposite = equal;
  opposite.col(1) *= -1;
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(4);
  const std::array<Moments, 2> moments = {moments_of(opposite, ones), moments_of(equal, ones)};
  EXPECT_GT(Discriminant(moments, {.pooling = 0, .diagonal = 0.1})(equal).minCoeff(), 0);
  EXPECT_NEAR(Discriminant(moments, {.pooling = 0, .diagonal = 1})(equal).norm(), 0, 1e-12);
}

// Copies of one feature: independent ones add up.
TEST(Discriminant, ManyFeaturesAreTakenForIndependent) {
  const auto copies = [](const Eigen::VectorXd& column) -> Eigen::MatrixXd {
    return column.replicate(1, static_cast<Eigen::Index>(full_covariance_limit) + 1);
  };
  const Eigen::VectorXd q = Eigen::Vector3d(-1, 0, 2);
  const Eigen::VectorXd p = Eigen::Vector3d(0, 1, 4);
  const Eigen::VectorXd weights = Eigen::Vector3d(1, 2, 1);
  const std::array<Moments, 2> one = {moments_of(q, weights), moments_of(p, weights)};
  const std::array<Moments, 2> many = {moments_of(copies(q), weights), moments_of(copies(p), weights)};
  EXPECT_EQ(many[0].cross.cols(), 1);
  for (const double pooling : {0.0, 0.4}) {
    const Eigen::VectorXd single = Discriminant(one, {.pooling = pooling, .diagonal = 1})(p);
    const Eigen::VectorXd sum = Discriminant(many, {.pooling = pooling, .diagonal = 1})(copies(p));
    EXPECT_LT((sum - (full_covariance_limit + 1.0) * single).norm(), 1e-9 * sum.norm());
  }
}

TEST(Discriminant, ExchangedClassesNegateItExactly) {
  const Moments p = moments_from({0.3, 1.7, 2.9});
  const Moments q = moments_from({-0.4, 0.1, 5});
  const Eigen::MatrixXd x = Eigen::Vector3d(-2, 0.1, 4);
  const Shrinkage shrinkage{.pooling = 0.3, .diagonal = 0.2};
  EXPECT_EQ(Discriminant({q, p}, shrinkage)(x), -Discriminant({p, q}, shrinkage)(x));
}

TEST(NormalScores, AreMonotoneSymmetricAndConstantBeyondTheEnds) {
  std::vector<float> values(1001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = std::exp(static_cast<float>(i) / 100 - 5);
  const NormalScores scores(values);
  EXPECT_NEAR(scores(1), 0, 0.02);  // the median of exp(-5 … 5)
  double last = -10;
  for (const float value : values) {
    EXPECT_GE(scores(value), last);
    last = scores(value);
  }
  EXPECT_EQ(scores(1e30F), scores(values.back()));
  EXPECT_EQ(scores(-1e30F), scores(values.front()));
}

TEST(NormalScores, AreLinearBetweenNeighboursHoweverUnevenTheyLie) {
  const std::vector<float> few = {-3e38F, -1, -1e-20F, 0, 1e-20F, 1e-3F, 1, 1.0001F, 50, 3e38F};
  std::vector<float> tails;  // nearly all of them in one of the equal parts of their range
  for (int i = 0; i < 300; ++i) tails.push_back(std::exp(static_cast<float>(i) / 5));
  for (const auto& values : {few, tails}) {
    const NormalScores scores(values);
    for (std::size_t i = 1; i < values.size(); ++i) {
      const double low = scores(values[i - 1]), high = scores(values[i]);
      EXPECT_LT(low, high);
      const float middle = 0.5F * values[i - 1] + 0.5F * values[i];
      const double share =
          (static_cast<double>(middle) - values[i - 1]) / (static_cast<double>(values[i]) - values[i - 1]);
      EXPECT_NEAR(scores(middle), low + share * (high - low), 1e-12) << values[i];
    }
  }
}

TEST(NormalScores, EqualValuesShareTheirMiddle) {
  const NormalScores scores({1, 1, 1, 1, 5, 5, 5, 5});
  EXPECT_NEAR(scores(1), -scores(5), 1e-9);
  EXPECT_NEAR(scores(1), -0.6745, 0.01);  // the quartile: the middle of the lower half
}

/// Rows of two columns; label 1 for the first half.
struct Rows2 {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;

  Problem problem() const {
    return {.features = features.view(), .labels = labels, .weights = {}, .training_rows = rows};
  }
};

template <typename Draw>
Rows2 draw_rows(std::size_t count, const Draw& draw) {
  Rows2 result{Matrix(count, 2), std::vector<std::uint8_t>(count), std::vector<RowIndex>(count)};
  std::iota(result.rows.begin(), result.rows.end(), 0U);
  RandomStream random(9);
  for (std::size_t i = 0; i < count; ++i) {
    const bool in_p = i < count / 2;
    result.labels[i] = in_p ? 1 : 0;
    const auto [x, y] = draw(random, in_p);
    result.features.at(i, 0) = static_cast<float>(x);
    result.features.at(i, 1) = static_cast<float>(y);
  }
  return result;
}

std::unique_ptr<Model> fit(const Rows2& rows) {
  return gaussian_family()
      .prepare(rows.problem())
      ->fit(rows.rows, {}, {.random = RandomStream(1), .validation = {}});
}

TEST(GaussianFamily, TakesNormalScoresForHeavyTails) {
  // The exponential of a correlated Gaussian pair: no Gaussian at all, but its normal scores are one.
  const Rows2 rows = draw_rows(2000, [](RandomStream& random, bool in_p) {
    const double x = random.normal();
    const double y = in_p ? 0.8 * x + 0.6 * random.normal() : random.normal();
    return std::pair(std::exp(3 * x), std::exp(3 * y));
  });
  EXPECT_EQ(fit(rows)->config().choice("transform"), "normal scores");
}

TEST(GaussianFamily, UsesFeaturesWithTwoValuesByTheirOdds) {
  const Rows2 rows = draw_rows(2000, [](RandomStream& random, bool in_p) {
    return std::pair(random.uniform() < (in_p ? 0.8 : 0.2) ? 1.0 : 0.0, random.normal());
  });
  const auto model = fit(rows);
  EXPECT_GT(model->config().real("binary_damping"), 0.7);
  std::vector<double> log_odds(rows.rows.size());
  model->log_odds(rows.features.view(), rows.rows, log_odds);
  double high = 0;
  int count = 0;
  for (std::size_t i = 0; i < log_odds.size(); ++i) {
    if (rows.features.at(i, 0) > 0.5F) high += log_odds[i], ++count;
  }
  // log(0.8 / 0.2) = 1.386, and the odds of 1000 rows a side have a standard error of 0.09.
  EXPECT_NEAR(high / count, 1.386, 0.4);
}

}  // namespace
}  // namespace jsdiv
