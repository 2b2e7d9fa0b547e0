#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

#include "encode/bayesian_ridge.hpp"
#include "jsdiv/matrix.hpp"

namespace jsdiv {

/// scikit-learn's IterativeImputer with its defaults: missing cells start at the column's mean and are then
/// predicted from all other columns by Bayesian ridge, column after column in ascending order of missing
/// share, for at most 10 rounds or until a round moves no row by more than 1e-3 of the largest value.
class IterativeImputer {
 public:
  /// Learns from `training_rows` of `features` (NaN: missing). Models are fitted for the columns that have a
  /// missing cell in any row; the others need none. Columns without a value in training are filled with 0 and
  /// predict nothing.
  static IterativeImputer fit(MatrixView features, Rows training_rows);

  /// Fills every NaN of `features`, each row by itself.
  void fill(Matrix& features) const;

 private:
  struct Step {
    std::size_t target = 0;  ///< position in `used_`
    LinearModel model;       ///< over the other used columns, in their order
  };

  std::vector<std::size_t> used_;  ///< columns with a value in training
  std::vector<double> means_;      ///< of the used columns
  std::vector<Step> steps_;
};

}  // namespace jsdiv
