#include "measure/posterior_summary.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace jsdiv {
namespace {

constexpr std::size_t histogram_bins = 40;
constexpr std::size_t reliability_bins = 10;

struct ScoredRow {
  double posterior = 0;
  double mass = 0;  ///< those of P add up to 1/2, and so do those of Q
  bool in_p = false;
};

ReliabilityBin reliability_of(std::span<const ScoredRow> rows) {
  double mass = 0;
  double predicted = 0;
  double observed = 0;
  for (const ScoredRow& row : rows) {
    mass += row.mass;
    predicted += row.mass * row.posterior;
    if (row.in_p) observed += row.mass;
  }
  observed /= mass;
  double variance = 0;
  for (const ScoredRow& row : rows) {
    const double deviation = row.mass * ((row.in_p ? 1 : 0) - observed);
    variance += deviation * deviation;
  }
  return {.predicted = predicted / mass,
          .observed = observed,
          .standard_error = std::sqrt(variance) / mass,
          .rows = rows.size()};
}

/// Bins of about equal mass; rows with one D(x) stay together.
std::vector<ReliabilityBin> reliability_curve(std::vector<ScoredRow> rows) {
  std::ranges::sort(rows, {}, [](const ScoredRow& row) { return std::pair(row.posterior, row.in_p); });
  std::vector<ReliabilityBin> curve;
  std::size_t first = 0;
  double mass = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mass += rows[i].mass;
    const bool last = i + 1 == rows.size();
    if (!last && rows[i + 1].posterior == rows[i].posterior) continue;
    const double end = static_cast<double>(curve.size() + 1) / reliability_bins;
    if (!last && mass < end) continue;
    curve.push_back(reliability_of(std::span(rows).subspan(first, i + 1 - first)));
    first = i + 1;
  }
  return curve;
}

}  // namespace

std::optional<PosteriorSummary> posterior_summary(std::span<const RowRecord> rows) {
  double weight_p = 0;
  double weight_q = 0;
  for (const RowRecord& row : rows) (row.table == 'P' ? weight_p : weight_q) += row.weight;
  if (!(weight_p > 0 && weight_q > 0)) return std::nullopt;

  PosteriorSummary summary{std::vector<double>(histogram_bins), std::vector<double>(histogram_bins), {}};
  std::vector<ScoredRow> scored;
  scored.reserve(rows.size());
  for (const RowRecord& row : rows) {
    if (row.weight <= 0) continue;
    const bool in_p = row.table == 'P';
    const double share = row.weight / (in_p ? weight_p : weight_q);
    const auto bin = std::min(static_cast<std::size_t>(row.posterior * histogram_bins), histogram_bins - 1);
    (in_p ? summary.p : summary.q)[bin] += share;
    scored.push_back({row.posterior, 0.5 * share, in_p});
  }
  summary.reliability = reliability_curve(std::move(scored));
  return summary;
}

}  // namespace jsdiv
