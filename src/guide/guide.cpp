#include "guide/guide.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "encode/encoder.hpp"
#include "load/load.hpp"
#include "protocol/automatic.hpp"
#include "protocol/record.hpp"
#include "support/exact_values.hpp"
#include "support/support.hpp"
#include "uncertainty/learning_curve.hpp"

namespace jsdiv {
namespace {

bool is_repetition(const SupportFinding& finding) {
  return finding.kind == "copies" || finding.kind == "duplicates";
}

/// Mirrors what run_auto decides before it trains.
std::vector<std::string> plan_of_auto(const Sample& sample, const FamilyOptions& families) {
  EstimateOptions options;
  options.family = families;
  std::vector<std::string> names;
  for (const Family* family : choose_families(options)) names.emplace_back(family->name());
  const std::size_t folds = auto_fold_count(sample);
  const auto trained = [folds](std::size_t rows) { return rows - rows / folds; };
  const int repetitions = auto_repetitions(sample, options);
  std::vector<std::string> plan = {
      format("cross-fits over %zu folds: each row is scored by models trained on about %zu rows of P and %zu "
             "of Q that do not include it",
             folds, trained(sample.rows_p()), trained(sample.rows_q())) +
          (repetitions > 1 ? format("; takes the mean of %d such divisions", repetitions) : ""),
      "stacks " + joined(names) + "; families that do not help are dropped on the way"};

  const auto findings = find_support_mismatches(sample);
  std::vector<std::string> exact;
  for (const std::size_t column : exact_value_columns(sample, findings)) {
    exact.push_back(sample.columns[column].name);
  }
  if (!exact.empty()) plan.push_back("shows its trees how frequent the exact values are of " + joined(exact));
  const bool grids = std::ranges::any_of(findings, [](const SupportFinding& finding) {
    return finding.lattice.has_value() || !finding.atoms.empty();
  });
  if (grids) plan.push_back("estimates a second time with both tables on the same grids (harmonised_jsd)");

  const std::size_t smaller = trained(std::min(sample.rows_p(), sample.rows_q()));
  plan.push_back(smaller >= fewest_training_rows
                     ? "extrapolates the learning curve to its limit, if the divergence is clear of 0"
                     : format("does not extrapolate: %zu training rows of the smaller table are below %zu",
                              smaller, fewest_training_rows));
  plan.push_back(
      "corrects every family for the sizes of the tables, gives a standard error, an interval, a "
      "lower bound and a p-value");
  return plan;
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
  facts.features = Encoder::fit(sample, rows, Encoding::native).features().size();

  const auto findings = find_support_mismatches(sample);
  facts.exact_columns = exact_value_columns(sample, findings).size();
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

Guide guide(const std::string& path_p, const std::string& path_q, const LoadOptions& load,
            const FamilyOptions& families, std::size_t threads) {
  Guide result;
  with_threads(threads, [&] {
    const std::vector<std::string> paths = {path_p, path_q};
    const Sample sample = pool_tables(read_tables(paths, load, result.warnings), load, result.warnings);
    result.facts = data_facts(sample);
    result.regimes = regimes_of(result.facts);
    result.advice = advise(result.facts, families);
    result.auto_plan = plan_of_auto(sample, families);
  });
  return result;
}

}  // namespace jsdiv
