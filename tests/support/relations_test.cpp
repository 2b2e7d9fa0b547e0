#include "support/relations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/chance.hpp"
#include "tables.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t rows = 200;

RowsOfTables all_rows() {
  RowsOfTables result;
  for (RowIndex row = 0; row < 2 * rows; ++row) result[row < rows ? side_p : side_q].push_back(row);
  return result;
}

/// Columns of 200 + 200 rows: two lists of numbers, and what is made of them in P and in Q.
Sample table_of(auto of_p, auto of_q, double (*draw)(RandomStream&)) {
  RandomStream random(1);
  std::vector<double> a, b, made;
  for (std::size_t row = 0; row < 2 * rows; ++row) {
    a.push_back(draw(random));
    b.push_back(draw(random));
    made.push_back(row < rows ? of_p(a.back(), b.back()) : of_q(a.back(), b.back(), random));
  }
  Sample sample = sample_of(rows, rows, {});
  for (auto& [name, values] : {std::pair("made", &made), std::pair("a", &a), std::pair("b", &b)})
    sample.columns.push_back({name, ColumnType::number, *values, {}});
  return sample;
}

double normal(RandomStream& random) {
  return random.normal();
}
double amount(RandomStream& random) {
  return std::exp(2 + random.normal());
}
constexpr auto sum = [](double a, double b) { return a + b; };
constexpr auto noisy_sum = [](double a, double b, RandomStream& r) { return a + b + 0.05 * r.normal(); };
constexpr auto cents = [](double a, double b) { return std::round(100 * a * b) / 100; };
constexpr auto noisy_product = [](double a, double b, RandomStream& r) {
  return a * b * (1 + 0.02 * r.normal());
};

std::vector<SupportFinding> broken(const Sample& sample) {
  return find_broken_relations(sample, all_rows(), log_significance(3), {});
}

TEST(Relations, FindsASum) {
  const Sample sample = table_of(sum, noisy_sum, normal);
  const auto found = find_relations(sample, all_rows());
  ASSERT_EQ(found.size(), 1U);  // one for the three columns, whichever of them is the target
  EXPECT_EQ(found[0].table, side_p);
  EXPECT_EQ(found[0].target, 0U) << "the total, which varies most";
  EXPECT_FALSE(found[0].of_logarithms);
  ASSERT_EQ(found[0].coefficients.size(), 2U);
  for (const double coefficient : found[0].coefficients) EXPECT_NEAR(coefficient, 1, 1e-9);
  EXPECT_NEAR(found[0].intercept, 0, 1e-9);
  for (RowIndex row = 0; row < rows; ++row) {
    EXPECT_LT(std::abs(found[0].deviation(sample, row)->in_form), 10) << row;
    EXPECT_GT(std::abs(found[0].deviation(sample, row + rows)->in_form), 1000) << row;
  }
  const auto findings = broken(sample);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].kind, "relation");
  EXPECT_EQ(findings[0].share_q, 1);
  EXPECT_TRUE(findings[0].message == "made equals a + b in P; 100 % of Q's rows deviate from this" ||
              findings[0].message == "made equals b + a in P; 100 % of Q's rows deviate from this")
      << findings[0].message;
}

TEST(Relations, FindsAProductThatIsRounded) {
  const Sample sample = table_of(cents, noisy_product, amount);
  const auto found = find_relations(sample, all_rows());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].of_logarithms);
  // Rounding to cents deviates by 0 to 0.005, evenly: 0.0025 in the median.
  EXPECT_NEAR(found[0].target_scale, 1.4826 * 0.0025, 0.001);
  EXPECT_EQ(broken(sample).size(), 1U);
}

TEST(Relations, AFewBrokenRowsBlurNothing) {
  Sample sample = table_of(sum, noisy_sum, normal);
  for (std::size_t row = 0; row < 6; ++row) sample.columns[0].values[row] += 0.3;
  const auto found = find_relations(sample, all_rows());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].scale, 1e-10);
}

TEST(Relations, WhatBothTablesKeepOrBreakIsNoFinding) {
  const auto noisy = [&](double a, double b) { return a + b + 0.05 * std::sin(1e6 * a); };
  const auto same = [&](double a, double b, RandomStream&) { return noisy(a, b); };
  const Sample sample = table_of(noisy, same, normal);
  EXPECT_EQ(find_relations(sample, all_rows()).size(), 1U);
  EXPECT_TRUE(broken(sample).empty());
}

TEST(Relations, CorrelationIsNone) {
  const auto correlated = [](double a, double b) { return a + 0.2 * b; };  // explains 96 % of it
  Sample sample = table_of(
      correlated, [&](double a, double b, RandomStream&) { return correlated(a, b); }, normal);
  EXPECT_EQ(find_relations(sample, all_rows()).size(), 1U);
  sample.columns.pop_back();
  EXPECT_TRUE(find_relations(sample, all_rows()).empty());
}

TEST(Relations, MissingCellsAndLeftOutColumns) {
  Sample sample = table_of(sum, noisy_sum, normal);
  EXPECT_TRUE(find_relations(sample, all_rows(), 1).empty());
  for (std::size_t row = 0; row < 2 * rows; row += 100) sample.columns[1].values[row] = missing;
  const auto found = find_relations(sample, all_rows());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_LT(found[0].scale, 1e-10);
  EXPECT_FALSE(found[0].deviation(sample, 0));
  EXPECT_TRUE(found[0].deviation(sample, 1));
}

TEST(Relations, ExtremeAndConstantColumns) {
  Sample sample = table_of(sum, noisy_sum, normal);
  for (double& value : sample.columns[1].values) value = 1e300;
  for (double& value : sample.columns[2].values) value *= 1e-300;
  for (std::size_t row = 0; row < 2 * rows; ++row)
    sample.columns[0].values[row] = 3e300 * sample.columns[2].values[row] * 1e-10;
  const auto found = find_relations(sample, all_rows());
  for (const Relation& relation : found) {
    EXPECT_TRUE(std::isfinite(relation.scale) && relation.scale > 0);
    EXPECT_EQ(std::ranges::count(relation.others, 1U), 0) << "a constant explains nothing";
  }
}

}  // namespace
}  // namespace jsdiv
