#include "split/subset.hpp"

#include <algorithm>

#include "core/rows.hpp"

namespace jsdiv {
Sample subset(const Sample& sample, Rows rows) {
  Sample result;
  result.group_labels = sample.group_labels;
  for (const Column& column : sample.columns) {
    result.columns.push_back(
        {column.name, column.type, gather(std::span(column.values), rows), column.levels});
  }
  result.groups = gather(std::span(sample.groups), rows);
  result.weights = gather(std::span(sample.weights), rows);
  const auto rows_p = static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](RowIndex row) { return row < sample.rows_p(); }));
  result.table_rows = {rows_p, rows.size() - rows_p};
  return result;
}

}  // namespace jsdiv
