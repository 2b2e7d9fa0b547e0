#include "tune/gaussian_process.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>
#include <vector>

#include "jsdiv/random.hpp"
#include "tune/acquisition.hpp"

namespace jsdiv {
namespace {

struct Sample {
  std::vector<std::vector<double>> points;
  std::vector<double> targets;
};

/// Two numeric dimensions and a choice of three.
Sample draw_sample(std::size_t count, RandomStream random) {
  Sample sample;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = random.uniform(), y = random.uniform(), choice = static_cast<double>(random.below(3));
    sample.points.push_back({x, y, choice});
    sample.targets.push_back(std::sin(4 * x) + (choice == 1 ? y : -y) + 0.05 * random.normal());
  }
  return sample;
}

GaussianProcess model_of(const Sample& sample) {
  GaussianProcess model({false, false, true});
  for (const auto& point : sample.points) model.add_point(point);
  return model;
}

double naive_kernel(const std::vector<double>& a, const std::vector<double>& b,
                    const std::vector<double>& lengths) {
  double r2 = 0;
  for (std::size_t j = 0; j < 2; ++j) r2 += std::pow((a[j] - b[j]) / lengths[j], 2);
  if (a[2] != b[2]) r2 += 1 / (lengths[2] * lengths[2]);
  const double r = std::sqrt(5 * r2);
  return (1 + r + r * r / 3) * std::exp(-r);
}

TEST(GaussianProcess, PredictionEqualsTheTextbookFormula) {
  const Sample sample = draw_sample(30, RandomStream(1));
  GaussianProcess model = model_of(sample);
  const std::vector<double> lengths = {0.4, 0.7, 1.1};
  const double noise = 0.02;
  const std::vector<double> log_parameters = {std::log(0.4), std::log(0.7), std::log(1.1),
                                              std::log(noise - 1e-6)};
  std::vector<double> gradient(4);
  model.log_posterior(log_parameters, sample.targets, gradient);

  const auto n = static_cast<Eigen::Index>(sample.points.size());
  Eigen::MatrixXd covariance(n, n);
  Eigen::VectorXd targets(n);
  for (Eigen::Index a = 0; a < n; ++a) {
    targets[a] = sample.targets[a];
    for (Eigen::Index b = 0; b < n; ++b) {
      covariance(a, b) = naive_kernel(sample.points[a], sample.points[b], lengths) + (a == b ? noise : 0.0);
    }
  }
  const Eigen::MatrixXd precision = covariance.inverse();
  const Eigen::VectorXd ones = Eigen::VectorXd::Ones(n);
  const double mean = ones.dot(precision * targets) / ones.dot(precision * ones);
  const Eigen::VectorXd residual = targets - mean * ones;
  const double amplitude2 = (2 + residual.dot(precision * residual)) / (2 + static_cast<double>(n));

  const std::vector<std::vector<double>> queries = {
      {0.1, 0.9, 0}, {0.5, 0.5, 1}, {1, 0, 2}, sample.points[4]};
  std::vector<double> columns;
  for (std::size_t j = 0; j < 3; ++j) {
    for (const auto& query : queries) columns.push_back(query[j]);
  }
  std::vector<double> predicted(queries.size()), deviation(queries.size());
  model.predict(columns, queries.size(), predicted, deviation);
  for (std::size_t i = 0; i < queries.size(); ++i) {
    Eigen::VectorXd k(n);
    for (Eigen::Index a = 0; a < n; ++a) k[a] = naive_kernel(sample.points[a], queries[i], lengths);
    EXPECT_NEAR(predicted[i], mean + k.dot(precision * residual), 1e-9);
    EXPECT_NEAR(deviation[i], std::sqrt(amplitude2 * (1 - k.dot(precision * k))), 1e-9);
  }
}

TEST(GaussianProcess, TheGradientIsThatOfTheLogPosterior) {
  const Sample sample = draw_sample(20, RandomStream(2));
  GaussianProcess model = model_of(sample);
  const std::vector<double> here = {-0.8, -0.3, 0.2, -4.0};
  std::vector<double> gradient(4), ignored(4);
  model.log_posterior(here, sample.targets, gradient);
  for (std::size_t j = 0; j < here.size(); ++j) {
    constexpr double step = 1e-5;
    std::vector<double> above = here, below = here;
    above[j] += step, below[j] -= step;
    const double difference = model.log_posterior(above, sample.targets, ignored) -
                              model.log_posterior(below, sample.targets, ignored);
    EXPECT_NEAR(gradient[j], difference / (2 * step), 1e-5) << j;
  }
}

TEST(GaussianProcess, AddingPointsOneByOneEqualsAddingThemAtOnce) {
  const Sample sample = draw_sample(25, RandomStream(3));
  GaussianProcess grown({false, false, true});
  for (std::size_t i = 0; i < sample.points.size(); ++i) {
    grown.add_point(sample.points[i]);
    grown.condition(std::span(sample.targets).first(i + 1), false);
  }
  GaussianProcess whole = model_of(sample);
  whole.condition(sample.targets, false);
  const std::vector<double> query = {0.3, 0.6, 1};
  double mean[2], deviation[2];
  grown.predict(query, 1, {&mean[0], 1}, {&deviation[0], 1});
  whole.predict(query, 1, {&mean[1], 1}, {&deviation[1], 1});
  EXPECT_DOUBLE_EQ(mean[0], mean[1]);
  EXPECT_DOUBLE_EQ(deviation[0], deviation[1]);
}

TEST(GaussianProcess, FittingRaisesThePosteriorAndFindsTheIdleDimension) {
  RandomStream random(4);
  GaussianProcess model({false, false});
  std::vector<double> targets;
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> point = {random.uniform(), random.uniform()};
    model.add_point(point);
    targets.push_back(std::sin(9 * point[0]));
  }
  const std::vector<double> before(model.log_parameters().begin(), model.log_parameters().end());
  model.condition(targets, true);
  const std::vector<double> after(model.log_parameters().begin(), model.log_parameters().end());
  std::vector<double> gradient(3);
  const double start = model.log_posterior(before, targets, gradient);
  EXPECT_GT(model.log_posterior(after, targets, gradient), start + 5);
  EXPECT_GT(after[1], after[0] + 0.7);
}

