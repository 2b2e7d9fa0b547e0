#pragma once

#include "jsdiv/explain.hpp"
#include "report/json.hpp"

namespace jsdiv {

/// The schema jsdiv.explain/1: every key is always there, what was not computed is null.
Json explain_json(const ExplainResult& result);

}  // namespace jsdiv
