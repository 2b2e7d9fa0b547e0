#include "core/content_hash.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Table one_column(Column column) {
  Table table;
  table.rows = column.values.size();
  table.columns.push_back(std::move(column));
  return table;
}

TEST(ContentHash, DependsOnNameTypeValuesAndTheirOrder) {
  const auto hash = [](const char* name, ColumnType type, std::vector<double> values) {
    return content_hash(one_column({name, type, std::move(values), {}}));
  };
  const std::string reference = hash("x", ColumnType::number, {1, 0});
  EXPECT_EQ(reference, hash("x", ColumnType::integer, {1, -0.0}));
  EXPECT_NE(reference, hash("y", ColumnType::number, {1, 0}));
  EXPECT_NE(reference, hash("x", ColumnType::boolean, {1, 0}));
  EXPECT_NE(reference, hash("x", ColumnType::datetime, {1, 0}));
  EXPECT_NE(reference, hash("x", ColumnType::number, {0, 1}));
  EXPECT_NE(reference, hash("x", ColumnType::number, {1, missing}));
  EXPECT_EQ(hash("x", ColumnType::number, {missing}), hash("x", ColumnType::number, {std::nan("7")}));
}

TEST(ContentHash, LevelsCountOnlyWhereTheyAreUsed) {
  const auto hash = [](std::vector<double> values, std::vector<std::string> levels) {
    return content_hash(one_column({"c", ColumnType::category, std::move(values), std::move(levels)}));
  };
  const std::string reference = hash({0, 1, missing}, {"a", "c"});
  EXPECT_EQ(reference, hash({0, 2, missing}, {"a", "b", "c"}));
  EXPECT_NE(reference, hash({0, 1, missing}, {"a", "b"}));
  EXPECT_NE(reference, hash({1, 0, missing}, {"a", "c"}));
}

TEST(ContentHash, AColumnCanBeExcepted) {
  Table table = one_column({"x", ColumnType::number, {1, 2}, {}});
  table.columns.push_back({"weight", ColumnType::number, {1, 1}, {}});
  Table other = table;
  other.columns[1].values = {3, 4};
  EXPECT_NE(content_hash(table), content_hash(other));
  EXPECT_EQ(content_hash(table, "weight"), content_hash(other, "weight"));
  EXPECT_NE(content_hash(table, "x"), content_hash(other, "x"));
}

TEST(ContentHash, LongColumnsAreHashedInPieces) {
  std::vector<double> values(100'000, 1);
  const std::string reference = content_hash(one_column({"x", ColumnType::number, values, {}}));
  for (const std::size_t row : {0UL, 9'000UL, 99'999UL}) {
    std::vector<double> changed = values;
    changed[row] = 2;
    EXPECT_NE(content_hash(one_column({"x", ColumnType::number, changed, {}})), reference) << row;
  }
}

}  // namespace
}  // namespace jsdiv
