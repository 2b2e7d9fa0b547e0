#pragma once

#include <span>
#include <string_view>

#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv::simulate_detail {

/// A kind of table whose rows are then given to P and Q.
struct BaseKind {
  std::string_view name;
  std::string_view description;
  Table (*draw)(std::size_t rows, std::size_t columns, RandomStream& random);
};

/// Every kind there is, in a fixed order.
std::span<const BaseKind> base_kinds();

/// The kind of that name, which there must be.
const BaseKind& find_base(std::string_view name);

/// Empties cells of about half of the columns (of one at least), at random or by the size of another column.
void remove_cells(Table& table, RandomStream& random);

}  // namespace jsdiv::simulate_detail
