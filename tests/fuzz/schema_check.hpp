#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "core/content_hash.hpp"
#include "csv_check.hpp"

namespace jsdiv::fuzz {

/// "n a,c b,w k": what the options about columns say, by a letter each.
inline LoadOptions crafted_options(std::string_view line) {
  LoadOptions options;
  while (!line.empty()) {
    const std::string_view word = line.substr(0, line.find(','));
    line.remove_prefix(std::min(line.size(), word.size() + 1));
    if (word.size() < 2) continue;
    const std::string name(word.substr(2));
    if (word[0] == 'n') options.numeric.push_back(name);
    if (word[0] == 'c') options.categorical.push_back(name);
    if (word[0] == 'i') options.ignore.push_back(name);
    if (word[0] == 'o') options.columns.push_back(name);
    if (word[0] == 'g') options.group = name;
    if (word[0] == 'w') options.weight = name;
  }
  return options;
}

/// The properties of the types that two tables are read with, whatever the options say: both tables have the
/// same columns of the same types and levels, and exchanging P and Q changes nothing else. The first line of
/// the text is the options, the part after "\n===\n" is Q. True if they were read.
inline bool check_schema(std::string_view text) {
  const std::size_t line = text.find('\n');
  const std::size_t cut = text.find("\n===\n");
  if (line == std::string_view::npos || cut == std::string_view::npos || line >= cut) return false;
  const LoadOptions options = crafted_options(text.substr(0, line));
  const std::string_view p = text.substr(line + 1, cut - line - 1);
  const std::string_view q = text.substr(cut + 5);
  std::vector<Table> tables, exchanged;
  outcome(p, q, options, 64, &tables);
  outcome(q, p, options, 64, &exchanged);
  JSDIV_ASSERT(tables.size() == exchanged.size());
  if (tables.empty()) return false;
  JSDIV_ASSERT(tables[0].columns.size() == tables[1].columns.size());
  for (std::size_t j = 0; j < tables[0].columns.size(); ++j) {
    const Column& a = tables[0].columns[j];
    const Column& b = tables[1].columns[j];
    JSDIV_ASSERT(a.name == b.name && a.type == b.type && a.levels == b.levels);
    JSDIV_ASSERT(a.values.size() == tables[0].rows && b.values.size() == tables[1].rows);
  }
  JSDIV_ASSERT(content_hash(tables[0]) == content_hash(exchanged[1]));
  JSDIV_ASSERT(content_hash(tables[1]) == content_hash(exchanged[0]));
  return true;
}

}  // namespace jsdiv::fuzz
