#include "calibrate/isotonic.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

/// Rows, or blocks of rows, that share one fitted value.
struct Block {
  double score;  ///< of its first row
  double weight;
  double label_sum;  ///< weighted
  std::size_t last;  ///< index of its last distinct score

  double mean() const { return label_sum / weight; }
};

/// Scores closer than this are one score, as in scikit-learn: numpy.finfo(float64).resolution.
constexpr double score_resolution = 1e-15;

/// One block for each distinct score of rows with weight, in increasing order.
std::vector<Block> merge_ties(std::span<const double> scores, std::span<const std::uint8_t> labels,
                              std::span<const double> weights) {
  std::vector<std::size_t> order;
  order.reserve(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (weights.empty() || weights[i] > 0) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (scores[a] != scores[b]) return scores[a] < scores[b];
    return labels[a] != labels[b] ? labels[a] < labels[b] : a < b;
  });
  std::vector<Block> distinct;
  for (const std::size_t i : order) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    const double label = labels[i] != 0 ? 1.0 : 0.0;
    if (distinct.empty() || scores[i] - distinct.back().score >= score_resolution) {
      distinct.push_back({scores[i], weight, weight * label, distinct.size()});
    } else {
      distinct.back().weight += weight;
      distinct.back().label_sum += weight * label;
    }
  }
  return distinct;
}

std::vector<Block> pool_adjacent_violators(const std::vector<Block>& distinct) {
  std::vector<Block> pooled;
  for (const Block& block : distinct) {
    pooled.push_back(block);
    while (pooled.size() > 1 && pooled[pooled.size() - 2].mean() >= pooled.back().mean()) {
      const Block top = pooled.back();
      pooled.pop_back();
      pooled.back().weight += top.weight;
      pooled.back().label_sum += top.label_sum;
      pooled.back().last = top.last;
    }
  }
  return pooled;
}

}  // namespace

double IsotonicMap::operator()(double score) const {
  if (score <= scores.front()) return probabilities.front();
  if (score >= scores.back()) return probabilities.back();
  const auto above = std::upper_bound(scores.begin(), scores.end(), score);
  const auto high = static_cast<std::size_t>(above - scores.begin());
  const std::size_t low = high - 1;
  const double slope = (probabilities[high] - probabilities[low]) / (scores[high] - scores[low]);
  // Rounding must not carry the line past its end, and so out of [0, 1].
  return std::min(probabilities[low] + slope * (score - scores[low]), probabilities[high]);
}

IsotonicMap fit_isotonic(std::span<const double> scores, std::span<const std::uint8_t> labels,
                         std::span<const double> weights) {
  const std::vector<Block> distinct = merge_ties(scores, labels, weights);
  JSDIV_ASSERT(!distinct.empty());
  IsotonicMap map;
  // Only the ends of a constant stretch are needed for the interpolation.
  std::size_t first = 0;
  for (const Block& block : pool_adjacent_violators(distinct)) {
    const double probability = std::min(block.mean(), 1.0);
    map.scores.push_back(distinct[first].score);
    map.probabilities.push_back(probability);
    if (block.last > first) {
      map.scores.push_back(distinct[block.last].score);
      map.probabilities.push_back(probability);
    }
    first = block.last + 1;
  }
  return map;
}

}  // namespace jsdiv
