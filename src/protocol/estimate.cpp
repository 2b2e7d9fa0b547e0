#include "jsdiv/estimate.hpp"

#include <sys/resource.h>

#include <chrono>
#include <cmath>

#include "core/content_hash.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "protocol/automatic.hpp"
#include "protocol/budget.hpp"
#include "protocol/paper.hpp"
#include "protocol/posteriors.hpp"
#include "protocol/score.hpp"

namespace jsdiv {
namespace {

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

std::size_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

void check(const EstimateOptions& options) {
  if (options.seeds && *options.seeds < 1) throw InvalidInput("--seeds must be at least 1");
  if (!(options.level > 0 && options.level < 1))
    throw InvalidInput("--level must lie between 0 and 1, for example 0.95");
  if (!(options.paper.epsilon > 0 && options.paper.epsilon < 0.5)) {
    throw InvalidInput("--epsilon must lie between 0 and 0.5, for example 1e-6");
  }
  if (!(options.paper.threshold >= 0)) throw InvalidInput("--threshold must not be negative");
  if (options.time_budget && !(*options.time_budget > 0)) {
    throw InvalidInput("--time-budget must be a positive number of seconds");
  }
  if (options.paper.iterations < 0)
    throw InvalidInput("--iterations must not be negative; 0 means no search");
}

void record_inputs(std::span<const Table> tables, Result& result) {
  for (const Table& table : tables) {
    result.protocol.inputs.push_back({.path = table.source, .sha256 = table.sha256, .rows = table.rows});
  }
  for (const Column& column : tables[0].columns) {
    result.protocol.columns.push_back({.name = column.name, .type = column.type});
  }
}

/// Times the stages and the whole, and keeps all of it within the thread limit.
template <typename Load, typename Work>
Result measured(const EstimateOptions& options, Load&& load, const Work& work) {
  check(options);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  const double cpu_start = cpu_seconds();
  Result result;
  result.protocol.options = options;
  with_threads(options.threads, [&] {
    std::vector<Table> tables = load(result.warnings);
    record_inputs(tables, result);
    const bool q_first = content_hash(tables.at(1)) < content_hash(tables.at(0));
    Sample sample = pool_tables(std::move(tables), options.load, result.warnings);
    const auto loaded = Clock::now();
    work(std::move(sample), q_first, result);
    result.runtime.stages = {{"load", std::chrono::duration<double>(loaded - start).count()},
                             {"estimate", std::chrono::duration<double>(Clock::now() - loaded).count()}};
  });
  result.runtime.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  result.runtime.cpu_seconds = cpu_seconds() - cpu_start;
  result.runtime.threads = thread_count(options.threads);
  result.runtime.peak_bytes = peak_bytes();
  return result;
}

/// Which table comes first in the arithmetic follows from their content, not from which is called P.
void run_protocol(Sample sample, bool q_first, const EstimateOptions& options, Result& result) {
  if (options.protocol == Protocol::automatic) {
    run_auto(std::move(sample), q_first, options, result);
  } else {
    run_paper(sample, options, result);
  }
}

void run(Sample sample, bool q_first, const EstimateOptions& options, Result& result) {
  if (!options.time_budget) return run_protocol(std::move(sample), q_first, options, result);
  const Work trial = [q_first](const Sample& rows, const EstimateOptions& few) {
    Result unused;
    run_protocol(rows, q_first, few, unused);
  };
  result.runtime.time_budget = options.time_budget;
  result.protocol.options = plan_within_budget(sample, options, trial, result.warnings);
  run_protocol(std::move(sample), q_first, EstimateOptions(result.protocol.options), result);
}

auto reader(std::vector<std::string> paths, const EstimateOptions& options) {
  return [paths = std::move(paths), &options](std::vector<Warning>& warnings) {
    return read_tables(paths, options.load, warnings);
  };
}

template <typename... Tables>
auto aligner(const EstimateOptions& options, Tables... given) {
  std::vector<Table> tables;
  (tables.push_back(std::move(given)), ...);
  return [tables = std::move(tables), &options](std::vector<Warning>& warnings) mutable {
    align_tables(tables, options.load, warnings);
    return std::move(tables);
  };
}

template <typename Load>
Result posteriors_of(const EstimateOptions& options, Load&& load, std::span<const double> posteriors) {
  return measured(options, load, [&](const Sample& sample, bool, Result& result) {
    run_posteriors(sample, posteriors, options, result);
  });
}

template <typename Load>
Scores score_of(const EstimateOptions& options, Load&& load) {
  Scores scores;
  const Result record = measured(
      options, load, [&](const Sample& sample, bool, Result&) { scores = run_score(sample, options); });
  scores.warnings.insert(scores.warnings.begin(), record.warnings.begin(), record.warnings.end());
  return scores;
}

template <typename Load>
MarginalResult marginal_of(const LoadOptions& options, std::size_t threads, const Load& load) {
  MarginalResult result;
  with_threads(threads, [&] {
    std::vector<Warning> warnings;
    const Sample sample = pool_tables(load(warnings), options, warnings);
    result = marginal_baselines(sample);
    result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  });
  return result;
}

}  // namespace

Result estimate(const std::string& path_p, const std::string& path_q, const EstimateOptions& options) {
  return measured(
      options, reader({path_p, path_q}, options),
      [&](Sample sample, bool q_first, Result& result) { run(std::move(sample), q_first, options, result); });
}

Result estimate(Table p, Table q, const EstimateOptions& options) {
  return measured(
      options, aligner(options, std::move(p), std::move(q)),
      [&](Sample sample, bool q_first, Result& result) { run(std::move(sample), q_first, options, result); });
}

Result estimate_posteriors(const std::string& path_p, const std::string& path_q,
                           std::span<const double> posteriors, const EstimateOptions& options) {
  return posteriors_of(options, reader({path_p, path_q}, options), posteriors);
}

Result estimate_posteriors(Table p, Table q, std::span<const double> posteriors,
                           const EstimateOptions& options) {
  return posteriors_of(options, aligner(options, std::move(p), std::move(q)), posteriors);
}

Scores score(const std::string& path_p, const std::string& path_q, const std::string& path_x,
             const EstimateOptions& options) {
  return score_of(options, reader({path_p, path_q, path_x}, options));
}

Scores score(Table p, Table q, Table x, const EstimateOptions& options) {
  return score_of(options, aligner(options, std::move(p), std::move(q), std::move(x)));
}

MarginalResult marginal(const std::string& path_p, const std::string& path_q, const LoadOptions& options,
                        std::size_t threads) {
  return marginal_of(options, threads, [&](std::vector<Warning>& warnings) {
    const std::vector<std::string> paths = {path_p, path_q};
    return read_tables(paths, options, warnings);
  });
}

MarginalResult marginal(Table p, Table q, const LoadOptions& options, std::size_t threads) {
  return marginal_of(options, threads, [&](std::vector<Warning>& warnings) {
    std::vector<Table> tables;
    tables.push_back(std::move(p));
    tables.push_back(std::move(q));
    align_tables(tables, options, warnings);
    return tables;
  });
}

double Result::distance() const {
  return std::sqrt(jsd);
}

}  // namespace jsdiv
