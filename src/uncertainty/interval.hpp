#pragma once

#include <optional>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// How far the truth may lie to either side of an estimate, as standard errors.
struct SideErrors {
  double below = 0;
  double above = 0;

  SideErrors(double both) : below(both), above(both) {}  // NOLINT(google-explicit-constructor): mostly equal
  SideErrors(double below_it, double above_it) : below(below_it), above(above_it) {}
};

/// Interval of a divergence in [0, 1]: estimate -+ normal quantile * standard error, cut to [0, 1]. The low
/// end is 0 also where the p-value is above 1 - level and so does not reject P = Q. Always holds the estimate
/// brought into [0, 1], and the interval of every lower level.
///
/// No `p_value` where the test ran out of permutations (PermutationTest::p_value_is_bound): the floor of
/// 0.001 does not say that P = Q is possible at a level of 0.9999.
///
/// Over JSD 0.01 … 0.99 and 50 … 5000 rows a side with the true log-ratio this covers 92 - 99.9 %. An
/// arcsine-root scale did no better (92 - 99.7 %), and a logit scale fell to 87 %.
Interval divergence_interval(double estimate, const SideErrors& errors, double level,
                             std::optional<double> p_value = std::nullopt);

}  // namespace jsdiv
