#pragma once

#include <functional>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The same work on some of the rows, or with other options.
using Work = std::function<void(const Sample& sample, const EstimateOptions& options)>;

/// Options that `work` can be expected to carry out within options.time_budget: the families that fit into
/// it, cheapest first and at least one, and under the paper's protocol as many iterations as are left. What a
/// family costs is measured by running it on a few of the rows; the work grows with the rows. The clock
/// decides here and nowhere else: the options returned have no budget, and give the same result whenever they
/// are run. Adds a warning that names what was left out.
EstimateOptions plan_within_budget(const Sample& sample, const EstimateOptions& options, const Work& work,
                                   std::vector<Warning>& warnings);

}  // namespace jsdiv
