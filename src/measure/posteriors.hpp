#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jsdiv {

/// Numbers read off a classifier's posteriors D(x) = P(row of P | x) on held-out rows. Spans are [rows];
/// labels are 1 for rows of P and 0 for rows of Q; empty weights mean that every row counts 1. Throws
/// InvalidInput if the rows of one table have no weight.

/// The estimate at equal priors and what it is made of.
struct JsdEstimate {
  double raw = 0;             ///< bits; below 0 where the classifier does worse than chance
  double standard_error = 0;  ///< NaN if a table has fewer than two rows
  /// Each row's log2(2D) or log2(2(1 - D)), in bits; raw is half the weighted mean over P plus half that over
  /// Q.
  std::vector<double> terms;
};

/// The posterior at equal priors of a classifier trained with prior_ratio = (weight of Q) / (weight of P):
/// rD / (1 + (r - 1) D), so that its log-odds grow by log r. To be applied after calibration, before
/// clipping.
double correct_prior(double posterior, double prior_ratio);

/// Into [epsilon, 1 - epsilon].
double clip_posterior(double posterior, double epsilon);

/// 1/2 mean over P of log2(2D) + 1/2 mean over Q of log2(2(1 - D)), from posteriors in (0, 1) at equal
/// priors. The two means are independent, so that their variances add; with weights each is a ratio
/// estimator, linearised about itself.
JsdEstimate jsd_from_posteriors(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                                std::span<const double> weights = {});

/// The chance that a row of P scores higher than a row of Q, ties counting half (Mann-Whitney).
double auc(std::span<const double> scores, std::span<const std::uint8_t> labels,
           std::span<const double> weights = {});

/// Share of rows on the right side of D = 1/2, each table counting half, D = 1/2 itself counting half.
double accuracy(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                std::span<const double> weights = {});

/// Weighted mean of -log of the posterior of the row's own table, in nats; posteriors in (0, 1).
double log_loss(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                std::span<const double> weights = {});

}  // namespace jsdiv
