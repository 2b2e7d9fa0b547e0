#pragma once

#include <Eigen/Core>
#include <vector>

#include "classify/linear/design.hpp"
#include "classify/linear/path.hpp"

namespace jsdiv::linear {

/// The mean loss and its derivatives at one point of a working set of features.
struct Point {
  Eigen::VectorXd theta;          ///< intercept, then a coefficient for each feature of the working set
  Eigen::VectorXd gradient;       ///< of the mean loss
  std::vector<double> curvature;  ///< of each row's part of the mean loss
  double loss = 0;
};

/// The weighted mean of the log-loss over the rows of a design, on its standardised features. Divided by C
/// times the total weight, the objective of path.hpp is this mean plus a penalty with a factor for each
/// feature.
class LogisticObjective {
 public:
  LogisticObjective(const Design& design, const Target& target, Penalty penalty, Precision precision);

  const Design& design() const { return design_; }
  Penalty penalty() const { return penalty_; }
  Precision precision() const { return precision_; }

  /// The best intercept if every coefficient is 0.
  double null_intercept() const { return null_intercept_; }

  /// Fills everything but theta from theta.
  void evaluate(Features working, Point& point) const;

  /// (1 X)ᵀ·diag(curvature)·(1 X)·v.
  Eigen::VectorXd hessian_product(Features working, const std::vector<double>& curvature,
                                  const Eigen::VectorXd& v) const;

  /// Factors of u_j²/2 or |u_j| in the penalty at C; 0 for the intercept.
  Eigen::VectorXd penalty_factors(Features working, double c) const;

  /// The penalised mean loss at a point.
  double value(const Point& point, const Eigen::VectorXd& penalty_factors) const;

  /// The step length that a line search along `direction` arrives at, halving from 1 until the objective has
  /// fallen by a part of what `slope` promises; `point` moves there. 0: no length helps, `point` stays.
  double line_search(Features working, const Eigen::VectorXd& penalty_factors,
                     const Eigen::VectorXd& direction, double slope, Point& point) const;

 private:
  const Design& design_;
  Penalty penalty_;
  Precision precision_;
  double total_weight_ = 0;
  double null_intercept_ = 0;
  std::vector<double> sign_, weight_;  ///< of each row; the weights add up to 1
};

/// (intercept, u) over every feature of the design, from a working set's.
std::vector<double> scatter(const Design& design, Features working, const Eigen::VectorXd& theta);

}  // namespace jsdiv::linear
