#pragma once

#include <complex>
#include <functional>
#include <span>
#include <vector>

#include "simulate/distribution.hpp"

namespace jsdiv::simulate_detail {

/// The Jensen-Shannon divergence of known densities. With the log-ratio L = log(p/q) and H the binary entropy
/// in bits,
///     JSD = ∫ (p+q)/2 · (1 − H(σ(L))),
/// whose integrand is bounded; every method below starts from this form.

/// 1 − H(σ(L)): how many bits a row with this log-ratio tells about the table it came from.
double bits_at_log_ratio(double log_ratio);

/// What a point (a cell, a node) with masses p and q (density times quadrature weight) adds to the JSD.
double jsd_of_masses(double p, double q);

/// Mean and sum of squared deviations, merged in a fixed order (Chan, Golub & LeVeque, 1983).
struct Moments {
  double count = 0, mean = 0, squares = 0;

  void add(double value);
  void merge(const Moments& other);
  /// Variance of the mean; NaN for fewer than two values.
  double variance_of_mean() const;
};

/// Draws from both until the standard error is at most `target`. The stream does not depend on the user's
/// seed, so that the truth of a scenario is the same for every draw of it.
Reference monte_carlo_reference(const Distribution& p, const Distribution& q, std::size_t columns,
                                double target = 2e-4);

/// JSD from the affinity ψ(t) = ∫ p^(1/2 + it) q^(1/2 − it). Because p + q = 2 √(pq) cosh(L/2),
///     JSD = 1 − ∫ √(pq) G(L),  G(l) = cosh(l/2) H(σ(l)),
/// and Fourier inversion of G turns the integral over rows into one over t, whatever the number of columns:
///     JSD = 1 − 1/(2π) ∫ Ĝ(t) ψ(t) dt.
/// ψ is known for Gaussians and factorises over independent blocks. Regions that one table never visits add
/// nothing to ψ, so p and q may be sub-densities on their common support. Accurate to about 1e-14: G is
/// analytic within |Im l| < π, so Ĝ falls like exp(−π|t|), and the trapezoidal rule with a period of T in l
/// errs by less than 2 exp(−T/4).
double jsd_from_affinity(const std::function<std::complex<double>(double)>& affinity);

/// The affinity of one block whose masses were put on points by a quadrature rule.
class BlockAffinity {
 public:
  void add(double p_mass, double q_mass);
  std::complex<double> operator()(double t) const;

 private:
  std::vector<double> geometric_means_, log_ratios_;
};

struct Node {
  double x, weight;
};

/// Gauss-Legendre with `order` nodes between each two neighbours of `breaks`, which need not be sorted.
std::vector<Node> composite_gauss_legendre(std::vector<double> breaks, int order);

/// Equally spaced nodes over [low, high]: for analytic integrands that vanish at both ends, or over a period.
std::vector<Node> trapezoidal_nodes(double low, double high, std::size_t count);

}  // namespace jsdiv::simulate_detail
