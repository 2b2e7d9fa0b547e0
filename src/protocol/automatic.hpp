#pragma once

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The recommended estimator on the pooled rows of P and Q: fills in every number of the result. `q_first`
/// says which table comes first in the arithmetic; it must follow from the tables' content alone, so that
/// exchanging P and Q gives the same bits.
void run_auto(Sample sample, bool q_first, const EstimateOptions& options, Result& result);

}  // namespace jsdiv
