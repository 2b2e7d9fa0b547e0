#pragma once

#include <vector>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// Where between 0 and the largest wanted divergence the refits of one source lie: the first at the observed
/// estimate, then both ends, then ever finer between them, so that more refits keep those that are there.
/// `observed` and `high` are of the estimate and of its interval.
double wanted_divergence(std::size_t refit, double observed, double high);

/// The refits of each source together; sources without refits are left out.
std::vector<SelfCheckSource> summarise_refits(const std::vector<SelfCheckRefit>& refits, double observed);

/// Says that the interval misses more known answers than its level allows, if it does.
void warn_of_misses(const std::vector<SelfCheckRefit>& refits, std::vector<Warning>& warnings);

}  // namespace jsdiv
