#include "support/content.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "support/lattice.hpp"

namespace jsdiv {
namespace {

/// The cell of each value, cells in ascending order. A value that has enough rows by itself stays alone.
std::vector<std::size_t> cells_of(std::span<const double> rows_of_value, double least) {
  std::vector<std::size_t> cell_of_value(rows_of_value.size());
  std::size_t cells = 0;
  double open = 0;  // rows in the cell that is being filled
  for (std::size_t i = 0; i < rows_of_value.size(); ++i) {
    const bool complete_before = open >= least;
    const bool alone = rows_of_value[i] >= least;
    if (i > 0 && (complete_before || (alone && cells > 0))) {
      // What is too small for a cell joins the one before it.
      if (!complete_before) {
        for (std::size_t k = i; k-- > 0 && cell_of_value[k] == cells;) cell_of_value[k] = cells - 1;
        --cells;
      }
      ++cells;
      open = 0;
    }
    cell_of_value[i] = cells;
    open += rows_of_value[i];
  }
  if (open < least && cells > 0) {
    for (std::size_t k = rows_of_value.size(); k-- > 0 && cell_of_value[k] == cells;)
      cell_of_value[k] = cells - 1;
  }
  return cell_of_value;
}

void merge_column(Column& column, const ValueCodes& values, double least) {
  std::vector<double> rows_of_value(values.values.size());
  for (const std::uint32_t code : values.codes) {
    if (code != values.missing()) ++rows_of_value[code];
  }
  std::vector<WeightedValue> pooled;
  for (std::size_t i = 0; i < rows_of_value.size(); ++i) {
    if (!std::isfinite(values.values[i])) return;
    pooled.push_back({values.values[i], rows_of_value[i]});
  }
  if (pooled.size() < 3 || !find_lattice(pooled)) return;

  const std::vector<std::size_t> cell_of_value = cells_of(rows_of_value, least);
  std::vector<double> middle(values.values.size());
  for (std::size_t begin = 0, end = 0; begin < middle.size(); begin = end) {
    double rows = 0;
    for (end = begin; end < middle.size() && cell_of_value[end] == cell_of_value[begin]; ++end) {
      rows += rows_of_value[end];
    }
    std::size_t at = begin;
    double passed = rows_of_value[at];
    while (passed < 0.5 * rows) passed += rows_of_value[++at];
    for (std::size_t i = begin; i < end; ++i) middle[i] = values.values[at];
  }
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    if (values.codes[row] != values.missing()) column.values[row] = middle[values.codes[row]];
  }
}

}  // namespace

Sample merge_fine_cells(const Sample& sample, std::span<const ValueCodes> values, double training_share,
                        std::span<const SupportFinding> findings) {
  JSDIV_ASSERT(values.size() == sample.columns.size() && training_share > 0);
  Sample result = sample;
  parallel_for(result.columns.size(), [&](std::size_t j) {
    const ColumnType type = result.columns[j].type;
    if (type != ColumnType::number && type != ColumnType::integer) return;
    if (std::ranges::any_of(findings, [&](const SupportFinding& finding) {
          return std::ranges::count(finding.related, j) > 0;
        })) {
      return;
    }
    merge_column(result.columns[j], values[j], rows_of_a_cell / training_share);
  });
  return result;
}

}  // namespace jsdiv
