#include "jsdiv/marginal.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "measure/histogram.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t syndat_count_limit = 10;
constexpr std::size_t synthcity_bins = 10;

/// The values of one column in the two row sets, missing ones left out: P's first, then Q's.
struct ColumnPair {
  std::vector<double> values;
  std::size_t count_p = 0;
  std::size_t missing_p = 0;
  std::size_t missing_q = 0;

  std::span<const double> p() const { return std::span(values).first(count_p); }
  std::span<const double> q() const { return std::span(values).subspan(count_p); }
};

ColumnPair gather(const Column& column, std::span<const std::uint32_t> rows_p,
                  std::span<const std::uint32_t> rows_q) {
  ColumnPair pair;
  pair.values.reserve(rows_p.size() + rows_q.size());
  const auto append = [&](std::span<const std::uint32_t> rows) {
    for (const std::uint32_t row : rows) {
      const double value = column.values[row];
      if (std::isnan(value)) continue;
      if (std::isinf(value)) {
        throw InvalidInput("column '" + column.name +
                           "' contains an infinite value; replace it with a number or leave the cell empty");
      }
      pair.values.push_back(value);
    }
  };
  append(rows_p);
  pair.count_p = pair.values.size();
  append(rows_q);
  pair.missing_p = rows_p.size() - pair.count_p;
  pair.missing_q = rows_q.size() - (pair.values.size() - pair.count_p);
  return pair;
}

/// The first `limit` + 1 distinct values at most, in order of appearance.
std::vector<double> distinct_values(std::span<const double> values, std::size_t limit) {
  std::vector<double> seen;
  for (const double value : values) {
    if (std::ranges::find(seen, value) != seen.end()) continue;
    seen.push_back(value);
    if (seen.size() > limit) break;
  }
  return seen;
}

/// Base-2 divergence of two histograms.
double bits_between(std::span<const double> counts_p, std::span<const double> counts_q) {
  return discrete_jsd(counts_p, counts_q) / std::numbers::ln2;
}

/// Divergence over the values of P, few in number, and all others in one: values that only Q has contribute
/// the same together as one by one.
double bits_over_values(const ColumnPair& pair, const std::vector<double>& values_of_p) {
  const auto count = [&](std::span<const double> values) {
    std::vector<double> counts(values_of_p.size() + 1);
    for (const double value : values) {
      counts[static_cast<std::size_t>(std::ranges::find(values_of_p, value) - values_of_p.begin())] += 1;
    }
    return counts;
  };
  return bits_between(count(pair.p()), count(pair.q()));
}

double bits_over_codes(const ColumnPair& pair, std::size_t codes) {
  const auto count = [&](std::span<const double> values) {
    std::vector<double> counts(codes);
    for (const double value : values) counts.at(static_cast<std::size_t>(value)) += 1;
    return counts;
  };
  return bits_between(count(pair.p()), count(pair.q()));
}

struct Histograms {
  std::vector<double> p;
  std::vector<double> q;
};

std::optional<Histograms> auto_histograms(const ColumnPair& pair, const PooledSummary& summary,
                                          bool integers) {
  const auto edges = numpy_auto_edges(summary, integers);
  if (!edges) return std::nullopt;
  return Histograms{count_left_closed(pair.p(), *edges), count_left_closed(pair.q(), *edges)};
}

/// What pandas would make of a column.
struct ColumnKind {
  bool codes = false;     ///< syndat: counts over the union
  bool integers = false;  ///< syndat: integer dtype, so that few distinct values are counted one by one
};

/// Among the first rows, those of P.
bool has_missing(const Column& column, std::size_t rows) {
  return std::any_of(column.values.begin(), column.values.begin() + static_cast<std::ptrdiff_t>(rows),
                     [](double value) { return std::isnan(value); });
}

ColumnKind kind_of(const Column& column, const Sample& sample) {
  // A dtype belongs to the whole table, whichever rows are compared.
  const bool complete_p = !has_missing(column, sample.rows_p());
  return {.codes = column.type == ColumnType::category || column.type == ColumnType::boolean,
          .integers = column.type == ColumnType::integer && complete_p};
}

PooledSummary summarise_copy(const ColumnPair& pair) {
  std::vector<double> values = pair.values;
  return summarise(values);
}

std::optional<double> smoothed_bits(const std::optional<Histograms>& histograms) {
  if (!histograms) return std::nullopt;
  Histograms smoothed = *histograms;
  for (std::vector<double>* counts : {&smoothed.p, &smoothed.q}) {
    for (double& count : *counts) count += 1;
  }
  return bits_between(smoothed.p, smoothed.q);
}

