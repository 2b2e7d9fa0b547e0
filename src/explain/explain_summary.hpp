#pragma once

#include "jsdiv/explain.hpp"
#include "report/text_layout.hpp"

namespace jsdiv {

/// The readable summary, laid out for a terminal.
std::string summary(const ExplainResult& result, const TextStyle& style);

}  // namespace jsdiv
