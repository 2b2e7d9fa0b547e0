#pragma once

#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

inline Column make_column(std::string name, ColumnType type, std::vector<double> values,
                          std::vector<std::string> levels = {}) {
  return {std::move(name), type, std::move(values), std::move(levels)};
}

/// A sample whose rows all belong to P; encoders do not look at labels.
inline Sample make_sample(std::vector<Column> columns) {
  Sample sample;
  sample.table_rows = {columns.at(0).values.size(), 0};
  sample.columns = std::move(columns);
  return sample;
}

inline std::vector<RowIndex> first_rows(std::size_t count) {
  std::vector<RowIndex> rows(count);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  return rows;
}

inline std::vector<float> column_of(const Matrix& matrix, std::size_t column) {
  return {matrix.column(column).begin(), matrix.column(column).end()};
}

}  // namespace jsdiv
