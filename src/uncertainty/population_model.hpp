#pragma once

namespace jsdiv {

/// Made by benchmarks/population/fit.py from pairs of the population (docs/population.md), 60 of them
/// extrapolated and 161 not; do not edit.
struct PopulationModel {
  double kappa, alpha, weight;  ///< of the units, see population.hpp
  double above, below;          ///< how many of them
};

inline constexpr PopulationModel population_extrapolated = {
    .kappa = 0.5, .alpha = 1, .weight = 0.25, .above = 3.151, .below = 0.8412};
inline constexpr PopulationModel population_not_extrapolated = {
    .kappa = 8, .alpha = 1, .weight = 4, .above = 0.4722, .below = 0};

}  // namespace jsdiv
