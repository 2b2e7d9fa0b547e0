#include "jsdiv/self_check.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bench/job_store.hpp"
#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/process_usage.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "load/source.hpp"
#include "protocol/check_options.hpp"
#include "protocol/estimate_tables.hpp"
#include "report/json.hpp"
#include "self_check/recovery.hpp"
#include "self_check/resplit.hpp"
#include "simulate/kinds.hpp"
#include "simulate/log_ratio.hpp"

namespace jsdiv {
namespace {

void check(const SelfCheckOptions& options) {
  check_options(options);
  if (options.estimate.protocol != Protocol::automatic) {
    throw InvalidInput(
        "the self-check repeats the recommended estimator; leave " + mention("protocol") + " at auto",
        {.option = "protocol"});
  }
  if (!options.estimate.load.weight.empty()) {
    throw InvalidInput("the self-check reassigns rows to P and Q and does not support row weights; remove " +
                           mention("weight"),
                       {.option = "weight"});
  }
  if (!options.refits_folder.empty() && !options.estimate.own_families.empty()) {
    throw InvalidInput("stored refits cannot tell whether your own classifier has changed since; remove " +
                           mention("refits_folder"),
                       {.option = "refits_folder"});
  }
}

/// Progress of one of several parts that take equally long.
ProgressFunction part_of(const ProgressFunction& whole, std::size_t part, std::size_t parts,
                         const std::string& name) {
  if (!whole) return {};
  return [&whole, part, parts, name](double fraction, std::string_view what) {
    whole((static_cast<double>(part) + fraction) / static_cast<double>(parts),
          name.empty() ? std::string(what) : name + ", " + std::string(what));
  };
}

/// What a refit is to estimate.
struct PlannedRefit {
  SelfCheckRefit record;  ///< without the estimate
  Division division;
  bench::Job job;
};

/// Finds divisions of the rows. The sources take turns.
class Planner {
 public:
  Planner(const ScoredReading& reading, const Rung& rung, const std::string& group_column, std::uint64_t seed)
      : rows_(pool_rows(reading.sample, group_column)),
        stack_(reading.log_odds),
        observed_(rung.jsd),
        high_(rung.confidence_interval.value().high),
        random_(RandomStream(seed).child("self-check")) {
    Table features = rows_.table;
    features.columns.resize(reading.sample.columns.size());
    cells_ = simulate_detail::view_cells(features, random_.child("cells"));
    kinds_ = simulate_detail::names_of(simulate_detail::log_ratios(), simulate_detail::Kinds::calibration);
    RandomStream order = random_.child("kinds");
    order.shuffle(std::span(kinds_));
  }

  const PooledRows& rows() const { return rows_; }
  RandomStream draws_of(std::size_t refit) const { return random_.child("rows").child(refit); }

  /// Where the stack's log-odds cannot reach the divergence, a function of the population takes their place.
  PlannedRefit plan(std::size_t refit) const {
    const double wanted = wanted_divergence(refit / 2, observed_, high_);
    if (refit % 2 == 0) {
      if (auto division = divide(rows_, stack_, wanted)) {
        return planned("stack", "", division->strength, std::move(*division));
      }
    }
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      const std::string_view name = kinds_[(refit / 2 + i) % kinds_.size()];
      const auto log_ratio = simulate_detail::draw_log_ratio(simulate_detail::find_log_ratio(name), cells_,
                                                             random_.child("log-ratio").child(refit));
      if (auto division = divide(rows_, log_ratio, wanted)) {
        return planned("random", std::string(name), std::nullopt, std::move(*division));
      }
    }
    throw InvalidInput(format("the self-check finds no split of these rows into P and Q with a divergence of "
                              "%.3g: the tables have %zu rows, %zu of them distinct",
                              wanted, rows_.table.rows, static_cast<std::size_t>(rows_.distinct)) +
                       (rows_.stay_together.empty() ? "" : ", and rows of a group stay together") +
                       "; it needs tables with more distinct rows");
  }

 private:
  static PlannedRefit planned(std::string source, std::string kind, Maybe strength, Division division) {
    PlannedRefit result;
    result.record.source = std::move(source);
    result.record.log_ratio = std::move(kind);
    result.record.strength = strength;
    result.record.known = division.jsd;
    result.division = std::move(division);
    return result;
  }