TEST(ExpectedImprovement, ByHand) {
  EXPECT_NEAR(expected_improvement(0, 1, 0), 1 / std::sqrt(2 * std::numbers::pi), 1e-15);
  EXPECT_NEAR(expected_improvement(-3, 1e-9, 0), 3, 1e-9);
  EXPECT_NEAR(expected_improvement(3, 1e-3, 0), 0, 1e-12);
  // Phi(1) + phi(1) for a gap of one standard deviation.
  EXPECT_NEAR(expected_improvement(0, 2, 2), 2 * (0.841344746068543 + 0.241970724519143), 1e-12);
}

TEST(ModelTargets, FailuresAreTheWorstAndDisastersAreCut) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> targets = model_targets(std::vector<double>{1, 2, infinity, 3});
  EXPECT_EQ(targets[2], targets[3]);
  EXPECT_LT(targets[0], targets[1]);
  EXPECT_NEAR(targets[0] + targets[1] + targets[2] + targets[3], 0, 1e-12);
  EXPECT_EQ(model_targets(std::vector<double>{infinity, infinity}), (std::vector<double>{0, 0}));
  EXPECT_EQ(model_targets(std::vector<double>{5, 5, 5}), (std::vector<double>{0, 0, 0}));
  // The median is 1 above the lowest, so losses are cut at 10 above it.
  EXPECT_EQ(model_targets(std::vector<double>{0, 1, 1, 10, 1e9}),
            model_targets(std::vector<double>{0, 1, 1, 10, 10}));
}

}  // namespace
}  // namespace jsdiv
