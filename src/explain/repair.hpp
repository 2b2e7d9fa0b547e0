#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Both tables with the distribution of each of `columns` repaired, that is, made the same. Values of a
/// column of numbers move to the pooled value of the same rank; values that recur in both tables, levels and
/// missing cells stay, and rows are weighted so that both tables have the pooled shares of each of them at
/// once (raking). A level that only one table has becomes a random one of the other table's.
Sample with_margins_repaired(const Sample& sample, std::span<const std::uint8_t> labels,
                             std::span<const std::size_t> columns, const RandomStream& random);

/// Tables that differ in nothing but the distributions of their columns: the first is half of the rows of
/// the table with that label, the second is the other half (of as many rows as the other table has), with
/// every column brought to the distribution it has in the other table, by the same means.
Sample with_dependence_repaired(const Sample& sample, std::span<const std::uint8_t> labels,
                                std::uint8_t label, const RandomStream& random);

/// Weights w of rows that bring the weighted shares of every column's cells to `targets`, as nearly as
/// raking gets: `cells[j]` is the cell of each row in column j. Starts from `weights`.
void rake(std::span<double> weights, std::span<const std::vector<std::uint32_t>> cells,
          std::span<const std::vector<double>> targets);

}  // namespace jsdiv
