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

/// Columns of text, or of whole numbers under a name such as "id", with nearly as many different values (9 in
/// 10) as their table has rows, rows that repeat whole rows aside, or drawn from such a table; and whole
/// numbers that meet more seldom within a table than numbers drawn from its range would. What a classifier
/// learns of such a value holds for no other row. The message says what the values have in common and whether
/// they would tell the tables apart by themselves: by their range, length, first characters or words.
std::vector<Identifier> find_identifiers(const Sample& sample, std::span<const ValueCodes> values);

}  // namespace jsdiv
