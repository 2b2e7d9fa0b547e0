#include "protocol/auto_plan.hpp"

#include <algorithm>

#include "core/format.hpp"
#include "core/message.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "protocol/memory_plan.hpp"
#include "protocol/record.hpp"
#include "split/folds.hpp"
#include "split/subset.hpp"

namespace jsdiv {
namespace {

/// A table with fewer rows has no fold with halves in it.
constexpr std::size_t fewest_rows = 4;
constexpr std::size_t folds_of_few_rows = 10;
constexpr std::size_t folds_of_many_rows = 5;
constexpr int repetitions_of_few_rows = 3;
constexpr std::size_t rows_in_fold = 2;
constexpr std::size_t groups_in_fold = 4;
/// A format that this share of a table's rows shows all but tells the tables apart.
constexpr double telling_share = 0.95;

/// True if the user speaks of the column by its name.
bool is_named(const std::string& column, const LoadOptions& options) {
  return std::ranges::count(options.columns, column) + std::ranges::count(options.categorical, column) +
             std::ranges::count(options.numeric, column) >
         0;
}

void leave_out_identifiers(PlannedSample& planned, const LoadOptions& options) {
  std::vector<Identifier> found = find_identifiers(planned.sample, planned.values);
  std::erase_if(found, [&](const Identifier& each) {
    return is_named(planned.sample.columns[each.column].name, options);
  });
  if (found.empty() || found.size() == planned.sample.columns.size()) return;
  for (const Identifier& each : found) {
    const std::string& name = planned.sample.columns[each.column].name;
    planned.plan.identifiers.push_back(name);
    planned.plan.warnings.push_back(
        {"identifier", quoted(name) + " looks like an identifier and was left out: " + each.message +
                           "; list it in the option columns to include it"});
  }
  for (auto each = found.rbegin(); each != found.rend(); ++each) {
    planned.sample.columns.erase(planned.sample.columns.begin() + static_cast<std::ptrdiff_t>(each->column));
    planned.values.erase(planned.values.begin() + static_cast<std::ptrdiff_t>(each->column));
  }
}

/// At most `most_rows` of each table; the same ones whichever table comes first.
std::vector<RowIndex> thinned_rows(const Sample& sample, std::size_t most_rows, std::uint64_t seed) {
  std::vector<RowIndex> kept;
  std::size_t first = 0;
  for (const std::size_t rows : {sample.rows_p(), sample.rows_q()}) {
    std::vector<RowIndex> of_table = row_range(first, first + rows);
    RandomStream random = RandomStream(seed).child("thin");
    random.shuffle(std::span(of_table));
    of_table.resize(std::min(rows, most_rows));
    std::ranges::sort(of_table);
    kept.insert(kept.end(), of_table.begin(), of_table.end());
    first += rows;
  }
  return kept;
}

/// Fewer rows, where the user, the memory or their mere number asks for it.
void thin(Sample sample, const EstimateOptions& options, PlannedSample& planned) {
  AutoPlan& plan = planned.plan;
  const std::size_t rows = std::max(sample.rows_p(), sample.rows_q());
  const MemoryPlan memory = plan_memory(
      {sample.rows_p(), sample.rows_q(), sample.columns.size(), threads_at_work()}, options.load.memory);
  plan.folds_at_once = memory.folds_at_once;
  const std::size_t most = std::min(options.max_rows.value_or(rows_enough), memory.most_rows.value_or(rows));
  if (rows <= most) {
    planned.sample = std::move(sample);
    return;
  }
  plan.rows_used = most;
  planned.rows = thinned_rows(sample, most, options.seed);
  planned.sample = subset(sample, planned.rows);
  if (options.max_rows == most) return;  // as ordered
  plan.warnings.push_back(
      {"rows_thinned",
       "at most " + std::to_string(most) + " rows of each table, drawn at random, were used " +
           (memory.most_rows == most ? "to stay within the memory limit; raise it with the option memory"
                                     : "because more would change the estimate by less than its error; raise "
                                       "the limit with the option max_rows")});
}

void choose_folds(const Sample& sample, const EstimateOptions& options, AutoPlan& plan) {
  const ClassCounts draws =
      independent_draws(sample, sample.labels(), row_range(0, sample.rows_p() + sample.rows_q()));
  const std::size_t smaller = std::min(draws[0], draws[1]);
  if (smaller < fewest_rows) {
    throw InvalidInput(format("a table has only %zu %s; auto needs at least %zu in each table", smaller,
                              sample.groups.empty() ? "rows" : "groups of rows", fewest_rows));
  }
  const FoldPlan folds = plan_folds(smaller, options.seeds, !sample.groups.empty());
  plan.folds = folds.folds;
  plan.repetitions = folds.repetitions;
  plan.training_draws = folds.training_draws;
  plan.few_training_rows = plan.training_draws < rows_to_learn_a_curve;
}

}  // namespace

FoldPlan plan_folds(std::size_t draws, std::optional<int> repetitions, bool draws_are_groups) {
  const bool few = draws < few_rows;
  const std::size_t folds =
      std::clamp<std::size_t>(draws / (draws_are_groups ? groups_in_fold : rows_in_fold), 2,
                              few ? folds_of_few_rows : folds_of_many_rows);
  return {folds, repetitions.value_or(few ? repetitions_of_few_rows : 1),
          draws - (draws + folds - 1) / folds};
}

PlannedSample plan_auto(Sample sample, const EstimateOptions& options, Naming naming) {
  PlannedSample planned;
  thin(std::move(sample), options, planned);
  planned.values = value_codes(planned.sample);
  leave_out_identifiers(planned, options.load);
  AutoPlan& plan = planned.plan;
  plan.families = choose_stack(options, planned.sample, plan.warnings);
  Supports supports = find_supports(planned.sample, planned.values, naming);
  plan.findings = std::move(supports.findings);
  if (planned.sample.groups.empty() && !supports.equal_rows.empty()) {
    planned.sample.groups = std::move(supports.equal_rows);
    plan.equal_rows_are_groups = true;
  }
  choose_folds(planned.sample, options, plan);
  plan.grids_differ = std::ranges::any_of(plan.findings, &SupportFinding::has_grid);
  plan.may_be_told_apart =
      options.families.empty() && std::ranges::any_of(plan.findings, [](const SupportFinding& finding) {
        return finding.has_grid() && std::max(finding.share_p, finding.share_q) >= telling_share;
      });
  return planned;
}

std::vector<const Family*> quick_families(const AutoPlan& plan) {
  std::vector<const Family*> quick;
  for (const Family* family : plan.families) {
    if (family->name() == "rf" || family->name() == "logreg") quick.push_back(family);
  }
  return quick;
}

}  // namespace jsdiv
