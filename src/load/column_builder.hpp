#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/dictionary.hpp"

namespace jsdiv {

/// Throws InvalidInput if `text`, a cell or a level of the column `name`, is not UTF-8.
void check_text(const std::string& name, std::string_view text);

/// A category column from codes into texts in any order and with repetitions; a code below 0 is missing.
/// `codes` become the column's values.
Column category_column(std::string name, std::vector<double> codes, std::vector<std::string> texts);

}  // namespace jsdiv
