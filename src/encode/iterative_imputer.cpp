#include "encode/iterative_imputer.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "encode/scaling.hpp"

namespace jsdiv {
namespace {

constexpr int max_rounds = 10;
constexpr double tolerance = 1e-3;

using Index = Eigen::Index;

/// The training rows while they are being completed. Column 0 is 1 throughout and column j + 1 is used column
/// j, so that one symmetric product holds counts, sums and products.
struct Completion {
  Eigen::MatrixXd values;                   ///< [training rows, 1 + used]
  std::vector<std::vector<Index>> missing;  ///< training rows with a missing cell, for each used column
  Eigen::MatrixXd moments;                  ///< values' * values
};

Eigen::MatrixXd gather_rows(const Eigen::MatrixXd& values, const std::vector<Index>& rows) {
  return values(rows, Eigen::all);
}

std::vector<Index> complement(const std::vector<Index>& rows, Index count) {
  std::vector<Index> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), Index{0});
  std::vector<Index> result;
  std::ranges::set_difference(all, rows, std::back_inserter(result));
  return result;
}

Eigen::MatrixXd self_product(const Eigen::MatrixXd& values) {
  Eigen::MatrixXd product = Eigen::MatrixXd::Zero(values.cols(), values.cols());
  product.selfadjointView<Eigen::Lower>().rankUpdate(values.transpose());
  product.triangularView<Eigen::StrictlyUpper>() = product.transpose();
  return product;
}

/// Moments over the rows where column `target` is observed: from whichever side has fewer rows.
Eigen::MatrixXd observed_moments(const Completion& data, std::size_t target) {
  const std::vector<Index>& missing = data.missing[target];
  if (missing.empty()) return data.moments;
  if (2 * static_cast<Index>(missing.size()) <= data.values.rows()) {
    return data.moments - self_product(gather_rows(data.values, missing));
  }
  return self_product(gather_rows(data.values, complement(missing, data.values.rows())));
}

std::vector<Index> predictors_of(std::size_t target, Index columns) {
  std::vector<Index> result;
  for (Index column = 1; column < columns; ++column) {
    if (column != static_cast<Index>(target) + 1) result.push_back(column);
  }
  return result;
}

RegressionMoments centred(const Eigen::MatrixXd& moments, std::size_t target) {
  const std::vector<Index> predictors = predictors_of(target, moments.cols());
  const Index y = static_cast<Index>(target) + 1;
  RegressionMoments result;
  result.rows = moments(0, 0);
  result.x_mean = moments(predictors, 0) / result.rows;
  result.y_mean = moments(y, 0) / result.rows;
  result.gram = moments(predictors, predictors) - result.rows * result.x_mean * result.x_mean.transpose();
  result.x_times_y = moments(predictors, y) - result.rows * result.y_mean * result.x_mean;
  result.y_squared = std::max(0.0, moments(y, y) - result.rows * result.y_mean * result.y_mean);
  return result;
}

/// Replaces the missing cells of a column and brings the moments up to date.
void impute(Completion& data, std::size_t target, const LinearModel& model) {
  const std::vector<Index>& missing = data.missing[target];
  if (missing.empty()) return;
  const Index y = static_cast<Index>(target) + 1;
  const Eigen::MatrixXd rows = gather_rows(data.values, missing);
  const Eigen::MatrixXd predictors = rows(Eigen::all, predictors_of(target, data.values.cols()));
  const Eigen::VectorXd old = rows.col(y);
  const Eigen::VectorXd predicted = (predictors * model.coefficients).array() + model.intercept;

  Eigen::VectorXd change = rows.transpose() * (predicted - old);
  change[y] = predicted.squaredNorm() - old.squaredNorm();
  data.moments.col(y) += change;
  data.moments.row(y) = data.moments.col(y).transpose();
  for (std::size_t i = 0; i < missing.size(); ++i)
    data.values(missing[i], y) = predicted[static_cast<Index>(i)];
}

/// The largest sum over a row of the changes since `previous`, which holds the missing cells column by
/// column.
double largest_row_change(const Completion& data, std::vector<std::vector<double>>& previous) {
  Eigen::VectorXd change = Eigen::VectorXd::Zero(data.values.rows());
  for (std::size_t column = 0; column < data.missing.size(); ++column) {
    for (std::size_t i = 0; i < data.missing[column].size(); ++i) {
      const Index row = data.missing[column][i];
      const double value = data.values(row, static_cast<Index>(column) + 1);
      change[row] += std::abs(value - previous[column][i]);
      previous[column][i] = value;
    }
  }
  return change.maxCoeff();
}

