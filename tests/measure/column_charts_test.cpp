#include "measure/column_charts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Sample sample_of(std::vector<Column> columns, std::size_t rows_p) {
  const std::size_t rows = columns[0].values.size();
  return {.columns = std::move(columns), .table_rows = {rows_p, rows - rows_p}};
}

double total(const std::vector<double>& shares, double missing_share) {
  return std::accumulate(shares.begin(), shares.end(), missing_share);
}

TEST(ColumnCharts, NumbersFallIntoRoundBinsWithOpenEnds) {
  Column column{.name = "x"};
  for (int i = 0; i < 200; ++i) column.values.push_back(0.137 + i * 0.5);  // P: 0.137 … 99.637
  for (int i = 0; i < 100; ++i) column.values.push_back(50.0);
  column.values[0] = missing;
  const auto charts = column_charts(sample_of({column}, 200));
  ASSERT_EQ(charts.size(), 1U);
  const ColumnChart& chart = charts[0];
  ASSERT_EQ(chart.edges.size() + 1, chart.p.size());
  EXPECT_EQ(chart.edges.front(), "10");
  EXPECT_EQ(chart.edges.back(), "90");
  EXPECT_DOUBLE_EQ(chart.missing_p, 0.005);
  EXPECT_NEAR(total(chart.p, chart.missing_p), 1, 1e-12);
  EXPECT_DOUBLE_EQ(chart.q[5], 1);  // 50 to 60
}

TEST(ColumnCharts, SmallWholeNumbersAreBinsOfTheirOwn) {
  Column column{.name = "visits", .type = ColumnType::integer};
  for (int i = 0; i < 600; ++i) column.values.push_back(i % 6);
  const auto chart = column_charts(sample_of({column}, 300))[0];
  std::vector<std::string> labels = {"0", "1", "2", "3", "4", "5"};
  EXPECT_EQ(chart.labels, labels);
  EXPECT_TRUE(chart.edges.empty());
  for (const double share : chart.p) EXPECT_NEAR(share, 1.0 / 6, 1e-12);
  // Few rows lie beyond: they share the ends.
  column.values[0] = -3;
  column.values[5] = 40;
  const auto ends = column_charts(sample_of({column}, 300))[0];
  labels.insert(labels.begin(), "below 0");
  labels.back() = "5 and above";
  EXPECT_EQ(ends.labels, labels);
  EXPECT_NEAR(ends.p[0], 1.0 / 300, 1e-12);
  EXPECT_NEAR(ends.p[6], 50.0 / 300, 1e-12);
}

TEST(ColumnCharts, RareCategoriesArePooled) {
  Column column{.name = "name", .type = ColumnType::category, .levels = {"Ann", "Bob", "Zoe"}};
  for (int i = 0; i < 20; ++i) column.values.push_back(i < 4 ? 2 : i % 2);  // four rows of Zoe
  const auto chart = column_charts(sample_of({column}, 10))[0];
  const std::vector<std::string> labels = {"Ann", "Bob", "1 other level"};
  EXPECT_EQ(chart.labels, labels);
  EXPECT_DOUBLE_EQ(chart.p[2], 0.4);
  EXPECT_DOUBLE_EQ(chart.q[2], 0);
}

TEST(ColumnCharts, NoLabelIsTheValueOfASingleRow) {
  Column id{.name = "id", .type = ColumnType::category};
  for (int i = 0; i < 100; ++i) {
    id.levels.push_back("customer " + std::to_string(1000 + i));
    id.values.push_back(i);
  }
  const auto chart = column_charts(sample_of({id}, 50))[0];
  EXPECT_EQ(chart.labels, std::vector<std::string>{"100 other levels"});
}

TEST(ColumnCharts, DatesBeginAtMidnight) {
  Column column{.name = "day", .type = ColumnType::datetime};
  for (int i = 0; i < 400; ++i) column.values.push_back(86400.0 * i);  // 1970-01-01 …
  const auto chart = column_charts(sample_of({column}, 200))[0];
  ASSERT_FALSE(chart.edges.empty());
  for (const std::string& edge : chart.edges) EXPECT_EQ(edge.size(), 10U) << edge;
}

TEST(ColumnCharts, AConstantAnEmptyAndAnInfiniteColumnHaveCharts) {
  Column constant{.name = "c", .values = std::vector<double>(20, 3.5)};
  Column empty{.name = "e", .values = std::vector<double>(20, missing)};
  Column infinite{.name = "i", .values = std::vector<double>(20, 1)};
  infinite.values[0] = std::numeric_limits<double>::infinity();
  infinite.values[19] = 7;
  const auto charts = column_charts(sample_of({constant, empty, infinite}, 10));
  EXPECT_EQ(charts[0].labels, std::vector<std::string>{"3.5"});
  EXPECT_DOUBLE_EQ(charts[0].p[0], 1);
  EXPECT_TRUE(charts[1].p.empty());
  EXPECT_DOUBLE_EQ(charts[1].missing_q, 1);
  EXPECT_NEAR(total(charts[2].p, 0), 1, 1e-12);
}

TEST(ColumnCharts, KeepsTheColumnsThatDifferMost) {
  std::vector<Column> columns;
  for (int j = 0; j < 5; ++j) {
    Column column{.name = "x" + std::to_string(j), .type = ColumnType::boolean};
    for (int i = 0; i < 20; ++i) column.values.push_back(i < 10 ? 0 : i < 10 + 2 * j ? 1 : 0);
    columns.push_back(column);
  }
  Column empty{.name = "empty", .type = ColumnType::boolean, .values = std::vector<double>(20, missing)};
  empty.values[0] = empty.values[10] = 1;  // the same share is missing on either side
  columns.push_back(empty);
  const auto charts = column_charts(sample_of(columns, 10), 2);
  ASSERT_EQ(charts.size(), 2U);
  EXPECT_EQ(charts[0].name, "x3");
  EXPECT_EQ(charts[1].name, "x4");
  EXPECT_DOUBLE_EQ(charts[1].q[1], 0.8);
}

}  // namespace
}  // namespace jsdiv
