#include "support/chance.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "jsdiv/random.hpp"
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
  const auto values = one_sided_values(counts, true, std::log(1e-6));
  EXPECT_TRUE(values[side_p].significant);
  EXPECT_DOUBLE_EQ(values[side_p].rows, 40);
  EXPECT_FALSE(values[side_q].significant);
  EXPECT_FALSE(values[side_p].more_singles);
}

TEST(Atoms, ManySmallOneSidedValuesAddUp) {
  ValueCounts counts;
  for (int i = 0; i < 100; ++i) {
    counts.values.push_back({static_cast<double>(i), {i % 2 == 0 ? 2U : 0U, i % 2 == 0 ? 0U : 2U}});
  }
  counts.present = {100, 100};
  const auto values = one_sided_values(counts, false, std::log(1e-2));
  // Of 100 pairs, 25 are P's alone by chance, with 50 rows.
  EXPECT_TRUE(values[side_p].significant);
  EXPECT_DOUBLE_EQ(values[side_p].rows, 50);
  EXPECT_EQ(values[side_p].values, 50U);
  const auto ordered = one_sided_values(counts, true, std::log(1e-2));
  EXPECT_TRUE(ordered[side_p].significant);
  EXPECT_NEAR(ordered[side_p].rows, 50, 2);
}

TEST(Atoms, AShiftMakesNoValuesOneSidedBeyondTheirNeighbours) {
  // Two rows at each of 4,000 values, in P with a probability that falls from 0.95 to 0.05.
  ValueCounts counts;
  RandomStream random(3);
  for (int i = 0; i < 4000; ++i) {
    ValueCount value{static_cast<double>(i), {}};
    const double in_p = 0.95 - 0.9 * i / 4000.0;
    for (int row = 0; row < 2; ++row) ++value.rows[random.uniform() < in_p ? side_p : side_q];
    for (const Side side : {side_p, side_q}) counts.present[side] += value.rows[side];
    counts.values.push_back(value);
  }
  EXPECT_TRUE(one_sided_values(counts, false, std::log(1e-4))[side_p].significant);
  EXPECT_FALSE(one_sided_values(counts, true, std::log(1e-4))[side_p].significant);
  EXPECT_FALSE(one_sided_values(counts, true, std::log(1e-4))[side_q].significant);
  EXPECT_FALSE(frequencies_differ(counts, true, std::log(1e-4)));
  // A value that stands out from its neighbours is seen.
  counts.values[2000].rows = {0, 60};
  counts.present[side_q] += 58;
  const auto values = one_sided_values(counts, true, std::log(1e-4));
  EXPECT_TRUE(values[side_q].significant);
  EXPECT_DOUBLE_EQ(values[side_q].rows, 60);
}

TEST(LocalPriors, ComeFromTheOtherValuesOfABlock) {
  ValueCounts counts;
  for (int i = 0; i < 64; ++i) {
    counts.values.push_back({static_cast<double>(i), {i < 32 ? 3U : 1U, i < 32 ? 1U : 3U}});
  }
  counts.present = {128, 128};
  for (const LocalPrior& prior : local_priors(counts, false)) EXPECT_EQ(prior.of_p, 0.5);
  // One block of 32 values and 128 rows, of which the value itself holds 4; one row of the overall prior.
  const auto priors = local_priors(counts, true);
  EXPECT_DOUBLE_EQ(priors[5].of_p, (96 - 3 + 0.5) / (128 - 4 + 1));
  EXPECT_DOUBLE_EQ(priors[5].neighbours, 125);
  EXPECT_DOUBLE_EQ(priors[40].of_p, (32 - 1 + 0.5) / (128 - 4 + 1));
  // The next row lies in P with that probability, a second one after it with (a + 1) / (n + 1).
  EXPECT_NEAR(priors[5].log_all_in(side_p, 1), std::log(93.5 / 125), 1e-12);
  EXPECT_NEAR(priors[5].log_all_in(side_p, 2), std::log(93.5 / 125 * 94.5 / 126), 1e-12);
}

TEST(Atoms, FrequenciesDiffer) {
  ValueCounts counts;
  counts.values = {{1, {50, 50}}, {2, {30, 30}}, {3, {20, 20}}};
  counts.present = {100, 100};
  EXPECT_FALSE(frequencies_differ(counts, true, std::log(0.05)));
  counts.values = {{1, {80, 20}}, {2, {10, 40}}, {3, {10, 40}}};
  EXPECT_TRUE(frequencies_differ(counts, true, std::log(1e-6)));
}

}  // namespace
}  // namespace jsdiv
