#pragma once

#include <optional>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// Below this many standard errors above 0 (or short of 1) an estimate is not told from it: one-sided 5 %.
inline constexpr double one_sided_5_percent = 1.6448536269514722;

/// Interval of a divergence in [0, 1]: estimate -+ normal quantile * standard error, cut to [0, 1]. The low
/// end is 0 where the estimate is less than 1.64 standard errors above 0 or the test of P = Q has a p-value
/// above 0.05, the high end 1 where the estimate is less than 1.64 standard errors below 1. The other end
/// keeps the quantile of the two-sided interval: choosing the side by the data would otherwise cost 2.5 %.
/// Always holds the estimate brought into [0, 1].
///
/// Over JSD 0.01 … 0.99 and 50 … 5000 rows a side with the true log-ratio this covers 92 - 99.9 %. An
/// arcsine-root scale did no better (92 - 99.7 %), and a logit scale fell to 87 %.
Interval divergence_interval(double estimate, double standard_error, double level,
                             std::optional<double> p_value = std::nullopt);

}  // namespace jsdiv
