#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/family.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

/// The rows that have any weight: one without has no part in a loss, but would be counted by quantiles, batch
/// norm and bootstraps.
std::vector<RowIndex> weighted_rows(const Problem& problem, Rows rows);

/// At most `limit` of `rows`, both classes in the proportion they have there and at least one row of each.
/// The choice does not depend on which class is P; the rows come back in ascending order where some were left
/// out.
std::vector<RowIndex> stratified_subsample(Rows rows, std::span<const std::uint8_t> labels, std::size_t limit,
                                           RandomStream random);

}  // namespace jsdiv
