#include "classify/registry.hpp"

#include "jsdiv/error.hpp"

namespace jsdiv {

std::span<const Family* const> families() {
  static const std::vector<const Family*> all = {};
  return all;
}

const Family& family(std::string_view name) {
  std::string known;
  for (const Family* candidate : families()) {
    if (candidate->name() == name) return *candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate->name());
  }
  throw InvalidInput("unknown family '" + std::string(name) + "'; choose from: " + known);
}

}  // namespace jsdiv
