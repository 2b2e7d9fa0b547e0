#include "bench/run.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <numeric>

#include "bench/job_store.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::bench {
namespace {

namespace fs = std::filesystem;

/// What of an experiment's file decides which jobs it is; words and pictures may be corrected afterwards.
Json job_part(Json experiment) {
  if (!experiment.is_object()) return experiment;
  for (const char* key : {"title", "source", "plots"}) experiment.erase(key);
  return experiment;
}

/// A directory belongs to one experiment; its families and number of seeds may change between runs.
JobStore store_of(const std::string& folder, const Plan& plan, bool force) {
  const Json wanted = job_part(plan.experiment.file);
  const auto is_this_run = [&](const Json& there) {
    return job_part(there.value("experiment", Json())) == wanted;
  };
  return {folder, plan_json(plan), is_this_run,
          "'" + folder + "' contains a run of another experiment; choose another " + mention("out") +
              ", or use " + mention("force") + " to replace its tables",
          force};
}

std::vector<std::size_t> jobs_of_shard(const Plan& plan, const Shard& shard) {
  std::vector<std::size_t> order(plan.jobs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return plan.jobs[i].name; });
  std::vector<std::size_t> chosen;
  for (std::size_t position = shard.index - 1; position < order.size(); position += shard.count) {
    chosen.push_back(order[position]);
  }
  // The last settings are the largest: begun first, they do not keep one thread waiting at the end.
  std::ranges::sort(chosen, std::greater<>());
  return chosen;
}

/// The jobs of the shard that are in the store.
JobResults finished_in(const JobStore& store, const Plan& plan, const RunOptions& options) {
  JobResults results(plan.jobs.size());
  for (const std::size_t i : jobs_of_shard(plan, options.shard)) {
    results[i] = store.finished(plan.jobs[i]);
    if (results[i] && options.finished) options.finished(plan.jobs[i], *results[i], true);
  }
  return results;
}

/// Runs job(i) for each i of `todo`, in this order, on all threads; after a failure nothing new is begun.
void run_in_order(const std::vector<std::size_t>& todo, std::size_t threads,
                  const std::function<void(std::size_t)>& job) {
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> failed = false;
  parallel_for(std::min(threads, todo.size()), [&](std::size_t) {
    for (std::size_t i = next++; i < todo.size() && !failed; i = next++) {
      throw_if_interrupted();
      try {
        job(todo[i]);
      } catch (...) {
        failed = true;
        throw;
      }
    }
  });
}

}  // namespace

Shard parse_shard(const std::string& text) {
  Shard shard;
  const char* end = text.data() + text.size();
  const auto [slash, first_error] = std::from_chars(text.data(), end, shard.index);
  const bool has_slash = first_error == std::errc() && slash != end && *slash == '/';
  const auto [last, second_error] = has_slash ? std::from_chars(slash + 1, end, shard.count)
                                              : std::from_chars_result{end, std::errc::invalid_argument};
  if (second_error != std::errc() || last != end || shard.index < 1 || shard.index > shard.count) {
    throw InvalidInput(mention("shard") + " is '" + text + "'; give i/n with 1 <= i <= n, for example 2/8",
                       {.option = "shard"});
  }
  return shard;
}

JobResults finished_jobs(const Plan& plan, const RunOptions& options) {
  return finished_in(store_of(options.out, plan, options.force), plan, options);
}

JobResults run_plan(const Plan& plan, const RunOptions& options) {
  const JobStore store = store_of(options.out, plan, options.force);
  JobResults results = finished_in(store, plan, options);
  std::vector<std::size_t> todo;
  for (const std::size_t i : jobs_of_shard(plan, options.shard)) {
    if (!results[i]) todo.push_back(i);
  }
  if (todo.empty()) return results;

  std::mutex mutex;
  with_threads(options.threads, [&] {
    const TablePairs tables = read_table_pairs(plan);
    const std::size_t threads = thread_count(options.threads);
    run_in_order(todo, threads, [&](std::size_t i) {
      const Job& job = plan.jobs[i];
      try {
        results[i] = run_job(plan, job, tables, threads);
      } catch (const InvalidInput& error) {
        throw InvalidInput(plan.describe(job) + ": " + error.message(), error.subject());
      }
      store.keep(job, *results[i]);
      const std::lock_guard guard(mutex);
      if (options.finished) options.finished(job, *results[i], false);
    });
  });
  return results;
}

Merged merge_runs(const std::vector<std::string>& folders) {
  if (folders.empty()) throw InvalidInput("give the directories of the runs to merge");
  const Json plan = read_plan(folders[0]);
  Merged merged;
  std::map<std::string, JobResult> by_inputs;
  for (const std::string& folder : folders) {
    if (read_plan(folder) != plan) {
      throw InvalidInput("'" + folder + "' and '" + folders[0] +
                         "' contain runs of different plans (experiment, families, seeds, tables)");
    }
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fs::path(folder) / "jobs", ignored)) {
      if (entry.path().extension() != ".json") continue;
      JobRecord record = read_job(entry.path().string());
      if (by_inputs.emplace(record.inputs.dump(), record.result).second)
        merged.files.push_back(entry.path().string());
    }
  }
  merged.plan = plan_from_json(plan, folders[0] + "/plan.json");
  std::size_t missing = 0;
  std::string first_missing;
  for (const Job& job : merged.plan.jobs) {
    const auto found = by_inputs.find(job.inputs.dump());
    if (found == by_inputs.end()) {
      if (missing++ == 0) first_missing = merged.plan.describe(job);
      merged.results.emplace_back();
    } else {
      merged.results.emplace_back(found->second);
    }
  }
  if (missing > 0) {
    throw InvalidInput(
        format("%zu of %zu jobs are missing, the first is: ", missing, merged.plan.jobs.size()) +
        first_missing + "; run the remaining shards first");
  }
  return merged;
}

void copy_merged(const Merged& merged, const std::string& out, bool force) {
  const fs::path folder(out);
  store_of(out, merged.plan, force);
  for (const std::string& file : merged.files) {
    const fs::path target = folder / "jobs" / fs::path(file).filename();
    if (fs::exists(target)) continue;
    std::ifstream content(file, std::ios::binary);
    write_output(target.string(), std::string(std::istreambuf_iterator<char>(content), {}), false);
  }
}

}  // namespace jsdiv::bench
