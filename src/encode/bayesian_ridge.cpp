#include "encode/bayesian_ridge.hpp"

#include <algorithm>
#include <limits>

#include "core/assert.hpp"
#include "core/symmetric_eigen.hpp"

namespace jsdiv {

LinearModel bayesian_ridge(const RegressionMoments& moments) {
  constexpr int max_iterations = 300;
  constexpr double tolerance = 1e-3;
  constexpr double gamma_prior = 1e-6;
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  JSDIV_ASSERT(moments.rows > 0 && moments.gram.rows() == moments.x_times_y.size());

  const SymmetricEigen axes = symmetric_eigen(moments.gram);
  Eigen::ArrayXd eigenvalues = axes.values.array().max(0.0);
  Eigen::ArrayXd projections = (axes.vectors.transpose() * moments.x_times_y).array();
  // In directions that no row points to, both are rounding noise.
  const double noise = epsilon * static_cast<double>(eigenvalues.size()) * eigenvalues.maxCoeff();
  for (Eigen::Index i = 0; i < eigenvalues.size(); ++i) {
    if (eigenvalues[i] > noise) continue;
    eigenvalues[i] = 0;
    projections[i] = 0;
  }

  double noise_precision = 1 / (moments.y_squared / moments.rows + epsilon);
  double weight_precision = 1;
  Eigen::ArrayXd weights;  // in the eigenbasis
  const auto update_weights = [&] {
    weights = projections / (eigenvalues + weight_precision / noise_precision);
  };
  Eigen::VectorXd coefficients;
  for (int iteration = 0; iteration < max_iterations; ++iteration) {
    update_weights();
    const double residual =
        std::max(0.0, moments.y_squared - (weights * (2 * projections - eigenvalues * weights)).sum());
    const double effective_parameters =
        (noise_precision * eigenvalues / (weight_precision + noise_precision * eigenvalues)).sum();
    weight_precision = (effective_parameters + 2 * gamma_prior) / (weights.square().sum() + 2 * gamma_prior);
    noise_precision = (moments.rows - effective_parameters + 2 * gamma_prior) / (residual + 2 * gamma_prior);

    const Eigen::VectorXd previous = std::move(coefficients);
    coefficients = axes.vectors * weights.matrix();
    if (iteration != 0 && (coefficients - previous).lpNorm<1>() < tolerance) break;
  }
  update_weights();
  coefficients = axes.vectors * weights.matrix();
  const double intercept = moments.y_mean - moments.x_mean.dot(coefficients);
  return {std::move(coefficients), intercept};
}

}  // namespace jsdiv
