#include "load/table_classes.hpp"

#include <cmath>
#include <utility>

#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

CellClass class_of(const Column& column, double value, bool levels_may_be_numbers) {
  if (std::isnan(value)) return CellClass::missing;
  switch (column.type) {
    case ColumnType::boolean:
      return levels_may_be_numbers ? CellClass::number : CellClass::boolean;
    case ColumnType::datetime:
      return levels_may_be_numbers ? CellClass::number : CellClass::date;
    case ColumnType::category: {
      if (!levels_may_be_numbers) return CellClass::text;
      return classify(column.levels[static_cast<std::size_t>(value)]);
    }
    default:
      return std::isinf(value) ? CellClass::infinite : CellClass::number;
  }
}

std::string text_of(const Column& column, double value) {
  switch (column.type) {
    case ColumnType::boolean:
      return value != 0 ? "true" : "false";
    case ColumnType::datetime:
      return format_datetime(value);
    case ColumnType::category:
      return column.levels[static_cast<std::size_t>(value)];
    default:
      return format_number(value);
  }
}

/// Where the planned column stands in a table that holds only planned columns.
std::size_t kept_index(std::span<const PlannedColumn> plan, std::size_t table_index, std::size_t planned) {
  std::size_t index = 0;
  for (std::size_t j = 0; j < planned; ++j) index += plan[j].sources[table_index] != no_column;
  return index;
}

}  // namespace

void keep_planned_columns(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index) {
  std::vector<Column> kept;
  for (const PlannedColumn& column : plan) {
    const std::size_t source = column.sources[table_index];
    if (source != no_column) kept.push_back(std::move(table.columns[source]));
  }
  table.columns = std::move(kept);
}

std::vector<CellClasses> table_classes(const Table& table, std::span<const PlannedColumn> plan,
                                       std::size_t table_index) {
  std::vector<CellClasses> classes(plan.size(), 0);
  std::vector<std::size_t> index(plan.size(), no_column);
  for (std::size_t j = 0, next = 0; j < plan.size(); ++j) {
    if (plan[j].sources[table_index] != no_column) index[j] = next++;
  }
  parallel_for(plan.size(), [&](std::size_t j) {
    if (index[j] == no_column) return;
    const Column& column = table.columns[index[j]];
    for (const double value : column.values) classes[j] |= bits(class_of(column, value, plan[j].numeric));
  });
  return classes;
}

ColumnPart table_part(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index,
                      std::size_t planned) {
  ColumnPart part;
  if (plan[planned].sources[table_index] == no_column) return part;
  Column& column = table.columns[kept_index(plan, table_index, planned)];
  part.values = &column.values;
  if (column.type == ColumnType::category) {
    part.levels = &column.levels;
    part.may_adopt = !plan[planned].numeric;
  }
  return part;
}

void set_type(Table& table, std::span<const PlannedColumn> plan, std::size_t table_index, std::size_t planned,
              CellClasses classes) {
  ColumnType& type = table.columns[kept_index(plan, table_index, planned)].type;
  if (classes == bits(CellClass::boolean)) {
    type = ColumnType::boolean;
  } else {
    type = only(classes, datetime_classes) ? ColumnType::datetime : ColumnType::number;
  }
}

FoundCell find_table_cell(const Table& table, std::span<const PlannedColumn> plan, std::size_t table_index,
                          std::size_t planned, CellClasses classes) {
  const Column& column = table.columns[kept_index(plan, table_index, planned)];
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    const double value = column.values[row];
    if ((bits(class_of(column, value, plan[planned].numeric)) & classes) != 0) {
      return {"row " + std::to_string(row + 1), text_of(column, value)};
    }
  }
  throw InternalError("no cell of the class asked for");
}

}  // namespace jsdiv
