#include "bench.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bench/report.hpp"
#include "bench/run.hpp"
#include "listen.hpp"
#include "report/json.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

bench::Plan plan_of(const std::string& text) {
  return bench::plan_from_json(parse_json(text, "the plan"), "the plan");
}

/// The plan as text.
std::string bench_plan(const std::string& experiment, const std::vector<std::string>& families,
                       std::optional<int> seeds, const std::string& data) {
  const bench::PlanOptions options{.families = families, .seeds = seeds, .data = data, .family = {}};
  return dump(bench::plan_json(bench::make_plan(bench::find_experiment(experiment), options)));
}

/// Makes `out` the directory of the plan. Name and description of each job that is not there yet.
std::vector<std::tuple<std::string, std::string>> bench_missing(const std::string& plan_text,
                                                                const std::string& out, bool force) {
  const bench::Plan plan = plan_of(plan_text);
  bench::check_report(out, force);
  bench::RunOptions options;
  options.out = out;
  options.force = force;
  const bench::JobResults results = bench::finished_jobs(plan, options);
  std::vector<std::tuple<std::string, std::string>> missing;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) missing.emplace_back(plan.jobs[i].name, plan.describe(plan.jobs[i]));
  }
  return missing;
}

/// The content of a job's file.
std::string bench_job(const std::string& plan_text, const std::string& name) {
  const bench::Plan plan = plan_of(plan_text);
  const auto job = std::ranges::find(plan.jobs, name, &bench::Job::name);
  if (job == plan.jobs.end()) {
    throw InvalidInput(
        "the plan has no such job here: this worker has another version of jsdiv, of its libraries, or other "
        "tables than the driver");
  }
  std::string text;
  run_while_listening(
      [&](const ProgressFunction&) {
        bench::Plan own = plan;
        own.jobs = {*job};
        try {
          text = dump(bench::job_json(*job, bench::run_job(plan, *job, bench::read_table_pairs(own), 1)));
        } catch (const InvalidInput& error) {
          throw InvalidInput(plan.describe(*job) + ": " + error.message(), error.subject());
        }
      },
      nb::none());
  return text;
}

/// Writes tables and pictures of the jobs that are in `out`. The tables as Markdown.
std::string bench_report(const std::string& plan_text, const std::string& out) {
  const bench::Plan plan = plan_of(plan_text);
  bench::RunOptions options;
  options.out = out;
  return bench::write_report(plan, bench::finished_jobs(plan, options), out);
}

}  // namespace

void bind_bench(nb::module_& module) {
  module.def("bench_plan", &bench_plan, nb::arg("experiment"), nb::arg("families"), nb::arg("seeds").none(),
             nb::arg("data"));
  module.def("bench_missing", &bench_missing, nb::arg("plan"), nb::arg("out"), nb::arg("force"));
  module.def("bench_job", &bench_job, nb::arg("plan"), nb::arg("name"));
  module.def("bench_report", &bench_report, nb::arg("plan"), nb::arg("out"));
}

}  // namespace jsdiv::python
