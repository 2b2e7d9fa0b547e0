#pragma once

#include <span>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Measures posteriors of a classifier of the user's own, one for each row of the sample: the last lines of
/// Algorithm 1, with the sizes of the tables as the prior that the classifier saw.
void run_posteriors(const Sample& sample, std::span<const double> posteriors, const EstimateOptions& options,
                    Result& result);

}  // namespace jsdiv
