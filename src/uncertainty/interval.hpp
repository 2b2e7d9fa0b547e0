#pragma once

#include <optional>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// Below this many standard errors above 0 (or short of 1) an estimate is not told from it: one-sided 5 %.
inline constexpr double one_sided_5_percent = 1.6448536269514722;

/// How far the truth may lie to either side of an estimate, as standard errors.
struct SideErrors {
  double below = 0;
  double above = 0;

  SideErrors(double both) : below(both), above(both) {}  // NOLINT(google-explicit-constructor): mostly equal
  SideErrors(double below_it, double above_it) : below(below_it), above(above_it) {}
};

/// Interval of a divergence in [0, 1]: estimate -+ normal quantile * standard error, cut to [0, 1]. The low
/// end is 0 where the estimate is less than 1.64 standard errors above 0 or the test of P = Q has a p-value
/// above 0.05, the high end 1 where the estimate is less than 1.64 standard errors below 1. The other end
/// keeps the quantile of the two-sided interval: choosing the side by the data would otherwise cost 2.5 %.
/// Always holds the estimate brought into [0, 1].
///
/// Over JSD 0.01 … 0.99 and 50 … 5000 rows a side with the true log-ratio this covers 92 - 99.9 %. An
/// arcsine-root scale did no better (92 - 99.7 %), and a logit scale fell to 87 %.
Interval divergence_interval(double estimate, const SideErrors& errors, double level,
                             std::optional<double> p_value = std::nullopt);

}  // namespace jsdiv
