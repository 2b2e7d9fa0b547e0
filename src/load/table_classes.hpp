#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/cell.hpp"
#include "load/reconcile.hpp"
#include "load/schema.hpp"

namespace jsdiv {

/// For tables that come typed (from memory, from Parquet): what decide_types asks about them.

/// Drops the columns that the plan leaves out and puts the rest in its order.
void keep_planned_columns(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index);

/// The classes that the cells of each planned column would have as text. Levels of a category are text,
/// unless the user ordered numbers. The table holds the planned columns only.
std::vector<CellClasses> table_classes(const Table& table, std::span<const PlannedColumn> plan,
                                       std::size_t table_index);

/// A planned column of the table, for reconcile_columns.
ColumnPart table_part(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index,
                      std::size_t planned);

/// Gives the planned column, whose values are no codes any more, the type of these classes.
void set_type(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index, std::size_t planned,
              CellClasses classes);

FoundCell find_table_cell(const Table& table, std::span<const PlannedColumn> plan, std::size_t table_index,
                          std::size_t planned, CellClasses classes);

}  // namespace jsdiv
