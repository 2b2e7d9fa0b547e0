#pragma once

#include <string>
#include <string_view>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// SHA-256 of a table's names, types and values, whichever way they were made. Levels that no cell uses and
/// the difference between integer and number do not count, because they may come from the table's partner.
/// Nor does the column named `except`.
std::string content_hash(const Table& table, std::string_view except = {});

}  // namespace jsdiv
