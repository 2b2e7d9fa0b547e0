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
    ValueCodes& codes = result[column] = value_codes(sample.columns[column]);
    const ColumnType type = sample.columns[column].type;
    if (type == ColumnType::category || type == ColumnType::boolean) return;
    codes.formats.resize(codes.values.size());
    std::ranges::transform(codes.values, codes.formats.begin(), [](double value) {
      return std::isfinite(value) ? number_format(value) : NumberFormat{};
    });
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

double LocalPrior::log_all_in(Side side, double rows) const {
  if (std::isinf(neighbours)) return rows * std::log(of(side));
  // A beta distribution of the share, as the neighbours leave it.
  const double here = of(side) * neighbours;
  return std::lgamma(here + rows) - std::lgamma(here) + std::lgamma(neighbours) -
         std::lgamma(neighbours + rows);
}

namespace {

/// Neighbouring values: enough of them for the own one to be one of many, and enough rows for a share.
struct Block {
  std::size_t begin = 0, end = 0;
  std::array<std::uint32_t, 2> rows{};

  bool is_full() const { return end - begin >= 32 && rows[side_p] + rows[side_q] >= 128; }
  void add(std::size_t new_end, const std::array<std::uint32_t, 2>& more) {
    end = new_end;
    for (const Side side : {side_p, side_q}) rows[side] += more[side];
  }
};

std::vector<Block> blocks_of(const ValueCounts& counts) {
  std::vector<Block> blocks(1);
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    if (blocks.back().is_full()) blocks.push_back({i, i, {}});
    blocks.back().add(i + 1, counts.values[i].rows);
  }
  if (blocks.size() > 1 && !blocks.back().is_full()) {
    const Block rest = blocks.back();
    blocks.pop_back();
    blocks.back().add(rest.end, rest.rows);
  }
  return blocks;
}

}  // namespace

std::vector<LocalPrior> local_priors(const ValueCounts& counts, bool ordered) {
  const double prior = counts.prior(side_p);
  std::vector<LocalPrior> result(counts.values.size(), {.of_p = prior});
  if (!ordered) return result;
  const std::vector<Block> blocks = blocks_of(counts);
  if (blocks.size() < 2) return result;
  for (const Block& block : blocks) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const std::array<std::uint32_t, 2>& own = counts.values[i].rows;
      const double in_p = block.rows[side_p] - own[side_p], in_q = block.rows[side_q] - own[side_q];
      // One row of the overall prior, so that no neighbourhood is certain.
      result[i] = {(in_p + prior) / (in_p + in_q + 1), in_p + in_q + 1};
    }
  }
  return result;
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
    if (held[side_p] + held[side_q] == 0) continue;
    counts.values.push_back({column.values[code], held});
    if (!column.formats.empty()) counts.formats.push_back(column.formats[code]);
  }
  return counts;
}

}  // namespace jsdiv
