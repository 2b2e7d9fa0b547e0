#pragma once

#include "jsdiv/compare.hpp"
#include "report/json.hpp"

namespace jsdiv {

/// The schema jsdiv.compare/1: every key is always there, what was not computed is null.
Json compare_json(const CompareResult& result);

}  // namespace jsdiv
