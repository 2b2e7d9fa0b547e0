#include "bench/job_store.hpp"

#include "core/output_file.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::bench {

namespace fs = std::filesystem;

Json read_plan(const fs::path& folder) {
  const fs::path path = folder / "plan.json";
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored))
    throw InvalidInput("'" + folder.string() + "' does not contain a run of jsdiv bench (no plan.json)");
  Json json = read_json(path.string());
  if (!json.is_object()) throw InvalidInput(path.string() + ": is damaged (no object {…}); use --force");
  return json;
}

JobStore::JobStore(const std::string& folder, const Json& plan,
                   const std::function<bool(const Json& there)>& is_this_run, const Message& refusal,
                   bool force)
    : folder_(folder), force_(force) {
  std::error_code failure;
  fs::create_directories(folder_ / "jobs", failure);
  if (failure)
    throw InvalidInput("cannot create the directory '" + (folder_ / "jobs").string() +
                       "': " + failure.message());
  remove_leftovers((folder_ / "jobs").string());
  const fs::path path = folder_ / "plan.json";
  if (fs::exists(path) && !force) {
    const Json there = read_plan(folder_);
    if (!is_this_run(there)) throw InvalidInput(refusal);
    if (there == plan) return;
  }
  write_output(path.string(), dump(plan), true);
}

std::optional<JobResult> JobStore::finished(const Job& job) const {
  const fs::path path = path_of(job);
  if (!fs::exists(path)) return std::nullopt;
  try {
    JobRecord record = read_job(path.string());
    if (record.inputs != job.inputs)
      throw InvalidInput("the job file '" + path.string() +
                         "' is damaged (its inputs do not match its name); delete it, or use " +
                         mention("force") + ", to compute it again");
    return record.result;
  } catch (const InvalidInput&) {
    if (!force_) throw;
    return std::nullopt;
  }
}

void JobStore::keep(const Job& job, const JobResult& result) const {
  write_output(path_of(job).string(), dump(job_json(job, result)), true);
}

}  // namespace jsdiv::bench