  PooledRows rows_;
  std::span<const double> stack_;
  double observed_, high_;
  RandomStream random_;
  simulate_detail::CellView cells_;
  std::vector<std::string_view> kinds_;
};

/// Everything that the refits share, and the record of each depends on.
Json shared_inputs(const Result& result) {
  Json tables = Json::array();
  for (const InputRecord& input : result.protocol.inputs) tables.push_back(input.sha256);
  const bool tabpfn = std::ranges::count(result.protocol.families, "tabpfn") > 0;
  return {{"tables", std::move(tables)},
          {"options", options_json(result.protocol.options)},
          {"families", result.protocol.families},
          {"tabpfn", tabpfn ? bench::tabpfn_record(result.protocol.options.family) : Json(nullptr)}};
}

void name_job(PlannedRefit& planned, std::size_t refit, const Json& shared) {
  planned.job.inputs = {{"self_check", shared},
                        {"refit", refit},
                        {"source", planned.record.source},
                        {"log_ratio", planned.record.log_ratio},
                        {"jsd", planned.record.known}};
  planned.job.name = bench::job_name(planned.job.inputs);
}

std::optional<bench::JobStore> store_of(const SelfCheckOptions& options, const Json& shared) {
  if (options.refits_folder.empty()) return std::nullopt;
  const Json plan = {{"schema", "jsdiv.self_check/1"}, {"self_check", shared}};
  return bench::JobStore(
      options.refits_folder, plan, [&](const Json& there) { return there == plan; },
      "'" + options.refits_folder + "' contains a run with other tables or options; choose another " +
          mention("refits_folder") + ", or use " + mention("force") + " to replace it",
      options.force);
}

/// The options of the estimate, for tables that are read, typed and thinned already.
EstimateOptions refit_options(const SelfCheckOptions& options, const Result& result) {
  EstimateOptions refit = result.protocol.options;
  refit.own_families = options.estimate.own_families;
  refit.load = {};
  refit.load.group = options.estimate.load.group;
  refit.support = Support::keep;
  refit.max_rows.reset();
  return refit;
}

bench::JobResult run_refit(const PlannedRefit& planned, const Planner& planner, std::size_t refit,
                           const EstimateOptions& options) {
  std::vector<Table> tables = draw_division(planner.rows(), planned.division, planner.draws_of(refit));
  try {
    const Result estimated = estimate(std::move(tables[0]), std::move(tables[1]), options);
    bench::JobResult result;
    result.jsd = estimated.jsd;
    result.raw = estimated.raw;
    result.standard_error = estimated.standard_error;
    result.low = estimated.confidence_interval.value().low;
    result.high = estimated.confidence_interval.value().high;
    result.held_out = estimated.held_out.value().value;
    result.reference = planned.record.known;
    result.seconds = estimated.runtime.seconds;
    return result;
  } catch (const InvalidInput& error) {
    throw InvalidInput(format("self-check, refit %zu: ", refit + 1) + error.message(), error.subject());
  }
}

SelfCheck run_refits(const ScoredReading& reading, const SelfCheckOptions& options, const Result& result) {
  const auto count = static_cast<std::size_t>(options.refits);
  const Rung& rung = result.ladder.back();
  const Json shared = shared_inputs(result);
  const std::optional<bench::JobStore> store = store_of(options, shared);
  std::optional<Planner> planner;
  std::vector<PlannedRefit> plan;
  std::vector<std::optional<bench::JobResult>> results;
  with_threads(options.estimate.threads, [&] {
    planner.emplace(reading, rung, options.estimate.load.group, options.estimate.seed);
    for (std::size_t refit = 0; refit < count; ++refit) {
      plan.push_back(planner->plan(refit));
      name_job(plan.back(), refit, shared);
      results.push_back(store ? store->finished(plan.back().job) : std::nullopt);
    }
  });
  const auto kept = static_cast<std::size_t>(
      std::ranges::count_if(results, [](const auto& finished) { return finished.has_value(); }));
  if (options.announce) {
    // The rungs of the ladder take about equally long, and a division has one.
    const double seconds = result.runtime.seconds / static_cast<double>(result.ladder.size());
    options.announce(count, kept, seconds * static_cast<double>(count - kept));
  }

  SelfCheck check{.rung = rung.rung, .observed = rung.jsd, .sources = {}, .refits = {}};
  EstimateOptions estimate_options = refit_options(options, result);
  for (std::size_t refit = 0; refit < count; ++refit) {
    if (!results[refit]) {
      estimate_options.progress = part_of(options.estimate.progress, refit + 1, count + 1,
                                          format("refit %zu of %zu", refit + 1, count));
      results[refit] = run_refit(plan[refit], *planner, refit, estimate_options);
      if (store) store->keep(plan[refit].job, *results[refit]);
    }
    SelfCheckRefit& record = check.refits.emplace_back(std::move(plan[refit].record));
    record.jsd = results[refit]->jsd;
    record.held_out = results[refit]->held_out;
    record.confidence_interval = {options.estimate.level, results[refit]->low.value(),
                                  results[refit]->high.value()};
  }
  check.sources = summarise_refits(check.refits, check.observed);
  return check;
}

Result run(const TableSource& load, const SelfCheckOptions& options) {
  check(options);
  const Stopwatch watch;
  const double cpu_start = cpu_seconds();
  EstimateOptions estimate_options = options.estimate;
  estimate_options.progress =
      part_of(options.estimate.progress, 0, static_cast<std::size_t>(options.refits) + 1, "");
  std::vector<ScoredReading> readings;
  Result result = estimate_tables(load, estimate_options, TableOrder::by_content, &readings);
  const double estimated = watch.seconds();
  result.self_check = run_refits(readings.back(), options, result);
  warn_of_misses(result.self_check->refits, result.warnings);
  if (options.estimate.progress) options.estimate.progress(1, "done");
  result.runtime.stages.push_back({.name = "self_check", .seconds = watch.seconds() - estimated});
  result.runtime.seconds = watch.seconds();
  result.runtime.cpu_seconds = cpu_seconds() - cpu_start;
  result.runtime.peak_bytes = peak_bytes();
  return result;
}

}  // namespace

Result self_check(Table p, Table q, const SelfCheckOptions& options) {
  return run(from_memory(table_list(std::move(p), std::move(q)), options.estimate.load), options);
}

Result self_check(const std::string& path_p, const std::string& path_q, const SelfCheckOptions& options) {
  return run(from_files({path_p, path_q}, options.estimate.load), options);
}

}  // namespace jsdiv
