#include <algorithm>
#include <cmath>
#include <limits>

#include "simulate/mixtures.hpp"

namespace jsdiv::simulate_detail {
namespace {

/// Squared distances of every point to `centre`.
Eigen::ArrayXd squared_distances(const RowBlock& points, const Eigen::RowVectorXd& centre) {
  return (points.rowwise() - centre).rowwise().squaredNorm().array();
}

/// k-means++ (Arthur & Vassilvitskii, 2007).
RowBlock starting_centres(const RowBlock& points, Eigen::Index count, RandomStream& random) {
  RowBlock centres(count, points.cols());
  centres.row(0) =
      points.row(static_cast<Eigen::Index>(random.below(static_cast<std::uint64_t>(points.rows()))));
  Eigen::ArrayXd nearest = squared_distances(points, centres.row(0));
  for (Eigen::Index k = 1; k < count; ++k) {
    const Eigen::VectorXd probabilities = (nearest / nearest.sum()).matrix();
    const std::size_t chosen =
        draw_index(random, {probabilities.data(), static_cast<std::size_t>(points.rows())});
    centres.row(k) = points.row(static_cast<Eigen::Index>(chosen));
    nearest = nearest.min(squared_distances(points, centres.row(k)));
  }
  return centres;
}

/// Lloyd's algorithm; the result is the partition as responsibilities 0 and 1, [points, centres].
Eigen::MatrixXd k_means_partition(const RowBlock& points, Eigen::Index count, RandomStream& random) {
  RowBlock centres = starting_centres(points, count, random);
  Eigen::MatrixXd partition = Eigen::MatrixXd::Zero(points.rows(), count);
  for (int step = 0; step < 300; ++step) {
    Eigen::MatrixXd next = Eigen::MatrixXd::Zero(points.rows(), count);
    Eigen::MatrixXd distances(points.rows(), count);
    for (Eigen::Index k = 0; k < count; ++k) {
      distances.col(k) = squared_distances(points, centres.row(k)).matrix();
    }
    for (Eigen::Index i = 0; i < points.rows(); ++i) {
      Eigen::Index closest = 0;
      distances.row(i).minCoeff(&closest);
      next(i, closest) = 1;
    }
    if (next == partition) break;
    partition = std::move(next);
    for (Eigen::Index k = 0; k < count; ++k) {
      const double size = partition.col(k).sum();
      if (size > 0) centres.row(k) = (partition.col(k).transpose() * points) / size;
    }
  }
  return partition;
}

GaussianMixture maximise(const RowBlock& points, const Eigen::MatrixXd& responsibilities) {
  constexpr double regularisation = 1e-6;
  std::vector<double> weights;
  std::vector<Gaussian> components;
  for (Eigen::Index k = 0; k < responsibilities.cols(); ++k) {
    // The addend keeps an empty component finite.
    const double size = responsibilities.col(k).sum() + 10 * std::numeric_limits<double>::epsilon();
    const Eigen::VectorXd mean = points.transpose() * responsibilities.col(k) / size;
    const RowBlock centred = points.rowwise() - mean.transpose();
    Eigen::MatrixXd covariance = centred.transpose() * responsibilities.col(k).asDiagonal() * centred / size;
    covariance.diagonal().array() += regularisation;
    weights.push_back(size);
    components.emplace_back(mean, covariance);
  }
  double total = 0;
  for (const double weight : weights) total += weight;
  for (double& weight : weights) weight /= total;
  return {std::move(weights), std::move(components)};
}

/// Fills the responsibilities and returns the mean log-likelihood.
double expect(const GaussianMixture& mixture, const RowBlock& points, Eigen::MatrixXd& responsibilities) {
  const auto count = static_cast<std::size_t>(points.rows());
  std::vector<double> total(count), part(count);
  mixture.log_density(points, total);
  double sum = 0;
  for (const double value : total) sum += value;
  for (Eigen::Index k = 0; k < responsibilities.cols(); ++k) {
    const auto component = static_cast<std::size_t>(k);
    mixture.components()[component].log_density(points, part);
    for (std::size_t i = 0; i < count; ++i) {
      responsibilities(static_cast<Eigen::Index>(i), k) =
          mixture.weights()[component] * std::exp(part[i] - total[i]);
    }
  }
  return sum / static_cast<double>(count);
}

}  // namespace

GaussianMixture fit_gaussian_mixture(const RowBlock& points, std::size_t components, RandomStream random) {
  constexpr int max_steps = 100;
  constexpr double tolerance = 1e-3;
  Eigen::MatrixXd responsibilities = k_means_partition(points, static_cast<Eigen::Index>(components), random);
  GaussianMixture mixture = maximise(points, responsibilities);
  double likelihood = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < max_steps; ++step) {
    const double previous = likelihood;
    likelihood = expect(mixture, points, responsibilities);
    mixture = maximise(points, responsibilities);
    if (std::abs(likelihood - previous) < tolerance) break;
  }
  return mixture;
}

}  // namespace jsdiv::simulate_detail
