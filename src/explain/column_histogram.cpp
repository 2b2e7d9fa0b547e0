#include "explain/column_histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace jsdiv {
namespace {

constexpr std::size_t most_values = 40;  ///< with a bin of their own
constexpr std::size_t bins = 32;
constexpr std::size_t most_levels = 12;
constexpr double outer_share = 0.005;

std::vector<double> edges_of(const Column& column) {
  std::vector<double> values;
  for (const double value : column.values) {
    if (std::isfinite(value)) values.push_back(value);
  }
  if (values.empty()) return {};
  std::ranges::sort(values);
  std::vector<double> distinct = values;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  if (distinct.size() <= most_values) {
    const double first_gap = distinct.size() > 1 ? distinct[1] - distinct[0] : 1;
    const double last_gap = distinct.size() > 1 ? distinct.back() - distinct[distinct.size() - 2] : 1;
    std::vector<double> edges = {distinct[0] - 0.5 * first_gap};
    for (std::size_t i = 1; i < distinct.size(); ++i)
      edges.push_back(0.5 * distinct[i - 1] + 0.5 * distinct[i]);
    edges.push_back(distinct.back() + 0.5 * last_gap);
    return edges;
  }
  const auto outer = static_cast<std::size_t>(outer_share * static_cast<double>(values.size()));
  double low = values[outer];
  double high = values[values.size() - 1 - outer];
  if (!(high > low)) low = values.front(), high = values.back();
  std::vector<double> edges;
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    edges.push_back(low * (1 - share) + high * share);
  }
  return edges;
}

ColumnHistogram level_histogram(const ExplainedTables& tables, const Column& column,
                                std::span<const double> shares) {
  const std::size_t levels = column.type == ColumnType::boolean ? 2 : column.levels.size();
  std::array<std::vector<double>, 2> by_level = {std::vector<double>(levels), std::vector<double>(levels)};
  std::array<double, 2> missing{};
  for (std::size_t row = 0; row < shares.size(); ++row) {
    const double value = column.values[row];
    double& place = std::isnan(value) ? missing[tables.labels[row]]
                                      : by_level[tables.labels[row]][static_cast<std::size_t>(value)];
    place += shares[row];
  }
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t level) { return by_level[0][level] + by_level[1][level]; });
  ColumnHistogram histogram;
  histogram.missing = p_then_q(tables, missing);
  const std::size_t own = levels <= most_levels + 1 ? levels : most_levels;
  std::array<double, 2> rest{};
  for (std::size_t i = 0; i < levels; ++i) {
    const std::array<double, 2> both = {by_level[0][order[i]], by_level[1][order[i]]};
    if (i >= own) {
      for (const std::size_t label : {0, 1}) rest[label] += both[label];
      continue;
    }
    const auto [p, q] = p_then_q(tables, both);
    histogram.levels.push_back(cell_text(column, static_cast<double>(order[i])));
    histogram.p.push_back(p);
    histogram.q.push_back(q);
  }
  if (own < levels) {
    const auto [p, q] = p_then_q(tables, rest);
    histogram.levels.emplace_back("other");
    histogram.p.push_back(p);
    histogram.q.push_back(q);
  }
  return histogram;
}

}  // namespace

ColumnHistogram column_histogram(const ExplainedTables& tables, const Column& column) {
  const std::vector<double> shares = class_shares(tables.rows());
  if (column.type == ColumnType::category || column.type == ColumnType::boolean) {
    return level_histogram(tables, column, shares);
  }
  ColumnHistogram histogram;
  histogram.edges = edges_of(column);
  const std::size_t count = histogram.edges.empty() ? 0 : histogram.edges.size() - 1;
  std::array<std::vector<double>, 2> inside = {std::vector<double>(count), std::vector<double>(count)};
  std::array<double, 2> below{};
  std::array<double, 2> above{};
  std::array<double, 2> missing{};
  for (std::size_t row = 0; row < shares.size(); ++row) {
    const double value = column.values[row];
    const std::uint8_t label = tables.labels[row];
    if (std::isnan(value)) {
      missing[label] += shares[row];
    } else if (value < histogram.edges.front()) {
      below[label] += shares[row];
    } else if (value > histogram.edges.back()) {
      above[label] += shares[row];
    } else {
      const auto after = std::ranges::upper_bound(histogram.edges, value) - histogram.edges.begin();
      inside[label][std::min(static_cast<std::size_t>(after) - 1, count - 1)] += shares[row];
    }
  }
  const std::uint8_t p = tables.label_p();
  histogram.p = std::move(inside[p]);
  histogram.q = std::move(inside[1 - p]);
  histogram.below = p_then_q(tables, below);
  histogram.above = p_then_q(tables, above);
  histogram.missing = p_then_q(tables, missing);
  return histogram;
}

}  // namespace jsdiv
