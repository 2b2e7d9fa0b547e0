#include "uncertainty/lower_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/quantiles.hpp"
#include "uncertainty/fold_rows.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

constexpr double clip_of_normal_bound = 0.01;
/// The wider clips are for folds of few rows, which cannot outweigh a loss of several bits.
constexpr std::array<double, 3> clips_of_bets = {0.01, 0.05, 0.2};
constexpr std::array<double, 8> staked_shares = {0.005, 0.015, 0.04, 0.1, 0.2, 0.4, 0.65, 0.9};
constexpr int bisections = 13;

JsdTerms clipped_terms(std::span<const double> log_odds, std::span<const std::uint8_t> labels, double clip) {
  const double widest = logit(1 - clip);
  std::vector<double> clipped(log_odds.begin(), log_odds.end());
  for (double& value : clipped) value = std::clamp(value, -widest, widest);
  return jsd_terms(clipped, labels);
}

/// By how much one misclassified cluster more in each table lowers the value.
double cost_of_misclassified(const JsdTerms& terms, const HeldOutRows& rows) {
  const std::vector<double> shares = class_shares(rows);
  std::array<double, 2> own{};
  std::array<double, 2> misclassified{};
  for (std::size_t row = 0; row < shares.size(); ++row) {
    own[rows.labels[row]] += shares[row] * terms.own[row];
    misclassified[1 - rows.labels[row]] += shares[row] * terms.swapped[row];
  }
  const Clusters clusters = clusters_of(rows);
  double cost = 0;
  for (const std::size_t label : {0, 1}) {
    const auto more = static_cast<double>(clusters.with_label[label] + 1);
    cost += 0.5 * std::max(0.0, own[label] - misclassified[label]) / more;
  }
  return cost;
}

/// The means of `values` over `count` consecutive blocks of nearly equal size.
std::vector<double> block_means(std::span<const double> values, std::size_t count) {
  std::vector<double> means(count);
  for (std::size_t block = 0; block < count; ++block) {
    const std::size_t begin = block * values.size() / count;
    const std::size_t end = (block + 1) * values.size() / count;
    for (std::size_t i = begin; i < end; ++i) means[block] += values[i] / static_cast<double>(end - begin);
  }
  return means;
}

/// Independent values whose expectation is that of the fold's divergence value.
std::vector<double> paired_values(std::span<const double> terms, const HeldOutRows& rows) {
  const Clusters clusters = clusters_of(rows);
  std::vector<std::array<double, 2>> sum(clusters.count);
  std::vector<std::array<double, 2>> count(clusters.count);
  for (std::size_t row = 0; row < terms.size(); ++row) {
    sum[clusters.of_row[row]][rows.labels[row]] += terms[row];
    count[clusters.of_row[row]][rows.labels[row]] += 1;
  }
  std::vector<double> pairs;
  std::array<std::vector<double>, 2> single;
  for (std::size_t i = 0; i < clusters.count; ++i) {
    if (count[i][0] > 0 && count[i][1] > 0) {
      pairs.push_back(0.5 * (sum[i][0] / count[i][0] + sum[i][1] / count[i][1]));
    } else {
      const std::size_t label = count[i][1] > 0 ? 1 : 0;
      single[label].push_back(sum[i][label] / count[i][label]);
    }
  }
  const std::size_t fewer = std::min(single[0].size(), single[1].size());
  if (fewer == 0) return pairs;
  const std::vector<double> of_q = block_means(single[0], fewer);
  const std::vector<double> of_p = block_means(single[1], fewer);
  for (std::size_t i = 0; i < fewer; ++i) pairs.push_back(0.5 * (of_q[i] + of_p[i]));
  return pairs;
}

/// log of the mean of exp(logs).
double log_mean_exp(std::span<const double> logs) {
  const double largest = std::ranges::max(logs);
  double sum = 0;
  for (const double value : logs) sum += std::exp(value - largest);
  return largest + std::log(sum / static_cast<double>(logs.size()));
}

/// sum of log(1 + scale * (value - m)), one logarithm for some hundreds of factors.
double log_of_product(std::span<const double> values, double scale, double m) {
  constexpr std::size_t factors_at_once = 128;
  double sum = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += factors_at_once) {
    double product = 1;
    for (const double value : values.subspan(begin, std::min(factors_at_once, values.size() - begin))) {
      product *= 1 + scale * (value - m);
    }
    sum += std::log(product);
  }
  return sum;
}

}  // namespace

double divergence_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows, double level) {
  JSDIV_ASSERT(level > 0 && level < 1);
  const JsdTerms terms = clipped_terms(log_odds, rows.labels, clip_of_normal_bound);
  const Measured value = divergence_with_error(terms, rows);
  const double bound =
      value.value - cost_of_misclassified(terms, rows) - normal_quantile(level) * value.standard_error;
  return bound > 0 ? std::min(1.0, bound) : 0.0;  // 0 also for the NaN of a table that is one group
}

double log_betting_capital(std::span<const double> values, double lowest, double m) {
  JSDIV_ASSERT(m > lowest);
  std::array<double, staked_shares.size()> logs{};
  for (std::size_t i = 0; i < logs.size(); ++i) {
    logs[i] = log_of_product(values, staked_shares[i] / (m - lowest), m);
  }
  return log_mean_exp(logs);
}

double betting_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows,
                           std::span<const std::uint32_t> folds, double level) {
  JSDIV_ASSERT(rows.weights.empty() && level > 0 && level < 1);
  struct Bets {
    std::vector<double> values;
    double lowest = 0;
  };
  std::vector<Bets> bets;
  for (const FoldRows& part : split_by_fold(log_odds, rows, folds)) {
    for (const double clip : clips_of_bets) {
      bets.push_back({paired_values(clipped_terms(part.log_odds, part.labels, clip).own, part.rows()),
                      nats_to_bits(std::log(2 * clip))});
    }
  }
  std::vector<double> logs(bets.size());
  const auto refuted = [&](double m) {
    parallel_for(bets.size(),
                 [&](std::size_t i) { logs[i] = log_betting_capital(bets[i].values, bets[i].lowest, m); });
    return log_mean_exp(logs) >= -std::log(1 - level);
  };
  double bound = 0;
  double step = 1;
  for (int i = 0; i < bisections; ++i) {
    step /= 2;
    if (refuted(bound + step)) bound += step;
  }
  return bound;
}

}  // namespace jsdiv
