#include "classify/linear/ridge_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "jsdiv/error.hpp"

namespace jsdiv::linear {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t exact_features = 128;  // up to here an exact Hessian costs little more than a gradient
constexpr int max_newton_steps = 200;
constexpr int max_products = 400;     // of one Newton system
constexpr Index cheap_factor = 1024;  // up to here a new factor for each C pays

/// A Gram matrix with its Cholesky factor costs about features / 24 products with the Hessian (measured with
/// OpenBLAS, 860 features); as soon as that many were spent on the present one, a new one is bought.
std::size_t products_worth_a_refresh(std::size_t features) {
  return features / 24;
}

/// Cholesky factor of a matrix that is positive definite but for rounding; reads the lower triangle.
Eigen::LLT<MatrixXd> robust_cholesky(MatrixXd matrix, double ridge) {
  for (; ridge < 1; ridge *= 100) {
    matrix.diagonal() *= 1 + ridge;
    Eigen::LLT<MatrixXd> factor(matrix);
    if (factor.info() == Eigen::Success) return factor;
  }
  throw InternalError("internal error: a Hessian is not positive definite");
}

}  // namespace

RidgeSolver::RidgeSolver(const LogisticObjective& objective)
    : objective_(objective),
      features_(objective.design().usable()),
      many_(features_.size() > exact_features) {
  point_.theta = VectorXd::Zero(static_cast<Index>(features_.size()) + 1);
  point_.theta[0] = objective.null_intercept();
  objective_.evaluate(features_, point_);
}

void RidgeSolver::solve(double c, double gap) {
  penalty_ = objective_.penalty_factors(features_, c);
  extrapolator_.advance(objective_, features_, penalty_, c, point_);
  if (gram_.size() > 0 && gram_.rows() <= cheap_factor) factorise();
  for (int step = 0; step < max_newton_steps; ++step) {
    const VectorXd gradient = point_.gradient + penalty_.cwiseProduct(point_.theta);
    const VectorXd direction =
        many_ ? conjugate_gradient_direction(gradient, gap) : exact_direction(gradient);
    const double slope = gradient.dot(direction);
    if (!(slope < 0)) return;
    const double length = objective_.line_search(features_, penalty_, direction, slope, point_);
    // -slope / 2 is the gap before the step; what remains after a whole step is of the order of its square.
    if (length == 0 || -0.5 * slope <= gap) return;
  }
}

VectorXd RidgeSolver::exact_direction(const VectorXd& gradient) const {
  MatrixXd hessian = objective_.design().gram(features_, point_.curvature, Precision::full);
  hessian.diagonal() += penalty_;
  return -robust_cholesky(std::move(hessian), 1e-15).solve(gradient);
}

VectorXd RidgeSolver::conjugate_gradient_direction(const VectorXd& gradient, double gap) {
  if (products_since_refresh_ > products_worth_a_refresh(features_.size())) refresh_preconditioner();
  VectorXd direction = VectorXd::Zero(gradient.size());
  VectorXd residual = -gradient;
  VectorXd scaled = precondition(residual);
  VectorXd conjugate = scaled;
  double size = residual.dot(scaled);  // about twice the gap
  const double enough = std::max(0.01 * gap, std::min(0.01, size) * size);
  for (int product = 0; product < max_products && size > enough; ++product) {
    VectorXd image = objective_.hessian_product(features_, point_.curvature, conjugate);
    image += penalty_.cwiseProduct(conjugate);
    ++products_since_refresh_;
    const double length = size / conjugate.dot(image);
    if (!std::isfinite(length) || length <= 0) break;
    direction += length * conjugate;
    residual -= length * image;
    scaled = precondition(residual);
    const double next_size = residual.dot(scaled);
    conjugate = scaled + (next_size / size) * conjugate;
    size = next_size;
  }
  return direction.isZero(0) ? VectorXd(scaled) : direction;
}

VectorXd RidgeSolver::precondition(const VectorXd& residual) const {
  if (gram_.size() > 0) return factor_.solve(residual);
  // Standardised features: the diagonal of the Hessian is about the total curvature.
  const double curvature = std::accumulate(point_.curvature.begin(), point_.curvature.end(), 0.0);
  return residual.array() / (penalty_.array() + curvature);
}

void RidgeSolver::refresh_preconditioner() {
  gram_ = objective_.design().gram(features_, point_.curvature, Precision::single);
  factorise();
  products_since_refresh_ = 0;
}

void RidgeSolver::factorise() {
  MatrixXd matrix = gram_;
  matrix.diagonal() += penalty_;
  factor_ = robust_cholesky(std::move(matrix), 1e-7);
}

}  // namespace jsdiv::linear
