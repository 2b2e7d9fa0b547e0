#include "uncertainty/standard_error.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/assert.hpp"
#include "core/numeric.hpp"

namespace jsdiv {
namespace {

/// For each table, the mean over its clusters of the squared share of the table that the cluster holds.
std::array<double, 2> mean_squared_cluster_share(std::span<const double> shares, const HeldOutRows& rows) {
  const Clusters clusters = clusters_of(rows);
  std::vector<std::array<double, 2>> cluster_share(clusters.count);
  for (std::size_t row = 0; row < shares.size(); ++row) {
    cluster_share[clusters.of_row[row]][rows.labels[row]] += shares[row];
  }
  std::array<double, 2> result{};
  for (const auto& share : cluster_share) {
    for (const std::size_t label : {0, 1}) result[label] += share[label] * share[label];
  }
  for (const std::size_t label : {0, 1}) result[label] /= static_cast<double>(clusters.with_label[label]);
  return result;
}

}  // namespace

JsdTerms jsd_terms(std::span<const double> log_odds, std::span<const std::uint8_t> labels) {
  JSDIV_ASSERT(log_odds.size() == labels.size());
  JsdTerms terms;
  terms.own.reserve(log_odds.size());
  terms.swapped.reserve(log_odds.size());
  for (std::size_t row = 0; row < log_odds.size(); ++row) {
    JSDIV_ASSERT(std::isfinite(log_odds[row]));
    const double own_side = labels[row] == 1 ? log_odds[row] : -log_odds[row];
    terms.own.push_back(1 - nats_to_bits(log1p_exp(-own_side)));
    terms.swapped.push_back(1 - nats_to_bits(log1p_exp(own_side)));
  }
  return terms;
}

Measured divergence_with_error(const JsdTerms& terms, const HeldOutRows& rows) {
  const std::size_t count = rows.labels.size();
  JSDIV_ASSERT(terms.own.size() == count && terms.swapped.size() == count);
  const std::vector<double> shares = class_shares(rows);
  std::array<double, 2> mean{};
  for (std::size_t row = 0; row < count; ++row) mean[rows.labels[row]] += shares[row] * terms.own[row];

  std::vector<double> influence(count);
  std::array<double, 2> misclassified_square{};
  for (std::size_t row = 0; row < count; ++row) {
    const std::size_t label = rows.labels[row];
    influence[row] = 0.5 * shares[row] * (terms.own[row] - mean[label]);
    const double cost = terms.swapped[row] - mean[1 - label];
    misclassified_square[1 - label] += shares[row] * cost * cost;
  }
  // The two tables' parts apart: a floor for one must not be filled by the other.
  std::array<std::vector<double>, 2> part = {influence, influence};
  for (std::size_t row = 0; row < count; ++row) part[1 - rows.labels[row]][row] = 0;
  const std::array<double, 2> squared_share = mean_squared_cluster_share(shares, rows);
  double missing = 0;
  for (const std::size_t label : {0, 1}) {
    const double floor = 0.25 * misclassified_square[label] * squared_share[label];
    const double variance = std::pow(influence_standard_error(part[label], rows), 2);
    missing += std::max(0.0, floor - variance);
  }
  const double from_rows = influence_standard_error(influence, rows);
  return {0.5 * (mean[0] + mean[1]), std::sqrt(from_rows * from_rows + missing)};
}

Measured divergence_with_error(const TermSums& p, const TermSums& q) {
  const auto part = [](const TermSums& table, const TermSums& other) {
    const double mean = table.own / table.rows;
    const double variance = (table.own_squares / table.rows - mean * mean) / (table.rows - 1);
    const double misclassified =
        (other.swapped_squares - 2 * mean * other.swapped) / other.rows + mean * mean;
    return Measured{mean, std::max({0.0, variance, misclassified / (table.rows * table.rows)})};
  };
  const Measured of_p = part(p, q);
  const Measured of_q = part(q, p);
  return {0.5 * (of_p.value + of_q.value), 0.5 * std::sqrt(of_p.standard_error + of_q.standard_error)};
}

}  // namespace jsdiv
