#include "classify/pairs/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "classify/pairs/hats.hpp"
#include "core/stop.hpp"

namespace jsdiv::pairs {
namespace {

constexpr std::size_t cells = 8;
constexpr std::size_t most_rows_of_class = 4000;
/// 20,000 pairs; features beyond are screened by their own marginals.
constexpr std::size_t most_features = 200;
constexpr double standard_deviations_to_tell = 4;

/// A regular part of each class, the same whichever is called P.
std::vector<RowIndex> screened_rows(const Problem& problem, Rows rows) {
  std::array<std::size_t, 2> of_class{};
  for (const RowIndex row : rows) ++of_class[problem.labels[row]];
  std::array<std::size_t, 2> seen{};
  std::vector<RowIndex> result;
  for (const RowIndex row : rows) {
    const std::uint8_t label = problem.labels[row];
    const std::size_t stride = (of_class[label] + most_rows_of_class - 1) / most_rows_of_class;
    if (seen[label]++ % stride == 0) result.push_back(row);
  }
  return result;
}

/// A feature cut into cells of about equal weight: the cell of each row.
struct Cut {
  std::size_t feature = 0;
  std::size_t count = 0;
  std::vector<std::uint8_t> cell;
  double difference = 0;  ///< Pearson's statistic of the marginal
};

/// Pearson's statistic of the counts of P and Q in the same cells.
struct Counts {
  std::array<double, cells * cells> p{}, q{};

  double statistic(std::size_t size, double total_p, double total_q) const {
    double sum = 0;
    for (std::size_t c = 0; c < size; ++c) {
      if (p[c] + q[c] <= 0) continue;
      const double difference = p[c] / total_p - q[c] / total_q;
      sum += difference * difference / (p[c] / (total_p * total_p) + q[c] / (total_q * total_q));
    }
    return sum;
  }
};

Cut cut_feature(const Problem& problem, Rows rows, std::size_t feature) {
  const auto column = problem.features.column(feature);
  const WeightedValues sorted(column, rows, problem.weights);
  const float smallest = sorted.values.front();
  const float largest = sorted.values.back();
  std::vector<float> edges;  // a cell ends before its edge
  for (std::size_t k = 1; k < cells; ++k) {
    const float edge = sorted.quantile(static_cast<double>(k) / cells);
    if (edge > smallest && (edges.empty() || edge > edges.back())) edges.push_back(edge);
  }
  // A rare value beside a frequent one is a cell as well.
  if (edges.empty() && largest > smallest) edges.push_back(largest);
  Cut cut;
  cut.feature = feature;
  cut.count = edges.size() + 1;
  for (const RowIndex row : rows) {
    cut.cell.push_back(
        static_cast<std::uint8_t>(std::ranges::upper_bound(edges, column[row]) - edges.begin()));
  }
  return cut;
}

}  // namespace

std::vector<Pair> telling_pairs(const Problem& problem, Rows all_rows) {
  const std::vector<RowIndex> rows = screened_rows(problem, all_rows);
  std::array<double, 2> total{};
  std::vector<double> weight(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    weight[i] = problem.weight(rows[i]);
    total[problem.labels[rows[i]]] += weight[i];
  }

  std::vector<Cut> cuts;
  for (std::size_t j = 0; j < problem.features.cols; ++j) {
    Cut cut = cut_feature(problem, rows, j);
    if (cut.count < 2) continue;
    Counts counts;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      (problem.labels[rows[i]] == 1 ? counts.p : counts.q)[cut.cell[i]] += weight[i];
    }
    cut.difference = counts.statistic(cut.count, total[1], total[0]);
    cuts.push_back(std::move(cut));
  }
  if (cuts.size() > most_features) {
    std::ranges::stable_sort(cuts, std::ranges::greater{}, &Cut::difference);
    cuts.resize(most_features);
    std::ranges::sort(cuts, {}, &Cut::feature);
  }

  struct Candidate {
    Pair pair;
    double excess;
  };
  std::vector<Candidate> found;
  for (std::size_t a = 0; a < cuts.size(); ++a) {
    throw_if_interrupted();
    for (std::size_t b = a + 1; b < cuts.size(); ++b) {
      Counts counts;
      const std::size_t width = cuts[b].count;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::size_t cell = cuts[a].cell[i] * width + cuts[b].cell[i];
        (problem.labels[rows[i]] == 1 ? counts.p : counts.q)[cell] += weight[i];
      }
      const double interaction = counts.statistic(cuts[a].count * width, total[1], total[0]) -
                                 cuts[a].difference - cuts[b].difference;
      const double freedom = static_cast<double>((cuts[a].count - 1) * (width - 1));
      const double excess = interaction - freedom;
      if (excess > standard_deviations_to_tell * std::sqrt(2 * freedom)) {
        found.push_back({{cuts[a].feature, cuts[b].feature}, excess});
      }
    }
  }
  std::ranges::stable_sort(found, std::ranges::greater{}, &Candidate::excess);
  std::vector<Pair> pairs;
  pairs.reserve(found.size());
  for (const Candidate& candidate : found) pairs.push_back(candidate.pair);
  return pairs;
}

}  // namespace jsdiv::pairs
