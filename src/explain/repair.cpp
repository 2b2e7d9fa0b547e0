#include "explain/repair.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/rows.hpp"
#include "explain/cells.hpp"
#include "split/folds.hpp"

namespace jsdiv {
namespace {

/// A value that this share of all rows hold is kept as it is; others are mapped by rank.
constexpr double least_atom_share = 0.01;
constexpr int most_rakings = 50;
constexpr double raked_within = 1e-6;
/// A row counts at most this many times as much, or as little, as others: beyond, a few rows would stand for
/// all.
constexpr double largest_factor = 20;

bool is_categorical(const Column& column) {
  return column.type == ColumnType::category || column.type == ColumnType::boolean;
}

double weight_of(const Sample& sample, std::size_t row) {
  return sample.weights.empty() ? 1.0 : sample.weights[row];
}

/// A column's rows in the cells that raking balances: levels, recurring values, missing, and one for all
/// other numbers.
struct RakedColumn {
  std::vector<std::uint32_t> cell;  ///< [rows]
  std::size_t cells = 0;
  std::vector<double> ranks;  ///< [rows] of other numbers within their table; NaN elsewhere
};

/// Recurring values that only one table has are numbers like others.
RakedColumn raked_column(const Column& column, std::span<const std::uint8_t> labels) {
  RakedColumn result;
  result.cell.resize(labels.size());
  if (is_categorical(column)) {
    const auto levels =
        static_cast<std::uint32_t>(column.type == ColumnType::boolean ? 2 : column.levels.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const double value = column.values[row];
      result.cell[row] = std::isnan(value) ? levels : static_cast<std::uint32_t>(value);
    }
    result.cells = levels + 1;
    return result;
  }
  ValueKinds kinds = value_kinds(column, least_atom_share);
  std::vector<std::array<std::size_t, 2>> counts(kinds.atoms.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::uint32_t atom = kinds.atom_of_row[row];
    if (atom < kinds.atoms.size()) ++counts[atom][labels[row]];
  }
  for (std::uint32_t& atom : kinds.atom_of_row) {
    if (atom < kinds.atoms.size() && (counts[atom][0] == 0 || counts[atom][1] == 0)) atom = ValueKinds::none;
  }
  result.ranks = ranks_between_atoms(column, kinds, labels, true);
  const auto atoms = static_cast<std::uint32_t>(kinds.atoms.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const std::uint32_t atom = kinds.atom_of_row[row];
    result.cell[row] = atom == ValueKinds::missing ? atoms : atom == ValueKinds::none ? atoms + 1 : atom;
  }
  result.cells = atoms + 2;
  return result;
}

/// Weight of each cell among the rows with a label, as shares.
std::vector<double> shares_of(const RakedColumn& column, const Sample& sample,
                              std::span<const std::uint8_t> labels, std::uint8_t label) {
  std::vector<double> shares(column.cells);
  double total = 0;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] != label) continue;
    shares[column.cell[row]] += weight_of(sample, row);
    total += weight_of(sample, row);
  }
  for (double& share : shares) share /= total;
  return shares;
}

std::size_t draw(std::span<const double> shares, RandomStream& random) {
  double place = random.uniform() * std::accumulate(shares.begin(), shares.end(), 0.0);
  for (std::size_t i = 0; i + 1 < shares.size(); ++i) {
    place -= shares[i];
    if (place < 0) return i;
  }
  return shares.size() - 1;
}

/// Sorted values of the rows without a cell of their own, of one table or of both.
std::vector<double> values_between(const Column& column, const RakedColumn& raked,
                                   std::span<const std::uint8_t> labels, int label) {
  std::vector<double> values;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if ((label < 0 || labels[row] == label) && !std::isnan(raked.ranks[row]))
      values.push_back(column.values[row]);
  }
  std::ranges::sort(values);
  return values;
}

