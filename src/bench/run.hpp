#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/job.hpp"
#include "bench/plan.hpp"

namespace jsdiv::bench {

/// Part `index` (from 1) of `count`: jobs are dealt out in the order of their hashes, so that every part gets
/// some of each family and setting.
struct Shard {
  std::size_t index = 1;
  std::size_t count = 1;

  bool whole() const { return count == 1; }
};

/// "2/8". Throws InvalidInput.
Shard parse_shard(const std::string& text);

struct RunOptions {
  std::string out;
  Shard shard;
  std::size_t threads = 0;
  bool force = false;  ///< take over a directory of another experiment, compute damaged jobs again
  /// Called for every job that is there, from one thread at a time; `resumed`: it was there at the start.
  std::function<void(const Job&, const JobResult&, bool resumed)> finished;
};

/// The results of a plan's jobs, in their order; none for a job of another shard.
using JobResults = std::vector<std::optional<JobResult>>;

/// Makes `out` the directory of the plan and reads the jobs of the shard that are there, after a look at
/// each. Throws InvalidInput for a directory of another run and for a damaged file.
JobResults finished_jobs(const Plan& plan, const RunOptions& options);

/// Runs what is not there yet; each finished job is a file at once. Throws InvalidInput for a damaged file, a
/// job that cannot run, a full disk: what is finished stays.
JobResults run_plan(const Plan& plan, const RunOptions& options);

/// The plan that the runs of several directories share, and their jobs. Throws InvalidInput if they are of
/// different plans or a job is missing. Versions may differ between them.
struct Merged {
  Plan plan;
  JobResults results;
  std::vector<std::string> files;  ///< of the jobs
};
Merged merge_runs(const std::vector<std::string>& folders);

/// Makes `out` the directory of one complete run.
void copy_merged(const Merged& merged, const std::string& out, bool force);

}  // namespace jsdiv::bench
