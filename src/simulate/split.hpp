#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/simulate.hpp"
#include "simulate/log_ratio.hpp"

namespace jsdiv::simulate_detail {

/// Rows of a base table that are given to P with probability σ(strength · g + offset), else to Q. These are
/// the posteriors at equal priors, as the offset makes P and Q equally likely, and so
///     JSD = mean over the base of 1 − H(σ(strength · g + offset)),
/// without any density.
struct KnownPosterior {
  double strength = 0;
  double offset = 0;
  double jsd = 0;
  std::vector<double> log_odds;  ///< of each row of the base
};

/// The offset that gives mean σ(log_ratio + offset) = share_p, by bisection with Newton's steps.
double balancing_offset(std::span<const double> log_ratio, double share_p = 0.5);

/// The strength at which `jsd_at`, which rises from 0, is the wanted JSD, by bisection. Where it does not
/// rise so far (too many rows share one value of g), the highest strength that is tried.
double strength_with_jsd(const std::function<double(double strength)>& jsd_at, double wanted);

/// With the strength that reaches the wanted JSD. Where none does, the posterior of the highest JSD there is.
KnownPosterior posterior_with_jsd(std::span<const double> log_ratio, double wanted);

/// Rows of a table as a table of their own, in the order given.
Table table_of_rows(const Table& base, std::span<const std::size_t> rows);

/// Draws the tables. Throws InvalidInput if fewer rows fall to a table than are asked for.
struct SplitSizes {
  std::optional<std::size_t> n, n_q;  ///< by default every row that falls to the table
};
Simulation draw_split(const Table& base, const KnownPosterior& posterior, const SplitSizes& sizes,
                      const RandomStream& random);

// The scenarios.
Simulation split_pair(const SimulateOptions& options);
Simulation random_pair(const SimulateOptions& options);

}  // namespace jsdiv::simulate_detail
