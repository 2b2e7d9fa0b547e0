#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/simulate.hpp"
#include "load/csv_writer.hpp"
#include "load/load.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string scenario;
  std::string base;
  SimulateOptions options;
  std::string out;
  std::size_t threads = 0;
  bool force = false;
};

std::shared_ptr<const Table> read_base(const std::string& path) {
  std::vector<Warning> warnings;
  const std::vector<std::string> paths = {path};
  std::vector<Table> tables = read_tables(paths, {}, warnings);
  print_warnings(warnings, {});
  return std::make_shared<const Table>(std::move(tables.front()));
}

int run(const Arguments& arguments) {
  const std::filesystem::path folder(arguments.out);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure) throw InvalidInput("cannot make the directory '" + arguments.out + "': " + failure.message());
  for (const char* name : {"p.csv", "q.csv", "truth.json", "posteriors.csv"})
    check_output((folder / name).string(), arguments.force);

  Simulation pair;
  with_threads(arguments.threads, [&] {
    SimulateOptions options = arguments.options;
    if (!arguments.base.empty()) options.base = read_base(arguments.base);
    pair = simulate(arguments.scenario, options);
  });
  write_output((folder / "p.csv").string(), write_csv(pair.p), arguments.force);
  write_output((folder / "q.csv").string(), write_csv(pair.q), arguments.force);
  write_output((folder / "truth.json").string(), to_json(pair.truth), arguments.force);
  if (!pair.posteriors.empty()) {
    Table posteriors{.rows = pair.posteriors.size()};
    posteriors.columns.push_back({.name = "posterior", .values = std::move(pair.posteriors)});
    write_output((folder / "posteriors.csv").string(), write_csv(posteriors), arguments.force);
  }
  std::printf("%s: %zu rows of P, %zu rows of Q, %zu columns in %s; true JSD %.4f (%s)\n",
              arguments.scenario.c_str(), pair.p.rows, pair.q.rows, pair.p.columns.size(),
              arguments.out.c_str(), pair.truth.jsd, pair.truth.method.c_str());
  return done;
}

std::string scenario_help() {
  std::string text = "\nScenarios:\n";
  for (const ScenarioInfo& scenario : scenarios()) {
    std::string line = "  " + std::string(scenario.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 14), ' ');
    text += line + std::string(scenario.description);
    for (const std::string_view option : scenario.options) {
      std::string flag = option == "base" ? " BASE" : " --" + std::string(option);
      std::ranges::replace(flag, '_', '-');
      text += flag;
    }
    text += "\n";
  }
  return text + "\nKinds of log-ratio: " + joined(log_ratio_kinds()) + "\n";
}

}  // namespace

void add_simulate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "simulate",
      "a pair of tables with known JSD: p.csv, q.csv, truth.json; split and random: posteriors.csv");
  command->footer(scenario_help());
  command->add_option("SCENARIO", arguments->scenario, "one of those below")->required();
  command->add_option("BASE", arguments->base, "split, random: a table whose rows are given to P and Q");
  command->add_option("--out", arguments->out, "directory to write to")->required();
  add_simulate_options(*command, arguments->options);
  command->add_option("--threads", arguments->threads, "0: one for each core")->capture_default_str();
  command->add_flag("--force", arguments->force, "overwrite output files");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
