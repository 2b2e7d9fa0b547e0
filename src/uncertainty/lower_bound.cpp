#include "uncertainty/lower_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "uncertainty/fold_rows.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Terms are counted from here. Any constant is right; in the middle of [0, 1], where the two means lie,
/// tables of unequal size add least to the variance.
constexpr double origin = 0.5;

double bound_of_fold(std::span<const double> log_odds, const HeldOutRows& rows, double clip, double delta) {
  const Clusters clusters = clusters_of(rows);
  if (clusters.count < 2 || clusters.with_label[0] == 0 || clusters.with_label[1] == 0) {
    return -std::numeric_limits<double>::infinity();
  }
  const double widest = logit(1 - clip);
  std::vector<double> clipped(log_odds.begin(), log_odds.end());
  for (double& value : clipped) value = std::clamp(value, -widest, widest);
  const std::vector<double> terms = jsd_terms(clipped, rows.labels).own;
  const std::vector<double> shares = class_shares(rows);
  const double count = static_cast<double>(clusters.count);
  std::vector<double> values(clusters.count);
  std::vector<double> cluster_share(clusters.count);
  for (std::size_t row = 0; row < terms.size(); ++row) {
    values[clusters.of_row[row]] += count * 0.5 * shares[row] * (terms[row] - origin);
    cluster_share[clusters.of_row[row]] += shares[row];
  }
  // log2(2 clip) - origin is below 0 and log2(2 (1 - clip)) - origin above, so that the largest cluster spans
  // the range.
  const double range = count * 0.5 * std::ranges::max(cluster_share) * nats_to_bits(widest);
  return origin + empirical_bernstein_lower(values, range, delta);
}

}  // namespace

double empirical_bernstein_lower(std::span<const double> values, double range, double delta) {
  JSDIV_ASSERT(values.size() >= 2 && range >= 0 && delta > 0 && delta < 1);
  const double count = static_cast<double>(values.size());
  double mean = 0;
  for (const double value : values) mean += value;
  mean /= count;
  double variance = 0;
  for (const double value : values) variance += (value - mean) * (value - mean);
  variance /= count - 1;
  const double log_term = std::log(2 / delta);
  return mean - std::sqrt(2 * variance * log_term / count) - 7 * range * log_term / (3 * (count - 1));
}

double divergence_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows,
                              std::span<const std::uint32_t> folds, double level,
                              std::span<const double> clips) {
  JSDIV_ASSERT(log_odds.size() == rows.labels.size() && !clips.empty() && level > 0 && level < 1);
  const std::vector<FoldRows> parts = split_by_fold(log_odds, rows, folds);
  const double delta = (1 - level) / static_cast<double>(parts.size() * clips.size());
  double highest = 0;
  for (const FoldRows& part : parts) {
    for (const double clip : clips) {
      JSDIV_ASSERT(clip > 0 && clip < 0.25);
      highest = std::max(highest, bound_of_fold(part.log_odds, part.rows(), clip, delta));
    }
  }
  return highest;
}

}  // namespace jsdiv
