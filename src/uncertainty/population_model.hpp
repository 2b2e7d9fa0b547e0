#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace jsdiv {

/// Where a pair lies among the others: root of J(n), root of the step as a part of what is left, log of the
/// training rows, log of the columns, J(n) in row errors.
using PopulationPlace = std::array<double, 5>;

/// A pair of the population (docs/population.md) whose truth is known.
struct PopulationPair {
  PopulationPlace place;
  double residual;  ///< truth minus first guess, in units
};

/// What pairs with a known truth teach about others; population_estimate.hpp says how it is used.
struct PopulationModel {
  double kappa = 0, alpha = 0;    ///< of the part that so many rows leave unlearnt of so many columns
  std::array<double, 3> guess{};  ///< of the step, the unlearnt part and the row error
  PopulationPlace scales{};       ///< of the places' coordinates
  std::size_t neighbours = 0;     ///< pairs that are looked at
  double widen_below = 1,
         widen_above = 1;                 ///< of the quantiles' distances from the median, for unknown kinds
  std::span<const PopulationPair> pairs;  ///< more than `neighbours`
};

/// The one that benchmarks/population/fit.py made.
const PopulationModel& population_model();

}  // namespace jsdiv
