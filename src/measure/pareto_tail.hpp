#pragma once

#include <cstddef>
#include <span>

namespace jsdiv {

/// A generalised Pareto distribution of exceedances: P(X > x) = (1 + shape x / scale)^(-1 / shape).
struct GeneralisedPareto {
  double shape = 0;
  double scale = 0;
};

/// The empirical Bayes fit of Zhang & Stephens (Technometrics 51, 2009) to exceedances above 0, in ascending
/// order; their k is -shape. At least 5 of them, the largest above 0.
GeneralisedPareto fit_generalised_pareto(std::span<const double> ascending);

/// The shape of the tail of non-negative values whose mean is asked for, as in Pareto smoothed importance
/// sampling (Vehtari et al., JMLR 25, 2024): fitted to the min(n / 5, 3 sqrt(n)) largest, drawn towards 1/2
/// as if 10 more had been seen. Infinite if these are fewer than 5; minus infinity if they are all equal, so
/// that there is no tail.
double tail_shape(std::span<const double> values);

/// The largest tail shape at which the mean of n values can be trusted: min(0.7, 1 - 1 / log10(n)).
double largest_trusted_shape(std::size_t count);

}  // namespace jsdiv
