#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv::pfn {

/// Rows as the experts see them, each [rows, columns].
struct ViewedRows {
  Eigen::MatrixXd values;  ///< standardised
  Eigen::MatrixXd ranks;   ///< in (0, 1)
  Eigen::MatrixXd scores;  ///< normal quantiles of the ranks, standardised
};

/// What the context rows say about each column, without their labels. Columns that do not vary there are left
/// out.
class ColumnViews {
 public:
  ColumnViews(MatrixView features, Rows context, std::span<const std::size_t> columns);

  std::size_t columns() const { return columns_.size(); }
  ViewedRows apply(MatrixView features, Rows rows) const;

 private:
  struct OfColumn {
    std::size_t column = 0;
    double mean = 0, deviation = 1;
    std::vector<float> ordered;  ///< the context's values
    double score_mean = 0, score_deviation = 1;
  };
  /// Twice the rank of a value among the context's: values below it count twice, equal ones once.
  static std::size_t double_rank(const OfColumn& column, float value);

  std::vector<OfColumn> columns_;
  std::vector<double> ranks_;   ///< by double rank
  std::vector<double> scores_;  ///< by double rank
};

}  // namespace jsdiv::pfn
