#include "uncertainty/permutation.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

#include "core/parallel.hpp"
#include "jsdiv/random.hpp"
#include "uncertainty/held_out_draws.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t fold_count = 5;

constexpr std::size_t columns = 3;
using Values = std::vector<std::array<double, columns>>;

/// Each fold's log-odds by a nearest-mean classifier of the other folds' rows: the folds' models share
/// training rows, as real ones do.
void score_by_nearest_mean(Draw& draw, const Values& values) {
  draw.log_odds.assign(values.size(), 0);
  for (std::uint32_t fold = 0; fold < fold_count; ++fold) {
    std::array<std::array<double, columns>, 2> mean{};
    std::array<double, 2> count{};
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (draw.folds[row] == fold) continue;
      ++count[draw.labels[row]];
      for (std::size_t j = 0; j < columns; ++j) mean[draw.labels[row]][j] += values[row][j];
    }
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (draw.folds[row] != fold) continue;
      for (std::size_t j = 0; j < columns; ++j) {
        const double mean_p = mean[1][j] / count[1];
        const double mean_q = mean[0][j] / count[0];
        draw.log_odds[row] += (mean_p - mean_q) * (values[row][j] - 0.5 * (mean_p + mean_q));
      }
    }
  }
}

/// Q's mean lies `shift` away in the first column; rows of a group share a part of their values.
Draw cross_fitted(std::size_t groups_a_side, std::size_t rows_a_group, double shift, double shared,
                  RandomStream random) {
  Draw draw;
  Values values;
  for (std::uint32_t group = 0; group < 2 * groups_a_side; ++group) {
    std::array<double, columns> centre{};
    for (double& value : centre) value = shared * random.normal();
    for (std::size_t row = 0; row < rows_a_group; ++row) {
      const bool of_p = group % 2 == 0;
      std::array<double, columns> value = centre;
      for (double& entry : value) entry += random.normal();
      if (!of_p) value[0] += shift;
      values.push_back(value);
      draw.labels.push_back(of_p ? 1 : 0);
      draw.folds.push_back(static_cast<std::uint32_t>(group / 2 % fold_count));
      draw.groups.push_back(group);
    }
  }
  score_by_nearest_mean(draw, values);
  return draw;
}

TEST(Permutation, CountsTheLabellingsThatReachTheObservedValue) {
  // Of the six labellings of four rows only the observed one puts both high rows into P.
  const std::vector<double> log_odds = {2, 2, -2, -2};
  const std::vector<std::uint8_t> labels = {1, 1, 0, 0};
  PermutationOptions options;
  options.permutations = 5999;
  const auto test =
      permutation_test(log_odds, {labels, {}, {}}, std::vector<std::uint32_t>(4), RandomStream(1), options);
  ASSERT_TRUE(test);
  EXPECT_NEAR(test->fold_p_values.at(0), 1 / 6.0, 5 * std::sqrt(5 / 36.0 / 6000));
  EXPECT_NEAR(test->p_value, test->fold_p_values[0], 1e-12);
  EXPECT_FALSE(test->p_value_is_bound);
}

TEST(Permutation, UsesTheSmallerTableWhicheverItIs) {
  // Three rows of P, one of Q: four labellings; the observed one has the highest value.
  const std::vector<double> log_odds = {2, 1, 0.5, -2};
  const std::vector<std::uint8_t> labels = {1, 1, 1, 0};
  const std::vector<double> mirrored = {-2, -1, -0.5, 2};
  const std::vector<std::uint8_t> mirrored_labels = {0, 0, 0, 1};
  const std::vector<std::uint32_t> folds(4);
  const auto test = permutation_test(log_odds, {labels, {}, {}}, folds, RandomStream(1));
  const auto mirror = permutation_test(mirrored, {mirrored_labels, {}, {}}, folds, RandomStream(1));
  EXPECT_NEAR(test->p_value, 0.25, 5 * std::sqrt(3 / 16.0 / 1000));
  EXPECT_EQ(test->p_value, mirror->p_value);
}

TEST(Permutation, CombinesByCauchy) {
  EXPECT_NEAR(cauchy_combination(std::vector<double>{0.03}), 0.03, 1e-14);
  EXPECT_NEAR(cauchy_combination(std::vector<double>{0.25, 0.5}), 0.5 - std::atan(0.5) / std::numbers::pi,
              1e-14);
  EXPECT_NEAR(cauchy_combination(std::vector<double>{1, 1}), 0.99, 1e-12);
}

