#include "bench/job.hpp"

#include <algorithm>
#include <filesystem>
#include <numeric>

#include "bench/published.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "jsdiv/marginal.hpp"
#include "jsdiv/random.hpp"
#include "load/load.hpp"
#include "split/paper_split.hpp"

namespace jsdiv::bench {
namespace {

struct TablePair {
  Table p, q;
  Maybe reference;
  Maybe oracle;
};

/// The given number of rows, drawn by the seed, in the table's order.
Table draw_rows(const Table& table, std::size_t count, RandomStream random) {
  if (table.rows < count) {
    throw InvalidInput(table.source + ": has " + std::to_string(table.rows) +
                       " rows, but the experiment needs " + std::to_string(count));
  }
  std::vector<std::size_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  random.shuffle(std::span(rows));
  rows.resize(count);
  std::ranges::sort(rows);
  Table drawn{.columns = {}, .rows = count, .source = table.source, .sha256 = ""};
  for (const Column& column : table.columns) {
    drawn.columns.push_back({.name = column.name, .type = column.type, .levels = column.levels});
    for (const std::size_t row : rows) drawn.columns.back().values.push_back(column.values[row]);
  }
  return drawn;
}

TablePair draw_pair(const Setting& setting, std::uint64_t seed, const TablePairs& tables) {
  if (setting.reads_tables()) {
    const std::vector<Table>& both = tables.at(setting.path_p + "|" + setting.path_q);
    const RandomStream random = RandomStream(seed).child("bench rows");
    return {draw_rows(both[0], *setting.draw.n, random.child("p")),
            draw_rows(both[1], *setting.draw.n, random.child("q")), std::nullopt, std::nullopt};
  }
  SimulateOptions options = setting.draw;
  options.seed = seed;
  Simulation drawn = simulate(setting.scenario, options);
  return {std::move(drawn.p), std::move(drawn.q), drawn.truth.jsd, drawn.truth.oracle};
}

/// The baselines see the training part only, as in the paper.
JobResult run_baseline(TablePair pair, const Job& job, const Setting& setting) {
  std::vector<Warning> ignored;
  std::vector<Table> tables;
  tables.push_back(std::move(pair.p));
  tables.push_back(std::move(pair.q));
  align_tables(tables, {}, ignored);
  const Sample sample = pool_tables(std::move(tables), {}, ignored);
  const PaperSplit split = paper_split(sample, setting.paper.train, setting.paper.eval, job.seed);
  const auto first_of_q = std::ranges::lower_bound(split.train, static_cast<RowIndex>(sample.rows_p()));
  const auto rows_p = static_cast<std::size_t>(first_of_q - split.train.begin());
  const Rows rows(split.train);
  const Stopwatch watch;
  const MarginalResult marginal = marginal_baselines(sample, rows.first(rows_p), rows.subspan(rows_p));
  JobResult result;
  const Maybe value = job.family == "syndat" ? marginal.syndat : marginal.synthcity;
  if (!value) throw InvalidInput("no column of the pair has a score for " + job.family);
  result.jsd = result.raw = *value;
  result.seconds = watch.seconds();
  return result;
}

JobResult run_estimate(TablePair pair, const Job& job, const Setting& setting,
                       const FamilyOptions& family_options, std::size_t threads) {
  EstimateOptions options;
  options.seed = job.seed;
  options.family = family_options;
  options.threads = threads;
  const bool automatic = job.family == "auto";
  if (!automatic) {  // auto runs as it does for users, with as many divisions into folds as the rows ask for
    options.seeds = 1;
    options.protocol = Protocol::paper;
    options.families = {job.family};
    options.paper = setting.paper;
    if (setting.published_iterations) {
      options.paper.iterations = published_iterations(job.family).value_or(options.paper.iterations);
    }
  }
  const Result estimated = estimate(std::move(pair.p), std::move(pair.q), options);
  JobResult result;
  result.jsd = estimated.jsd;
  result.raw = estimated.raw;
  result.standard_error = estimated.standard_error;
  if (estimated.confidence_interval) {
    result.low = estimated.confidence_interval->low;
    result.high = estimated.confidence_interval->high;
  }
  if (estimated.held_out) result.held_out = estimated.held_out->value;
  if (estimated.support) result.harmonised_jsd = estimated.support->harmonised_jsd;
  result.seconds = automatic ? estimated.runtime.seconds : estimated.families.at(0).seconds;
  return result;
}

Json maybe(const Maybe& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// visit(name, field) for every number of a result that its inputs determine.
template <typename AnyResult, typename Visitor>
void visit_numbers(AnyResult& result, Visitor&& visit) {
  visit("standard_error", result.standard_error);
  visit("low", result.low);
  visit("high", result.high);
  visit("held_out", result.held_out);
  visit("harmonised_jsd", result.harmonised_jsd);
  visit("reference", result.reference);
  visit("oracle", result.oracle);
}

double number(const Json& json, const char* key) {
  return json.at(key).get<double>();
}

InvalidInput damaged_job(const std::string& path, const std::string& why) {
  return InvalidInput("the job file '" + path + "' is damaged (" + why +
                      "); delete it, or use --force, to compute it again");
}

}  // namespace

TablePairs read_table_pairs(const Plan& plan) {
  TablePairs pairs;
  for (const Setting& setting : plan.experiment.settings) {
    const std::string key = setting.path_p + "|" + setting.path_q;
    if (!setting.reads_tables() || pairs.contains(key)) continue;
    const std::filesystem::path folder(plan.data_folder);
    const std::vector<std::string> paths = {(folder / setting.path_p).string(),
                                            (folder / setting.path_q).string()};
    std::vector<Warning> ignored;
    pairs[key] = read_tables(paths, {.max_unpacked = ""}, ignored);
  }
  return pairs;
}

JobResult run_job(const Plan& plan, const Job& job, const TablePairs& tables, std::size_t threads) {
  const Setting& setting = plan.setting(job);
  TablePair pair = draw_pair(setting, job.seed, tables);
  const Maybe reference = pair.reference;
  const Maybe oracle = pair.oracle;
  const bool baseline = job.family == "syndat" || job.family == "synthcity";
  JobResult result = baseline ? run_baseline(std::move(pair), job, setting)
                              : run_estimate(std::move(pair), job, setting, plan.family, threads);
  result.reference = reference;
  result.oracle = oracle;
  return result;
}

Json job_json(const Job& job, const JobResult& result) {
  Json numbers = {{"jsd", result.jsd}, {"raw", result.raw}};
  visit_numbers(result, [&](const char* name, const Maybe& value) { numbers[name] = maybe(value); });
  return {{"schema", "jsdiv.job/1"},
          {"inputs", job.inputs},
          {"versions", versions_json()},
          {"result", std::move(numbers)},
          {"runtime", {{"seconds", result.seconds}}}};
}

JobRecord read_job(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) throw damaged_job(path, "not a regular file");
  Json json;
  try {
    json = read_json(path);
  } catch (const InvalidInput& error) {
    throw damaged_job(path, error.what());
  }
  return job_from_json(json, path);
}

JobRecord job_from_json(const Json& json, const std::string& path) {
  const auto damaged = [&](const std::string& why) { return damaged_job(path, why); };
  if (!json.is_object() || json.value("schema", Json()) != "jsdiv.job/1")
    throw damaged("not of schema jsdiv.job/1");
  JobRecord record;
  try {
    record.inputs = json.at("inputs");
    const Json& numbers = json.at("result");
    record.result.jsd = number(numbers, "jsd");
    record.result.raw = number(numbers, "raw");
    visit_numbers(record.result, [&](const char* name, Maybe& value) {
      if (!numbers.at(name).is_null()) value = number(numbers, name);
    });
    record.result.seconds = number(json.at("runtime"), "seconds");
  } catch (const Json::exception& error) {
    throw damaged("a number is missing or is not a number");
  }
  return record;
}

}  // namespace jsdiv::bench
