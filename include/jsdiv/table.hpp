#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

enum class ColumnType { number, integer, boolean, category, datetime };

std::string_view to_string(ColumnType type);

/// One column of a table. Every type shares one representation, so that each stage needs one loop:
/// numbers and integers hold their value, booleans 0 or 1, date-times seconds since 1970-01-01 UTC,
/// categories the index into `levels`. A missing cell is NaN.
struct Column {
  std::string name;
  ColumnType type = ColumnType::number;
  std::vector<double> values;
  std::vector<std::string> levels;  ///< categories only; sorted, no duplicates
};

/// A table: columns of equal length.
struct Table {
  std::vector<Column> columns;
  std::size_t rows = 0;
  std::string source;  ///< the path it was read from, as the user gave it; empty for a table made in memory
  std::string sha256;  ///< of the file's bytes, or of the values for a table made in memory

  /// The column of that name, or nullptr.
  const Column* find(std::string_view name) const;
};

/// Rows of P, then of Q, then of any further table, in one set of columns. All stages after loading address
/// rows by their index here, so that folds, halves and splits are spans of indices and never copies.
struct Sample {
  std::vector<Column> columns;
  std::vector<std::size_t> table_rows;    ///< rows of each table, in order
  std::vector<std::string> group_labels;  ///< names of the groups; empty without --group
  std::vector<std::uint32_t> groups;      ///< group of each row; empty without --group
  std::vector<double> weights;            ///< weight of each row; empty: every row counts 1

  std::size_t rows() const;
  std::size_t rows_p() const { return table_rows.at(0); }
  std::size_t rows_q() const { return table_rows.at(1); }
  /// 1 for rows of P, 0 for rows of Q and of any further table.
  std::vector<std::uint8_t> labels() const;
};

/// A message to the user about something that did not stop the run. `code` is stable, for programs.
struct Warning {
  std::string code;
  std::string message;
};

}  // namespace jsdiv
