#include "classify/gaussian/discriminant.hpp"

#include <Eigen/Cholesky>
#include <cmath>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

/// Features are standardised, so that a variance this small says that a feature is constant within a class;
/// it keeps the covariance positive definite without deciding anything that the data could decide.
constexpr double variance_floor = 1e-6;

bool independent(Eigen::Index features) {
  return features > static_cast<Eigen::Index>(full_covariance_limit);
}

/// Of independent features, the column of their variances.
Eigen::MatrixXd covariance_of(const Moments& moments) {
  const Eigen::VectorXd mean = moments.sum / moments.weight;
  if (independent(mean.size())) return moments.cross / moments.weight - mean.cwiseAbs2();
  return moments.cross / moments.weight - mean * mean.transpose();
}

/// The Cholesky factor after shrinkage towards the diagonal.
Eigen::MatrixXd factor_of(Eigen::MatrixXd covariance, double towards_diagonal) {
  const Eigen::VectorXd variances = covariance.diagonal().cwiseMax(variance_floor);
  covariance *= 1 - towards_diagonal;
  covariance.diagonal() = variances * (1 + variance_floor);
  Eigen::LLT<Eigen::MatrixXd> factor(covariance);
  // Rounding can still leave a tiny negative eigenvalue where features are copies of each other.
  for (double ridge = 1e-4; factor.info() != Eigen::Success; ridge *= 10) {
    covariance.diagonal() += ridge * variances;
    factor.compute(covariance);
  }
  return factor.matrixL();
}

}  // namespace

Moments::Moments(Eigen::Index features)
    : sum(Eigen::VectorXd::Zero(features)),
      cross(Eigen::MatrixXd::Zero(features, independent(features) ? 1 : features)) {
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
  if (independent(x.cols())) {
    moments.cross = x.cwiseProduct(weighted).colwise().sum().transpose();
  } else {
    moments.cross.noalias() = x.transpose() * weighted;
  }
  return moments;
}

Discriminant::Discriminant(const std::array<Moments, 2>& moments, const Shrinkage& shrinkage) {
  JSDIV_ASSERT(moments[0].weight > 0 && moments[1].weight > 0);
  const std::array<Eigen::MatrixXd, 2> own = {covariance_of(moments[0]), covariance_of(moments[1])};
  const Eigen::MatrixXd shared = 0.5 * (own[0] + own[1]);
  for (std::size_t c = 0; c < 2; ++c) {
    const Eigen::MatrixXd covariance = (1 - shrinkage.pooling) * own[c] + shrinkage.pooling * shared;
    Density& density = densities_[c];
    density.mean = (moments[c].sum / moments[c].weight).transpose();
    if (independent(density.mean.size())) {
      density.lower = (covariance.cwiseMax(variance_floor) * (1 + variance_floor)).cwiseSqrt();
      density.log_determinant = 2 * density.lower.array().log().sum();
    } else {
      density.lower =
          c == 1 && shrinkage.pooling == 1 ? densities_[0].lower : factor_of(covariance, shrinkage.diagonal);
      density.diagonal = shrinkage.diagonal == 1;
      density.log_determinant = 2 * density.lower.diagonal().array().log().sum();
    }
  }
}

Eigen::VectorXd Discriminant::operator()(const Eigen::MatrixXd& x) const {
  const auto log_density = [&](const Density& density) -> Eigen::VectorXd {
    Eigen::MatrixXd centred = (x.rowwise() - density.mean).transpose();
    if (independent(density.mean.size())) {
      centred.array().colwise() /= density.lower.col(0).array();
    } else if (density.diagonal) {
      centred.array().colwise() *= density.lower.diagonal().array().inverse();
    } else {
      density.lower.triangularView<Eigen::Lower>().solveInPlace(centred);
    }
    return (-0.5 * (centred.colwise().squaredNorm().array() + density.log_determinant)).matrix().transpose();
  };
  return log_density(densities_[1]) - log_density(densities_[0]);
}

}  // namespace jsdiv
