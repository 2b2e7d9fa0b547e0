#include "classify/pfn/views.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/quantiles.hpp"

namespace jsdiv::pfn {
namespace {

/// Standardised values beyond this are cut off.
constexpr double largest_value = 6;

template <typename Value>
std::pair<double, double> mean_and_deviation(std::size_t count, const Value& value) {
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < count; ++i) sum += value(i);
  const double mean = sum / static_cast<double>(count);
  for (std::size_t i = 0; i < count; ++i) squares += (value(i) - mean) * (value(i) - mean);
  return {mean, std::sqrt(squares / static_cast<double>(count))};
}

}  // namespace

ColumnViews::ColumnViews(MatrixView features, Rows context, std::span<const std::size_t> columns) {
  const auto rows = static_cast<double>(context.size());
  for (std::size_t twice = 0; twice <= 2 * context.size(); ++twice) {
    ranks_.push_back((0.5 * static_cast<double>(twice) + 0.5) / (rows + 1));
    scores_.push_back(normal_quantile(ranks_.back()));
  }
  for (const std::size_t j : columns) {
    const auto values = features.column(j);
    OfColumn& column = columns_.emplace_back();
    column.column = j;
    for (const RowIndex row : context) column.ordered.push_back(values[row]);
    std::ranges::sort(column.ordered);
    std::tie(column.mean, column.deviation) = mean_and_deviation(
        context.size(), [&](std::size_t i) { return static_cast<double>(values[context[i]]); });
    // Two values so near that their squared distance vanishes are one.
    if (column.ordered.front() == column.ordered.back() || !(column.deviation > 0) ||
        !std::isfinite(column.deviation)) {
      columns_.pop_back();
      continue;
    }
    std::tie(column.score_mean, column.score_deviation) = mean_and_deviation(
        context.size(), [&](std::size_t i) { return scores_[double_rank(column, values[context[i]])]; });
  }
}

std::size_t ColumnViews::double_rank(const OfColumn& column, float value) {
  const auto [first, last] = std::equal_range(column.ordered.begin(), column.ordered.end(), value);
  return static_cast<std::size_t>((first - column.ordered.begin()) + (last - column.ordered.begin()));
}

ViewedRows ColumnViews::apply(MatrixView features, Rows rows) const {
  const auto height = static_cast<Eigen::Index>(rows.size()),
             width = static_cast<Eigen::Index>(columns_.size());
  ViewedRows viewed{Eigen::MatrixXd(height, width), Eigen::MatrixXd(height, width),
                    Eigen::MatrixXd(height, width)};
  for (Eigen::Index j = 0; j < width; ++j) {
    const OfColumn& column = columns_[static_cast<std::size_t>(j)];
    const auto values = features.column(column.column);
    for (Eigen::Index i = 0; i < height; ++i) {
      const float value = values[rows[static_cast<std::size_t>(i)]];
      const std::size_t rank = double_rank(column, value);
      viewed.values(i, j) =
          std::clamp((value - column.mean) / column.deviation, -largest_value, largest_value);
      viewed.ranks(i, j) = ranks_[rank];
      viewed.scores(i, j) = (scores_[rank] - column.score_mean) / column.score_deviation;
    }
  }
  return viewed;
}

}  // namespace jsdiv::pfn
