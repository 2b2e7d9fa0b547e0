#include "support/lattice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tables.hpp"

namespace jsdiv {
namespace {

std::vector<WeightedValue> weighted(const std::vector<double>& values) {
  std::map<double, double> counts;
  for (const double value : values) ++counts[value];
  std::vector<WeightedValue> result;
  for (const auto& [value, rows] : counts) result.push_back({value, rows});
  return result;
}

std::vector<double> ages(std::size_t n, std::uint64_t seed) {
  return drawn(n, seed, [](RandomStream& random) {
    return std::round(17 + 72 * random.uniform() * random.uniform());
  });
}

/// Whole numbers, nearly all different: what a sampling weight looks like.
std::vector<double> large_integers(std::size_t n, std::uint64_t seed) {
  return drawn(n, seed,
               [](RandomStream& random) { return std::round(190000 * std::exp(0.5 * random.normal())); });
}

double spacing_after_scaling(const std::vector<double>& original, const std::vector<double>& scaled) {
  const auto [low, high] = std::ranges::minmax(original);
  const auto [scaled_low, scaled_high] = std::ranges::minmax(scaled);
  return (scaled_high - scaled_low) / (high - low);
}

void expect_lattice(const std::vector<double>& values, double spacing, double relative_error) {
  const auto lattice = find_lattice(weighted(values));
  ASSERT_TRUE(lattice);
  EXPECT_NEAR(lattice->spacing / spacing, 1, relative_error);
}

TEST(Lattice, FindsWholeNumbersExactly) {
  const auto lattice = find_lattice(weighted(ages(1000, 1)));
  ASSERT_TRUE(lattice);
  EXPECT_EQ(lattice->spacing, 1);
  EXPECT_EQ(lattice->offset, 17);
}

TEST(Lattice, FindsTheSpacingFromGapsThatAreAllMultiples) {
  // Gaps of 4, 6, 10 and 14: their common divisor is the gap of no neighbours.
  const auto lattice = find_lattice(weighted({3, 7, 13, 23, 37, 41, 55, 65}));
  ASSERT_TRUE(lattice);
  EXPECT_EQ(lattice->spacing, 2);
  EXPECT_EQ(lattice->offset, 3);
}

TEST(Lattice, FindsStandardisedIntegers) {
  for (const auto& original : {ages(5000, 2), large_integers(10000, 3), large_integers(300, 4)}) {
    const std::vector<double> scaled = standardised(original);
    expect_lattice(scaled, spacing_after_scaling(original, scaled), 1e-9);
  }
}

TEST(Lattice, FindsStandardisedIntegersInFloat32) {
  for (const auto& original : {ages(5000, 5), large_integers(10000, 6)}) {
    const std::vector<double> scaled = standardised(original);
    expect_lattice(as_float32(scaled), spacing_after_scaling(original, scaled), 1e-6);
  }
}

TEST(Lattice, FindsDecimals) {
  std::vector<double> values = normal_values(2000, 7);
  for (double& value : values) value = std::round(value * 100) / 100;
  const auto lattice = find_lattice(weighted(values));
  ASSERT_TRUE(lattice);
  EXPECT_EQ(lattice->spacing, 0.01);
}

TEST(Lattice, FindsLargeIntegersOffsetFarFromZero) {
  // Days as seconds since 1970.
  std::vector<double> values = drawn(
      500, 8, [](RandomStream& random) { return 86400.0 * static_cast<double>(18000 + random.below(1500)); });
  expect_lattice(values, 86400, 0);
}

TEST(Lattice, ToleratesAThousandthOfStrayRows) {
  for (const auto& original : {ages(10000, 9), large_integers(10000, 10)}) {
    std::vector<double> scaled = standardised(original);
    const double spacing = spacing_after_scaling(original, scaled);
    RandomStream random(11);
    for (int i = 0; i < 9; ++i) scaled[random.below(scaled.size())] = random.normal();
    expect_lattice(scaled, spacing, 1e-6);
  }
}

TEST(Lattice, IsNotFoundInContinuousValues) {
  for (std::uint64_t seed = 20; seed < 30; ++seed) {
    EXPECT_FALSE(find_lattice(weighted(normal_values(2000, seed))));
    EXPECT_FALSE(find_lattice(weighted(normal_values(8, seed))));
  }
}

TEST(Lattice, IsNotFoundWithOneRowInTenOffIt) {
  std::vector<double> values = standardised(ages(1000, 12));
  RandomStream random(13);
  for (std::size_t i = 0; i < values.size(); i += 10) values[i] = random.normal();
  EXPECT_FALSE(find_lattice(weighted(values)));
}

TEST(Lattice, IsNotFoundInTooFewPoints) {
  EXPECT_FALSE(find_lattice(weighted({0.1, 0.7})));
  EXPECT_FALSE(find_lattice(weighted({0, 1, 3})));
  EXPECT_FALSE(find_lattice({}));
}

TEST(Lattice, KnowsWhatIsOnIt) {
  const Lattice lattice{10, 0.5};
  EXPECT_TRUE(is_on(lattice, 8.5, 0x1p-53));
  EXPECT_TRUE(is_on(lattice, 8.5004, 0x1p-53));
  EXPECT_FALSE(is_on(lattice, 8.501, 0x1p-53));
  EXPECT_EQ(lattice.nearest(9.3), 9.5);
  // At 1e8 neighbouring float32 are 8 apart: no grid of 0.5 can be seen.
  EXPECT_FALSE(is_on(lattice, 1e8, 0x1p-24));
}

TEST(Lattice, EndsOnMagnitudesWhoseQuotientsOverflow) {
  EXPECT_FALSE(find_lattice(weighted({0, 1e-310, 2})));
  EXPECT_FALSE(find_lattice(weighted({1e-310, 3e-310, 4e-310, 9e-310, 1e-309})));
  EXPECT_FALSE(find_lattice(weighted({1e-200, 1e-100, 1, 1e100, 1e200, 1e307})));
  EXPECT_FALSE(find_lattice(weighted({-1.7e308, -1e308, 0, 1e308, 1.7e308})));
  expect_lattice({0, 2e140, 5e140, 6e140, 9e140, 12e140, 13e140, 17e140}, 1e140, 1e-12);
  expect_lattice({0, 2e-140, 5e-140, 6e-140, 9e-140, 12e-140, 13e-140, 17e-140}, 1e-140, 1e-12);
}

}  // namespace
}  // namespace jsdiv
