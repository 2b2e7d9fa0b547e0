#pragma once

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Algorithm 1 of the paper on the pooled rows of P and Q: fills in every number of the result. The caller
/// has recorded the inputs.
void run_paper(const Sample& sample, const EstimateOptions& options, Result& result);

}  // namespace jsdiv
