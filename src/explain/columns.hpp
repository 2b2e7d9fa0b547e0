#pragma once

#include <span>
#include <vector>

#include "explain/explained_tables.hpp"
#include "jsdiv/explain.hpp"

namespace jsdiv {

/// Each column by itself, in the order of the sample: name, type, `alone`, `how` and the histogram.
/// `on_grids` is the sample on common grids, if there are any; `mismatches` are the findings in the user's
/// terms.
std::vector<ExplainedColumn> explain_columns(const ExplainedTables& tables, const Sample* on_grids,
                                             std::span<const SupportMismatch> mismatches);

}  // namespace jsdiv
