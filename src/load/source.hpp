#pragma once

#include <functional>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Where the tables of a computation come from. Called once: gives the aligned tables, and adds to the
/// warnings.
using TableSource = std::function<std::vector<Table>(std::vector<Warning>& warnings)>;

TableSource from_files(std::vector<std::string> paths, const LoadOptions& options);
TableSource from_memory(std::vector<Table> tables, const LoadOptions& options);

/// P, Q and any further table, moved into one list.
template <typename... Tables>
std::vector<Table> table_list(Tables... tables) {
  std::vector<Table> list;
  list.reserve(sizeof...(tables));
  (list.push_back(std::move(tables)), ...);
  return list;
}

}  // namespace jsdiv