TEST(Permutation, LeavesOutFoldsThatSayNothing) {
  Draw draw = gaussian_oracle(100, 100, 1, RandomStream(4));
  const auto all = permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1));
  for (std::size_t row = 0; row < draw.folds.size(); ++row) {
    if (draw.folds[row] == 2) draw.log_odds[row] = 0.1;
  }
  const auto without = permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1));
  EXPECT_EQ(without->fold_p_values[2], 1);
  const std::vector<double> rest = {all->fold_p_values[0], all->fold_p_values[1], all->fold_p_values[3],
                                    all->fold_p_values[4]};
  EXPECT_EQ(without->p_value, cauchy_combination(rest));
  const std::vector<double> constant(200);
  const auto nothing = permutation_test(constant, draw.rows(), draw.folds, RandomStream(1));
  EXPECT_EQ(nothing->p_value, 1);
  EXPECT_FALSE(nothing->p_value_is_bound);
}

TEST(Permutation, GivesNothingUnderWeights) {
  const Draw draw = gaussian_oracle(20, 20, 1, RandomStream(4));
  const std::vector<double> weights(40, 1);
  EXPECT_FALSE(permutation_test(draw.log_odds, {draw.labels, weights, {}}, draw.folds, RandomStream(1)));
}

TEST(Permutation, IsTheSameForEveryThreadCount) {
  const Draw draw = cross_fitted(60, 2, 0.3, 0.5, RandomStream(9));
  for (const bool grouped : {false, true}) {
    const HeldOutRows rows = {
        draw.labels, {}, grouped ? std::span(draw.groups) : std::span<const std::uint32_t>{}};
    std::vector<PermutationTest> tests;
    for (const std::size_t threads : {1, 4}) {
      with_threads(threads, [&] {
        tests.push_back(*permutation_test(draw.log_odds, rows, draw.folds, RandomStream(2)));
      });
    }
    EXPECT_EQ(tests[0].fold_p_values, tests[1].fold_p_values);
  }
}

TEST(Permutation, NormalLawAgreesWithPermutedLabels) {
  const Draw draw = gaussian_oracle(900, 1800, 0.12, RandomStream(21));
  PermutationOptions permuted;
  permuted.permutations = 9999;
  PermutationOptions normal = permuted;
  normal.normal_above_rows = 100;
  const auto by_permutation =
      permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1), permuted);
  const auto by_law = permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1), normal);
  for (std::size_t fold = 0; fold < fold_count; ++fold) {
    EXPECT_NEAR(by_law->fold_p_values[fold], by_permutation->fold_p_values[fold], 0.02);
  }
}

TEST(Permutation, SaysWhereThePermutationsCanShowNoSmallerValue) {
  Draw draw = gaussian_oracle(300, 300, 3, RandomStream(4));
  PermutationOptions options;
  options.permutations = 99;
  for (const std::size_t normal_above : {100'000, 10}) {
    options.normal_above_rows = normal_above;
    const auto test = permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1), options);
    EXPECT_NEAR(test->p_value, 0.01, 1e-12);
    EXPECT_TRUE(test->p_value_is_bound);
  }
  // One fold that says little: its p-value is known, and so is the combination.
  for (std::size_t row = 0; row < draw.folds.size(); ++row) {
    if (draw.folds[row] == 2) draw.log_odds[row] = row % 2 == 0 ? 0.1 : 0.2;
  }
  EXPECT_FALSE(
      permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(1), options)->p_value_is_bound);
}

double rejection_rate(std::size_t runs, std::size_t groups_a_side, std::size_t rows_a_group, double shift,
                      double shared, bool use_groups, std::uint64_t seed) {
  std::size_t rejected = 0;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const Draw draw = cross_fitted(groups_a_side, rows_a_group, shift, shared, RandomStream(seed).child(run));
    const HeldOutRows rows = {
        draw.labels, {}, use_groups ? std::span(draw.groups) : std::span<const std::uint32_t>{}};
    PermutationOptions options;
    options.permutations = 499;
    const auto test = permutation_test(draw.log_odds, rows, draw.folds, RandomStream(run), options);
    if (test->p_value <= 0.05) ++rejected;
  }
  return static_cast<double>(rejected) / static_cast<double>(runs);
}

TEST(Permutation, RejectsEqualTablesAboutAsOftenAsItSays) {
  // 5 % of 600 has a standard error of 0.9 %.
  const double rate = rejection_rate(600, 60, 1, 0, 0, false, 31);
  EXPECT_LE(rate, 0.075);
  EXPECT_GE(rate, 0.02);
}