/// One of `values` for each of `ranks`, in their order. No value is used twice while there are enough of
/// them, so that values recur as often as they do in the table that they come from: a value that recurs in
/// one table only would give its rows away.
std::vector<double> in_order_of(std::span<const double> ranks, std::vector<double> values,
                                RandomStream& random) {
  random.shuffle(std::span(values));
  if (values.size() > ranks.size()) values.resize(ranks.size());
  std::ranges::sort(values);
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return ranks[i]; });
  std::vector<double> result(ranks.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[order[i]] = values[i * values.size() / order.size()];
  }
  return result;
}

double at_rank(std::span<const double> ascending, double rank) {
  const auto place = static_cast<std::size_t>(rank * static_cast<double>(ascending.size()));
  return ascending[std::min(place, ascending.size() - 1)];
}

}  // namespace

void rake(std::span<double> weights, std::span<const std::vector<std::uint32_t>> cells,
          std::span<const std::vector<double>> targets) {
  const std::vector<double> start(weights.begin(), weights.end());
  for (int step = 0; step < most_rakings; ++step) {
    double off = 0;
    for (std::size_t j = 0; j < cells.size(); ++j) {
      std::vector<double> own(targets[j].size());
      double total = 0;
      for (std::size_t row = 0; row < weights.size(); ++row) {
        own[cells[j][row]] += weights[row];
        total += weights[row];
      }
      for (std::size_t cell = 0; cell < own.size(); ++cell) {
        off = std::max(off, std::abs(own[cell] / total - targets[j][cell]));
        own[cell] = own[cell] > 0 ? targets[j][cell] * total / own[cell] : 0;
      }
      for (std::size_t row = 0; row < weights.size(); ++row) {
        const double factor = start[row] > 0 ? weights[row] * own[cells[j][row]] / start[row] : 0;
        weights[row] = start[row] * std::clamp(factor, 1 / largest_factor, largest_factor);
      }
    }
    if (off < raked_within) break;
  }
}

Sample with_margins_repaired(const Sample& sample, std::span<const std::uint8_t> labels,
                             std::span<const std::size_t> columns, const RandomStream& random) {
  Sample result = sample;
  std::vector<RakedColumn> raked;
  std::vector<std::vector<double>> targets;
  for (const std::size_t j : columns) {
    Column& column = result.columns[j];
    RakedColumn own = raked_column(column, labels);
    const std::array<std::vector<double>, 2> shares = {shares_of(own, sample, labels, 0),
                                                       shares_of(own, sample, labels, 1)};
    if (is_categorical(column)) {
      RandomStream draws = random.child("levels").child(j);
      for (std::size_t row = 0; row < labels.size(); ++row) {
        const std::vector<double>& others = shares[1 - labels[row]];
        if (others[own.cell[row]] > 0) continue;
        own.cell[row] = static_cast<std::uint32_t>(draw(others, draws));
        column.values[row] = own.cell[row] + 1 == own.cells ? std::nan("") : own.cell[row];
      }
    } else {
      const std::vector<double> pooled = values_between(column, own, labels, -1);
      for (std::size_t row = 0; row < labels.size(); ++row) {
        if (!std::isnan(own.ranks[row])) column.values[row] = at_rank(pooled, own.ranks[row]);
      }
    }
    std::vector<double> target = shares_of(own, sample, labels, 0);
    const std::vector<double> other = shares_of(own, sample, labels, 1);
    for (std::size_t cell = 0; cell < target.size(); ++cell)
      target[cell] = 0.5 * (target[cell] + other[cell]);
    // All rows in one cell: nothing to balance.
    if (std::ranges::count_if(target, [](double share) { return share > 0; }) < 2) continue;
    raked.push_back(std::move(own));
    targets.push_back(std::move(target));
  }
  if (raked.empty()) return result;
  result.weights.assign(labels.size(), 0);
  for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < labels.size(); ++row) {
      if (labels[row] == label) rows.push_back(row);
    }
    std::vector<double> weights;
    weights.reserve(rows.size());
    for (const std::size_t row : rows) weights.push_back(weight_of(sample, row));
    std::vector<std::vector<std::uint32_t>> cells(raked.size());
    for (std::size_t j = 0; j < raked.size(); ++j) {
      for (const std::size_t row : rows) cells[j].push_back(raked[j].cell[row]);
    }
    rake(weights, cells, targets);
    for (std::size_t i = 0; i < rows.size(); ++i) result.weights[rows[i]] = weights[i];
  }
  return result;
}

