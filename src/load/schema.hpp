#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"
#include "load/cell.hpp"

namespace jsdiv {

constexpr std::size_t no_column = static_cast<std::size_t>(-1);

/// A table as the matching of columns sees it.
struct TableHeader {
  std::string label;  ///< how messages call it: its path, or P, Q, X
  std::vector<std::string> names;
};

/// How messages call the table of that index.
std::string table_label(const std::string& source, std::size_t index);

/// What a planned column is for.
enum class Role : std::uint8_t { feature, group, weight };

struct PlannedColumn {
  std::string name;
  Role role = Role::feature;
  bool categorical = false;          ///< by the user's order
  bool numeric = false;              ///< by the user's order
  std::vector<std::size_t> sources;  ///< its place in each table; no_column where a further table lacks it
};

/// Matches columns by name: the features, then the group, then the weight. Throws InvalidInput for names that
/// do not exist, contradictory options and tables without a common column; warns of columns left out.
std::vector<PlannedColumn> plan_columns(std::span<const TableHeader> tables, const LoadOptions& options,
                                        std::vector<Warning>& warnings);

/// The type that a column gets in all tables; `number` stands for number and integer.
struct TypeDecision {
  ColumnType type = ColumnType::number;
  bool levels_are_numbers =
      false;           ///< a category ordered by the user, of numbers alone: 1, 1.0 and 01 are one level
  bool mixed = false;  ///< a category because its cells are of several types
};

struct FoundCell {
  std::string where;  ///< "row 17 (line 18)"
  std::string value;
};

/// Finds the first cell of a table's planned column whose class is among the given ones; called for messages
/// only.
using CellFinder = std::function<FoundCell(std::size_t table, std::size_t planned, CellClasses classes)>;

/// Decides the type of each planned column from the classes of its cells, `classes[table][planned]`.
std::vector<TypeDecision> decide_types(std::span<const PlannedColumn> plan,
                                       std::span<const TableHeader> tables,
                                       const std::vector<std::vector<CellClasses>>& classes,
                                       const CellFinder& find_cell);

/// Whether some numbers are so large that not every whole number of that size can be held. As levels or
/// groups they have to keep their text.
constexpr double largest_exact_integer = 9007199254740992.0;  // 2^53
bool beyond_exact(std::span<const double> values);

/// Names a row of a table in messages: "row 17", with its line where it has one.
using RowNamer = std::function<std::string(std::size_t table, std::size_t row)>;

/// The second half of alignment: the tables hold exactly the planned columns in that order; their types
/// become those decided, their levels the union, and columns without a value go.
void unify_columns(std::vector<Table>& tables, std::span<const PlannedColumn> plan,
                   std::span<const TypeDecision> decisions, const RowNamer& name_row,
                   std::vector<Warning>& warnings);

}  // namespace jsdiv
