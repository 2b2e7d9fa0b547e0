#include "support/value_counts.hpp"

#include <algorithm>
#include <cmath>

namespace jsdiv {
namespace {

/// The values present, ascending.
std::vector<double> sorted_values(const Column& column, Rows rows) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const RowIndex row : rows) {
    const double value = column.values[row];
    if (!std::isnan(value)) values.push_back(value + 0.0);  // -0 + 0 = 0
  }
  std::ranges::sort(values);
  return values;
}

}  // namespace

double ValueCounts::prior(Side side) const {
  const std::size_t total = present[side_p] + present[side_q];
  return total == 0 ? 0 : static_cast<double>(present[side]) / static_cast<double>(total);
}

std::size_t ValueCounts::distinct(Side side) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(values, [&](const ValueCount& value) { return value.rows[side] > 0; }));
}

ValueCounts count_values(const Column& column, const std::array<std::vector<RowIndex>, 2>& rows) {
  std::array<std::vector<double>, 2> sorted;
  ValueCounts counts;
  for (const Side side : {side_p, side_q}) {
    sorted[side] = sorted_values(column, rows[side]);
    counts.present[side] = sorted[side].size();
    counts.missing[side] = rows[side].size() - sorted[side].size();
  }
  std::array<std::size_t, 2> at{};
  while (at[side_p] < sorted[side_p].size() || at[side_q] < sorted[side_q].size()) {
    ValueCount next;
    if (at[side_p] == sorted[side_p].size()) {
      next.value = sorted[side_q][at[side_q]];
    } else if (at[side_q] == sorted[side_q].size()) {
      next.value = sorted[side_p][at[side_p]];
    } else {
      next.value = std::min(sorted[side_p][at[side_p]], sorted[side_q][at[side_q]]);
    }
    for (const Side side : {side_p, side_q}) {
      while (at[side] < sorted[side].size() && sorted[side][at[side]] == next.value) {
        ++at[side];
        ++next.rows[side];
      }
    }
    counts.values.push_back(next);
  }
  return counts;
}

}  // namespace jsdiv
