#pragma once

#include "uncertainty/interval.hpp"
#include "uncertainty/population_model.hpp"

namespace jsdiv {

/// What a run knows of how far J(n) may lie from the truth.
struct RunFacts {
  double held_out = 0;       ///< J(n)
  double half = 0;           ///< J(n / 2)
  double row_error = 0;      ///< standard error of J(n) over the rows
  double training_rows = 0;  ///< n: of the smaller table
  double columns = 0;
};

/// Where the truth lies of pairs of a stated population (docs/population.md) that look like this one.
struct PopulationEstimate {
  double value = 0;   ///< in [0, 1], at least J(n)
  SideErrors errors;  ///< with which divergence_interval holds the truth of 95 % of such pairs
  double per_value = 1, per_step = 0;  ///< by how much the value rises with J(n), and with the step
};

/// With J = J(n) in [0, 1], step = J(n) - J(n / 2) if positive, and c = (1 - J) / (1 + n / (kappa
/// columns^alpha)), the part that so many rows may leave unlearnt:
///     first guess = J + share * (guess . (step, c, row_error)),  unit² = row_error² + step² + c².
/// Median and both ends of the middle 95 % of (truth - first guess) / unit among the nearest pairs, nearer
/// ones counting more, give the value and its errors; beyond the median they are widened for kinds of pairs
/// that the population lacks. `share` rises from 0 to 1 while J goes from 0.5 to 1.5 row errors, so that
/// equal tables give 0; where it is 0, so is the lower end, and the upper one is the quantile at 95 %. With
/// more rows, step and c fall like 1 / n and the row error remains.
PopulationEstimate population_estimate(const RunFacts& facts,
                                       const PopulationModel& model = population_model());

/// With how many training rows of the smaller table the interval would reach no farther above the estimate
/// than `reach`, if the estimate stays what it is, its step falls like 1 / n and its row error like 1 / √n.
double rows_to_settle(RunFacts facts, double reach, double level);

}  // namespace jsdiv