Sample with_dependence_repaired(const Sample& sample, std::span<const std::uint8_t> labels,
                                std::uint8_t label, const RandomStream& random) {
  std::vector<RowIndex> own;
  for (RowIndex row = 0; row < labels.size(); ++row) {
    if (labels[row] == label) own.push_back(row);
  }
  RandomStream shuffle = random.child("halves").child(label);
  shuffle.shuffle(std::span(own));
  // No more rows than there are values of the other table to bring them to.
  const auto moves = static_cast<std::ptrdiff_t>(std::min(own.size() / 2, labels.size() - own.size()));
  std::vector<RowIndex> kept(own.begin(), own.end() - moves);
  std::vector<RowIndex> moved(own.end() - moves, own.end());
  std::ranges::sort(kept);
  std::ranges::sort(moved);
  std::vector<RowIndex> both = kept;
  both.insert(both.end(), moved.begin(), moved.end());

  Sample result;
  result.group_labels = sample.group_labels;
  result.table_rows = {kept.size(), moved.size()};
  if (!sample.groups.empty()) result.groups = gather(std::span(sample.groups), both);
  std::vector<double> weights;
  weights.reserve(moved.size());
  for (const RowIndex row : moved) weights.push_back(weight_of(sample, row));
  std::vector<std::vector<std::uint32_t>> cells;
  std::vector<std::vector<double>> targets;
  const auto other = static_cast<std::uint8_t>(1 - label);
  for (std::size_t j = 0; j < sample.columns.size(); ++j) {
    const Column& column = sample.columns[j];
    Column mapped{column.name, column.type, gather(std::span(column.values), Rows(both)), column.levels};
    const RakedColumn raked = raked_column(column, labels);
    const std::vector<double> shares = shares_of(raked, sample, labels, label);
    const std::vector<double> target = shares_of(raked, sample, labels, other);
    const std::vector<double> between =
        is_categorical(column) ? std::vector<double>() : values_between(column, raked, labels, other);
    // What only the other table has comes in at random, as no weights could bring it.
    std::vector<double> only_other(target.size());
    for (std::size_t cell = 0; cell < target.size(); ++cell) {
      if (shares[cell] == 0) only_other[cell] = target[cell];
    }
    const double newcomers = std::accumulate(only_other.begin(), only_other.end(), 0.0);
    RandomStream draws = random.child("levels").child(j).child(label);
    std::vector<std::uint32_t>& cell_of = cells.emplace_back();
    std::vector<std::size_t> ranked;
    std::vector<double> ranks;
    for (std::size_t i = 0; i < moved.size(); ++i) {
      double& value = mapped.values[kept.size() + i];
      std::uint32_t cell = raked.cell[moved[i]];
      if (newcomers > 0 && draws.uniform() < newcomers) {
        cell = static_cast<std::uint32_t>(draw(only_other, draws));
        if (is_categorical(column)) {
          value = cell + 1 == raked.cells ? std::nan("") : static_cast<double>(cell);
        } else {
          value =
              cell + 1 == raked.cells && !between.empty() ? at_rank(between, draws.uniform()) : std::nan("");
        }
      } else if (!is_categorical(column) && !std::isnan(raked.ranks[moved[i]]) && !between.empty()) {
        ranked.push_back(kept.size() + i);
        ranks.push_back(raked.ranks[moved[i]]);
      }
      cell_of.push_back(cell);
    }
    const std::vector<double> brought = in_order_of(ranks, between, draws);
    for (std::size_t i = 0; i < ranked.size(); ++i) mapped.values[ranked[i]] = brought[i];
    targets.push_back(target);
    result.columns.push_back(std::move(mapped));
  }
  rake(weights, cells, targets);
  for (const RowIndex row : kept) result.weights.push_back(weight_of(sample, row));
  result.weights.insert(result.weights.end(), weights.begin(), weights.end());
  return result;
}

}  // namespace jsdiv
