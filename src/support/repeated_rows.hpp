#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Rows that agree in every cell (missing agrees with missing).
struct RepeatedRows {
  bool copies = false;                      ///< more rows are shared by P and Q than chance explains
  std::array<double, 2> copied_share{};     ///< of the rows of P (of Q) that the other table has too
  std::array<bool, 2> duplicates{};         ///< more rows are repeated within the table than chance explains
  std::array<double, 2> duplicate_share{};  ///< of the rows that repeat an earlier one of the same table
  std::array<std::vector<RowIndex>, 2>
      rows;  ///< of P and Q; first occurrences only where `duplicates` says so
};

/// Compares the given rows of P and Q. Where rows recur by nature (few columns of few values), a set of c
/// equal rows is divided between the tables at random; copies are more mixed than that, duplicates less. No
/// duplicates are found in a table of which most rows are repeated, and no copies if both are like that.
RepeatedRows find_repeated_rows(const Sample& sample, std::array<std::vector<RowIndex>, 2> rows,
                                double log_significance);

}  // namespace jsdiv
