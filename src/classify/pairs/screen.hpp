#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "jsdiv/family.hpp"

namespace jsdiv::pairs {

using Pair = std::pair<std::size_t, std::size_t>;

/// The pairs of features whose joint distribution differs between P and Q by more than their two marginals
/// do, the most telling first. The rows are counted in a table of up to 8 × 8 quantile cells;
/// a pair counts by Pearson's two-sample statistic of its table less those of the marginals, and has to
/// exceed what chance gives by 4 standard deviations. With many rows or features a regular part of them is
/// looked at.
std::vector<Pair> telling_pairs(const Problem& problem, Rows rows);

}  // namespace jsdiv::pairs
