#include "classify/forest/bootstrap.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace jsdiv::forest {
namespace {

/// Every count is within 5 standard deviations of draws * weight / total weight.
void expect_proportional(const RowSampler& sampler, const std::vector<double>& weights) {
  constexpr std::size_t draws = 400'001;
  std::vector<std::uint32_t> counts(weights.size());
  sampler.draw_counts(TreeRandom(RandomStream(3)), draws, std::span(counts));
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::size_t{0}), draws);
  for (std::size_t row = 0; row < weights.size(); ++row) {
    const double share = weights[row] / total;
    EXPECT_NEAR(counts[row], draws * share, 5 * std::sqrt(draws * share * (1 - share))) << "row " << row;
  }
}

TEST(RowSampler, DrawsEqualRowsEquallyOften) {
  expect_proportional(RowSampler(std::size_t{11}), std::vector<double>(11, 1.0));
  expect_proportional(RowSampler(std::vector<double>(7, 0.25)), std::vector<double>(7, 0.25));
}

TEST(RowSampler, DrawsInProportionToWeights) {
  for (const std::vector<double>& weights :
       {std::vector<double>{1, 2, 3, 4}, std::vector<double>{1e-12, 5, 1e-12, 5},
        std::vector<double>{0.1, 1000, 37.5}}) {
    expect_proportional(RowSampler(weights), weights);
  }
}

TEST(TreeRandom, IsUniformBelowABound) {
  TreeRandom random(RandomStream(5));
  std::vector<int> counts(3);
  constexpr int draws = 300'000;
  for (int i = 0; i < draws; ++i) ++counts[random.below(3)];
  for (const int count : counts) EXPECT_NEAR(count, draws / 3, 5 * std::sqrt(draws * 2.0 / 9));
}

}  // namespace
}  // namespace jsdiv::forest
