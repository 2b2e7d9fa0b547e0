#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "measure/held_out.hpp"

namespace jsdiv {

/// Posteriors of the bound are clipped to [eta, 1 - eta]: a wider range would make the bound useless, a
/// narrower one loses what a sure classifier knows.
inline constexpr std::array<double, 2> default_clips = {0.01, 0.05};

/// A number that the divergence is not below, with probability `level`, whatever the classifier.
///
/// The expected held-out value of a frozen classifier is at most the divergence. In each fold the model is
/// frozen and the held-out rows (clusters, under groups) are independent, so that the empirical Bernstein
/// inequality of Maurer & Pontil (COLT 2009, theorem 11: independent variables, not necessarily of one law)
/// bounds that expectation from below:  mean - sqrt(2 V L / m) - 7 R L / (3 (m - 1)),  L = log(2 / delta),
/// over the m clusters of the fold, both tables in one sum, so that the classes need not share alpha. V is
/// the sample variance and R the range of m * (what the cluster adds to 1/2 mean over P + 1/2 mean over Q).
/// delta = (1 - level) / (folds * clips): all folds' bounds at all clips hold at once, and the highest is
/// returned, or 0.
///
/// Weights and cluster sizes are taken as given: the bound is for the weighted means with these weights, and
/// assumes that a row's term does not depend on the size of its cluster. Unequal weights widen R. A fold with
/// fewer than two clusters, or without a row of one table, bounds nothing.
///
/// `clips` may be a single eta that was chosen on training rows. Spans are [rows]; `folds` holds each row's
/// fold.
double divergence_lower_bound(std::span<const double> log_odds, const HeldOutRows& rows,
                              std::span<const std::uint32_t> folds, double level,
                              std::span<const double> clips = default_clips);

/// The bound of Maurer & Pontil on the mean of independent variables in an interval of length `range`, each
/// row's value given; holds with probability 1 - delta. At least two values.
double empirical_bernstein_lower(std::span<const double> values, double range, double delta);

}  // namespace jsdiv
