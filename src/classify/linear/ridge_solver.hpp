#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "classify/linear/extrapolator.hpp"
#include "classify/linear/objective.hpp"

namespace jsdiv::linear {

/// l2: Newton's method. With few features the Hessian is exact and factorised. With many, the Newton system
/// is solved by conjugate gradients that need only products with the Hessian (Lin, Weng & Keerthi, "Trust
/// region Newton method for large-scale logistic regression", JMLR 2008), preconditioned by the Cholesky
/// factor of an older Hessian in single precision, because polynomial features are strongly correlated.
class RidgeSolver {
 public:
  explicit RidgeSolver(const LogisticObjective& objective);

  /// Moves to the minimum at C, from wherever the last call has led, until the objective is above it by
  /// `gap`.
  void solve(double c, double gap);

  std::vector<double> solution() const { return scatter(objective_.design(), features_, point_.theta); }

 private:
  Eigen::VectorXd exact_direction(const Eigen::VectorXd& gradient) const;
  Eigen::VectorXd conjugate_gradient_direction(const Eigen::VectorXd& gradient, double gap);
  Eigen::VectorXd precondition(const Eigen::VectorXd& residual) const;
  void refresh_preconditioner();
  void factorise();

  const LogisticObjective& objective_;
  Features features_;
  bool many_;
  Point point_;
  Extrapolator extrapolator_;
  Eigen::VectorXd penalty_;
  Eigen::MatrixXd
      gram_;  ///< of the Hessian that the preconditioner is made from; empty: diagonal preconditioner
  Eigen::LLT<Eigen::MatrixXd> factor_;
  std::size_t products_since_refresh_ = 0;
};

}  // namespace jsdiv::linear
