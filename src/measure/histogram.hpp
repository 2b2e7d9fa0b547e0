#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace jsdiv {

/// The histograms that the marginal baselines are defined by: those of numpy and pandas, equal to the last
/// bit of the edges, because one value on the other side of an edge would show in the fourth digit.

/// What numpy's rule needs to know of the pooled sample.
struct PooledSummary {
  std::size_t count = 0;
  double min = 0;
  double max = 0;
  double interquartile_range = 0;  ///< as numpy.percentile gives it (linear interpolation)
};

/// Of finite values, at least one. Reorders them.
PooledSummary summarise(std::span<double> values);

/// Edges of numpy.histogram_bin_edges(bins="auto") by the rule of numpy 2.3 and later: width
/// min(max(2 IQR n^(-1/3), range / (2 sqrt n)), range / (log2 n + 1)), for integers at least 1; a constant
/// column gets one bin of half a unit either way. None where numpy refuses (a range that a double cannot
/// divide).
std::optional<std::vector<double>> numpy_auto_edges(const PooledSummary& summary, bool integers);

/// Edges of pandas.cut(values, bins): equal widths, closed on the right, the first edge moved down by 0.1 %
/// of the range. None where pandas refuses.
std::optional<std::vector<double>> pandas_cut_edges(double min, double max, std::size_t bins);

/// Counts in bins [edge, next edge), the last one closed; all values lie between the outer edges.
std::vector<double> count_left_closed(std::span<const double> values, std::span<const double> edges);

/// Counts in bins (edge, next edge], and one more entry for the values outside.
std::vector<double> count_right_closed(std::span<const double> values, std::span<const double> edges);

/// Jensen-Shannon divergence in nats of two vectors of counts, each brought to sum 1 first; their sums are
/// above 0.
double discrete_jsd(std::span<const double> counts_p, std::span<const double> counts_q);

}  // namespace jsdiv
