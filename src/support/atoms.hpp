#pragma once

#include <array>
#include <cstddef>

#include "support/value_counts.hpp"

namespace jsdiv {

/// What one table's recurring values, and its single ones, say about the other table.
struct OneSidedValues {
  double rows = 0;         ///< rows at values that the other table lacks, beyond what chance explains
  std::size_t values = 0;  ///< number of values, each held by more than one row, that only this table has
  bool more_singles =
      false;  ///< holds significantly more values of a single row: the other table is nearer to discrete
  bool significant = false;
};

/// If the tables were alike near a value, each of its rows would lie in P with P's share of the rows there,
/// so that a value of c rows is P's alone with probability share^c. Three tests for each table: a single
/// value that is too frequent for that; too many such values; too many of the values that occur only once.
std::array<OneSidedValues, 2> one_sided_values(const ValueCounts& counts, bool ordered,
                                               double log_significance);

/// Where rows were copied from one table to the other, their values are no longer single, and the copying
/// decides in which table there are more such: single values are then those of the rows that were not.
std::array<OneSidedValues, 2> one_sided_values(const ValueCounts& counts, const ValueCounts& not_copied,
                                               bool ordered, double log_significance);

/// True if recurring values are more frequent in one table than chance and their neighbours explain:
/// chi-squared over the values that are expected at least five times in either table, the others taken
/// together.
bool frequencies_differ(const ValueCounts& counts, bool ordered, double log_significance);

}  // namespace jsdiv