std::optional<double> upstream_distance(const ColumnPair& pair) {
  if (pair.p().empty()) return std::nullopt;
  const std::size_t distinct = distinct_values(pair.p(), synthcity_bins - 1).size() +
                               (pair.missing_p > 0 ? 1 : 0);  // NaN is a value to unique()
  const auto [low, high] = std::ranges::minmax(pair.p());
  const auto edges = pandas_cut_edges(low, high, std::min(synthcity_bins, distinct));
  if (!edges) return std::nullopt;
  std::vector<double> p = count_right_closed(pair.p(), *edges);
  std::vector<double> q = count_right_closed(pair.q(), *edges);
  p.back() += static_cast<double>(pair.missing_p);
  q.back() += static_cast<double>(pair.missing_q);
  if (p.back() == 0 && q.back() == 0) {
    p.pop_back();
    q.pop_back();
  }
  const double rows_p = static_cast<double>(pair.p().size() + pair.missing_p);
  const double rows_q = static_cast<double>(pair.q().size() + pair.missing_q);
  for (double& frequency : p) frequency = frequency / rows_p + 1;
  for (double& frequency : q) frequency = frequency / rows_q + 1;
  return std::sqrt(discrete_jsd(p, q));
}

MarginalColumn compare_column(const Column& column, const ColumnPair& pair, const ColumnKind& kind) {
  MarginalColumn result;
  result.name = column.name;
  result.synthcity_upstream = upstream_distance(pair);
  if (pair.p().empty() || pair.q().empty()) return result;

  const PooledSummary summary = summarise_copy(pair);
  const std::optional<Histograms> pooled = auto_histograms(pair, summary, false);
  result.synthcity = smoothed_bits(pooled);

  if (kind.codes) {
    result.syndat = bits_over_codes(pair, column.type == ColumnType::boolean ? 2 : column.levels.size());
    return result;
  }
  if (kind.integers) {
    const std::vector<double> values_of_p = distinct_values(pair.p(), syndat_count_limit);
    if (values_of_p.size() <= syndat_count_limit) {
      result.syndat = bits_over_values(pair, values_of_p);
      return result;
    }
  }
  const auto [low_p, high_p] = std::ranges::minmax(pair.p());
  const auto [low_q, high_q] = std::ranges::minmax(pair.q());
  if (high_p < low_q || high_q < low_p) {
    result.syndat = 1;
    return result;
  }
  const std::optional<Histograms> own = kind.integers ? auto_histograms(pair, summary, true) : pooled;
  if (own) result.syndat = bits_between(own->p, own->q);
  return result;
}

std::optional<double> mean_of(const std::vector<MarginalColumn>& columns,
                              std::optional<double> MarginalColumn::*value) {
  double sum = 0;
  std::size_t count = 0;
  for (const MarginalColumn& column : columns) {
    if (!(column.*value)) continue;
    sum += *(column.*value);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

std::vector<Warning> warnings_about(const Sample& sample, const std::vector<MarginalColumn>& columns) {
  std::vector<Warning> warnings;
  if (!sample.weights.empty()) {
    warnings.push_back({"marginal_ignores_weights",
                        "the marginal baselines are based on row counts and ignore the weights"});
  }
  std::string undefined;
  bool far_apart = false;
  for (const MarginalColumn& column : columns) {
    if (!column.syndat || !column.synthcity || !column.synthcity_upstream) {
      undefined += (undefined.empty() ? "'" : ", '") + column.name + "'";
    }
    far_apart = far_apart || (column.syndat && column.synthcity_upstream && *column.syndat > 0.5);
  }
  if (!undefined.empty()) {
    warnings.push_back({"marginal_undefined", "a marginal baseline is undefined for column " + undefined +
                                                  " (no value in one table, or a range that cannot be "
                                                  "divided into bins); it is excluded from the averages"});
  }
  if (far_apart) {
    warnings.push_back({"synthcity_upstream_understates",
                        "synthcity_upstream adds 1 to relative frequencies, so even disjoint columns score "
                        "at most 0.238 instead of 0.833"});
  }
  return warnings;
}

}  // namespace

MarginalResult marginal_baselines(const Sample& sample, std::span<const std::uint32_t> rows_p,
                                  std::span<const std::uint32_t> rows_q) {
  if (rows_p.empty() || rows_q.empty()) {
    throw InvalidInput(std::string(rows_p.empty() ? "P" : "Q") + " has no rows to compare");
  }
  MarginalResult result;
  result.columns.resize(sample.columns.size());
  parallel_for(sample.columns.size(), [&](std::size_t index) {
    const Column& column = sample.columns[index];
    result.columns[index] = compare_column(column, gather(column, rows_p, rows_q), kind_of(column, sample));
  });
  result.syndat = mean_of(result.columns, &MarginalColumn::syndat);
  result.synthcity = mean_of(result.columns, &MarginalColumn::synthcity);
  result.synthcity_upstream = mean_of(result.columns, &MarginalColumn::synthcity_upstream);
  result.warnings = warnings_about(sample, result.columns);
  return result;
}

MarginalResult marginal_baselines(const Sample& sample) {
  std::vector<std::uint32_t> rows(sample.rows_p() + sample.rows_q());
  std::iota(rows.begin(), rows.end(), std::uint32_t{0});
  const auto all = std::span<const std::uint32_t>(rows);
  return marginal_baselines(sample, all.first(sample.rows_p()), all.subspan(sample.rows_p()));
}

}  // namespace jsdiv
