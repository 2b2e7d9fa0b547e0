#include "classify/tabpfn/preprocessing.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jsdiv::tabpfn {
namespace {

std::vector<RowIndex> first_rows(std::size_t count) {
  std::vector<RowIndex> rows(count);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

TEST(QuantileOf, WorkedOutByHand) {
  const std::vector<double> references = {0, 1, 1, 1, 3};
  EXPECT_DOUBLE_EQ(quantile_of(-5, references), 0);
  EXPECT_DOUBLE_EQ(quantile_of(0, references), 0);
  EXPECT_DOUBLE_EQ(quantile_of(0.5, references), 0.125);
  EXPECT_DOUBLE_EQ(quantile_of(1, references), 0.5);
  EXPECT_DOUBLE_EQ(quantile_of(2, references), 0.875);
  EXPECT_DOUBLE_EQ(quantile_of(3, references), 1);
  EXPECT_DOUBLE_EQ(quantile_of(9, references), 1);
}

// Columns: 0 varies, 1 is constant, 2 varies and has a missing value.
Matrix example(std::size_t rows) {
  RandomStream random(5);
  Matrix out(rows, 3);
  for (std::size_t row = 0; row < rows; ++row) {
    out.at(row, 0) = static_cast<float>(random.normal());
    out.at(row, 1) = 4;
    out.at(row, 2) = row == 7 ? NAN : static_cast<float>(10 + random.normal());
  }
  return out;
}

TEST(MemberTransform, PlainKeepsTheColumnsThatVaryInSomeOrder) {
  const Matrix table = example(60);
  const auto rows = first_rows(60);
  const MemberTransform transform(table.view(), rows, false, RandomStream(1));
  ASSERT_EQ(transform.columns(), 2U);
  const Matrix out = transform.apply(table.view(), rows);
  const std::size_t first = out.at(0, 0) == table.at(0, 0) ? 0 : 1;
  for (std::size_t row = 0; row < 60; ++row) {
    EXPECT_EQ(out.at(row, first), table.at(row, 0));
    if (row == 7) {
      EXPECT_TRUE(std::isnan(out.at(row, 1 - first)));
    } else {
      EXPECT_EQ(out.at(row, 1 - first), table.at(row, 2));
    }
  }
}

// 2 columns, 2 quantile columns in [0, 1], 2 singular directions (min(60/10 + 1, 4/2)).
TEST(MemberTransform, QuantilesAndDirectionsAreAppended) {
  const Matrix table = example(60);
  const auto rows = first_rows(60);
  const MemberTransform transform(table.view(), rows, true, RandomStream(2));
  ASSERT_EQ(transform.columns(), 6U);
  const Matrix out = transform.apply(table.view(), rows);
  int in_unit_interval = 0;
  for (std::size_t j = 0; j < 6; ++j) {
    const auto column = out.column(j);
    const bool unit = std::all_of(column.begin(), column.end(),
                                  [](float v) { return std::isnan(v) || (v >= 0 && v <= 1); });
    in_unit_interval += unit;
  }
  EXPECT_EQ(in_unit_interval, 2);
}

TEST(MemberTransform, OutliersGrowLogarithmically) {
  Matrix table(101, 1);
  for (std::size_t row = 0; row < 100; ++row) table.at(row, 0) = row % 2 == 0 ? 1.0F : -1.0F;
  table.at(100, 0) = 1e6F;
  const MemberTransform transform(table.view(), first_rows(100), false, RandomStream(3));
  const std::vector<RowIndex> scored = {0, 100};
  const Matrix out = transform.apply(table.view(), scored);
  EXPECT_EQ(out.at(0, 0), 1.0F);
  EXPECT_NEAR(out.at(1, 0), 12 * std::sqrt(100.0 / 99) + std::log1p(1e6), 1e-4);
}

}  // namespace
}  // namespace jsdiv::tabpfn
