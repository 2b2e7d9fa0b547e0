#include "classify/linear/l1_quadratic.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/stop.hpp"

namespace jsdiv::linear {
namespace {

using Eigen::Index;

double soft_threshold(double value, double threshold) {
  if (value > threshold) return value - threshold;
  if (value < -threshold) return value + threshold;
  return 0;
}

double sign_of(double value) {
  return value > 0 ? 1.0 : (value < 0 ? -1.0 : 0.0);
}

class Minimiser {
 public:
  explicit Minimiser(const L1Quadratic& problem) : p_(problem), z_(problem.start), q_(problem.gradient) {}

  Eigen::VectorXd run(double relative, double absolute) {
    constexpr int max_rounds = 40;
    for (int round = 0; round < max_rounds; ++round) {
      throw_if_interrupted();
      if (round > 0 || (z_.tail(z_.size() - 1).array() == 0).all()) descend();
      // A coordinate that a cut step has put at 0 stays there until the others have settled: coordinate
      // descent would bring one of a collinear pair straight back.
      for (Index cut = 0; cut < z_.size() && newton_step() < 1; ++cut) {
      }
      if (remaining() <= std::max(absolute, relative * decrease())) break;
    }
    return z_;
  }

 private:
  /// One pass of coordinate descent.
  void descend() {
    for (Index j = 0; j < z_.size(); ++j) {
      const double curvature = p_.hessian(j, j);
      const double free = z_[j] - q_[j] / curvature;
      const double updated = j == 0 ? free : soft_threshold(free, p_.penalty[j] / curvature);
      if (updated == z_[j]) continue;
      q_ += (updated - z_[j]) * p_.hessian.col(j);
      z_[j] = updated;
    }
  }

  /// How far the optimality condition of coordinate j is violated.
  double violation(Index j) const {
    if (j == 0) return std::fabs(q_[0]);
    if (z_[j] != 0) return std::fabs(q_[j] + p_.penalty[j] * sign_of(z_[j]));
    return std::max(0.0, std::fabs(q_[j]) - p_.penalty[j]);
  }

  /// What single-coordinate steps could still gain. Right after a Newton step that no sign has cut, all of it
  /// comes from coordinates at 0, which makes it a fair measure also where coordinates are strongly
  /// correlated.
  double remaining() const {
    double gain = 0;
    for (Index j = 0; j < z_.size(); ++j) gain += violation(j) * violation(j) / (2 * p_.hessian(j, j));
    return gain;
  }

  double decrease() const {
    double change = 0.5 * (p_.gradient + q_).dot(z_ - p_.start);
    for (Index j = 1; j < z_.size(); ++j)
      change += p_.penalty[j] * (std::fabs(z_[j]) - std::fabs(p_.start[j]));
    return std::max(0.0, -change);
  }

  /// Towards the minimum over the non-zero coordinates; the part of the way that was gone.
  double newton_step() {
    std::vector<Index> active = {0};
    for (Index j = 1; j < z_.size(); ++j) {
      if (z_[j] != 0) active.push_back(j);
    }
    const auto count = static_cast<Index>(active.size());
    Eigen::VectorXd slope(count);
    for (Index k = 0; k < count; ++k) {
      const Index j = active[k];
      slope[k] = q_[j] + (j == 0 ? 0.0 : p_.penalty[j] * sign_of(z_[j]));
    }
    const Eigen::LLT<Eigen::MatrixXd> factor(p_.hessian(active, active));
    if (factor.info() != Eigen::Success) return 1;
    const Eigen::VectorXd direction = -factor.solve(slope);
    if (!direction.allFinite()) return 1;
    const double step = best_step(active, slope, direction);
    for (Index k = 0; k < count; ++k) {
      const Index j = active[k];
      const double before = z_[j];
      z_[j] = j > 0 && step == crossing(before, direction[k]) ? 0.0 : before + step * direction[k];
      if (z_[j] != before) q_ += (z_[j] - before) * p_.hessian.col(j);
    }
    return step;
  }

  /// The step at which z + step·direction is 0; negative: never.
  static double crossing(double z, double direction) { return z * direction < 0 ? -z / direction : -1.0; }

  /// Exact minimiser along the direction over [0, 1]: the slope is linear but for a jump where a sign
  /// changes.
  double best_step(const std::vector<Index>& active, const Eigen::VectorXd& slope,
                   const Eigen::VectorXd& direction) const {
    struct Crossing {
      double step;
      double jump;
    };
    std::vector<Crossing> crossings;
    for (std::size_t k = 1; k < active.size(); ++k) {
      const auto i = static_cast<Index>(k);
      const double step = crossing(z_[active[k]], direction[i]);
      if (step >= 0 && step < 1)
        crossings.push_back({step, 2 * p_.penalty[active[k]] * std::fabs(direction[i])});
    }
    std::sort(crossings.begin(), crossings.end(), [](const Crossing& a, const Crossing& b) {
      return a.step != b.step ? a.step < b.step : a.jump < b.jump;
    });
    // The direction solves the quadratic, so that its curvature along the direction equals minus the slope at
    // 0.
    const double initial = slope.dot(direction);
    if (initial >= 0) return 0;
    double jumps = 0;
    for (const Crossing& point : crossings) {
      const double here = initial * (1 - point.step) + jumps;
      if (here >= 0) return std::clamp(1 + jumps / initial, 0.0, 1.0);
      jumps += point.jump;
      if (here + point.jump >= 0) return point.step;
    }
    return std::clamp(1 + jumps / initial, 0.0, 1.0);
  }

  const L1Quadratic& p_;
  Eigen::VectorXd z_;
  Eigen::VectorXd q_;  ///< gradient of the quadratic at z
};

}  // namespace

Eigen::VectorXd minimise(const L1Quadratic& problem, double relative, double absolute) {
  return Minimiser(problem).run(relative, absolute);
}

}  // namespace jsdiv::linear
