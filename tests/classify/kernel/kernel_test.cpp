#include "classify/kernel/kernel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "classify/gaussian_pair.hpp"
#include "classify/linear/families.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using test::GaussianPair;
using test::log_odds;

/// BLAS on one thread, as every run of the product has it.
class Kernel : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    with_threads(1, [] {});
  }
};

Config config_with(double bandwidth, double c) {
  Config config = kernel_family().defaults({});
  config.set("bandwidth", bandwidth);
  config.set("C", c);
  return config;
}

std::unique_ptr<Model> fit(const Family& family, const GaussianPair& pair, const Config& config,
                           std::uint64_t seed = 1) {
  return family.prepare(pair.problem())->fit(pair.rows, config, Fit{RandomStream(seed), {}, Loss::plain});
}

/// The features of a pair replaced by rings of radius 1 and 3 (P), 2 and 4 (Q): no linear difference at all.
GaussianPair rings(std::size_t rows, std::uint64_t seed) {
  GaussianPair pair(rows, rows, 0, 0, seed);
  RandomStream random = RandomStream(seed).child("rings");
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    const double angle = 2 * std::numbers::pi * random.uniform();
    const double radius =
        (pair.labels[i] == 1 ? 1 : 2) + 2 * static_cast<double>(random.below(2)) + 0.1 * random.normal();
    pair.features.at(i, 0) = static_cast<float>(radius * std::cos(angle));
    pair.features.at(i, 1) = static_cast<float>(radius * std::sin(angle));
  }
  return pair;
}

// Rings five standard deviations from the border between them: the divergence is 1 within 1e-4.
TEST_F(Kernel, LearnsRingsWhereALinearModelFails) {
  const GaussianPair train = rings(500, 1), test = rings(1000, 2);
  EXPECT_GT(test::measured_jsd(*fit(kernel_family(), train, config_with(0.4, 1000)), test), 0.95);
  EXPECT_LT(test::measured_jsd(*fit(logreg_family(), train, logreg_family().defaults({})), test), 0.02);
}

// Against the true densities on the same rows, so that the draw of the test set cancels.
TEST_F(Kernel, MeasuresTheDivergenceOfAGaussianPair) {
  const GaussianPair train(2000, 2000, 0.9, 0, 1), test(2000, 2000, 0.9, 0, 2);
  const double oracle =
      1 - held_out_loss(test.problem(), test.rows, test.true_log_odds, 0, Loss::balanced) / std::log(2.0);
  EXPECT_NEAR(test::measured_jsd(*fit(kernel_family(), train, config_with(1, 100)), test), oracle, 0.02);
}

TEST_F(Kernel, TheSeedDrawsTheFeatures) {
  const GaussianPair pair(150, 150, 0.8, 0, 5);
  const auto scores = [&](std::uint64_t seed) {
    return log_odds(*fit(kernel_family(), pair, config_with(1, 1), seed), pair.features.view(), pair.rows);
  };
  EXPECT_EQ(scores(1), scores(1));
  EXPECT_NE(scores(1), scores(2));
}

TEST_F(Kernel, TheFoldFindsTheCThatAFitThenUses) {
  const GaussianPair train(600, 600, 0.9, 0, 1), null(600, 600, 0, 0, 1);
  const SearchSpace space = kernel_family().search_space({});
  const auto best_c = [&](const GaussianPair& pair) {
    std::vector<RowIndex> parts[2];
    for (const RowIndex row : pair.rows) parts[row % 2].push_back(row);
    const auto trainer = kernel_family().prepare(pair.problem());
    const auto losses = trainer->fold(parts[0], parts[1], Fit{RandomStream(1), {}, Loss::balanced})
                            ->losses(kernel_family().defaults({}));
    EXPECT_EQ(losses.size(), space.path_values.size());
    return space.path_values[static_cast<std::size_t>(std::min_element(losses.begin(), losses.end()) -
                                                      losses.begin())];
  };
  EXPECT_GE(best_c(train), 10);
  EXPECT_LE(best_c(null), 1);
}

TEST_F(Kernel, TrainsOnAStratifiedSubsampleOfManyRows) {
  const GaussianPair pair(40000, 20000, 0.5, 0, 7);
  Config config = config_with(1, 1);
  config.set("components", std::int64_t{4});
  const auto model = fit(kernel_family(), pair, config);
  ASSERT_EQ(model->notes().size(), 1U);
  EXPECT_EQ(model->notes()[0].code, "kernel_subsampled");
  EXPECT_NEAR(model->prior_log_odds(), std::log(2.0), 1e-3);
  EXPECT_TRUE(fit(kernel_family(), GaussianPair(50, 50, 0, 0, 1), config)->notes().empty());
}

TEST_F(Kernel, SaysWhatIsWrongWithAConfiguration) {
  const GaussianPair pair(20, 20, 0, 0, 1);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, Config::Value>>{{"bandwidth", 0.0},
                                                          {"bandwidth", std::nan("")},
                                                          {"components", std::int64_t{3}},
                                                          {"C", -1.0},
                                                          {"class_weight", "balanced"}}) {
    Config config = kernel_family().defaults({});
    config.set(name, value);
    EXPECT_THROW(fit(kernel_family(), pair, config), InvalidInput) << name;
  }
}

TEST_F(Kernel, TheShortlistLiesWithinTheSearchSpace) {
  const auto shortlist = kernel_family().shortlist({.features = 4});
  const Parameter bandwidth = kernel_family().search_space({.features = 4}).parameters.at(0);
  ASSERT_EQ(shortlist.size(), 2U);
  EXPECT_NE(shortlist[0], shortlist[1]);
  for (const Config& config : shortlist) {
    EXPECT_GE(config.real("bandwidth"), bandwidth.low);
    EXPECT_LE(config.real("bandwidth"), bandwidth.high);
  }
}

}  // namespace
}  // namespace jsdiv
