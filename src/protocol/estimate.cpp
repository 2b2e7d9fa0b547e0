#include "jsdiv/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "core/content_hash.hpp"
#include "core/parallel.hpp"
#include "core/process_usage.hpp"
#include "core/stage_clock.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "load/source.hpp"
#include "measure/column_charts.hpp"
#include "measure/posterior_summary.hpp"
#include "protocol/automatic.hpp"
#include "protocol/budget.hpp"
#include "protocol/check_options.hpp"
#include "protocol/estimate_tables.hpp"
#include "protocol/own_posteriors.hpp"
#include "protocol/paper.hpp"
#include "protocol/record.hpp"
#include "uncertainty/interval.hpp"

namespace jsdiv {
namespace {

void record_inputs(std::span<const Table> tables, Result& result) {
  for (const Table& table : tables) {
    result.protocol.inputs.push_back({.path = table.source, .sha256 = table.sha256, .rows = table.rows});
  }
  for (const Column& column : tables[0].columns) {
    result.protocol.columns.push_back({.name = column.name, .type = column.type});
  }
}

/// The order of two tables by their content. Weights count only where all else is equal, since their unit
/// must not change the order.
bool is_before(const Table& a, const Table& b, const std::string& weight) {
  const std::string hash_a = content_hash(a, weight);
  const std::string hash_b = content_hash(b, weight);
  return hash_a != hash_b ? hash_a < hash_b : content_hash(a) < content_hash(b);
}

/// Times the stages and the whole, and keeps all of it within the thread limit.
template <typename Work>
Result measured(const EstimateOptions& options, const TableSource& load, TableOrder order, const Work& work) {
  check_options(options);
  const Stopwatch watch;
  const double cpu_start = cpu_seconds();
  Result result;
  result.protocol.options = options;
  with_threads(options.threads, [&] {
    StageClock clock(result.runtime.stages);
    std::vector<Table> tables = load(result.warnings);
    record_inputs(tables, result);
    const auto notes =
        std::stable_partition(result.warnings.begin(), result.warnings.end(), std::not_fn(is_note));
    result.protocol.notes.assign(notes, result.warnings.end());
    result.warnings.erase(notes, result.warnings.end());
    const bool q_first =
        order == TableOrder::by_content && is_before(tables.at(1), tables.at(0), options.load.weight);
    Sample sample = pool_tables(std::move(tables), options.load, result.warnings);
    result.column_charts = column_charts(sample);
    clock.end("load");
    work(std::move(sample), q_first, result);
    StageClock rest(result.runtime.stages);
    // What the caller passed to be called must not live on in the record.
    result.protocol.options.progress = {};
    result.protocol.options.own_families.clear();
    result.posteriors = posterior_summary(result.rows);
    rest.end("record");
  });
  result.runtime.seconds = watch.seconds();
  result.runtime.cpu_seconds = cpu_seconds() - cpu_start;
  result.runtime.threads = thread_count(options.threads);
  result.runtime.peak_bytes = peak_bytes();
  return result;
}

/// Which table comes first in the arithmetic follows from their content, not from which is called P.
void run_protocol(Sample sample, bool q_first, const EstimateOptions& options, Result& result,
                  std::vector<ScoredReading>* readings) {
  if (options.protocol == Protocol::automatic)
    return run_auto(std::move(sample), q_first, options, result, readings);
  StageClock clock(result.runtime.stages);
  run_paper(sample, options, result);
  clock.end("seeds");
}

void run(Sample sample, bool q_first, const EstimateOptions& options, Result& result,
         std::vector<ScoredReading>* readings) {
  if (!options.time_budget) return run_protocol(std::move(sample), q_first, options, result, readings);
  const Work trial = [q_first](const Sample& rows, const EstimateOptions& few) {
    Result tried;
    run_protocol(rows, q_first, few, tried, nullptr);
    return tried;
  };
  StageClock clock(result.runtime.stages);
  result.runtime.time_budget = options.time_budget;
  result.protocol.options = plan_within_budget(sample, options, trial, result.warnings);
  clock.end("budget");
  run_protocol(std::move(sample), q_first, EstimateOptions(result.protocol.options), result, readings);
}

Result posteriors_from(const TableSource& load, std::span<const double> posteriors,
                       const EstimateOptions& options) {
  return measured(options, load, TableOrder::as_given, [&](const Sample& sample, bool, Result& result) {
    run_posteriors(sample, posteriors, options, result);
  });
}

}  // namespace

Result estimate_tables(const TableSource& load, const EstimateOptions& options, TableOrder order,
                       std::vector<ScoredReading>* readings) {
  return measured(options, load, order, [&](Sample sample, bool q_first, Result& result) {
    run(std::move(sample), q_first, options, result, readings);
  });
}

Result estimate(const std::string& path_p, const std::string& path_q, const EstimateOptions& options) {
  return estimate_tables(from_files({path_p, path_q}, options.load), options, TableOrder::by_content,
                         nullptr);
}

Result estimate(Table p, Table q, const EstimateOptions& options) {
  return estimate_tables(from_memory(table_list(std::move(p), std::move(q)), options.load), options,
                         TableOrder::by_content, nullptr);
}

Result estimate_posteriors(const std::string& path_p, const std::string& path_q,
                           std::span<const double> posteriors, const EstimateOptions& options) {
  return posteriors_from(from_files({path_p, path_q}, options.load), posteriors, options);
}

Result estimate_posteriors(Table p, Table q, std::span<const double> posteriors,
                           const EstimateOptions& options) {
  return posteriors_from(from_memory(table_list(std::move(p), std::move(q)), options.load), posteriors,
                         options);
}

double Result::distance() const {
  return std::sqrt(jsd);
}

std::optional<Interval> Result::interval(double level) const {
  if (!(level > 0 && level < 1)) {
    throw InvalidInput(mention("level") + " must lie between 0 and 1, for example 0.95", {.option = "level"});
  }
  if (!confidence_interval || !standard_error) return std::nullopt;
  const auto selected = std::ranges::find(families, selected_family, &FamilyResult::name);
  if (selected != families.end()) return seeds_interval(raw, *standard_error, selected->seeds.size(), level);
  Interval interval = divergence_interval(
      jsd, {standard_error_below.value_or(*standard_error), *standard_error}, level, p_value);
  interval.high = std::max(interval.high, interval_reach.value_or(0));
  return interval;
}

}  // namespace jsdiv
