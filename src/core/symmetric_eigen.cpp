#include "core/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

#include "core/assert.hpp"

namespace jsdiv {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  JSDIV_ASSERT(solver.info() == Eigen::Success);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

}  // namespace jsdiv
