#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/cell.hpp"
#include "load/schema.hpp"
#include "load/written_number.hpp"

namespace jsdiv {

/// One table's part of a column, before the type of the column is decided.
struct ColumnPart {
  std::string label;                           ///< how messages call the table
  CellClasses classes = 0;                     ///< of its cells
  std::vector<double>* values = nullptr;       ///< null where the table lacks the column
  std::vector<std::string>* levels = nullptr;  ///< of a part that was kept as text; null for any other
  bool may_adopt = false;  ///< text of a typed table: it takes the type of the other tables if it can
  NumberMark decimal_if_open = NumberMark::point;  ///< where no cell says which mark is which
};

/// Brings the parts of each column to one type where they say the same in other words: numbers as people
/// write them become numbers, 0 and 1 beside true and false become booleans, and text in memory takes the
/// type of the other tables where all of it can. Columns that the user ordered as text stay as they are.
///
/// `part_of(table, planned)` gives the parts, `classes[table][planned]` their classes, which follow;
/// `changed(table, planned)` is called for each part whose values are no codes of text any more. Leaves a
/// note about the numbers. Throws InvalidInput where the parts of a column have different units.
void reconcile_columns(std::span<const PlannedColumn> plan, std::span<const TableHeader> tables,
                       std::vector<std::vector<CellClasses>>& classes,
                       const std::function<ColumnPart(std::size_t, std::size_t)>& part_of,
                       const std::function<void(std::size_t, std::size_t)>& changed,
                       std::vector<Warning>& warnings);

}  // namespace jsdiv
