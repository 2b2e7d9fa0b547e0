#include <algorithm>
#include <cmath>
#include <numeric>

#include "simulate/base_table.hpp"
#include "simulate/distribution.hpp"
#include "simulate/kinds.hpp"
#include "simulate/split.hpp"

namespace jsdiv::simulate_detail {
namespace {

// The population; docs/population.md states it for readers.
constexpr double fewest_rows = 30, most_rows = 20'000;
constexpr std::size_t most_columns = 100;
constexpr double smallest_ratio = 0.05, share_of_equal_sizes = 0.5;
constexpr std::size_t fewest_rows_of_q = 10;
constexpr double share_of_nulls = 0.08, share_of_small = 0.3;
/// A generated base table has this many rows for each of the larger table, within limits.
constexpr std::size_t base_rows_per_row = 4, fewest_base_rows = 8'000, most_base_rows = 4'000'000;

double log_uniform(RandomStream& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

double draw_jsd(RandomStream random) {
  const double kind = random.uniform();
  if (kind < share_of_nulls) return 0;
  if (kind < share_of_nulls + share_of_small) return log_uniform(random, 0.003, 0.3);
  return 0.01 + 0.96 * random.uniform();
}

/// d of the columns, in their order.
Table some_columns(const Table& base, std::size_t d, RandomStream random) {
  std::vector<std::size_t> order(base.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(std::span(order));
  order.resize(std::min(d, order.size()));
  std::ranges::sort(order);
  Table table;
  table.rows = base.rows;
  table.source = base.source;
  for (const std::size_t j : order) table.columns.push_back(base.columns[j]);
  return table;
}

bool has_missing_cells(const Table& table) {
  return std::ranges::any_of(table.columns, [](const Column& column) {
    return std::ranges::any_of(column.values, [](double value) { return std::isnan(value); });
  });
}

struct Sizes {
  std::size_t n, n_q;
};

/// A base table that was given must have rows for both sides: at most 0.4 of it fall to either.
Sizes draw_sizes(const SimulateOptions& options, RandomStream random) {
  const double most =
      options.base ? std::min(most_rows, 0.4 * static_cast<double>(options.base->rows)) : most_rows;
  const double drawn = log_uniform(random, std::min(fewest_rows, most), most);
  const bool equal = random.uniform() < share_of_equal_sizes;
  const double ratio = log_uniform(random, smallest_ratio, 1);
  const std::size_t n = option_in_range("n", options.n, static_cast<std::size_t>(drawn), std::size_t{1},
                                        most_base_rows / base_rows_per_row);
  if (options.n_q) return {n, *options.n_q};
  if (options.ratio) return {n, ratio_of_rows(n, *options.ratio)};
  return {n, equal ? n : std::max(std::min(n, fewest_rows_of_q), ratio_of_rows(n, ratio))};
}

}  // namespace

Simulation random_pair(const SimulateOptions& options) {
  const Kinds kinds = kinds_to_draw(options);
  if (options.base) check_base(*options.base);
  const RandomStream random =
      RandomStream(options.seed).child(kinds == Kinds::left_out ? "random left-out" : "random");
  const Sizes sizes = draw_sizes(options, random.child("sizes"));
  RandomStream choose = random.child("kinds");
  const auto bases = names_of(base_kinds(), kinds);
  const auto ratios = names_of(log_ratios(), kinds);
  const std::string_view base_name = bases[choose.below(bases.size())];
  const std::string_view drawn_ratio = ratios[choose.below(ratios.size())];
  const LogRatioKind& ratio = find_log_ratio(options.log_ratio ? *options.log_ratio : drawn_ratio);
  const auto drawn_d = static_cast<std::size_t>(std::lround(std::pow(most_columns, choose.uniform())));
  const std::size_t d = option_in_range("d", options.d, drawn_d, std::size_t{1}, std::size_t{10'000});

  Table base;
  RandomStream cells_of_base = random.child("base");
  if (options.base) {
    base = some_columns(*options.base, d, cells_of_base);
  } else {
    const std::size_t rows =
        std::clamp(base_rows_per_row * std::max(sizes.n, sizes.n_q), fewest_base_rows, most_base_rows);
    base = find_base(base_name).draw(rows, d, cells_of_base);
    if (ratio.name == "missingness" && !has_missing_cells(base)) remove_cells(base, cells_of_base);
  }

  double wanted = wanted_jsd(options, draw_jsd(random.child("jsd")));
  const CellView cells = view_cells(base, random.child("cells"));
  const auto log_ratio = draw_log_ratio(ratio, cells, random.child("log-ratio"));
  KnownPosterior posterior = posterior_with_jsd(log_ratio, wanted);
  if (posterior.jsd < wanted - 1e-9) {
    // A log-ratio of few values cannot reach every JSD; a part of what it reaches, then.
    if (options.jsd) throw_out_of_reach(wanted, posterior.jsd);
    wanted = 0.95 * random.child("part").uniform() * posterior.jsd;
    posterior = posterior_with_jsd(log_ratio, wanted);
  }
  Simulation result = draw_split(base, posterior, {sizes.n, sizes.n_q}, random.child("rows"));
  result.truth.parameters.insert(
      result.truth.parameters.end(),
      {{"seed", options.seed},
       {"kinds", std::string(kinds == Kinds::left_out ? "left-out" : "calibration")},
       {"base", options.base ? base.source : std::string(base_name)},
       {"base_rows", std::uint64_t{base.rows}},
       {"log_ratio", std::string(ratio.name)},
       {"d", std::uint64_t{base.columns.size()}},
       {"strength", posterior.strength},
       {"offset", posterior.offset}});
  return result;
}

}  // namespace jsdiv::simulate_detail
