#include "simulate/reference.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"

namespace jsdiv::simulate_detail {
namespace {

/// H(σ(l)) in bits.
double entropy_at_log_ratio(double log_ratio) {
  const double size = std::abs(log_ratio);
  if (size == std::numeric_limits<double>::infinity()) return 0;
  const double odds = std::exp(-size);
  return nats_to_bits(std::log1p(odds) + size * odds / (1 + odds));
}

/// Nodes in (−1, 1) as the roots of the Legendre polynomial, by Newton's method.
std::vector<Node> gauss_legendre(int order) {
  std::vector<Node> nodes;
  for (int i = 0; i < order; ++i) {
    double x = std::cos(std::numbers::pi * (i + 0.75) / (order + 0.5));
    double slope = 0;
    for (int step = 0; step < 100; ++step) {
      double previous = 1, current = x;
      for (int k = 2; k <= order; ++k) {
        previous = std::exchange(current, ((2 * k - 1) * x * current - (k - 1) * previous) / k);
      }
      slope = order * (x * current - previous) / (x * x - 1);
      const double change = current / slope;
      x -= change;
      if (std::abs(change) < 1e-15) break;
    }
    nodes.push_back({x, 2 / ((1 - x * x) * slope * slope)});
  }
  return nodes;
}

}  // namespace

double bits_at_log_ratio(double log_ratio) {
  return 1 - entropy_at_log_ratio(log_ratio);
}

double jsd_of_masses(double p, double q) {
  if (p == 0 || q == 0) return (p + q) / 2;
  return (p + q) / 2 * bits_at_log_ratio(std::log(p / q));
}

void Moments::add(double value) {
  count += 1;
  const double change = value - mean;
  mean += change / count;
  squares += change * (value - mean);
}

void Moments::merge(const Moments& other) {
  if (other.count == 0) return;
  const double total = count + other.count;
  const double change = other.mean - mean;
  squares += other.squares + change * change * count * other.count / total;
  mean += change * other.count / total;
  count = total;
}

double Moments::variance_of_mean() const {
  return count < 2 ? std::numeric_limits<double>::quiet_NaN() : squares / (count - 1) / count;
}

Reference monte_carlo_reference(const Distribution& p, const Distribution& q, std::size_t columns,
                                double target) {
  constexpr std::size_t chunk_rows = 4096, chunks_per_round = 64, max_rounds = 64;
  Moments of_p, of_q;
  Reference result{.method = "monte carlo"};
  for (std::size_t round = 0; round < max_rounds; ++round) {
    std::vector<Moments> moments(2 * chunks_per_round);
    parallel_for(moments.size(), [&](std::size_t job) {
      RandomStream random = RandomStream(0).child("reference").child(round).child(job);
      RowBlock rows(chunk_rows, columns);
      std::vector<double> log_p(chunk_rows), log_q(chunk_rows);
      (job % 2 == 0 ? p : q).draw(random, rows);
      p.log_density(rows, log_p);
      q.log_density(rows, log_q);
      for (std::size_t i = 0; i < chunk_rows; ++i) moments[job].add(bits_at_log_ratio(log_p[i] - log_q[i]));
    });
    for (std::size_t job = 0; job < moments.size(); ++job) (job % 2 == 0 ? of_p : of_q).merge(moments[job]);
    result.jsd = (of_p.mean + of_q.mean) / 2;
    result.standard_error = std::sqrt(of_p.variance_of_mean() + of_q.variance_of_mean()) / 2;
    if (result.standard_error <= target) break;
  }
  return result;
}

double jsd_from_affinity(const std::function<std::complex<double>(double)>& affinity) {
  constexpr double period = 160, step = 0.25, last_frequency = 12;
  constexpr double frequency_step = 2 * std::numbers::pi / period;
  std::vector<double> weights;  // G on the grid 0, step, 2 step, …
  for (double l = 0; l <= period; l += step) weights.push_back(std::cosh(l / 2) * entropy_at_log_ratio(l));
  double integral = 0;
  for (int k = 0; k * frequency_step <= last_frequency; ++k) {
    const double t = k * frequency_step;
    double transform = weights[0] / 2;
    for (std::size_t i = 1; i < weights.size(); ++i) {
      transform += weights[i] * std::cos(t * step * static_cast<double>(i));
    }
    integral += (k == 0 ? 1 : 2) * (2 * step * transform) * affinity(t).real();
  }
  // Rounding leaves about 1e-16 on either side of 0 and 1.
  return std::clamp(1 - integral / period, 0.0, 1.0);
}

void BlockAffinity::add(double p_mass, double q_mass) {
  if (p_mass == 0 || q_mass == 0) return;
  geometric_means_.push_back(std::sqrt(p_mass) * std::sqrt(q_mass));
  log_ratios_.push_back(std::log(p_mass / q_mass));
}

std::complex<double> BlockAffinity::operator()(double t) const {
  double real = 0, imaginary = 0;
  for (std::size_t i = 0; i < log_ratios_.size(); ++i) {
    real += geometric_means_[i] * std::cos(t * log_ratios_[i]);
    imaginary += geometric_means_[i] * std::sin(t * log_ratios_[i]);
  }
  return {real, imaginary};
}

std::vector<Node> composite_gauss_legendre(std::vector<double> breaks, int order) {
  std::ranges::sort(breaks);
  const std::vector<Node> rule = gauss_legendre(order);
  std::vector<Node> nodes;
  nodes.reserve(breaks.size() * rule.size());
  for (std::size_t i = 0; i + 1 < breaks.size(); ++i) {
    const double half = (breaks[i + 1] - breaks[i]) / 2;
    if (half == 0) continue;
    for (const Node& node : rule) nodes.push_back({breaks[i] + half * (1 + node.x), half * node.weight});
  }
  return nodes;
}

std::vector<Node> trapezoidal_nodes(double low, double high, std::size_t count) {
  const double step = (high - low) / static_cast<double>(count);
  std::vector<Node> nodes(count);
  for (std::size_t i = 0; i < count; ++i) nodes[i] = {low + (static_cast<double>(i) + 0.5) * step, step};
  return nodes;
}

}  // namespace jsdiv::simulate_detail
