#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "bench/job.hpp"

namespace jsdiv::bench {

/// The directory of a run: plan.json says what the run is, jobs/ has a file for each job that is finished.
class JobStore {
 public:
  /// Makes the directory where there is none. Throws InvalidInput with `refusal` if it holds another run,
  /// which `is_this_run` tells by its plan, unless `force` is on; its jobs stay either way.
  JobStore(const std::string& folder, const Json& plan,
           const std::function<bool(const Json& there)>& is_this_run, const Message& refusal, bool force);

  std::filesystem::path path_of(const Job& job) const { return folder_ / "jobs" / (job.name + ".json"); }

  /// What the job came to, where it is finished. Throws InvalidInput for a damaged file, unless `force` is
  /// on.
  std::optional<JobResult> finished(const Job& job) const;

  void keep(const Job& job, const JobResult& result) const;

 private:
  std::filesystem::path folder_;
  bool force_;
};

/// The plan.json of a directory. Throws InvalidInput if there is none or it is damaged.
Json read_plan(const std::filesystem::path& folder);

}  // namespace jsdiv::bench
