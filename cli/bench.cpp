#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "bench/report.hpp"
#include "bench/run.hpp"
#include "cli/command.hpp"
#include "cli/live_table.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string experiment;
  std::vector<std::string> folders;  ///< of `merge`
  bench::PlanOptions plan;
  bench::RunOptions run;
  std::string shard;
  bool quiet = false;
};

void print_report(const bench::Plan& plan, const bench::JobResults& results, const std::string& out) {
  std::fputs(bench::write_report(plan, results, out).c_str(), stdout);
  std::printf("\nWritten to %s:", out.c_str());
  for (const char* name : bench::report_files) std::printf(" %s", name);
  std::printf("\n");
}

std::size_t jobs_in(const bench::Plan& plan, const bench::Shard& shard) {
  return (plan.jobs.size() + shard.count - shard.index) / shard.count;
}

int run(const Arguments& arguments) {
  if (arguments.experiment.empty()) {
    throw InvalidInput("name an experiment or a file; see jsdiv bench --help");
  }
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
    std::fprintf(stderr, "jsdiv: interrupted; finished jobs are kept, the same command goes on from here\n");
    return interrupted;
  } catch (const InvalidInput&) {
    if (table) table->clear();
    throw;
  }
  if (table) table->clear();
  print_warnings(plan.warnings, {.json = "", .force = false, .quiet = arguments.quiet});
  if (!options.shard.whole()) {
    std::printf("shard %zu of %zu: %zu jobs are in %s/jobs; when all shards are there: jsdiv bench merge\n",
                options.shard.index, options.shard.count, jobs_in(plan, options.shard), options.out.c_str());
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
  return text + "Or a file of your own; docs/bench.md describes the format.\n";
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "bench", "the paper's experiments: tables and pictures, with the published figures beside ours");
  command->footer(experiments_help);
  command->add_option("EXPERIMENT", arguments->experiment, "one of those below, or a file");
  command->add_option("--out", arguments->run.out, "directory of the run; a run that was cut short goes on");
  command->add_option("--families", arguments->plan.families, "estimators (default: the experiment's)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("LIST");
  command->add_option("--seeds", arguments->plan.seeds, "draws of each setting (default: the experiment's)");
  command->add_option("--data", arguments->plan.data, "directory of the tables that the experiment reads");
  command->add_option("--shard", arguments->shard,
                      "i/n: only the i-th of n parts; `merge` puts them together");
  command->add_option("--threads", arguments->run.threads, "jobs side by side; 0: one for each core")
      ->capture_default_str();
  command->add_flag("--force", arguments->run.force, "take over a directory, compute damaged jobs again");
  command->add_flag("--quiet", arguments->quiet, "no live table, no warnings on standard error");
  add_family_options(*command, arguments->plan.family);

  CLI::App* merging = command->add_subcommand("merge", "put the shards of a run together");
  merging->add_option("DIRECTORIES", arguments->folders, "the --out of each shard")->required();
  merging->add_option("--out", arguments->run.out, "directory of the whole run")->required();
  merging->add_flag("--force", arguments->run.force, "take over a directory");
  merging->callback([arguments, &action] { action = [arguments] { return merge(*arguments); }; });
  command->callback([arguments, merging, &action] {
    if (merging->parsed()) return;
    action = [arguments] {
      if (arguments->run.out.empty()) throw InvalidInput("--out is required; name a directory for the run");
      return run(*arguments);
    };
  });
}

}  // namespace jsdiv::cli
