#include "classify/gaussian/discriminant.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

/// Features are standardised, so that a variance this small says that a feature is constant within a class;
/// it keeps the covariance positive definite without deciding anything that the data could decide.
constexpr double variance_floor = 1e-6;

Eigen::MatrixXd covariance_of(const Moments& moments) {
  const Eigen::VectorXd mean = moments.sum / moments.weight;
  return moments.cross / moments.weight - mean * mean.transpose();
}

}  // namespace

Moments::Moments(Eigen::Index features)
    : sum(Eigen::VectorXd::Zero(features)), cross(Eigen::MatrixXd::Zero(features, features)) {
}

Moments& Moments::operator+=(const Moments& other) {
  weight += other.weight;
  sum += other.sum;
  cross += other.cross;
  return *this;
}

Moments Moments::operator-(const Moments& other) const {
  Moments result = *this;
  result.weight -= other.weight;
  result.sum -= other.sum;
  result.cross -= other.cross;
  return result;
}

Moments moments_of(const Eigen::MatrixXd& x, const Eigen::VectorXd& weights) {
  Moments moments(x.cols());
  const Eigen::MatrixXd weighted = weights.asDiagonal() * x;
  moments.weight = weights.sum();
  moments.sum = weighted.colwise().sum().transpose();
  moments.cross.noalias() = x.transpose() * weighted;
  return moments;
}

Discriminant::Discriminant(const std::array<Moments, 2>& moments, const Shrinkage& shrinkage) {
  JSDIV_ASSERT(moments[0].weight > 0 && moments[1].weight > 0);
  const std::array<Eigen::MatrixXd, 2> own = {covariance_of(moments[0]), covariance_of(moments[1])};
  const Eigen::MatrixXd shared = 0.5 * (own[0] + own[1]);
  for (std::size_t c = 0; c < 2; ++c) {
    Eigen::MatrixXd covariance = (1 - shrinkage.pooling) * own[c] + shrinkage.pooling * shared;
    const Eigen::VectorXd variances = covariance.diagonal().cwiseMax(variance_floor);
    covariance *= 1 - shrinkage.diagonal;
    covariance.diagonal() = variances * (1 + variance_floor);
    Eigen::LLT<Eigen::MatrixXd> factor(covariance);
    // Rounding can still leave a tiny negative eigenvalue where features are copies of each other.
    for (double ridge = 1e-4; factor.info() != Eigen::Success; ridge *= 10) {
      covariance.diagonal() += ridge * variances;
      factor.compute(covariance);
    }
    densities_[c].mean = (moments[c].sum / moments[c].weight).transpose();
    densities_[c].lower = factor.matrixL();
    densities_[c].log_determinant = 2 * densities_[c].lower.diagonal().array().log().sum();
  }
}

Eigen::VectorXd Discriminant::operator()(const Eigen::MatrixXd& x) const {
  const auto log_density = [&](const Density& density) -> Eigen::VectorXd {
    Eigen::MatrixXd centred = (x.rowwise() - density.mean).transpose();
    density.lower.triangularView<Eigen::Lower>().solveInPlace(centred);
    return (-0.5 * (centred.colwise().squaredNorm().array() + density.log_determinant)).matrix().transpose();
  };
  return log_density(densities_[1]) - log_density(densities_[0]);
}

}  // namespace jsdiv
