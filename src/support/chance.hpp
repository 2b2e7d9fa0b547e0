#pragma once

#include <cstddef>

namespace jsdiv {

/// Bounds on how probable it is that chance alone did it, as natural logarithms. They hold for draws with and
/// without replacement (Hoeffding, "Probability inequalities for sums of bounded random variables", 1963,
/// theorems 1 and 4), so that no test needs a table of factorials.

/// log P(at least `successes` of `trials`), where the trials succeed with mean probability `probability`,
/// each with one of its own: -trials * KL(successes / trials || probability), and 0 up to the mean.
double log_upper_tail(double trials, double successes, double probability);

/// log P(chi-squared with `degrees` of freedom >= statistic), Chernoff's bound.
double log_chi_squared_tail(double degrees, double statistic);

/// A false finding anywhere in a table of that many columns shall be rarer than 1e-4: the log-probability
/// below which a single test speaks.
double log_significance(std::size_t columns);

}  // namespace jsdiv
