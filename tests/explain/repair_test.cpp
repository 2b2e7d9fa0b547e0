#include "explain/repair.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "explain/drawn_tables.hpp"

namespace jsdiv {
namespace {

double weighted_share(const Sample& sample, std::size_t column, std::uint8_t label, double level) {
  const auto labels = sample.labels();
  double all = 0;
  double there = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] != label) continue;
    const double weight = sample.weights.empty() ? 1 : sample.weights[row];
    all += weight;
    if (sample.columns[column].values[row] == level) there += weight;
  }
  return there / all;
}

/// One column; the first table has that many of the values.
Sample sample_of(const Column& column, std::size_t rows) {
  Sample sample;
  sample.columns = {column};
  sample.table_rows = {rows, column.values.size() - rows};
  return sample;
}

TEST(Repair, RakingReachesTwoMarginsAtOnce) {
  // Cells of two columns: 40 rows in (0, 0), 10 in (0, 1), 20 in (1, 0), 30 in (1, 1).
  std::vector<std::vector<std::uint32_t>> cells(2);
  for (const auto& [a, b, count] : {std::array{0, 0, 40}, {0, 1, 10}, {1, 0, 20}, {1, 1, 30}}) {
    cells[0].insert(cells[0].end(), static_cast<std::size_t>(count), static_cast<std::uint32_t>(a));
    cells[1].insert(cells[1].end(), static_cast<std::size_t>(count), static_cast<std::uint32_t>(b));
  }
  std::vector<double> weights(100, 1);
  rake(weights, cells, std::vector<std::vector<double>>{{0.3, 0.7}, {0.5, 0.5}});
  double total = 0;
  double first = 0;
  double second = 0;
  for (std::size_t row = 0; row < 100; ++row) {
    total += weights[row];
    first += cells[0][row] == 0 ? weights[row] : 0;
    second += cells[1][row] == 0 ? weights[row] : 0;
  }
  EXPECT_NEAR(first / total, 0.3, 1e-5);
  EXPECT_NEAR(second / total, 0.5, 1e-5);
}

TEST(Repair, NumbersGetTheSameDistributionAndKeepTheirOrder) {
  Column shifted{.name = "x"};
  for (int table = 0; table < 2; ++table) {
    for (int i = 0; i < 500; ++i) shifted.values.push_back(std::exp(0.01 * i) + 100 * table);
  }
  const ExplainedTables tables = drawn_tables({shifted}, 500);
  const std::vector<std::size_t> columns = {0};
  const Sample repaired = with_margins_repaired(tables.sample, tables.labels, columns, RandomStream(1));
  const std::vector<double>& values = repaired.columns[0].values;
  for (std::size_t i = 0; i < 500; ++i) {
    EXPECT_EQ(values[i], values[500 + i]);
    EXPECT_TRUE(i == 0 || values[i] >= values[i - 1]);
  }
}

TEST(Repair, CategoriesGetPooledSharesAndForeignLevelsGo) {
  Column level{.name = "c", .type = ColumnType::category, .levels = {"a", "b", "only second"}};
  for (int i = 0; i < 100; ++i) level.values.push_back(i < 80 ? 0 : 1);
  for (int i = 0; i < 100; ++i) level.values.push_back(i < 30 ? 0 : i < 90 ? 1 : 2);
  const ExplainedTables tables = drawn_tables({level}, 100);
  const std::vector<std::size_t> columns = {0};
  const Sample repaired = with_margins_repaired(tables.sample, tables.labels, columns, RandomStream(1));
  EXPECT_EQ(weighted_share(repaired, 0, 0, 2), 0);
  EXPECT_NEAR(weighted_share(repaired, 0, 0, 0), weighted_share(repaired, 0, 1, 0), 1e-5);
}

TEST(Repair, OnlyTheMarginsDifferWhereTheDependenceWasRepaired) {
  Column x{.name = "x"};
  Column level{.name = "c", .type = ColumnType::category, .levels = {"a", "b"}};
  for (int i = 0; i < 400; ++i)
    x.values.push_back(i * 0.25 + 0.01), level.values.push_back(i % 4 == 0 ? 1 : 0);
  for (int i = 0; i < 400; ++i)
    x.values.push_back(i * 0.5 + 0.02), level.values.push_back(i % 2 == 0 ? 1 : 0);
  const ExplainedTables tables = drawn_tables({x, level}, 400);
  const Sample moved = with_dependence_repaired(tables.sample, tables.labels, 1, RandomStream(5));
  ASSERT_EQ(moved.rows_p(), 200U);
  ASSERT_EQ(moved.rows_q(), 200U);
  // The first half keeps the first table's distributions, the second has those of the second table.
  EXPECT_NEAR(weighted_share(moved, 1, 1, 1), 0.25, 0.1);
  EXPECT_NEAR(weighted_share(moved, 1, 0, 1), 0.5, 1e-4);
  EXPECT_LT(*std::max_element(moved.columns[0].values.begin(), moved.columns[0].values.begin() + 200), 100);
  EXPECT_GT(*std::max_element(moved.columns[0].values.begin() + 200, moved.columns[0].values.end()), 150);
}

TEST(Repair, ValuesBroughtFromASmallerTableDoNotRecur) {
  // 600 rows and 450, no value twice. Ranks of 600 among 450 values would meet.
  Column x{.name = "x"};
  for (int i = 0; i < 600; ++i) x.values.push_back(std::sin(i));
  for (int i = 0; i < 450; ++i) x.values.push_back(2 + std::sin(1000 + i));
  const Sample sample = sample_of(x, 600);
  for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
    const Sample moved = with_dependence_repaired(sample, sample.labels(), label, RandomStream(5));
    std::vector<double> values = moved.columns[0].values;
    std::ranges::sort(values);
    EXPECT_EQ(std::ranges::adjacent_find(values), values.end()) << int{label};
  }
}

TEST(Repair, NoMoreRowsAreBroughtThanTheOtherTableHas) {
  Column x{.name = "x"};
  for (int i = 0; i < 600; ++i) x.values.push_back(i);
  for (int i = 0; i < 50; ++i) x.values.push_back(700 + i);
  const Sample sample = sample_of(x, 600);
  const Sample moved = with_dependence_repaired(sample, sample.labels(), 1, RandomStream(5));
  ASSERT_EQ(moved.rows_p(), 550U);
  ASSERT_EQ(moved.rows_q(), 50U);
  // All of the other table's values, the higher ones for the higher rows.
  std::vector<double> brought(moved.columns[0].values.begin() + 550, moved.columns[0].values.end());
  EXPECT_TRUE(std::ranges::is_sorted(brought));
  EXPECT_EQ(brought.front(), 700);
  EXPECT_EQ(brought.back(), 749);
}

}  // namespace
}  // namespace jsdiv
