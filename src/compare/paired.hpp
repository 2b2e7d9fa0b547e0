#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"

namespace jsdiv {

/// What is known about the errors of one candidate's estimate.
struct CandidateError {
  /// [rows of the reference] what each adds to the estimate's linearisation, mean 0. All candidates have the
  /// same rows.
  std::vector<double> reference_influence;
  double own_variance = 0;  ///< from the candidate's rows and from the halves of its training parts
  /// Standard error that all candidates share in proportion: where more is left unlearnt of one of them than
  /// was expected, then so it is of the others.
  double unlearnt = 0;
};

/// Covariance matrix of the candidates' estimates. `clusters` names the independent draw that each row of
/// the reference belongs to; empty: every row is one.
Eigen::MatrixXd estimate_covariance(std::span<const CandidateError> candidates,
                                    std::span<const std::uint32_t> clusters);

/// A difference: estimate[second] - estimate[first].
struct Contrast {
  std::size_t first = 0;
  std::size_t second = 0;
};

double contrast_standard_error(const Eigen::MatrixXd& covariance, const Contrast& contrast);

/// The number of standard errors within which all contrasts of normal estimates with this covariance lie at
/// once with probability `level`, by simulation; at least that of a single one.
double simultaneous_quantile(const Eigen::MatrixXd& covariance, std::span<const Contrast> contrasts,
                             double level, RandomStream random);

/// Which of several hypotheses are rejected if at most `rate` of the rejections may be false on average
/// (Benjamini & Hochberg 1995). NaN: not tested.
std::vector<bool> rejected(std::span<const double> p_values, double rate);

}  // namespace jsdiv
