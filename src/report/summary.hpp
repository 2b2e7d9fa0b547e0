#pragma once

#include <string>

#include "jsdiv/marginal.hpp"
#include "jsdiv/result.hpp"
#include "report/json.hpp"
#include "report/text_layout.hpp"

namespace jsdiv {

/// The result for people: the number with its interval, what it means, a table of families, what was
/// measured.
std::string summary(const Result& result, const TextStyle& style = {});

/// The same from the JSON of a result, which may come from a file. Throws InvalidInput where it is not what
/// jsdiv writes.
std::string summary(const Json& result, const TextStyle& style = {});

std::string summary(const MarginalResult& marginal, const TextStyle& style = {});

}  // namespace jsdiv
