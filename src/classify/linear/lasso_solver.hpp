#pragma once

#include <vector>

#include "classify/linear/extrapolator.hpp"
#include "classify/linear/objective.hpp"

namespace jsdiv::linear {

/// l1: proximal Newton (Friedman, Hastie & Tibshirani, "Regularization paths for generalized linear models
/// via coordinate descent", JSS 2010; Yuan, Ho & Lin, "An improved GLMNET for L1-regularized logistic
/// regression", JMLR 2012). With many features
///   - a fit looks only at a working set of features whose gradient comes near the penalty, and then checks
///   the
///     optimality of all others (Tibshirani et al., "Strong rules for discarding predictors in lasso-type
///     problems", JRSS B 2012), so that a wrong guess costs time and never correctness;
///   - the quadratic model keeps an older Hessian for as long as the steps shrink fast.
class LassoSolver {
 public:
  explicit LassoSolver(const LogisticObjective& objective);

  /// Moves to the minimum at C, from wherever the last call has led, until the objective is above it by
  /// `gap`.
  void solve(double c, double gap);

  std::vector<double> solution() const { return scatter(objective_.design(), working_, point_.theta); }

 private:
  void minimise_on_working_set(double tolerance);
  void refresh_hessian();
  void damp_hessian();
  std::vector<double> full_gradient() const;
  std::vector<FeatureIndex> support() const;
  void change_working_set(std::vector<FeatureIndex> features);

  const LogisticObjective& objective_;
  bool many_;
  std::vector<FeatureIndex> working_;  ///< ascending
  Point point_;
  Extrapolator extrapolator_;
  Eigen::VectorXd penalty_;
  Eigen::MatrixXd hessian_;   ///< of the quadratic model, both triangles; empty: to be computed
  Eigen::VectorXd diagonal_;  ///< of the Hessian as it is, without damping
  double damping_;            ///< part of the diagonal that the quadratic model adds to it
  bool hessian_is_of_point_ = false;
};

}  // namespace jsdiv::linear
