#pragma once

#include <map>
#include <span>
#include <string>
#include <utility>

#include "bench/run.hpp"

namespace jsdiv::bench {

/// Mean and standard deviation (n - 1 in the denominator; none for a single value).
struct Spread {
  double mean = 0;
  Maybe sd;
};
Spread spread_of(std::span<const double> values);

/// What the seeds of one estimator in one setting say together. Errors are times 100.
struct Cell {
  std::size_t seeds = 0;
  Spread estimate;
  double seconds = 0;
  std::optional<Spread> error;  ///< mean over the seeds of |estimate - truth|; none without a truth
  Maybe error_of_mean;          ///< |mean estimate - mean truth|: a smaller number that some tables print
  Maybe oracle_error;           ///< of the plug-in that knows the densities, on all rows of the same draws
  Maybe reference;              ///< mean truth; `dimension` draws a new one for each seed
  Maybe harmonised_jsd;
};

/// By setting (index) and estimator.
using Cells = std::map<std::pair<std::size_t, std::string>, Cell>;
Cells aggregate(const Plan& plan, const JobResults& results);

}  // namespace jsdiv::bench
