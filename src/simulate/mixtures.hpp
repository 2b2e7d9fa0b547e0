#pragma once

#include <vector>

#include "simulate/gaussian.hpp"

namespace jsdiv::simulate_detail {

class GaussianMixture final : public Distribution {
 public:
  GaussianMixture(std::vector<double> weights, std::vector<Gaussian> components);

  void draw(RandomStream& random, RowBlock& rows) const override;
  void log_density(const RowBlock& rows, std::span<double> out) const override;

  const std::vector<double>& weights() const { return weights_; }
  const std::vector<Gaussian>& components() const { return components_; }

 private:
  std::vector<double> weights_;
  std::vector<Gaussian> components_;
};

/// JSD of two mixtures in the plane, by Gauss-Legendre over x0 and, for each x0, over x1. Panels follow every
/// component's own centre and width (for x1: those of its conditional distribution), so that a thin ridge in
/// any direction is resolved as well as a broad one.
double plane_mixture_jsd(const GaussianMixture& p, const GaussianMixture& q, double panels_per_sd = 2,
                         int order = 8);

/// Expectation maximisation as scikit-learn's GaussianMixture(components) does it with its defaults: k-means
/// start, full covariances, 1e-6 added to their diagonals, at most 100 steps, until the mean log-likelihood
/// gains less than 1e-3.
GaussianMixture fit_gaussian_mixture(const RowBlock& points, std::size_t components, RandomStream random);

}  // namespace jsdiv::simulate_detail
