#include "classify/tabpfn/preprocessing.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/assert.hpp"
#include "core/symmetric_eigen.hpp"

namespace jsdiv::tabpfn {
namespace {

constexpr std::size_t rows_per_quantile = 10;
constexpr std::size_t most_columns_with_quantiles = 500;
constexpr double outlier_deviations = 12;

/// Evenly spaced percentiles, linear between order statistics.
std::vector<double> percentiles(std::vector<double> values, std::size_t count) {
  std::sort(values.begin(), values.end());
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double position =
        static_cast<double>(i) * static_cast<double>(values.size() - 1) / static_cast<double>(count - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, values.size() - 1);
    out[i] = values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
  }
  return out;
}

std::vector<double> present(const std::vector<double>& values) {
  std::vector<double> out;
  std::copy_if(values.begin(), values.end(), std::back_inserter(out),
               [](double v) { return std::isfinite(v); });
  return out;
}

double mean_of(const std::vector<double>& values) {
  return values.empty()
             ? 0
             : std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double squares_about(const std::vector<double>& values, double center) {
  double sum = 0;
  for (const double value : values) sum += (value - center) * (value - center);
  return sum;
}

}  // namespace

double quantile_of(double value, const std::vector<double>& references) {
  const double last = static_cast<double>(references.size() - 1);
  if (value <= references.front()) return 0;
  if (value >= references.back()) return 1;
  const auto low = std::lower_bound(references.begin(), references.end(), value);
  const auto high = std::upper_bound(references.begin(), references.end(), value);
  if (low != high)
    return 0.5 * static_cast<double>((low - references.begin()) + (high - 1 - references.begin())) / last;
  const double fraction = (value - *(low - 1)) / (*low - *(low - 1));
  return (static_cast<double>(low - 1 - references.begin()) + fraction) / last;
}

MemberTransform::MemberTransform(MatrixView features, Rows rows, bool quantiles, RandomStream random) {
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    if (std::any_of(rows.begin(), rows.end(), [&](RowIndex row) { return column[row] != column[rows[0]]; })) {
      kept_.push_back(j);
    }
  }
  JSDIV_ASSERT(!kept_.empty());
  quantiles_ = quantiles && kept_.size() < most_columns_with_quantiles;
  if (quantiles_) {
    const std::size_t count = std::max<std::size_t>(rows.size() / rows_per_quantile, 2);
    for (const std::size_t j : kept_) {
      std::vector<double> values;
      for (const RowIndex row : rows) {
        if (std::isfinite(features.at(row, j))) values.push_back(features.at(row, j));
      }
      if (values.empty()) values.push_back(0);
      references_.push_back(percentiles(std::move(values), count));
    }
    const auto columns = expand(features, rows);
    const std::size_t directions =
        std::max<std::size_t>(1, std::min(rows.size() / rows_per_quantile + 1, columns.size() / 2));
    Eigen::MatrixXd scaled(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const auto known = present(columns[j]);
      fill_.push_back(mean_of(known));
      const double deviation = std::sqrt(squares_about(known, fill_[j]) / static_cast<double>(rows.size()));
      deviation_.push_back(deviation > 0 ? deviation : 1);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double value = std::isfinite(columns[j][i]) ? columns[j][i] : fill_[j];
        scaled(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = value / deviation_[j];
      }
    }
    const Eigen::MatrixXd gram = scaled.transpose() * scaled;
    const Eigen::MatrixXd axes = symmetric_eigen(gram).vectors;
    for (std::size_t k = 0; k < directions; ++k) {
      Eigen::VectorXd direction = axes.col(gram.cols() - 1 - static_cast<Eigen::Index>(k));
      Eigen::Index largest;
      direction.cwiseAbs().maxCoeff(&largest);
      if (direction[largest] < 0) direction = -direction;
      directions_.emplace_back(direction.begin(), direction.end());
    }
  }
  const auto columns = expand(features, rows);
  for (const auto& column : columns) {
    // Twice, the second time without what the first bounds exclude.
    std::vector<double> inside = present(column);
    Clip clip{};
    for (int pass = 0; pass < 2; ++pass) {
      const double mean = mean_of(inside);
      const double divisor = static_cast<double>(std::max<std::size_t>(inside.size(), 2) - 1);
      const double reach = outlier_deviations * std::sqrt(squares_about(inside, mean) / divisor);
      clip = {.low = mean - reach, .high = mean + reach};
      std::erase_if(inside, [&](double value) { return value < clip.low || value > clip.high; });
    }
    clips_.push_back(clip);
  }
  order_.resize(columns.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  random.shuffle(std::span(order_));
}

std::vector<std::vector<double>> MemberTransform::expand(MatrixView features, Rows rows) const {
  std::vector<std::vector<double>> columns;
  for (const std::size_t j : kept_) {
    auto& column = columns.emplace_back();
    for (const RowIndex row : rows) column.push_back(features.at(row, j));
  }
  if (!quantiles_) return columns;
  for (std::size_t j = 0; j < kept_.size(); ++j) {
    std::vector<double> ranks;
    for (const double value : columns[j]) {
      ranks.push_back(std::isfinite(value) ? quantile_of(value, references_[j]) : value);
    }
    columns.push_back(std::move(ranks));
  }
  const std::size_t inputs = columns.size();
  for (const auto& direction : directions_) {
    std::vector<double> scores(rows.size());
    for (std::size_t j = 0; j < inputs; ++j) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double value = std::isfinite(columns[j][i]) ? columns[j][i] : fill_[j];
        scores[i] += value / deviation_[j] * direction[j];
      }
    }
    columns.push_back(std::move(scores));
  }
  return columns;
}

Matrix MemberTransform::apply(MatrixView features, Rows rows) const {
  const auto columns = expand(features, rows);
  Matrix out(rows.size(), columns.size());
  for (std::size_t to = 0; to < order_.size(); ++to) {
    const auto& from = columns[order_[to]];
    const Clip& clip = clips_[order_[to]];
    for (std::size_t i = 0; i < rows.size(); ++i) {
      // NaN passes both comparisons unchanged. Beyond the bounds values grow logarithmically.
      double value = from[i];
      if (const double soft = clip.low - std::log1p(std::abs(value)); value < soft) value = soft;
      if (const double soft = clip.high + std::log1p(std::abs(value)); value > soft) value = soft;
      out.at(i, to) = static_cast<float>(value);
    }
  }
  return out;
}

}  // namespace jsdiv::tabpfn
