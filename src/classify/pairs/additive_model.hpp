#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "classify/pairs/hats.hpp"
#include "classify/pairs/screen.hpp"

namespace jsdiv::pairs {

/// f(x) = intercept + Σ f_ab(x_a, x_b) over the pairs + Σ f_j(x_j) over the features that are in no pair,
/// each part a combination of hats or of products of two hats. A row touches at most two coefficients of a
/// feature and four of a pair, so that a sweep costs the same however many knots there are.
class AdditiveModel {
 public:
  AdditiveModel(std::vector<Hats> hats, std::vector<Pair> pairs);

  std::size_t size() const { return size_; }  ///< coefficients; the first is the intercept
  const std::vector<Hats>& hats() const { return hats_; }
  const std::vector<Pair>& pairs() const { return pairs_; }

  /// out[i] = f of row i.
  void apply(std::span<const Places> places, std::span<const double> coefficients,
             std::span<double> out) const;
  /// out[k] = Σ_i residuals[i] · (part of coefficient k in row i).
  void transpose(std::span<const Places> places, std::span<const double> residuals,
                 std::span<double> out) const;
  /// out[k] = Σ_i residuals[i] · (part of coefficient k in row i)².
  void transpose_squares(std::span<const Places> places, std::span<const double> residuals,
                         std::span<double> out) const;

 private:
  template <typename Power>
  void transpose_with(const Power& power, std::span<const Places> places, std::span<const double> residuals,
                      std::span<double> out) const;

  std::vector<Hats> hats_;
  std::vector<Pair> pairs_;
  std::vector<std::size_t> singles_;  ///< features with a part of their own
  std::vector<std::size_t> single_offset_;
  std::vector<std::size_t> pair_offset_;
  std::size_t size_ = 1;
};

/// The rows of a fit. Signs are 1 for P and -1 for Q.
struct Target {
  std::vector<double> signs;
  std::vector<double> weights;
};

/// Minimises ½|β|² + C Σ weight · log(1 + exp(-sign · f)), the intercept free, from `coefficients` on, by
/// Newton's method with conjugate gradients, scaled by the diagonal of the curvature, until the gradient has
/// fallen to `tolerance` of that at 0.
void fit_ridge(const AdditiveModel& model, std::span<const Places> places, const Target& target, double c,
               double tolerance, std::span<double> coefficients);

}  // namespace jsdiv::pairs
