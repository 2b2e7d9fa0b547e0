#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "explain/explained_tables.hpp"

namespace jsdiv {

/// Tables of `rows` rows each with these columns (first table's rows, then the second's), and log-odds 0.
inline ExplainedTables drawn_tables(std::vector<Column> columns, std::size_t rows) {
  ExplainedTables tables;
  tables.sample.columns = std::move(columns);
  tables.sample.table_rows = {rows, rows};
  tables.labels = tables.sample.labels();
  tables.log_odds.assign(2 * rows, 0);
  tables.bits.assign(2 * rows, 0);
  return tables;
}

}  // namespace jsdiv
