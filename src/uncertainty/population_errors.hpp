#pragma once

#include "uncertainty/interval.hpp"

namespace jsdiv {

/// What a run knows of how far its estimate may lie from the truth.
struct RunFacts {
  double estimate = 0;        ///< in [0, 1]
  double row_error = 0;       ///< standard error of J(n) over the rows
  double step = 0;            ///< J(n) - J(n / 2)
  bool extrapolated = false;  ///< whether the estimate is the limit of the learning curve
  double training_rows = 0;   ///< of the smaller table
  double columns = 0;
};

/// The errors with which divergence_interval holds the truth for 95 % of the pairs of a stated population
/// (docs/population.md) that look like this one:
///     above² = row_error² + (a · U)²,  U² = (weight · step)² + ((1 − estimate) · c)²,
///     below² = row_error² + (b · V)²,  V² = step² + (estimate · c)²   (b = 0 without extrapolation),
/// with c = 1 / (1 + training_rows / (kappa · columns^alpha)), the part of what is to be learnt of so many
/// columns that so many rows leave open. The numbers are those of population_model.hpp, for estimates with
/// and without extrapolation apart. As the rows grow, the step and c fall like 1/rows and the row error
/// remains.
SideErrors population_errors(const RunFacts& facts);

/// With how many training rows of the smaller table what these columns leave unlearnt extends the interval's
/// upper end by no more than `reach`, if the estimate stays what it is: 0 if that is so with any number.
double rows_to_settle(const RunFacts& facts, double reach, double level);

}  // namespace jsdiv
