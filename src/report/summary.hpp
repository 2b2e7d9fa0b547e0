#pragma once

#include <string>

#include "jsdiv/marginal.hpp"
#include "jsdiv/result.hpp"

namespace jsdiv {

/// The result for people: the number with its interval, what it means, a table of families, warnings.
std::string summary(const Result& result);

std::string summary(const MarginalResult& marginal);

}  // namespace jsdiv
