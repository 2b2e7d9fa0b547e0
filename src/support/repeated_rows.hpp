#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// Rows that agree in every cell (missing agrees with missing).
struct RepeatedRows {
  bool copies = false;                      ///< more rows are shared by P and Q than chance explains
  std::array<double, 2> copied_share{};     ///< of the rows of P (of Q) that the other table has too
  std::array<bool, 2> duplicates{};         ///< more rows are repeated within the table than chance explains
  std::array<double, 2> duplicate_share{};  ///< of the rows that repeat an earlier one of the same table
  RowsOfTables rows;                        ///< of P and Q; first occurrences only where `duplicates` says so
  RowsOfTables not_copied;  ///< those of `rows` that the other table lacks; empty without copies
  /// [rows of the sample] a number that equal rows share; empty unless there are copies or duplicates.
  std::vector<std::uint32_t> equal_rows;
};

/// Compares the given rows of P and Q. Sets of equal rows that chance makes are divided between the tables at
/// random. Copies are more mixed than that, in tables of which one at least is mostly of different rows;
/// duplicates are less mixed, which is asked only where rows do not recur by nature.
RepeatedRows find_repeated_rows(const Sample& sample, std::span<const ValueCodes> values, RowsOfTables rows,
                                double log_significance);

/// True where equal rows are to be expected because the columns hold few values: equal rows then say that a
/// combination is frequent, and not that rows were copied. Rows are copies if one numeric column of several
/// nearly identifies them: nine in ten different rows have a value of their own. Where rows are repeated
/// three times at most on average, they are copies also if only one column varies and nearly all of its
/// values have at least ten significant digits, or if no column identifies the rows, yet all together do:
/// three or more that vary, each with at most a quarter as many values as there are different rows. `first`
/// holds one row of each set of equal rows.
bool recur_by_nature(const Sample& sample, std::span<const ValueCodes> values, Rows first, std::size_t rows);

}  // namespace jsdiv
