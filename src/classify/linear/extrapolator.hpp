#pragma once

#include <vector>

#include "classify/linear/objective.hpp"

namespace jsdiv::linear {

/// Starts a step of the path at the line through the last two solutions, over log C, if that is better than
/// the last solution. Where rows are all but separated, the loss is exponential in the coefficients, the
/// solution linear in log C, and Newton's method slow: this is where it pays.
class Extrapolator {
 public:
  /// `point` holds the solution at the C before; it may move towards the one at `c`. Coefficients that are 0
  /// stay 0, and none changes its sign.
  void advance(const LogisticObjective& objective, Features working, const Eigen::VectorXd& penalty_factors,
               double c, Point& point);

 private:
  double last_c_ = 0;
  double step_ = 0;                      ///< of log C between the last two solutions; 0: there are no two yet
  std::vector<double> last_, previous_;  ///< over every feature
};

}  // namespace jsdiv::linear
