#include "measure/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

/// Where numpy.percentile (method "linear") looks for a share of `count` sorted values.
struct QuantilePosition {
  std::size_t below;
  double fraction;

  QuantilePosition(std::size_t count, double share)
      : below(static_cast<std::size_t>(static_cast<double>(count - 1) * share)),
        fraction(static_cast<double>(count - 1) * share - static_cast<double>(below)) {}
};

/// The quantile at that position, with numpy's two roundings. Puts the smaller values before it, the larger
/// behind.
double quantile(std::span<double> values, const QuantilePosition& position) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(position.below);
  std::nth_element(values.begin(), middle, values.end());
  const double low = *middle;
  const double high = position.below + 1 < values.size() ? *std::min_element(middle + 1, values.end()) : low;
  const double difference = high - low;
  return position.fraction >= 0.5 ? high - difference * (1 - position.fraction)
                                  : low + difference * position.fraction;
}

/// numpy.linspace(first, last, bins + 1).
std::vector<double> linspace(double first, double last, std::size_t bins) {
  const double step = (last - first) / static_cast<double>(bins);
  std::vector<double> edges(bins + 1);
  for (std::size_t i = 0; i < bins; ++i) edges[i] = static_cast<double>(i) * step + first;
  edges[bins] = last;
  return edges;
}

bool increases(std::span<const double> edges) {
  return std::ranges::adjacent_find(edges, std::ranges::greater_equal{}) == edges.end();
}

/// The bin that equal widths suggest; rounding may put it beside the one that the edges say.
class BinGuess {
 public:
  explicit BinGuess(std::span<const double> edges)
      : first_(edges.front()),
        bins_(edges.size() - 1),
        per_unit_(static_cast<double>(bins_) / (edges.back() - edges.front())) {}

  std::size_t operator()(double value) const {
    const double position = (value - first_) * per_unit_;
    if (position >= static_cast<double>(bins_)) return bins_ - 1;
    return position > 0 ? static_cast<std::size_t>(position) : 0;
  }

 private:
  double first_;
  std::size_t bins_;
  double per_unit_;
};

}  // namespace

PooledSummary summarise(std::span<double> values) {
  JSDIV_ASSERT(!values.empty());
  const auto [low, high] = std::ranges::minmax(values);
  const QuantilePosition upper(values.size(), 0.75);
  const QuantilePosition lower(values.size(), 0.25);
  const double upper_quartile = quantile(values, upper);
  // Everything up to the upper quartile stands in front now, and that is enough unless the two positions
  // meet.
  const std::size_t enough = lower.below + 1 <= upper.below ? upper.below + 1 : values.size();
  const double lower_quartile = quantile(values.first(enough), lower);
  return {values.size(), low, high, upper_quartile - lower_quartile};
}

std::optional<std::vector<double>> numpy_auto_edges(const PooledSummary& summary, bool integers) {
  const double count = static_cast<double>(summary.count);
  const double range = summary.max - summary.min;
  if (!std::isfinite(range)) return std::nullopt;
  const double freedman_diaconis = 2.0 * summary.interquartile_range * std::pow(count, -1.0 / 3.0);
  const double sturges = range / (std::log2(count) + 1.0);
  const double square_root = range / std::sqrt(count);
  double width = std::min(std::max(freedman_diaconis, square_root / 2), sturges);
  const bool constant = summary.min == summary.max;
  const double first = constant ? summary.min - 0.5 : summary.min;
  const double last = constant ? summary.max + 0.5 : summary.max;
  std::size_t bins = 1;
  if (width > 0) {
    if (integers) width = std::max(width, 1.0);
    bins = static_cast<std::size_t>(std::ceil((last - first) / width));
  }
  std::vector<double> edges = linspace(first, last, bins);
  if (!increases(edges)) return std::nullopt;
  return edges;
}

std::optional<std::vector<double>> pandas_cut_edges(double min, double max, std::size_t bins) {
  JSDIV_ASSERT(bins > 0);
  std::vector<double> edges;
  if (min == max) {
    const double margin = min != 0 ? 0.001 * std::abs(min) : 0.001;
    edges = linspace(min - margin, max + margin, bins);
  } else {
    edges = linspace(min, max, bins);
    edges[0] -= (max - min) * 0.001;
  }
  if (!std::isfinite(edges.front()) || !std::isfinite(edges.back() - edges.front()) || !increases(edges)) {
    return std::nullopt;
  }
  return edges;
}

std::vector<double> count_left_closed(std::span<const double> values, std::span<const double> edges) {
  const std::size_t bins = edges.size() - 1;
  const BinGuess guess(edges);
  std::vector<double> counts(bins);
  for (const double value : values) {
    std::size_t bin = guess(value);
    while (bin > 0 && value < edges[bin]) --bin;
    while (bin + 1 < bins && value >= edges[bin + 1]) ++bin;
    counts[bin] += 1;
  }
  return counts;
}

std::vector<double> count_right_closed(std::span<const double> values, std::span<const double> edges) {
  const std::size_t bins = edges.size() - 1;
  const BinGuess guess(edges);
  std::vector<double> counts(bins + 1);
  for (const double value : values) {
    if (!(value > edges.front() && value <= edges.back())) {
      counts[bins] += 1;
      continue;
    }
    std::size_t bin = guess(value);
    while (bin > 0 && value <= edges[bin]) --bin;
    while (bin + 1 < bins && value > edges[bin + 1]) ++bin;
    counts[bin] += 1;
  }
  return counts;
}

double discrete_jsd(std::span<const double> counts_p, std::span<const double> counts_q) {
  JSDIV_ASSERT(counts_p.size() == counts_q.size());
  const double sum_p = std::accumulate(counts_p.begin(), counts_p.end(), 0.0);
  const double sum_q = std::accumulate(counts_q.begin(), counts_q.end(), 0.0);
  JSDIV_ASSERT(sum_p > 0 && sum_q > 0);
  const auto relative_entropy = [](double from, double to) {
    return from > 0 ? from * std::log(from / to) : 0.0;
  };
  double sum = 0;
  for (std::size_t i = 0; i < counts_p.size(); ++i) {
    const double p = counts_p[i] / sum_p;
    const double q = counts_q[i] / sum_q;
    const double mixture = (p + q) / 2;
    sum += relative_entropy(p, mixture) + relative_entropy(q, mixture);
  }
  return std::max(0.0, sum / 2);
}

}  // namespace jsdiv
