#pragma once

#include <complex>

#include "simulate/distribution.hpp"

namespace jsdiv::simulate_detail {

/// N(mean, covariance); the covariance is positive definite.
class Gaussian final : public Distribution {
 public:
  Gaussian(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance);

  void draw(RandomStream& random, RowBlock& rows) const override;
  void log_density(const RowBlock& rows, std::span<double> out) const override;

  const Eigen::VectorXd& mean() const { return mean_; }
  const Eigen::MatrixXd& covariance() const { return covariance_; }
  /// Lower Cholesky factor of the covariance.
  const Eigen::MatrixXd& factor() const { return factor_; }

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd covariance_, factor_, whitener_;
  double log_constant_;
};

/// JSD of two Gaussians of any dimension; see jsd_from_affinity.
double gaussian_jsd(const Gaussian& p, const Gaussian& q);

}  // namespace jsdiv::simulate_detail
