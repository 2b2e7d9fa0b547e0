#include "self_check/resplit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/numeric.hpp"
#include "simulate/reference.hpp"
#include "simulate/split.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {
namespace {

/// A number for every distinct row, in the order of their first occurrence.
std::vector<std::uint32_t> distinct_rows(const Sample& sample) {
  std::vector<std::uint32_t> numbers(sample.rows(), 0);
  for (const Column& column : sample.columns) {
    const ValueCodes values = value_codes(column);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      const auto next = static_cast<std::uint32_t>(known.size());
      numbers[row] = known.try_emplace({numbers[row], values.codes[row]}, next).first->second;
    }
  }
  return numbers;
}

/// Each value replaced by the mean over its unit, then brought to mean 0 and standard deviation 1.
struct Standardised {
  std::vector<double> values;
  double deviation = 0;  ///< before
};

Standardised standardised(std::span<const double> log_ratio, std::span<const std::uint32_t> units) {
  const std::uint32_t count = *std::ranges::max_element(units) + 1;
  std::vector<simulate_detail::Moments> means(count);
  simulate_detail::Moments all;
  for (std::size_t row = 0; row < log_ratio.size(); ++row) means[units[row]].add(log_ratio[row]);
  for (const std::uint32_t unit : units) all.add(means[unit].mean);
  Standardised result;
  result.deviation = std::sqrt(all.squares / all.count);
  // What is constant but for rounding is constant.
  const double scale = result.deviation > 1e-12 ? 1 / result.deviation : 0;
  for (const std::uint32_t unit : units) result.values.push_back(scale * (means[unit].mean - all.mean));
  return result;
}

std::vector<double> posteriors_at(std::span<const double> log_ratio, double strength, double share_p) {
  std::vector<double> posteriors(log_ratio.begin(), log_ratio.end());
  for (double& value : posteriors) value *= strength;
  const double offset = simulate_detail::balancing_offset(posteriors, share_p);
  for (double& value : posteriors) value = sigmoid(value + offset);
  return posteriors;
}

/// The JSD of the tables that a row goes to with these probabilities: every distinct row is a point with a
/// mass of its own in either.
double jsd_of(const PooledRows& rows, std::span<const double> posteriors) {
  std::vector<std::array<double, 2>> masses(rows.distinct);
  const auto count = static_cast<double>(posteriors.size());
  for (std::size_t row = 0; row < posteriors.size(); ++row) {
    masses[rows.same_value[row]][0] += posteriors[row] / (count * rows.share_p);
    masses[rows.same_value[row]][1] += (1 - posteriors[row]) / (count * (1 - rows.share_p));
  }
  double jsd = 0;
  for (const auto& [p, q] : masses) jsd += simulate_detail::jsd_of_masses(p, q);
  return jsd;
}

}  // namespace

PooledRows pool_rows(const Sample& sample, const std::string& group_column) {
  PooledRows rows;
  rows.table.rows = sample.rows();
  rows.table.columns = sample.columns;
  rows.share_p = static_cast<double>(sample.rows_p()) / static_cast<double>(sample.rows());
  rows.same_value = distinct_rows(sample);
  rows.distinct = *std::ranges::max_element(rows.same_value) + 1;
  rows.stay_together = sample.groups;
  if (!group_column.empty()) {
    rows.table.columns.push_back({.name = group_column,
                                  .type = ColumnType::category,
                                  .values = {sample.groups.begin(), sample.groups.end()},
                                  .levels = sample.group_labels});
  }
  return rows;
}

std::optional<Division> divide(const PooledRows& rows, std::span<const double> log_ratio, double wanted) {
  constexpr double tolerance = 1e-6;
  const Standardised g =
      standardised(log_ratio, rows.stay_together.empty() ? rows.same_value : rows.stay_together);
  const auto jsd_at = [&](double strength) {
    return jsd_of(rows, posteriors_at(g.values, strength, rows.share_p));
  };
  const double strength = simulate_detail::strength_with_jsd(jsd_at, wanted);
  Division division{.posteriors = posteriors_at(g.values, strength, rows.share_p)};
  division.jsd = jsd_of(rows, division.posteriors);
  if (std::abs(division.jsd - wanted) > tolerance) return std::nullopt;
  division.strength = strength == 0 ? 0 : strength / g.deviation;
  return division;
}

std::vector<Table> draw_division(const PooledRows& rows, const Division& division,
                                 const RandomStream& random) {
  const std::size_t count = rows.table.rows;
  std::vector<double> draws(count);
  RandomStream draw = random;
  for (double& each : draws) each = draw.uniform();
  std::array<std::vector<std::size_t>, 2> chosen;
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t unit = rows.stay_together.empty() ? row : rows.stay_together[row];
    chosen[draws[unit] < division.posteriors[row] ? 0 : 1].push_back(row);
  }
  std::vector<Table> tables;
  for (const auto& of_table : chosen) {
    tables.push_back(simulate_detail::table_of_rows(rows.table, of_table));
  }
  return tables;
}

}  // namespace jsdiv
