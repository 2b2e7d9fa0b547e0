#include "explain/cells.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "explain/explained_tables.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_cells = 255;

bool is_categorical(const Column& column) {
  return column.type == ColumnType::category || column.type == ColumnType::boolean;
}

/// Rows with a value, by value.
std::vector<std::uint32_t> rows_by_value(const Column& column) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < column.values.size(); ++row) {
    if (!std::isnan(column.values[row])) rows.push_back(row);
  }
  std::ranges::sort(rows, {}, [&](std::uint32_t row) { return column.values[row]; });
  return rows;
}

/// run(begin, end) for each run of equal values in rows that are sorted by value.
template <typename Run>
void for_each_value(const Column& column, std::span<const std::uint32_t> rows, const Run& run) {
  for (std::size_t begin = 0; begin < rows.size();) {
    std::size_t end = begin + 1;
    while (end < rows.size() && column.values[rows[end]] == column.values[rows[begin]]) ++end;
    run(begin, end);
    begin = end;
  }
}

Cells cut_levels(const Column& column, std::size_t cells) {
  const std::size_t levels = column.type == ColumnType::boolean ? 2 : column.levels.size();
  std::vector<std::size_t> frequency(levels);
  bool missing = false;
  for (const double value : column.values) {
    if (std::isnan(value)) {
      missing = true;
    } else {
      ++frequency[static_cast<std::size_t>(value)];
    }
  }
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t level) { return frequency[level]; });
  const std::size_t own = levels <= cells ? levels : cells - 1;
  std::vector<std::uint8_t> cell_of(levels, static_cast<std::uint8_t>(own));
  for (std::size_t i = 0; i < own; ++i) cell_of[order[i]] = static_cast<std::uint8_t>(i);
  Cells result;
  result.count = own + (levels > own ? 1 : 0);
  const auto missing_cell = static_cast<std::uint8_t>(result.count);
  for (const double value : column.values) {
    result.of_row.push_back(std::isnan(value) ? missing_cell : cell_of[static_cast<std::size_t>(value)]);
  }
  result.count += missing ? 1 : 0;
  return result;
}

}  // namespace

ValueKinds value_kinds(const Column& column, double least_share) {
  const std::vector<std::uint32_t> rows = rows_by_value(column);
  const double least = least_share * static_cast<double>(column.values.size());
  std::size_t distinct = 0;
  for_each_value(column, rows, [&](std::size_t, std::size_t) { ++distinct; });
  const bool all = static_cast<double>(distinct) <= 1 / least_share;
  ValueKinds kinds;
  kinds.atom_of_row.assign(column.values.size(), ValueKinds::missing);
  for_each_value(column, rows, [&](std::size_t begin, std::size_t end) {
    const bool atom = all || static_cast<double>(end - begin) >= least;
    for (std::size_t i = begin; i < end; ++i) {
      kinds.atom_of_row[rows[i]] = atom ? static_cast<std::uint32_t>(kinds.atoms.size()) : ValueKinds::none;
    }
    if (atom) kinds.atoms.push_back(column.values[rows[begin]]);
  });
  return kinds;
}

std::vector<double> ranks_between_atoms(const Column& column, const ValueKinds& kinds,
                                        std::span<const std::uint8_t> labels, bool by_table) {
  std::vector<double> ranks(column.values.size(), std::numeric_limits<double>::quiet_NaN());
  for (const int label : {0, 1}) {
    std::vector<std::uint32_t> rows;
    for (const std::uint32_t row : rows_by_value(column)) {
      const bool mine = !by_table || labels[row] == label;
      if (mine && kinds.atom_of_row[row] == ValueKinds::none) rows.push_back(row);
    }
    const auto count = static_cast<double>(rows.size());
    for_each_value(column, rows, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        ranks[rows[i]] = 0.5 * static_cast<double>(begin + end) / count;
      }
    });
    if (!by_table) break;
  }
  return ranks;
}

