#pragma once

#include <string>
#include <vector>

#include "bench/plan.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv::bench {

/// The numbers of one job.
struct JobResult {
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;
  Maybe low, high;       ///< of the interval
  Maybe held_out;        ///< auto: without extrapolation
  Maybe harmonised_jsd;  ///< auto: both tables on the same grids
  Maybe reference;       ///< the true divergence; none for tables that are read
  Maybe oracle;          ///< the plug-in that knows the densities, on all rows of this very draw
  double seconds = 0;    ///< of the estimator alone
};

/// The tables of the settings that read theirs, by path; read once for all jobs.
using TablePairs = std::map<std::string, std::vector<Table>>;
TablePairs read_table_pairs(const Plan& plan);

/// Draws the pair and estimates. Throws InvalidInput where they do not go together.
JobResult run_job(const Plan& plan, const Job& job, const TablePairs& tables, std::size_t threads);

/// The file of a job, schema jsdiv.job/1. Everything but `runtime` follows from its inputs.
Json job_json(const Job& job, const JobResult& result);

/// A job's file read back.
struct JobRecord {
  Json inputs;
  JobResult result;
};

/// Throws InvalidInput that says what is wrong with the file.
JobRecord read_job(const std::string& path);
JobRecord job_from_json(const Json& json, const std::string& path);

}  // namespace jsdiv::bench
