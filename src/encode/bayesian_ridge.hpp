#pragma once

#include <Eigen/Core>

namespace jsdiv {

/// Second moments of a regression problem about its means: all that Bayesian ridge needs to know of the rows.
struct RegressionMoments {
  double rows = 0;
  Eigen::VectorXd x_mean;  ///< [features]
  double y_mean = 0;
  Eigen::MatrixXd gram;       ///< [features, features] sum of centred x xT
  Eigen::VectorXd x_times_y;  ///< [features] sum of centred x y
  double y_squared = 0;       ///< sum of centred y^2
};

struct LinearModel {
  Eigen::VectorXd coefficients;  ///< [features]
  double intercept = 0;
};

/// Bayesian ridge regression with scikit-learn's defaults (at most 300 iterations, tolerance 1e-3, all four
/// Gamma parameters 1e-6): the precisions of noise and weights maximise the evidence by MacKay's fixed-point
/// updates
/// ("Bayesian interpolation", Neural Computation 4, 1992). Works in the eigenbasis of the Gram matrix, where
/// an update costs O(features^2) whatever the number of rows.
LinearModel bayesian_ridge(const RegressionMoments& moments);

}  // namespace jsdiv
