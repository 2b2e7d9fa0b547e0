#include "explain/broken_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "explain/cells.hpp"

namespace jsdiv {
namespace {

constexpr double rows_for_each_cell = 50;
constexpr std::size_t most_cells = 12;
constexpr int most_rakings = 100;
constexpr double raked_within = 1e-9;
constexpr double family_wise_level = 0.05;

using TwoWay = CellShares;

TwoWay count_pair(const Cells& a, const Cells& b, std::span<const std::uint8_t> labels,
                  std::span<const double> class_shares) {
  TwoWay shares = {std::vector<double>(a.count * b.count), std::vector<double>(a.count * b.count)};
  for (std::size_t row = 0; row < labels.size(); ++row) {
    shares[labels[row]][a.of_row[row] * b.count + b.of_row[row]] += class_shares[row];
  }
  return shares;
}

/// Shares of the cells of one column of a two-way table.
std::vector<double> margin(const std::vector<double>& shares, std::size_t cells_b, bool of_a) {
  std::vector<double> result(of_a ? shares.size() / cells_b : cells_b);
  for (std::size_t i = 0; i < shares.size(); ++i) result[of_a ? i / cells_b : i % cells_b] += shares[i];
  return result;
}

void normalise(std::vector<double>& shares) {
  const double total = std::accumulate(shares.begin(), shares.end(), 0.0);
  if (total <= 0) return;
  for (double& share : shares) share /= total;
}

/// Empties the cells of a and of b that one of the tables lacks, until there are none.
void keep_common_cells(TwoWay& shares, std::size_t cells_b) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const bool of_a : {true, false}) {
      const auto first = margin(shares[0], cells_b, of_a);
      const auto second = margin(shares[1], cells_b, of_a);
      for (std::size_t i = 0; i < shares[0].size(); ++i) {
        const std::size_t cell = of_a ? i / cells_b : i % cells_b;
        if ((first[cell] > 0) == (second[cell] > 0)) continue;
        changed = changed || shares[0][i] > 0 || shares[1][i] > 0;
        shares[0][i] = shares[1][i] = 0;
      }
    }
  }
  for (std::vector<double>& table : shares) normalise(table);
}

/// Rows of each table that tell whether its cells are tied together in another way.
struct PairError {
  double rows = 0;     ///< variance from the rows, with the raking taken as given
  double degrees = 0;  ///< of freedom: (cells of a - 1) (cells of b - 1)
};

PairError error_of(const TwoWay& raked, std::size_t cells_b, const std::array<double, 2>& rows) {
  PairError error;
  for (const std::size_t label : {0, 1}) {
    double mean = 0;
    double square = 0;
    for (std::size_t i = 0; i < raked[0].size(); ++i) {
      const double own = raked[label][i];
      if (own <= 0) continue;
      const double term = 0.5 * std::log2(2 * own / (raked[0][i] + raked[1][i]));
      mean += own * term;
      square += own * term * term;
    }
    error.rows += std::max(0.0, square - mean * mean) / rows[label];
  }
  const auto occupied = [&](bool of_a) {
    const auto cells = margin(raked[0], cells_b, of_a);
    return static_cast<double>(std::ranges::count_if(cells, [](double share) { return share > 0; }));
  };
  error.degrees = std::max(0.0, (occupied(true) - 1) * (occupied(false) - 1));
  return error;
}

}  // namespace

void rake_to_common_margins(std::array<std::vector<double>, 2>& shares, std::size_t cells_a,
                            std::size_t cells_b) {
  keep_common_cells(shares, cells_b);
  std::array<std::vector<double>, 2> targets = {std::vector<double>(cells_a), std::vector<double>(cells_b)};
  for (const std::vector<double>& table : shares) {
    for (const bool of_a : {true, false}) {
      const auto own = margin(table, cells_b, of_a);
      for (std::size_t i = 0; i < own.size(); ++i) targets[of_a ? 0 : 1][i] += 0.5 * own[i];
    }
  }
  for (std::vector<double>& table : shares) {
    for (int step = 0; step < most_rakings; ++step) {
      double off = 0;
      for (const bool of_a : {true, false}) {
        const auto own = margin(table, cells_b, of_a);
        const std::vector<double>& target = targets[of_a ? 0 : 1];
        for (std::size_t i = 0; i < own.size(); ++i) off = std::max(off, std::abs(own[i] - target[i]));
        for (std::size_t i = 0; i < table.size(); ++i) {
          const std::size_t cell = of_a ? i / cells_b : i % cells_b;
          if (own[cell] > 0) table[i] *= target[cell] / own[cell];
        }
      }
      if (off < raked_within) break;
    }
  }
}

std::vector<PairStudy> study_pairs(const ExplainedTables& tables, std::span<const std::size_t> columns) {
  const std::array<double, 2> rows = effective_rows(tables.rows());
  const double fewer = std::min(rows[0], rows[1]);
  const std::size_t cells =
      std::clamp<std::size_t>(static_cast<std::size_t>(std::sqrt(fewer / rows_for_each_cell)), 2, most_cells);
  std::vector<Cells> by_rank(columns.size());
  std::vector<Cells> common(columns.size());
  parallel_for(columns.size(), [&](std::size_t j) {
    const Column& column = tables.sample.columns[columns[j]];
    by_rank[j] = cut_into_cells(column, tables.labels, cells, Bins::by_rank);
    common[j] = cut_into_cells(column, tables.labels, cells, Bins::common);
  });

  std::vector<PairStudy> pairs;
  std::vector<std::array<std::size_t, 2>> places;
  for (std::size_t a = 0; a < columns.size(); ++a) {
    for (std::size_t b = a + 1; b < columns.size(); ++b) {
      places.push_back({a, b});
      pairs.push_back({.first = columns[a], .second = columns[b]});
    }
  }
  const std::vector<double> shares = class_shares(tables.rows());
  const double unit = null_unit(rows);
  parallel_for(pairs.size(), [&](std::size_t i) {
    throw_if_interrupted();
    const auto [a, b] = places[i];
    const TwoWay as_they_are = count_pair(common[a], common[b], tables.labels, shares);
    pairs[i].together = plug_in_divergence(as_they_are) - plug_in_bias(as_they_are, rows);
    TwoWay raked = count_pair(by_rank[a], by_rank[b], tables.labels, shares);
    rake_to_common_margins(raked, by_rank[a].count, by_rank[b].count);
    const PairError error = error_of(raked, by_rank[b].count, rows);
    const double occupied = static_cast<double>(
        std::ranges::count_if(margin(raked[0], 1, true), [](double share) { return share > 0; }));
    // Raking fixes the margins, so that fewer shares are free to vary than in a table without it.
    const double free_share = occupied > 1 ? std::min(1.0, error.degrees / (occupied - 1)) : 0;
    const double plug_in = plug_in_divergence(raked);
    pairs[i].beyond = {plug_in - free_share * plug_in_bias(raked, rows),
                       std::hypot(std::sqrt(error.rows), std::sqrt(2 * error.degrees) * unit)};
    pairs[i].p_value = chi_squared_tail(plug_in / unit, error.degrees);
  });
  return pairs;
}

std::vector<bool> evident_by_holm(std::span<const double> p_values) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<bool> evident(p_values.size(), false);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (p_values[order[place]] * static_cast<double>(order.size() - place) > family_wise_level) break;
    evident[order[place]] = true;
  }
  return evident;
}

}  // namespace jsdiv
