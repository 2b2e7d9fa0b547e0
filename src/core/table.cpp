#include "jsdiv/table.hpp"

#include <algorithm>
#include <numeric>

namespace jsdiv {

std::string_view to_string(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "number";
    case ColumnType::integer:
      return "integer";
    case ColumnType::boolean:
      return "boolean";
    case ColumnType::category:
      return "category";
    case ColumnType::datetime:
      return "datetime";
  }
  return "";
}

const Column* Table::find(std::string_view name) const {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? nullptr : &*found;
}

std::size_t Sample::rows() const {
  return std::accumulate(table_rows.begin(), table_rows.end(), std::size_t{0});
}

std::vector<std::uint8_t> Sample::labels() const {
  std::vector<std::uint8_t> result(rows(), 0);
  std::fill_n(result.begin(), rows_p(), std::uint8_t{1});
  return result;
}

}  // namespace jsdiv
