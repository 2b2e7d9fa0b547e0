#pragma once

#include <set>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"
#include "tune/gaussian_process.hpp"
#include "tune/unit_space.hpp"

namespace jsdiv {

/// Expected amount by which a normal variable falls below `best` (Jones, Schonlau & Welch, "Efficient global
/// optimization of expensive black-box functions", 1998).
double expected_improvement(double mean, double deviation, double best);

/// Losses as the model sees them, with mean 0 and variance 1. Failures (not finite) count as the worst finite
/// loss, and losses far beyond the usual ones are cut, so that one disaster does not flatten the rest. Ranks
/// and logarithms in place of the losses made the search worse on most objectives of benchmarks/tune.
std::vector<double> model_targets(std::span<const double> losses);

/// The candidate with the largest expected improvement over the lowest target. `candidates` must not be
/// empty.
const UnitPoint& most_promising(const GaussianProcess& model, std::span<const UnitPoint> candidates,
                                double best);

/// The most promising point that is not in `seen`, among random ones and ones near the best of those tried,
/// refined in a fixed number of rounds. An empty point if every candidate was seen.
UnitPoint next_point(const UnitSpace& space, const GaussianProcess& model, std::span<const UnitPoint> tried,
                     std::span<const double> targets, const std::set<UnitPoint>& seen, RandomStream& random);

}  // namespace jsdiv
