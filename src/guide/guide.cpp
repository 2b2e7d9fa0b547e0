#include "guide/guide.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "encode/features.hpp"
#include "load/load.hpp"
#include "protocol/auto_plan.hpp"
#include "support/support.hpp"

namespace jsdiv {
namespace {

bool is_repetition(const SupportFinding& finding) {
  return finding.kind == "copies" || finding.kind == "duplicates";
}

std::vector<std::string> told(const PlannedSample& planned) {
  const AutoPlan& plan = planned.plan;
  std::vector<std::string> names;
  for (const Family* family : plan.families) names.emplace_back(family->name());
  std::vector<std::string> lines;
  if (!plan.identifiers.empty()) {
    lines.push_back("leaves out " + joined(plan.identifiers) +
                    ": its values identify rows instead of describing them");
  }
  const auto trained = [&](std::size_t rows) { return rows - rows / plan.folds; };
  lines.push_back(
      format("cross-fits over %zu folds: each row is scored by models trained on about %zu rows of P and %zu "
             "of Q that do not include it",
             plan.folds, trained(planned.sample.rows_p()), trained(planned.sample.rows_q())) +
      (plan.repetitions > 1 ? format("; averages %d such splits", plan.repetitions) : ""));
  if (plan.equal_rows_are_groups) lines.push_back("keeps copies of a row in the same fold");
  lines.push_back("stacks " + joined(names) + "; families that do not help are dropped along the way");

  const auto rows = row_range(0, planned.sample.rows());
  const auto exact =
      Features::learn(planned.sample, planned.values, planned.sample.labels(), rows, {}, RandomStream(0))
          .exact_columns();
  if (!exact.empty()) {
    lines.push_back(
        "gives its families features for number formats, and its trees features for the frequency of exact "
        "values, in " +
        joined(exact));
  }
  if (plan.grids_differ) {
    lines.push_back(
        "repeats the estimate with both tables in the same number formats, and once more without detail that "
        "the rows cannot resolve");
  }
  lines.push_back(
      "extrapolates the learning curve, based on similar pairs of tables, if the divergence is clearly above "
      "0");
  if (plan.few_training_rows) {
    lines.push_back(
        format("gives a wide interval: the classifiers can learn from only %zu rows of the smaller table",
               plan.training_draws));
  }
  lines.push_back(
      "corrects every family for unequal table sizes, and reports a standard error, an interval, a lower "
      "bound and a p-value");
  return lines;
}

}  // namespace

DataFacts data_facts(const Sample& sample) {
  DataFacts facts{.rows_p = sample.rows_p(), .rows_q = sample.rows_q(), .columns = sample.columns.size()};
  std::size_t missing = 0;
  for (const Column& column : sample.columns) {
    ++facts.types[std::string(to_string(column.type))];
    missing += static_cast<std::size_t>(
        std::ranges::count_if(column.values, [](double value) { return std::isnan(value); }));
  }
  const double cells = static_cast<double>(sample.rows()) * static_cast<double>(facts.columns);
  facts.missing_share = static_cast<double>(missing) / cells;

  const auto rows = row_range(0, sample.rows());
  const std::vector<ValueCodes> values = value_codes(sample);
  const Features features = Features::learn(sample, values, sample.labels(), rows, {}, RandomStream(0));
  facts.features = features.count();
  facts.exact_columns = features.exact_columns().size();
  const auto findings = find_supports(sample, values).findings;
  for (const SupportFinding& finding : findings) {
    const double share = std::max(finding.share_p, finding.share_q);
    if (is_repetition(finding)) {
      facts.repeated_share = std::max(facts.repeated_share, share);
    } else if (share > facts.separated_share) {
      facts.separated_share = share;
      facts.separating_column = finding.column;
    }
  }
  return facts;
}

namespace {

template <typename Load>
Guide guide_to(const LoadOptions& load, const FamilyOptions& families, std::size_t threads,
               const Load& tables) {
  Guide result;
  with_threads(threads, [&] {
    const Sample sample = pool_tables(tables(result.warnings), load, result.warnings);
    result.facts = data_facts(sample);
    result.regimes = regimes_of(result.facts);
    result.advice = advise(result.facts, families);
    EstimateOptions options;
    options.load = load;
    options.family = families;
    result.auto_plan = told(plan_auto(sample, options));
  });
  return result;
}

}  // namespace

Guide guide(const std::string& path_p, const std::string& path_q, const LoadOptions& load,
            const FamilyOptions& families, std::size_t threads) {
  return guide_to(load, families, threads, [&](std::vector<Warning>& warnings) {
    const std::vector<std::string> paths = {path_p, path_q};
    return read_tables(paths, load, warnings);
  });
}

Guide guide(Table p, Table q, const LoadOptions& load, const FamilyOptions& families, std::size_t threads) {
  return guide_to(load, families, threads, [&](std::vector<Warning>& warnings) {
    std::vector<Table> tables;
    tables.push_back(std::move(p));
    tables.push_back(std::move(q));
    align_tables(tables, load, warnings);
    return tables;
  });
}

}  // namespace jsdiv
