#include "measure/held_out.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <unordered_map>

#include "core/assert.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

double weight_of(const HeldOutRows& rows, std::size_t row) {
  return rows.weights.empty() ? 1.0 : rows.weights[row];
}

}  // namespace

Clusters clusters_of(const HeldOutRows& rows) {
  const std::size_t count = rows.labels.size();
  JSDIV_ASSERT(rows.groups.empty() || rows.groups.size() == count);
  JSDIV_ASSERT(rows.weights.empty() || rows.weights.size() == count);
  Clusters clusters;
  clusters.of_row.resize(count);
  if (rows.groups.empty()) {
    std::iota(clusters.of_row.begin(), clusters.of_row.end(), 0U);
    clusters.count = count;
  } else {
    std::unordered_map<std::uint32_t, std::uint32_t> number_of;
    for (std::size_t row = 0; row < count; ++row) {
      clusters.of_row[row] =
          number_of.try_emplace(rows.groups[row], static_cast<std::uint32_t>(number_of.size())).first->second;
    }
    clusters.count = number_of.size();
  }
  std::vector<std::array<bool, 2>> seen(clusters.count);
  for (std::size_t row = 0; row < count; ++row) {
    bool& cluster_has_label = seen[clusters.of_row[row]][rows.labels[row]];
    if (weight_of(rows, row) > 0 && !cluster_has_label) {
      cluster_has_label = true;
      ++clusters.with_label[rows.labels[row]];
    }
  }
  return clusters;
}

std::vector<double> class_shares(const HeldOutRows& rows) {
  const std::size_t count = rows.labels.size();
  JSDIV_ASSERT(rows.weights.empty() || rows.weights.size() == count);
  std::array<double, 2> total{};
  for (std::size_t row = 0; row < count; ++row) total[rows.labels[row]] += weight_of(rows, row);
  for (const std::size_t label : {1, 0}) {
    if (!(total[label] > 0)) {
      throw InvalidInput(std::string("no row of ") + (label == 1 ? "P" : "Q") +
                         " with a weight above 0 is left to measure on; provide more rows");
    }
  }
  std::vector<double> shares(count);
  for (std::size_t row = 0; row < count; ++row) shares[row] = weight_of(rows, row) / total[rows.labels[row]];
  return shares;
}

double influence_standard_error(std::span<const double> influence, const HeldOutRows& rows) {
  JSDIV_ASSERT(influence.size() == rows.labels.size());
  const Clusters clusters = clusters_of(rows);
  std::array<double, 2> inflation{};
  for (const std::size_t label : {0, 1}) {
    const double count = static_cast<double>(clusters.with_label[label]);
    inflation[label] = count > 1 ? std::sqrt(count / (count - 1)) : std::numeric_limits<double>::quiet_NaN();
  }
  std::vector<double> sums(clusters.count);
  for (std::size_t row = 0; row < influence.size(); ++row) {
    sums[clusters.of_row[row]] += inflation[rows.labels[row]] * influence[row];
  }
  double variance = 0;
  for (const double sum : sums) variance += sum * sum;
  return std::sqrt(variance);
}

Measured sum_of_class_means(std::span<const double> terms, const HeldOutRows& rows) {
  JSDIV_ASSERT(terms.size() == rows.labels.size());
  const std::vector<double> shares = class_shares(rows);
  std::array<double, 2> mean{};
  for (std::size_t row = 0; row < terms.size(); ++row) {
    JSDIV_ASSERT(std::isfinite(terms[row]));
    mean[rows.labels[row]] += shares[row] * terms[row];
  }
  std::vector<double> influence(terms.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    influence[row] = shares[row] * (terms[row] - mean[rows.labels[row]]);
  }
  return {mean[1] + mean[0], influence_standard_error(influence, rows)};
}

}  // namespace jsdiv
