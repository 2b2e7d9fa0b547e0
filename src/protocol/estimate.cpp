#include "jsdiv/estimate.hpp"

#include <sys/resource.h>

#include <cmath>

#include "core/content_hash.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"
#include "load/load.hpp"
#include "load/source.hpp"
#include "protocol/automatic.hpp"
#include "protocol/budget.hpp"
#include "protocol/check_options.hpp"
#include "protocol/paper.hpp"
#include "protocol/posteriors.hpp"

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

void record_inputs(std::span<const Table> tables, Result& result) {
  for (const Table& table : tables) {
    result.protocol.inputs.push_back({.path = table.source, .sha256 = table.sha256, .rows = table.rows});
  }
  for (const Column& column : tables[0].columns) {
    result.protocol.columns.push_back({.name = column.name, .type = column.type});
  }
}

/// Times the stages and the whole, and keeps all of it within the thread limit.
template <typename Work>
Result measured(const EstimateOptions& options, const TableSource& load, const Work& work) {
  check_options(options);
  const Stopwatch watch;
  const double cpu_start = cpu_seconds();
  Result result;
  result.protocol.options = options;
  with_threads(options.threads, [&] {
    std::vector<Table> tables = load(result.warnings);
    record_inputs(tables, result);
    const bool q_first = content_hash(tables.at(1)) < content_hash(tables.at(0));
    Sample sample = pool_tables(std::move(tables), options.load, result.warnings);
    const double loaded = watch.seconds();
    work(std::move(sample), q_first, result);
    result.runtime.stages = {{"load", loaded}, {"estimate", watch.seconds() - loaded}};
  });
  result.runtime.seconds = watch.seconds();
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
    Result tried;
    run_protocol(rows, q_first, few, tried);
    return tried;
  };
  result.runtime.time_budget = options.time_budget;
  result.protocol.options = plan_within_budget(sample, options, trial, result.warnings);
  run_protocol(std::move(sample), q_first, EstimateOptions(result.protocol.options), result);
}

Result estimate_from(const TableSource& load, const EstimateOptions& options) {
  return measured(options, load, [&](Sample sample, bool q_first, Result& result) {
    run(std::move(sample), q_first, options, result);
  });
}

Result posteriors_from(const TableSource& load, std::span<const double> posteriors,
                       const EstimateOptions& options) {
  return measured(options, load, [&](const Sample& sample, bool, Result& result) {
    run_posteriors(sample, posteriors, options, result);
  });
}

}  // namespace

Result estimate(const std::string& path_p, const std::string& path_q, const EstimateOptions& options) {
  return estimate_from(from_files({path_p, path_q}, options.load), options);
}

Result estimate(Table p, Table q, const EstimateOptions& options) {
  return estimate_from(from_memory(table_list(std::move(p), std::move(q)), options.load), options);
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

}  // namespace jsdiv
