#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "bench/report.hpp"
#include "bench/run.hpp"
#include "cli/command.hpp"
#include "cli/live_table.hpp"
#include "cli/process.hpp"
#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::cli {
namespace {

constexpr const char* interrupted_run =
    "jsdiv: interrupted; finished jobs are kept; run the same command again to resume\n";

struct Arguments {
  std::string experiment;
  std::vector<std::string> folders;  ///< of `merge`
  bench::PlanOptions plan;
  bench::RunOptions run;
  std::string shard;
  bool quiet = false;
};

void print_report(const bench::Plan& plan, const bench::JobResults& results, const std::string& out) {
  std::string text = bench::write_report(plan, results, out);
  text += "\nWritten to " + safe_text(out, Medium::line) + ":";
  for (const char* name : bench::report_files) text += std::string(" ") + name;
  print(text + "\n");
}

std::size_t jobs_in(const bench::Plan& plan, const bench::Shard& shard) {
  return (plan.jobs.size() + shard.count - shard.index) / shard.count;
}

int run(const Arguments& arguments) {
  if (arguments.experiment.empty()) {
    throw InvalidInput("give an experiment or a file; see jsdiv bench --help");
  }
  set_interrupted_message(interrupted_run);
  bench::RunOptions options = arguments.run;
  if (!arguments.shard.empty()) options.shard = bench::parse_shard(arguments.shard);
  const bench::Plan plan = bench::make_plan(bench::find_experiment(arguments.experiment), arguments.plan);
  bench::check_report(options.out, options.force);

  std::optional<LiveTable> table;
  if (!arguments.quiet && isatty(STDERR_FILENO) != 0)
    table.emplace(plan, jobs_in(plan, options.shard), thread_count(options.threads));
  options.finished = [&](const bench::Job& job, const bench::JobResult& result, bool resumed) {
    if (table) table->finished(job, result, resumed);
  };
  bench::JobResults results;
  try {
    results = bench::run_plan(plan, options);
  } catch (const Interrupted&) {
    if (table) table->clear();
    std::fputs(interrupted_run, stderr);
    return interrupted;
  } catch (const InvalidInput&) {
    if (table) table->clear();
    throw;
  }
  if (table) table->clear();
  print_warnings(plan.warnings, {.json = "", .force = false, .quiet = arguments.quiet});
  if (!options.shard.whole()) {
    print(
        format("shard %zu of %zu: %zu jobs are in %s/jobs; once all shards are done, run jsdiv bench merge\n",
               options.shard.index, options.shard.count, jobs_in(plan, options.shard),
               safe_text(options.out, Medium::line).c_str()));
    return done;
  }
  print_report(plan, results, options.out);
  return done;
}

int merge(const Arguments& arguments) {
  const std::string& out = arguments.run.out;
  const bench::Merged merged = bench::merge_runs(arguments.folders);
  bench::check_report(out, arguments.run.force);
  bench::copy_merged(merged, out, arguments.run.force);
  print_report(merged.plan, merged.results, out);
  return done;
}

std::string experiments_help() {
  std::string text = "\nExperiments:\n";
  for (const std::string& name : bench::built_in_experiments()) {
    std::string line = "  " + name;
    line.resize(16, ' ');
    text += line + bench::find_experiment(name).title + "\n";
  }
  return text + "Or your own file; docs/bench.md describes the format.\n";
}

}  // namespace

void add_bench(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand(
      "bench", "run the paper's experiments; writes tables and charts next to the published figures");
  command.footer(experiments_help);
  command.add_option("EXPERIMENT", arguments->experiment, "one of the experiments below, or your own file")
      .type_name(choice_list(bench::built_in_experiments()));
  command.add_option("--out", arguments->run.out, "directory for the run; an interrupted run resumes from it")
      .type_name("DIR")
      .group(output_group);
  command
      .add_list("--families", arguments->plan.families, "estimators to run (default: set by the experiment)")
      .group("Experiment");
  add_number(command, "--seeds", arguments->plan.seeds, "draws per setting (default: set by the experiment)")
      .group("Experiment");
  command.add_option("--data", arguments->plan.data, "directory with the tables that the experiment reads")
      .type_name("DIR")
      .group("Experiment");
  command.add_option("--shard", arguments->shard, "run only part i of n (combine the parts with bench merge)")
      .type_name("I/N")
      .group("Experiment");
  command
      .add_flag("--force", arguments->run.force,
                "replace the tables of another run, and run damaged jobs again")
      .group(output_group);
  add_threads_option(command, arguments->run.threads);
  add_quiet_option(command, arguments->quiet);
  add_family_options(command, arguments->plan.family);

  Command merging = command.add_subcommand("merge", "combine the parts of a sharded run");
  merging.add_option("DIRECTORIES", arguments->folders, "the --out directory of each shard").required();
  merging.add_option("--out", arguments->run.out, "directory for the combined run")
      .type_name("DIR")
      .required()
      .group(output_group);
  merging.add_flag("--force", arguments->run.force, "replace the tables of another run").group(output_group);
  add_threads_option(merging, arguments->run.threads);
  add_quiet_option(merging, arguments->quiet);
  merging.callback([arguments, &action] { action = [arguments] { return merge(*arguments); }; });
  command.callback([arguments, merging, &action] {
    if (merging.was_chosen()) return;
    action = [arguments] {
      if (arguments->run.out.empty())
        throw InvalidInput(mention("out") + " is required; give a directory for the run");
      return run(*arguments);
    };
  });
}

}  // namespace jsdiv::cli
