#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "support/support.hpp"

namespace jsdiv {

/// A column that names its row instead of describing it.
struct Identifier {
  std::size_t column = 0;
  std::string message;  ///< one sentence for people: why it counts as one, and what it would tell
};

/// Columns of which nearly all values (19 in 20) differ from all others of their table, rows that repeat
/// whole rows aside, and that are text, or whole numbers so close together that values drawn at random would
/// have met, or whole numbers under a name such as "id". What a classifier learns of such a value holds for
/// no other row. The message says what the values have in common and whether they would tell the tables apart
/// by themselves: by their range, length or first characters.
std::vector<Identifier> find_identifiers(const Sample& sample, std::span<const ValueCodes> values);

}  // namespace jsdiv
