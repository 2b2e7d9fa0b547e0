#pragma once

#include "jsdiv/estimate.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// D(x) for each row of the sample's third table, from the one family that the options name, trained on all
/// rows of P and Q. Tuned and calibrated as in Algorithm 1, but by cross-validation, since no row is set
/// aside.
Scores run_score(const Sample& sample, const EstimateOptions& options);

}  // namespace jsdiv
