#pragma once

#include <cstddef>
#include <vector>

#include "classify/classifier.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"
#include "support/identifiers.hpp"
#include "support/support.hpp"

namespace jsdiv {

/// Everything that the recommended estimator decides before it trains, in one place: run_auto() carries it
/// out, `guide` tells it, the time budget shortens it.
struct AutoPlan {
  std::vector<const Family*> families;
  std::size_t folds = 0;
  int repetitions = 0;
  std::size_t training_draws = 0;        ///< independent draws of the smaller table in a training part
  bool may_extrapolate = false;          ///< the learning curve, if the divergence is clear of 0
  std::vector<std::string> identifiers;  ///< columns that are left out
  std::vector<SupportFinding> findings;
  bool equal_rows_are_groups = false;
  bool grids_differ = false;  ///< estimates again on common grids, and without what the rows do not resolve
  /// A finding all but tells the tables apart: the families of `quick_families` are tried by themselves
  /// first.
  bool may_be_told_apart = false;
  std::vector<Warning> warnings;
};

/// A sample made ready, and the plan for it.
struct PlannedSample {
  Sample sample;
  std::vector<ValueCodes> values;
  AutoPlan plan;
};

/// Plans for the first two tables of the sample. Columns that name their rows are taken out, unless the user
/// has named them; at most options.max_rows rows of a table are kept; rows that are copies of each other
/// become groups, where the user has given none.
PlannedSample plan_auto(Sample sample, const EstimateOptions& options, Naming naming = {});

/// Families that see formats and single columns, and cost little.
std::vector<const Family*> quick_families(const AutoPlan& plan);

}  // namespace jsdiv
