#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace jsdiv {

/// Rows of each table and features, which decide what the recommended estimator holds in memory.
struct TableSizes {
  std::size_t rows_p = 0;
  std::size_t rows_q = 0;
  std::size_t columns = 0;
  std::size_t threads = 1;

  double rows() const { return static_cast<double>(rows_p) + static_cast<double>(rows_q); }
  /// With at most so many rows of each table.
  TableSizes within(std::size_t most_rows) const;
};

/// What the recommended estimator is taken to need, in bytes: while tables are read and their columns are
/// compared one by one; then for the rows that are used, and for each fold that is worked on at a time.
double bytes_of_tables(const TableSizes& sizes);
double bytes_of_rows(const TableSizes& sizes);
double bytes_of_fold(const TableSizes& sizes);

/// How to keep within a limit.
struct MemoryPlan {
  std::optional<std::size_t> most_rows;  ///< of each table; none: all
  std::size_t folds_at_once = 0;         ///< 0: as many as there are
};

/// The plan for tables that are in memory already. `limit` is the option `memory`; empty: no plan. Throws
/// InvalidInput, with what it would take, where a thousand rows of each table do not fit.
MemoryPlan plan_memory(const TableSizes& sizes, const std::string& limit);

}  // namespace jsdiv