TEST(Permutation, RejectsTablesThatDiffer) {
  EXPECT_GE(rejection_rate(60, 150, 1, 0.6, 0, false, 32), 0.9);
}

TEST(Permutation, KeepsGroupsTogether) {
  EXPECT_LE(rejection_rate(400, 20, 6, 0, 1, true, 33), 0.075);
  // By rows, what the rows of a group share would pass for a difference of the tables.
  EXPECT_GE(rejection_rate(100, 20, 6, 0, 1, false, 33), 0.12);
  EXPECT_GE(rejection_rate(40, 60, 6, 1.5, 1, true, 34), 0.8);
}

double p_value_of_one_fold(const std::vector<double>& log_odds, const std::vector<std::uint8_t>& labels,
                           const std::vector<std::uint32_t>& groups, std::size_t permutations) {
  PermutationOptions options;
  options.permutations = permutations;
  const std::vector<std::uint32_t> folds(log_odds.size());
  return permutation_test(log_odds, {labels, {}, groups}, folds, RandomStream(1), options)->p_value;
}

TEST(Permutation, SwapsTheLabelsOfGroupsWithRowsOfBothTables) {
  // Two groups of one P and one Q: four labellings; group effects cancel within each.
  const std::vector<double> log_odds = {1, -1, 1, -1};
  const std::vector<std::uint8_t> labels = {1, 0, 1, 0};
  const std::vector<std::uint32_t> groups = {3, 3, 8, 8};
  EXPECT_NEAR(p_value_of_one_fold(log_odds, labels, groups, 3999), 0.25, 5 * std::sqrt(3 / 16.0 / 4000));
}

TEST(Permutation, ExchangesHowOftenTheTablesHoldEqualRows) {
  // Q is drawn from P: of the six pairs of four rows that it may hold, the observed one has the highest
  // value.
  const std::vector<double> log_odds = {1, 0.5, -1, -2, -1, -2};
  const std::vector<std::uint8_t> labels = {1, 1, 1, 1, 0, 0};
  const std::vector<std::uint32_t> groups = {5, 6, 7, 8, 7, 8};
  EXPECT_NEAR(p_value_of_one_fold(log_odds, labels, groups, 5999), 1 / 6.0, 5 * std::sqrt(5 / 36.0 / 6000));
}

TEST(Permutation, ExchangesOnlyRowsThatTheFullerTableHoldsEquallyOften) {
  // P holds one row three times and two once; Q may have drawn either of those two.
  const std::vector<double> log_odds = {3, 3, 3, 1, -1, -1};
  const std::vector<std::uint8_t> labels = {1, 1, 1, 1, 1, 0};
  const std::vector<std::uint32_t> groups = {1, 1, 1, 2, 3, 3};
  EXPECT_NEAR(p_value_of_one_fold(log_odds, labels, groups, 3999), 0.5, 5 * std::sqrt(0.25 / 4000));
}

/// Q holds rows of P, a row with a chance that grows with its first value by `slope`.
Draw drawn_from_p(std::size_t rows, double slope, RandomStream random) {
  Draw draw;
  Values values;
  const auto add = [&](const std::array<double, columns>& value, std::size_t row, std::uint8_t label) {
    values.push_back(value);
    draw.labels.push_back(label);
    draw.folds.push_back(static_cast<std::uint32_t>(row % fold_count));
    draw.groups.push_back(static_cast<std::uint32_t>(row));
  };
  for (std::size_t row = 0; row < rows; ++row) {
    std::array<double, columns> value{};
    for (double& entry : value) entry = random.normal();
    add(value, row, 1);
    if (random.uniform() < 1 / (1 + std::exp(-slope * value[0]))) add(value, row, 0);
  }
  score_by_nearest_mean(draw, values);
  return draw;
}

TEST(Permutation, TellsARandomPartOfATableFromAChosenOne) {
  const auto rejections = [](std::size_t runs, double slope) {
    std::size_t rejected = 0;
    for (std::uint64_t run = 0; run < runs; ++run) {
      const Draw draw = drawn_from_p(120, slope, RandomStream(35).child(run));
      PermutationOptions options;
      options.permutations = 499;
      const auto test = permutation_test(draw.log_odds, draw.rows(), draw.folds, RandomStream(run), options);
      rejected += test->p_value <= 0.05;
    }
    return static_cast<double>(rejected) / static_cast<double>(runs);
  };
  const double of_equal = rejections(600, 0);
  EXPECT_LE(of_equal, 0.075);
  EXPECT_GE(of_equal, 0.02);
  EXPECT_GE(rejections(60, 2), 0.9);
}

}  // namespace
}  // namespace jsdiv