Cells cut_into_cells(const Column& column, std::span<const std::uint8_t> labels, std::size_t cells,
                     Bins bins) {
  cells = std::clamp<std::size_t>(cells, 2, most_cells - 2);
  if (is_categorical(column)) return cut_levels(column, cells);
  const ValueKinds kinds = value_kinds(column, 1 / static_cast<double>(cells));
  const auto between = std::ranges::count(kinds.atom_of_row, ValueKinds::none);
  const std::size_t ranges =
      between == 0 ? 0
                   : std::max<std::size_t>(
                         1, static_cast<std::size_t>(std::llround(static_cast<double>(cells * between) /
                                                                  static_cast<double>(labels.size()))));
  const std::vector<double> ranks = ranks_between_atoms(column, kinds, labels, bins == Bins::by_rank);
  const std::size_t atoms = kinds.atoms.size();
  Cells result;
  result.of_row.resize(labels.size());
  bool missing = false;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::uint32_t atom = kinds.atom_of_row[row];
    std::size_t cell = atom;
    if (atom == ValueKinds::missing) {
      missing = true;
      cell = atoms + ranges;
    } else if (atom == ValueKinds::none) {
      cell = atoms + std::min(ranges - 1, static_cast<std::size_t>(ranks[row] * static_cast<double>(ranges)));
    }
    result.of_row[row] = static_cast<std::uint8_t>(cell);
  }
  result.count = atoms + ranges + (missing ? 1 : 0);
  return result;
}

CellShares cell_shares(const Cells& cells, std::span<const std::uint8_t> labels,
                       std::span<const double> class_shares) {
  CellShares shares = {std::vector<double>(cells.count), std::vector<double>(cells.count)};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    shares[labels[row]][cells.of_row[row]] += class_shares[row];
  }
  return shares;
}

double plug_in_divergence(const CellShares& shares) {
  double bits = 0;
  for (std::size_t cell = 0; cell < shares[0].size(); ++cell) {
    const double sum = shares[0][cell] + shares[1][cell];
    for (const std::vector<double>& table : shares) {
      if (table[cell] > 0) bits += 0.5 * table[cell] * std::log2(2 * table[cell] / sum);
    }
  }
  return bits;
}

double plug_in_bias(const CellShares& shares, const std::array<double, 2>& rows) {
  // Half the second derivative of the divergence in a share, s' / (2 ln 2 s (s + s')), times the share's
  // variance s (1 - s) / rows.
  double bias = 0;
  for (std::size_t cell = 0; cell < shares[0].size(); ++cell) {
    const double sum = shares[0][cell] + shares[1][cell];
    if (sum <= 0) continue;
    for (const std::size_t label : {0, 1}) {
      bias += shares[1 - label][cell] * (1 - shares[label][cell]) / (sum * rows[label]);
    }
  }
  return bias / (4 * std::numbers::ln2);
}

double null_unit(const std::array<double, 2>& rows) {
  return (1 / rows[0] + 1 / rows[1]) / (8 * std::numbers::ln2);
}

double chi_squared_tail(double value, double degrees_of_freedom) {
  if (!(value > 0) || !(degrees_of_freedom > 0)) return 1;
  const double spread = 2 / (9 * degrees_of_freedom);
  const double z = (std::cbrt(value / degrees_of_freedom) - (1 - spread)) / std::sqrt(spread);
  return 0.5 * std::erfc(z / std::numbers::sqrt2);
}

CountedDivergence counted_divergence(const Cells& cells, const HeldOutRows& rows) {
  const CellShares shares = cell_shares(cells, rows.labels, class_shares(rows));
  const std::array<double, 2> effective = effective_rows(rows);
  std::vector<double> terms(rows.labels.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    const std::size_t cell = cells.of_row[row];
    const double own = shares[rows.labels[row]][cell];
    const double sum = shares[0][cell] + shares[1][cell];
    terms[row] = own > 0 ? 0.5 * std::log2(2 * own / sum) : 0;  // no share: a row without weight
  }
  const Measured measured = sum_of_class_means(terms, rows);
  double occupied = 0;
  for (std::size_t cell = 0; cell < cells.count; ++cell) {
    if (shares[0][cell] + shares[1][cell] > 0) ++occupied;
  }
  const double degrees = std::max(0.0, occupied - 1);
  const double unit = null_unit(effective);
  const double counting = std::sqrt(2 * degrees) * unit;
  const double rows_error = std::isfinite(measured.standard_error) ? measured.standard_error : 0;
  return {{measured.value - plug_in_bias(shares, effective), std::hypot(rows_error, counting)},
          chi_squared_tail(measured.value / unit, degrees)};
}

}  // namespace jsdiv
