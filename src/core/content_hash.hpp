#pragma once

#include <string>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// SHA-256 of a table's names, types and values, whichever way they were made. Levels that no cell uses and
/// the difference between integer and number do not count, because they may come from the table's partner.
std::string content_hash(const Table& table);

}  // namespace jsdiv
