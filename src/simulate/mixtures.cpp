#include "simulate/mixtures.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/parallel.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {

GaussianMixture::GaussianMixture(std::vector<double> weights, std::vector<Gaussian> components)
    : weights_(std::move(weights)), components_(std::move(components)) {
}

void GaussianMixture::draw(RandomStream& random, RowBlock& rows) const {
  Eigen::VectorXd normals(rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Gaussian& component = components_[draw_index(random, weights_)];
    for (double& normal : normals) normal = random.normal();
    for (Eigen::Index j = 0; j < rows.cols(); ++j) {
      rows(i, j) = component.mean()[j] + component.factor().row(j).head(j + 1).dot(normals.head(j + 1));
    }
  }
}

void GaussianMixture::log_density(const RowBlock& rows, std::span<double> out) const {
  const auto count = static_cast<std::size_t>(rows.rows());
  std::vector<double> terms(count * components_.size());
  for (std::size_t k = 0; k < components_.size(); ++k) {
    components_[k].log_density(rows, std::span(terms).subspan(k * count, count));
  }
  std::vector<double> log_weights;
  for (const double weight : weights_) log_weights.push_back(std::log(weight));
  for (std::size_t i = 0; i < count; ++i) {
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::size_t k = 0; k < components_.size(); ++k) {
      largest = std::max(largest, log_weights[k] + terms[k * count + i]);
    }
    for (std::size_t k = 0; k < components_.size(); ++k) {
      sum += std::exp(log_weights[k] + terms[k * count + i] - largest);
    }
    out[i] = largest + std::log(sum);
  }
}

namespace {

/// A plane component as w · N(x0; mean0, sd0) · N(x1; mean1 + slope (x0 − mean0), sd1).
struct PlaneComponent {
  double weight, mean0, sd0, mean1, slope, sd1;

  double conditional_mean(double x0) const { return mean1 + slope * (x0 - mean0); }
};

std::vector<PlaneComponent> plane_components(const GaussianMixture& mixture) {
  std::vector<PlaneComponent> result;
  for (std::size_t k = 0; k < mixture.components().size(); ++k) {
    const Gaussian& component = mixture.components()[k];
    const Eigen::MatrixXd& factor = component.factor();
    result.push_back({mixture.weights()[k], component.mean()[0], factor(0, 0), component.mean()[1],
                      factor(1, 0) / factor(0, 0), factor(1, 1)});
  }
  return result;
}

double normal_density(double x, double mean, double sd) {
  const double z = (x - mean) / sd;
  return std::exp(-0.5 * z * z) / (sd * std::sqrt(2 * std::numbers::pi));
}

void add_breaks(std::vector<double>& breaks, double mean, double sd, double panels_per_sd) {
  constexpr double reach = 9;  // leaves out less than 1e-18 of the mass
  const auto panels = static_cast<int>(reach * panels_per_sd);
  for (int k = -panels; k <= panels; ++k) breaks.push_back(mean + k * sd / panels_per_sd);
}

}  // namespace

double plane_mixture_jsd(const GaussianMixture& p, const GaussianMixture& q, double panels_per_sd,
                         int order) {
  std::vector<PlaneComponent> components = plane_components(p);
  const std::size_t components_of_p = components.size();
  for (const PlaneComponent& component : plane_components(q)) components.push_back(component);

  std::vector<double> outer_breaks;
  for (const auto& c : components) add_breaks(outer_breaks, c.mean0, c.sd0, panels_per_sd);
  const std::vector<Node> outer = composite_gauss_legendre(outer_breaks, order);
  std::vector<double> slices(outer.size());
  parallel_for(outer.size(), [&](std::size_t i) {
    const double x0 = outer[i].x;
    std::vector<double> breaks, masses;
    for (const auto& c : components) {
      add_breaks(breaks, c.conditional_mean(x0), c.sd1, panels_per_sd);
      masses.push_back(c.weight * normal_density(x0, c.mean0, c.sd0) * outer[i].weight);
    }
    for (const Node& inner : composite_gauss_legendre(breaks, order)) {
      double mass_p = 0, mass_q = 0;
      for (std::size_t k = 0; k < components.size(); ++k) {
        const auto& c = components[k];
        (k < components_of_p ? mass_p : mass_q) +=
            masses[k] * normal_density(inner.x, c.conditional_mean(x0), c.sd1) * inner.weight;
      }
      slices[i] += jsd_of_masses(mass_p, mass_q);
    }
  });
  return std::accumulate(slices.begin(), slices.end(), 0.0);
}

