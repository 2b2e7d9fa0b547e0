#include "classify/linear/extrapolator.hpp"

#include <cmath>
#include <utility>

namespace jsdiv::linear {

void Extrapolator::advance(const LogisticObjective& objective, Features working,
                           const Eigen::VectorXd& penalty_factors, double c, Point& point) {
  // On the first call the point is a starting value and not yet a solution.
  const bool is_solution = last_c_ > 0;
  const double step = is_solution ? std::log(c / last_c_) : 0;
  if (is_solution) {
    previous_ = std::exchange(last_, scatter(objective.design(), working, point.theta));
  }
  const double ratio = step_ > 0 ? step / step_ : 0;
  last_c_ = c;
  step_ = step;
  if (ratio <= 0 || ratio > 2 || previous_.empty()) return;
  Point candidate;
  candidate.theta = point.theta;
  const auto extrapolate = [ratio](double last, double previous) { return last + ratio * (last - previous); };
  candidate.theta[0] = extrapolate(last_[0], previous_[0]);
  for (std::size_t k = 0; k < working.size(); ++k) {
    double& value = candidate.theta[static_cast<Eigen::Index>(k) + 1];
    const double next = extrapolate(value, previous_[working[k] + 1]);
    value = value * next > 0 ? next : 0.0;
  }
  objective.evaluate(working, candidate);
  if (objective.value(candidate, penalty_factors) < objective.value(point, penalty_factors)) {
    std::swap(point, candidate);
  }
}

}  // namespace jsdiv::linear
