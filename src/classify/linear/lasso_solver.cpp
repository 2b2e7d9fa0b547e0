#include "classify/linear/lasso_solver.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "classify/linear/l1_quadratic.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::linear {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t few_features = 128;  // up to here everything is in the working set, every Hessian exact
constexpr int max_newton_steps = 200;
constexpr double near_penalty = 0.8;  // part of its penalty that brings a feature into the working set
constexpr double crowded =
    1.25;  // a working set that much larger than it would be if chosen now is chosen anew
constexpr double violated_penalty = 1.0001;  // leaves room for the tolerance of the fit
constexpr double slow_contraction = 0.4;     // of the gap in a step; above it an old Hessian is replaced
// Part of its diagonal that is added to the Hessian: the least, what a step that had to be shortened raises
// it to at least, and the most.
constexpr double least_damping = 1e-12;
constexpr double noticeable_damping = 1e-6;
constexpr double most_damping = 1;

}  // namespace

LassoSolver::LassoSolver(const LogisticObjective& objective)
    : objective_(objective),
      many_(objective.design().usable().size() > few_features),
      damping_(least_damping) {
  const Features usable = objective.design().usable();
  if (!many_) working_.assign(usable.begin(), usable.end());
  point_.theta = VectorXd::Zero(static_cast<Index>(working_.size()) + 1);
  point_.theta[0] = objective.null_intercept();
  objective_.evaluate(working_, point_);
}

void LassoSolver::solve(double c, double gap) {
  if (!many_) {
    penalty_ = objective_.penalty_factors(working_, c);
    extrapolator_.advance(objective_, working_, penalty_, c, point_);
    minimise_on_working_set(gap);
    return;
  }
  const Features usable = objective_.design().usable();
  const VectorXd all_factors = objective_.penalty_factors(usable, c);
  // Features outside the working set whose gradient exceeds the given part of their penalty, joined to
  // `base`.
  const auto joined = [&](std::vector<FeatureIndex> base, const std::vector<double>& gradient, double part) {
    for (std::size_t k = 0; k < usable.size(); ++k) {
      if (std::fabs(gradient[k]) > part * all_factors[static_cast<Index>(k) + 1]) base.push_back(usable[k]);
    }
    std::sort(base.begin(), base.end());
    base.erase(std::unique(base.begin(), base.end()), base.end());
    return base;
  };
  const auto violated = [&](const std::vector<double>& gradient) {
    for (std::size_t k = 0; k < usable.size(); ++k) {
      if (std::fabs(gradient[k]) > violated_penalty * all_factors[static_cast<Index>(k) + 1] &&
          !std::binary_search(working_.begin(), working_.end(), usable[k])) {
        return true;
      }
    }
    return false;
  };
  std::vector<double> gradient = full_gradient();
  std::vector<FeatureIndex> wanted = joined(support(), gradient, near_penalty);
  if (violated(gradient) ||
      crowded * static_cast<double>(wanted.size()) < static_cast<double>(working_.size())) {
    change_working_set(std::move(wanted));
  }
  penalty_ = objective_.penalty_factors(working_, c);
  extrapolator_.advance(objective_, working_, penalty_, c, point_);
  for (;;) {
    minimise_on_working_set(gap);
    gradient = full_gradient();
    if (!violated(gradient)) return;
    change_working_set(joined(working_, gradient, near_penalty));
    penalty_ = objective_.penalty_factors(working_, c);
  }
}

std::vector<FeatureIndex> LassoSolver::support() const {
  std::vector<FeatureIndex> nonzero;
  for (std::size_t k = 0; k < working_.size(); ++k) {
    if (point_.theta[static_cast<Index>(k) + 1] != 0) nonzero.push_back(working_[k]);
  }
  return nonzero;
}

void LassoSolver::minimise_on_working_set(double tolerance) {
  double previous_gap = 0;
  hessian_is_of_point_ = false;
  for (int iteration = 0; iteration < max_newton_steps; ++iteration) {
    if (hessian_.size() == 0 || (!many_ && !hessian_is_of_point_)) refresh_hessian();
    const VectorXd target =
        minimise({hessian_, point_.gradient, point_.theta, penalty_}, 1e-5, 1e-5 * tolerance);
    const VectorXd direction = target - point_.theta;
    const double slope =
        point_.gradient.dot(direction) + penalty_.dot(target.cwiseAbs() - point_.theta.cwiseAbs());
    const double gap = -0.5 * slope;
    if (!(gap > 0)) return;
    const double length = objective_.line_search(working_, penalty_, direction, slope, point_);
    if (gap <= tolerance || (length == 0 && hessian_is_of_point_ && damping_ >= most_damping)) return;
    // Where the classes are all but separable the curvature vanishes, and Newton's step is far too long.
    damping_ = length < 1 ? std::clamp(100 * damping_, noticeable_damping, most_damping)
                          : std::max(0.1 * damping_, least_damping);
    if (length == 0 && hessian_is_of_point_) {
      damp_hessian();
      continue;
    }
    const bool slow = length < 1 || (iteration > 0 && gap > slow_contraction * previous_gap);
    if (slow) hessian_.resize(0, 0);
    hessian_is_of_point_ = false;
    previous_gap = gap;
  }
}

void LassoSolver::refresh_hessian() {
  // In single precision the directions in which features are collinear would be noise, and Newton's method
  // slow.
  hessian_ = objective_.design().gram(working_, point_.curvature, Precision::full);
  hessian_.triangularView<Eigen::StrictlyUpper>() = hessian_.transpose();
  diagonal_ = hessian_.diagonal().array() + 1e-300;
  hessian_is_of_point_ = true;
  damp_hessian();
}

/// The model must be strictly convex, also with duplicate columns and vanishing curvature.
void LassoSolver::damp_hessian() {
  for (; damping_ <= most_damping; damping_ *= 10) {
    hessian_.diagonal() = diagonal_ * (1 + damping_);
    if (Eigen::LLT<MatrixXd>(hessian_).info() == Eigen::Success) return;
  }
  throw InternalError("internal error: a Hessian is not positive definite");
}

std::vector<double> LassoSolver::full_gradient() const {
  const Features usable = objective_.design().usable();
  Point everywhere;
  everywhere.theta = VectorXd::Zero(static_cast<Index>(usable.size()) + 1);
  everywhere.theta[0] = point_.theta[0];
  const std::vector<double> solution_values = solution();
  for (std::size_t k = 0; k < usable.size(); ++k) {
    everywhere.theta[static_cast<Index>(k) + 1] = solution_values[usable[k] + 1];
  }
  objective_.evaluate(usable, everywhere);
  return {everywhere.gradient.data() + 1, everywhere.gradient.data() + everywhere.gradient.size()};
}

void LassoSolver::change_working_set(std::vector<FeatureIndex> features) {
  const std::vector<double> values = solution();
  working_ = std::move(features);
  point_.theta.resize(static_cast<Index>(working_.size()) + 1);
  point_.theta[0] = values[0];
  for (std::size_t k = 0; k < working_.size(); ++k)
    point_.theta[static_cast<Index>(k) + 1] = values[working_[k] + 1];
  objective_.evaluate(working_, point_);
  hessian_.resize(0, 0);
}

}  // namespace jsdiv::linear
