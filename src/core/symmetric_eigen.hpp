#pragma once

#include <Eigen/Core>

namespace jsdiv {

/// A = vectors · diag(values) · vectorsᵀ.
struct SymmetricEigen {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< [n, n], one a column
};

/// Of the symmetric n × n matrix whose lower triangle this is. One compiled place: the solver's templates
/// take seconds to compile.
SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix);

}  // namespace jsdiv