namespace {

Pair plane_mixture_pair(GaussianMixture p, GaussianMixture q) {
  Pair pair;
  pair.columns = number_columns(2);
  pair.reference = {plane_mixture_jsd(p, q), 0, "quadrature"};
  pair.p = std::make_unique<GaussianMixture>(std::move(p));
  pair.q = std::make_unique<GaussianMixture>(std::move(q));
  return pair;
}

GaussianMixture two_in_the_plane(double first_weight, const Eigen::Vector2d& first,
                                 const Eigen::Vector2d& second, const Eigen::Matrix2d& covariance) {
  return {{first_weight, 1 - first_weight}, {{first, covariance}, {second, covariance}}};
}

}  // namespace

// P = 0.7·N((1, 1), Σ) + 0.3·N((−1, −1), Σ), Σ = [[1, .2], [.2, 1]]; Q: a mixture of two Gaussians fitted to
// fit_rows points of P, which belong to the seed.
Pair finite_pair(const SimulateOptions& options) {
  const std::size_t fit_rows = option_in_range("fit_rows", options.fit_rows, 100, 2, 1'000'000);
  GaussianMixture p = two_in_the_plane(0.7, {1, 1}, {-1, -1}, Eigen::Matrix2d{{1, 0.2}, {0.2, 1}});
  const RandomStream random = RandomStream(options.seed).child("finite");
  RandomStream point_stream = random.child("points");
  RowBlock points(fit_rows, 2);
  p.draw(point_stream, points);
  GaussianMixture q = fit_gaussian_mixture(points, 2, random.child("fit"));
  Pair pair = plane_mixture_pair(std::move(p), std::move(q));
  pair.parameters = {{"fit_rows", std::uint64_t{fit_rows}}};
  return pair;
}

// P = 0.7·N((1, 1), I/4) + 0.3·N((−1, −1), I/4), Q = 0.5·N((0, 0), I/4) + 0.5·N((−1, −1), I/4).
Pair gmm2_pair(const SimulateOptions&) {
  const Eigen::Matrix2d covariance = 0.25 * Eigen::Matrix2d::Identity();
  return plane_mixture_pair(two_in_the_plane(0.7, {1, 1}, {-1, -1}, covariance),
                            two_in_the_plane(0.5, {0, 0}, {-1, -1}, covariance));
}

// Five components each in four dimensions, weights .3, .25, .2, .15, .1, at
//     1.3 · (cos θ, sin θ, cos 2θ, sin 2θ),  θ = 2πk/5 + phase,
// phase 0 for P and π/5 for Q, so that Q's components lie between those of P. All share one covariance:
// standard deviations .7, .5, .6, .8, correlation .4 between neighbouring columns.
Pair mixture_pair(const SimulateOptions&) {
  constexpr double radius = 1.3, turn = 2 * std::numbers::pi / 5;
  const Eigen::Vector4d deviations(0.7, 0.5, 0.6, 0.8);
  Eigen::Matrix4d correlation = Eigen::Matrix4d::Identity();
  for (int j = 0; j < 3; ++j) correlation(j, j + 1) = correlation(j + 1, j) = 0.4;
  const Eigen::Matrix4d covariance = deviations.asDiagonal() * correlation * deviations.asDiagonal();
  const auto star = [&](double phase) {
    std::vector<Gaussian> components;
    for (int k = 0; k < 5; ++k) {
      const double theta = k * turn + phase;
      const Eigen::Vector4d direction(std::cos(theta), std::sin(theta), std::cos(2 * theta),
                                      std::sin(2 * theta));
      components.emplace_back(radius * direction, covariance);
    }
    return std::make_unique<GaussianMixture>(std::vector{0.3, 0.25, 0.2, 0.15, 0.1}, std::move(components));
  };
  Pair pair;
  pair.columns = number_columns(4);
  pair.p = star(0);
  pair.q = star(turn / 2);
  // Nothing in this pair depends on an option, so one run serves the whole process.
  static const Reference reference = monte_carlo_reference(*pair.p, *pair.q, 4);
  pair.reference = reference;
  return pair;
}

}  // namespace jsdiv::simulate_detail
