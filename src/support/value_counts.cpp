#include "support/value_counts.hpp"

#include <algorithm>
#include <cmath>

#include "core/parallel.hpp"
#include "core/stop.hpp"

namespace jsdiv {

ValueCodes value_codes(const Column& column) {
  struct Cell {
    double value;
    RowIndex row;
  };
  std::vector<Cell> cells;
  cells.reserve(column.values.size());
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    const double value = column.values[row];
    if (!std::isnan(value)) cells.push_back({value + 0.0, static_cast<RowIndex>(row)});  // -0 + 0 = 0
  }
  std::ranges::sort(cells, {}, &Cell::value);
  ValueCodes result;
  result.codes.resize(column.values.size());
  std::vector<bool> present(column.values.size());
  for (const Cell& cell : cells) {
    if (result.values.empty() || result.values.back() != cell.value) result.values.push_back(cell.value);
    result.codes[cell.row] = static_cast<std::uint32_t>(result.values.size() - 1);
    present[cell.row] = true;
  }
  for (std::size_t row = 0; row < present.size(); ++row) {
    if (!present[row]) result.codes[row] = result.missing();
  }
  return result;
}

std::vector<ValueCodes> value_codes(const Sample& sample) {
  std::vector<ValueCodes> result(sample.columns.size());
  parallel_for(result.size(), [&](std::size_t column) {
    throw_if_interrupted();
    result[column] = value_codes(sample.columns[column]);
  });
  return result;
}

double ValueCounts::prior(Side side) const {
  const std::size_t total = present[side_p] + present[side_q];
  return total == 0 ? 0 : static_cast<double>(present[side]) / static_cast<double>(total);
}

std::size_t ValueCounts::distinct(Side side) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](const ValueCount& value) { return value.rows[side] > 0; }));
}

ValueCounts count_values(const ValueCodes& column, const RowsOfTables& rows) {
  std::vector<std::array<std::uint32_t, 2>> of_code(column.values.size() + 1);
  for (const Side side : {side_p, side_q}) {
    for (const RowIndex row : rows[side]) ++of_code[column.codes[row]][side];
  }
  ValueCounts counts;
  for (const Side side : {side_p, side_q}) {
    counts.missing[side] = of_code.back()[side];
    counts.present[side] = rows[side].size() - counts.missing[side];
  }
  for (std::size_t code = 0; code < column.values.size(); ++code) {
    const auto& held = of_code[code];
    if (held[side_p] + held[side_q] > 0) counts.values.push_back({column.values[code], held});
  }
  return counts;
}

}  // namespace jsdiv
