#pragma once

#include <string_view>

#include "bench/job.hpp"
#include "bench/plan.hpp"
#include "core/assert.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::fuzz {

/// What `read` makes of the text is an answer or a refusal in one line. True if it was accepted.
template <typename Read>
bool is_accepted(const Read& read) {
  try {
    read();
    return true;
  } catch (const InvalidInput& error) {
    JSDIV_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return false;
  }
}

/// The properties that hold for any bytes given to `bench` as an experiment, a plan or a job. How many of the
/// three took them.
inline int check_document(std::string_view text) {
  int accepted = 0;
  bench::Experiment experiment;
  if (is_accepted([&] { experiment = bench::parse_experiment(text, "experiment.json"); })) {
    ++accepted;
    JSDIV_ASSERT(!experiment.settings.empty() && experiment.seeds >= 1);
    bench::PlanOptions options;
    options.seeds = 1;  // the number of jobs grows with it, and the fuzzer would wait
    bench::Plan plan;
    if (is_accepted([&] { plan = bench::make_plan(experiment, options); })) {
      const Json json = bench::plan_json(plan);
      JSDIV_ASSERT(bench::plan_json(bench::plan_from_json(json, "again")) == json);
    }
  }
  Json json;
  if (!is_accepted([&] { json = parse_json(text, "document.json"); })) return accepted;
  accepted += is_accepted([&] { bench::plan_from_json(json, "plan.json"); }) ? 1 : 0;
  accepted += is_accepted([&] { bench::job_from_json(json, "job.json"); }) ? 1 : 0;
  return accepted;
}

}  // namespace jsdiv::fuzz
