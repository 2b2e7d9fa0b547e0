#pragma once

#include <cstddef>
#include <span>

#include "jsdiv/table.hpp"
#include "support/support.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// Rows of both tables that a cell of a grid shall hold, so that what is learnt of it is more than memory.
inline constexpr double rows_of_a_cell = 10;

/// The sample without what its rows do not resolve: in every numeric column on a grid, neighbouring grid
/// cells are merged until each holds at least `rows_of_a_cell` rows of a training part, which is
/// `training_share` of all rows; each value becomes the middle one of its cell. Looks at no label, and keeps
/// the order of values. Columns without a grid, times, whose hours and days have a meaning of their own, and
/// columns that determine each other in one of the tables, according to the findings, stay as they are.
Sample merge_fine_cells(const Sample& sample, std::span<const ValueCodes> values, double training_share,
                        std::span<const SupportFinding> findings = {});

}  // namespace jsdiv
