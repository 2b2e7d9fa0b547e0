#include "load/source.hpp"

#include <utility>

#include "load/load.hpp"

namespace jsdiv {

TableSource from_files(std::vector<std::string> paths, const LoadOptions& options) {
  return [paths = std::move(paths), options](std::vector<Warning>& warnings) {
    return read_tables(paths, options, warnings);
  };
}

TableSource from_memory(std::vector<Table> tables, const LoadOptions& options) {
  return [tables = std::move(tables), options](std::vector<Warning>& warnings) mutable {
    align_tables(tables, options, warnings);
    return std::move(tables);
  };
}

}  // namespace jsdiv
