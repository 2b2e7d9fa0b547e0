#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace jsdiv {

/// Past this many features they are taken for independent: covariances would cost their cube.
inline constexpr std::size_t full_covariance_limit = 600;

/// Weighted sums of a class: everything that a Gaussian needs, and additive over rows.
struct Moments {
  double weight = 0;
  Eigen::VectorXd sum;
  Eigen::MatrixXd cross;  ///< Σ w x xᵀ; past full_covariance_limit features its diagonal alone, as a column

  explicit Moments(Eigen::Index features = 0);
  Moments& operator+=(const Moments& other);
  Moments operator-(const Moments& other) const;
};

/// Moments of rows `x` [rows, features] with weights [rows].
Moments moments_of(const Eigen::MatrixXd& x, const Eigen::VectorXd& weights);

/// How far each covariance is drawn away from its sample: Friedman, "Regularized discriminant analysis", JASA
/// 1989.
struct Shrinkage {
  double pooling = 0;   ///< towards the covariance that both classes share: 1 gives linear discriminants
  double diagonal = 0;  ///< towards its own diagonal: 1 gives independent features, which many always are
};

/// log p(x) - log q(x) for two Gaussians. Swapping the classes negates it exactly.
class Discriminant {
 public:
  /// `moments` are those of Q [0] and P [1]; both need a positive weight.
  Discriminant(const std::array<Moments, 2>& moments, const Shrinkage& shrinkage);

  /// One value for each row of `x` [rows, features].
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const;

 private:
  struct Density {
    Eigen::RowVectorXd mean;
    Eigen::MatrixXd lower;  ///< Cholesky factor of the covariance, or its diagonal alone, as a column
    bool diagonal = false;  ///< the factor has nothing beside its diagonal
    double log_determinant = 0;
  };
  std::array<Density, 2> densities_;
};

}  // namespace jsdiv
