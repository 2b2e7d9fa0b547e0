#pragma once

#include <numeric>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv {

/// values[row] for each of `rows`; empty if `values` is (no weights).
template <typename T>
std::vector<T> gather(std::span<const T> values, Rows rows) {
  std::vector<T> result;
  if (values.empty()) return result;
  result.reserve(rows.size());
  for (const RowIndex row : rows) result.push_back(values[row]);
  return result;
}

/// begin, begin + 1, …, end - 1
inline std::vector<RowIndex> row_range(std::size_t begin, std::size_t end) {
  std::vector<RowIndex> rows(end - begin);
  std::iota(rows.begin(), rows.end(), static_cast<RowIndex>(begin));
  return rows;
}

}  // namespace jsdiv
