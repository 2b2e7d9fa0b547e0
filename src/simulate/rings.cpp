#include <cmath>
#include <numbers>

#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

constexpr double thickness = 0.3;

/// Rings around the origin: the angle is uniform, the distance |radius + thickness·z| with z standard normal.
class Rings final : public RowwiseDistribution {
 public:
  Rings(std::vector<double> weights, std::vector<double> radii)
      : weights_(std::move(weights)), radii_(std::move(radii)) {}

  /// Density of the distance from the origin.
  double density(double distance) const {
    double sum = 0;
    for (std::size_t k = 0; k < radii_.size(); ++k) {
      const double near = (distance - radii_[k]) / thickness, far = (distance + radii_[k]) / thickness;
      sum += weights_[k] * (std::exp(-0.5 * near * near) + std::exp(-0.5 * far * far));
    }
    return sum / (thickness * std::sqrt(2 * std::numbers::pi));
  }

 private:
  void draw_row(RandomStream& random, std::span<double> row) const override {
    const double distance = radii_[draw_index(random, weights_)] + thickness * random.normal();
    const double angle = 2 * std::numbers::pi * random.uniform();
    row[0] = distance * std::cos(angle);
    row[1] = distance * std::sin(angle);
  }

  // Against polar coordinates: their Jacobian is common to P and Q.
  double log_density_of_row(std::span<const double> row) const override {
    return std::log(density(std::hypot(row[0], row[1])));
  }

  std::vector<double> weights_, radii_;
};

}  // namespace

// P: rings of radius 1 and 3, weights .4 and .6. Q: rings of radius 1.6, 3 and 3.8, weights .4, .3 and .3.
// All have thickness 0.3. The log-ratio depends on the distance alone and changes sign several times along
// it.
Pair rings_pair(const SimulateOptions&) {
  auto p = std::make_unique<Rings>(std::vector{0.4, 0.6}, std::vector{1.0, 3.0});
  auto q = std::make_unique<Rings>(std::vector{0.4, 0.3, 0.3}, std::vector{1.6, 3.0, 3.8});
  std::vector<double> breaks;
  for (double edge = 0; edge <= 3.8 + 9 * thickness; edge += thickness / 4) breaks.push_back(edge);
  double jsd = 0;
  for (const Node& node : composite_gauss_legendre(breaks, 10)) {
    jsd += jsd_of_masses(p->density(node.x) * node.weight, q->density(node.x) * node.weight);
  }
  Pair pair;
  pair.columns = number_columns(2);
  pair.reference = {jsd, 0, "quadrature"};
  pair.p = std::move(p);
  pair.q = std::move(q);
  return pair;
}

}  // namespace jsdiv::simulate_detail
