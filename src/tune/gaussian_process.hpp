#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace jsdiv {

/// Gaussian process regression on a few hundred points of a unit cube: Matérn 5/2 kernel with one length
/// scale for each dimension, constant mean, noise (Rasmussen & Williams, "Gaussian processes for machine
/// learning", 2006). Mean and amplitude are profiled out; length scales and noise are fitted by maximum a
/// posteriori, from where the previous fit ended. Written for n near 50, where calls into BLAS and a general
/// optimiser cost more than the work.
class GaussianProcess {
 public:
  /// `is_choice`: dimensions in which two points are either equal or one apart.
  explicit GaussianProcess(std::vector<bool> is_choice);

  std::size_t size() const { return count_; }
  void add_point(std::span<const double> point);

  /// Conditions on one target for each point; targets should have mean 0 and variance near 1. `refit` first
  /// moves the hyper-parameters.
  void condition(std::span<const double> targets, bool refit);

  /// Mean and standard deviation of the function (without noise) at `count` candidates, column-major:
  /// [dimensions][count].
  void predict(std::span<const double> candidates, std::size_t count, std::span<double> mean,
               std::span<double> deviation) const;

  /// Of the targets: the log marginal likelihood plus the log prior of the hyper-parameters (the logarithms
  /// of the length scales, then of the noise), up to a constant; `gradient` receives its derivatives.
  /// Conditions on them.
  double log_posterior(std::span<const double> log_parameters, std::span<const double> targets,
                       std::span<double> gradient);

  std::span<const double> log_parameters() const { return log_parameters_; }

 private:
  std::size_t dimensions() const { return is_choice_.size(); }
  void set_parameters(std::span<const double> log_parameters);
  void factorise();
  void solve(std::span<const double> targets);
  void compute_precision();
  void climb(std::span<const double> targets, int steps);

  std::vector<bool> is_choice_;
  std::size_t count_ = 0;
  std::vector<std::vector<double>> points_;  ///< [dimensions][points]
  std::vector<std::vector<double>>
      distances_;  ///< [dimensions][pairs] squared; pair (a, b < a) at a(a - 1)/2 + b

  std::vector<double> log_parameters_;  ///< the length scales, then the noise
  std::vector<double> climb_steps_;     ///< kept from fit to fit
  std::vector<double> inverse_lengths2_;
  double noise_ = 0;

  // Matrices of [points, points] are symmetric or lower triangular and packed by rows.
  std::size_t factored_ = 0;   ///< rows of the factor that belong to the present hyper-parameters
  std::vector<double> slope_;  ///< [pairs] derivative of the kernel by a log length, over the scaled distance
  std::vector<double> factor_;     ///< Cholesky factor of kernel + noise
  std::vector<double> inverse_;    ///< of the factor
  std::vector<double> precision_;  ///< inverse of kernel + noise
  std::vector<double> alpha_;      ///< precision * (targets - mean)
  double mean_ = 0;
  double amplitude2_ = 1;
};

}  // namespace jsdiv
