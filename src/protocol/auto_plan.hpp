#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jsdiv/family.hpp"
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
  bool few_training_rows = false;        ///< see the constant
  std::optional<std::size_t> rows_used;  ///< of each table at most; none: all
  std::size_t folds_at_once = 0;         ///< 0: all; never changes a result
  std::vector<std::string> identifiers;  ///< columns that are left out
  std::vector<SupportFinding> findings;
  bool equal_rows_are_groups = false;
  bool grids_differ = false;  ///< estimates again on common grids, and without what the rows do not resolve
  /// A finding all but tells the tables apart: the families of `quick_families` are tried by themselves
  /// first.
  bool may_be_told_apart = false;
  std::vector<Warning> warnings;
};

/// Below this many draws of the smaller table 10 folds train on more, above it 5 are cheaper and as good. The
/// draw of the folds then moves the estimate by up to a third of its standard error: the mean of several.
inline constexpr std::size_t few_rows = 500;

/// With fewer training rows of the smaller table the estimate rests on pairs of tables like these more than
/// on what was learnt.
inline constexpr std::size_t rows_to_learn_a_curve = 100;

struct FoldPlan {
  std::size_t folds = 0;
  int repetitions = 0;
  std::size_t training_draws = 0;  ///< of the smaller table, in the smallest training part
};

/// For that many independent draws of the smaller table. The test exchanges whole groups within a fold: with
/// two of each table there are six ways to do so and no p-value below 1/6, whatever differs; with four there
/// are seventy.
FoldPlan plan_folds(std::size_t draws, std::optional<int> repetitions, bool draws_are_groups = false);

/// A sample made ready, and the plan for it.
struct PlannedSample {
  Sample sample;
  std::vector<RowIndex> rows;  ///< of the sample that was given; empty: all
  std::vector<ValueCodes> values;
  AutoPlan plan;
};

/// Of tables with more rows so many are used unless options.max_rows says otherwise: the estimate's error
/// from the rows is then below 0.001, and what it may miss is not learnt from more.
inline constexpr std::size_t rows_enough = 2'000'000;

/// Plans for the first two tables of the sample. Columns that name their rows are taken out, unless the user
/// has named them; at most options.max_rows rows of a table are kept, fewer where options.load.memory asks
/// for it; rows that are copies of each other become groups, where the user has given none.
PlannedSample plan_auto(Sample sample, const EstimateOptions& options, Naming naming = {});

/// Families that see formats and single columns, and cost little.
std::vector<const Family*> quick_families(const AutoPlan& plan);

}  // namespace jsdiv
