#pragma once

#include <Eigen/Core>

namespace jsdiv::linear {

/// min over z of  gᵀ(z - x) + ½·(z - x)ᵀ·H·(z - x) + Σ_{j >= 1} penalty_j·|z_j|;  coordinate 0, the
/// intercept, is free.
struct L1Quadratic {
  const Eigen::MatrixXd& hessian;  ///< [k, k], positive definite, both triangles
  const Eigen::VectorXd& gradient;
  const Eigen::VectorXd& start;    ///< x
  const Eigen::VectorXd& penalty;  ///< entry 0 is ignored
};

/// The minimiser, to within `relative` of the decrease it achieves or `absolute`, whichever is more.
/// Coordinate descent (Friedman, Hastie & Tibshirani, JSS 2010) brings coordinates in; Newton steps on those
/// that are not 0, cut at the best of the points where a sign would change (Lee, Battle, Raina & Ng,
/// "Efficient sparse coding algorithms", NIPS 2006), settle them and take coordinates out. Coordinate descent
/// alone would need thousands of passes where features are all but collinear, as those of a polynomial
/// expansion are.
Eigen::VectorXd minimise(const L1Quadratic& problem, double relative, double absolute);

}  // namespace jsdiv::linear
