#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/experiment.hpp"

namespace jsdiv::bench {

/// The smallest unit of work: one estimator on one draw of one setting.
struct Job {
  std::size_t setting = 0;  ///< index into the experiment's
  std::string family;
  std::uint64_t seed = 0;
  Json inputs;       ///< everything that determines its numbers but the versions
  std::string name;  ///< hash of inputs and versions; its file is jobs/<name>.json
};

/// What the user asks for besides the experiment itself.
struct PlanOptions {
  std::vector<std::string> families;  ///< empty: the experiment's
  std::optional<int> seeds;
  std::string data;  ///< directory with the tables that the experiment reads
  FamilyOptions family;
};

/// An experiment written out into jobs.
struct Plan {
  Experiment experiment;
  FamilyOptions family;
  std::map<std::string, std::string> sha256;  ///< of each table that is read, by its path in the experiment
  std::string data_folder;                    ///< what those paths are relative to
  Json tabpfn;                                ///< what determines that family's numbers; null without weights
  std::vector<Job> jobs;                      ///< setting by setting, family by family, seed by seed
  std::vector<std::string> left_out;          ///< families that cannot run here
  std::vector<Warning> warnings;              ///< which, and why

  const Setting& setting(const Job& job) const { return experiment.settings[job.setting]; }
  /// "rho=0.5, rf, seed 3"
  std::string describe(const Job& job) const;
};

/// The name of a job with these inputs, in this version: a hash.
std::string job_name(const Json& inputs);

/// What a result of the family tabpfn depends on; null where it has no weights.
Json tabpfn_record(const FamilyOptions& options);

/// Throws InvalidInput for an unknown or unavailable family that the user named, and for a missing table.
Plan make_plan(Experiment experiment, const PlanOptions& options);

/// The plan as a run's plan.json records it, schema jsdiv.bench/1, and back again.
Json plan_json(const Plan& plan);
Plan plan_from_json(const Json& json, const std::string& source);

}  // namespace jsdiv::bench
