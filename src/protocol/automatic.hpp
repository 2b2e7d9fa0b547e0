#pragma once

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The folds of its cross-fit. Throws InvalidInput if a table is too small for any.
std::size_t auto_fold_count(const Sample& sample);

/// How often the cross-fit is repeated with other folds: as often as the user says, else by the tables' size.
int auto_repetitions(const Sample& sample, const EstimateOptions& options);

/// The recommended estimator on the pooled rows of P and Q: fills in every number of the result. `q_first`
/// says which table comes first in the arithmetic; it must follow from the tables' content alone, so that
/// exchanging P and Q gives the same bits.
void run_auto(Sample sample, bool q_first, const EstimateOptions& options, Result& result);

}  // namespace jsdiv
