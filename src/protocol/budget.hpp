#pragma once

#include <functional>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The work with some options.
using Work = std::function<Result(const Sample& sample, const EstimateOptions& options)>;

/// Options that `work` can be expected to carry out within options.time_budget. The recommended estimator
/// keeps its families and takes fewer repetitions, then fewer rows: fewer rows show in the interval, a kind
/// of learner that is missing does not. Only where even a few hundred rows take too long are families left
/// out, the most expensive first; the forest, which sees a shift, a grid and a dependence, stays. Under the
/// paper's protocol families are left out, cheapest kept, and as many iterations are made as time allows.
///
/// What the work costs is measured on a few of the rows; it grows with the rows. The clock decides here and
/// nowhere else: the options returned have no budget, and give the same result whenever they are run. Adds a
/// warning that says what was given up.
EstimateOptions plan_within_budget(const Sample& sample, const EstimateOptions& options, const Work& work,
                                   std::vector<Warning>& warnings);

}  // namespace jsdiv
