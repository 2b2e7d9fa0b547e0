#pragma once

#include "jsdiv/compare.hpp"
#include "report/text_layout.hpp"

namespace jsdiv {

/// The readable summary, laid out for a terminal.
std::string summary(const CompareResult& result, const TextStyle& style);

}  // namespace jsdiv