bool has_missing(std::span<const float> column) {
  return std::ranges::any_of(column, [](float value) { return std::isnan(value); });
}

}  // namespace

IterativeImputer IterativeImputer::fit(MatrixView features, Rows training_rows) {
  JSDIV_ASSERT(!training_rows.empty());
  IterativeImputer imputer;
  Completion data;
  double largest_observed = 0;
  const Index rows = static_cast<Index>(training_rows.size());
  data.values.resize(rows, static_cast<Index>(features.cols) + 1);
  data.values.col(0).setOnes();
  for (std::size_t column = 0; column < features.cols; ++column) {
    std::vector<Index> missing;
    double sum = 0;
    const Index position = static_cast<Index>(imputer.used_.size()) + 1;
    for (Index i = 0; i < rows; ++i) {
      const double value = features.at(training_rows[static_cast<std::size_t>(i)], column);
      if (std::isnan(value)) {
        missing.push_back(i);
        continue;
      }
      data.values(i, position) = value;
      sum += value;
      largest_observed = std::max(largest_observed, std::abs(value));
    }
    if (static_cast<Index>(missing.size()) == rows) continue;
    const double mean = sum / static_cast<double>(training_rows.size() - missing.size());
    for (const Index i : missing) data.values(i, position) = mean;
    imputer.used_.push_back(column);
    imputer.means_.push_back(mean);
    data.missing.push_back(std::move(missing));
  }
  const std::size_t used = imputer.used_.size();
  data.values.conservativeResize(rows, static_cast<Index>(used) + 1);
  if (used < 2) return imputer;
  data.moments = self_product(data.values);

  std::vector<std::size_t> order;
  for (std::size_t position = 0; position < used; ++position) {
    if (has_missing(features.column(imputer.used_[position]))) order.push_back(position);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t position) { return data.missing[position].size(); });
  std::vector<std::vector<double>> previous(used);
  for (std::size_t position = 0; position < used; ++position) {
    previous[position].assign(data.missing[position].size(), imputer.means_[position]);
  }
  for (int round = 0; round < max_rounds; ++round) {
    for (const std::size_t target : order) {
      throw_if_interrupted();
      LinearModel model = bayesian_ridge(centred(observed_moments(data, target), target));
      impute(data, target, model);
      imputer.steps_.push_back({target, std::move(model)});
    }
    if (largest_row_change(data, previous) < tolerance * largest_observed) break;
  }
  return imputer;
}

void IterativeImputer::fill(Matrix& features) const {
  constexpr std::size_t block_rows = 4096;
  const std::size_t blocks = (features.rows() + block_rows - 1) / block_rows;
  parallel_for(blocks, [&](std::size_t block) {
    const std::size_t end = std::min(features.rows(), (block + 1) * block_rows);
    std::vector<double> values(used_.size());
    std::vector<bool> missing(used_.size());
    for (std::size_t row = block * block_rows; row < end; ++row) {
      bool any_missing = false;
      for (std::size_t column = 0; column < features.cols(); ++column) {
        any_missing = any_missing || std::isnan(features.at(row, column));
      }
      if (!any_missing) continue;
      for (std::size_t position = 0; position < used_.size(); ++position) {
        const double value = features.at(row, used_[position]);
        missing[position] = std::isnan(value);
        values[position] = missing[position] ? means_[position] : value;
      }
      for (const Step& step : steps_) {
        if (!missing[step.target]) continue;
        double predicted = step.model.intercept;
        for (std::size_t position = 0; position < used_.size(); ++position) {
          if (position == step.target) continue;
          const std::size_t coefficient = position < step.target ? position : position - 1;
          predicted += step.model.coefficients[static_cast<Index>(coefficient)] * values[position];
        }
        values[step.target] = predicted;
      }
      for (std::size_t position = 0; position < used_.size(); ++position) {
        if (missing[position]) features.at(row, used_[position]) = bounded(values[position]);
      }
      for (std::size_t column = 0; column < features.cols(); ++column) {
        if (std::isnan(features.at(row, column))) features.at(row, column) = 0;
      }
    }
  });
}

}  // namespace jsdiv
