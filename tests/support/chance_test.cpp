#include "support/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/atoms.hpp"

namespace jsdiv {
namespace {

TEST(Chance, UpperTailIsExactWhereAllTrialsSucceed) {
  EXPECT_NEAR(log_upper_tail(20, 20, 0.5), 20 * std::log(0.5), 1e-12);
  EXPECT_NEAR(log_upper_tail(3, 3, 0.1), 3 * std::log(0.1), 1e-12);
}

TEST(Chance, UpperTailIsNothingUpToTheMean) {
  EXPECT_EQ(log_upper_tail(20, 10, 0.5), 0);
  EXPECT_EQ(log_upper_tail(20, 4, 0.5), 0);
  EXPECT_EQ(log_upper_tail(0, 0, 0.5), 0);
}

TEST(Chance, UpperTailBoundsTheBinomialFromAbove) {
  // P(Binomial(20, 1/2) >= 16) = 6196 / 2^20
  const double exact = std::log(6196.0 / 1048576.0);
  EXPECT_GE(log_upper_tail(20, 16, 0.5), exact);
  EXPECT_LE(log_upper_tail(20, 16, 0.5), exact + 2);
}

TEST(Chance, ChiSquaredTailBoundsTheExactOne) {
  // Two degrees of freedom: P(X >= x) = exp(-x / 2).
  EXPECT_GE(log_chi_squared_tail(2, 30), -15);
  EXPECT_LE(log_chi_squared_tail(2, 30), -15 + 4);
  EXPECT_EQ(log_chi_squared_tail(2, 1.5), 0);
}

TEST(Atoms, OneFrequentValueIsOneSidedAndRareOnesAreNot) {
  ValueCounts counts;
  counts.values = {{1, {40, 0}}, {2, {58, 98}}, {3, {2, 0}}, {4, {0, 2}}};
  counts.present = {100, 100};
  const auto values = one_sided_values(counts, std::log(1e-6));
  EXPECT_TRUE(values[side_p].significant);
  EXPECT_DOUBLE_EQ(values[side_p].rows, 40);
  EXPECT_FALSE(values[side_q].significant);
  EXPECT_FALSE(values[side_p].more_singles);
}

TEST(Atoms, ManySmallOneSidedValuesAddUp) {
  ValueCounts counts;
  for (int i = 0; i < 50; ++i) counts.values.push_back({static_cast<double>(i), {2, 0}});
  for (int i = 50; i < 100; ++i) counts.values.push_back({static_cast<double>(i), {0, 2}});
  counts.present = {100, 100};
  const auto values = one_sided_values(counts, std::log(1e-2));
  // Of 100 pairs, 25 are P's alone by chance, with 50 rows.
  EXPECT_TRUE(values[side_p].significant);
  EXPECT_DOUBLE_EQ(values[side_p].rows, 50);
  EXPECT_EQ(values[side_p].values, 50U);
}

TEST(Atoms, FrequenciesDiffer) {
  ValueCounts counts;
  counts.values = {{1, {50, 50}}, {2, {30, 30}}, {3, {20, 20}}};
  counts.present = {100, 100};
  EXPECT_FALSE(frequencies_differ(counts, std::log(0.05)));
  counts.values = {{1, {80, 20}}, {2, {10, 40}}, {3, {10, 40}}};
  EXPECT_TRUE(frequencies_differ(counts, std::log(1e-6)));
}

}  // namespace
}  // namespace jsdiv
