#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/command.hpp"
#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/safe_text.hpp"
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
  bool quiet = false;
};

std::shared_ptr<const Table> read_base(const std::string& path, bool quiet) {
  std::vector<Warning> warnings;
  const std::vector<std::string> paths = {path};
  std::vector<Table> tables = read_tables(paths, {.max_unpacked = ""}, warnings);
  print_warnings(warnings, {.quiet = quiet});
  return std::make_shared<const Table>(std::move(tables.front()));
}

int run(const Arguments& arguments) {
  const std::filesystem::path folder(arguments.out);
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  if (failure)
    throw InvalidInput("cannot create the directory '" + arguments.out + "': " + failure.message());
  std::vector<OutputFile> files;
  for (const char* name : {"p.csv", "q.csv", "truth.json", "posteriors.csv"})
    files.emplace_back((folder / name).string(), arguments.force);
  const std::vector<std::string> inputs = files_of_tables({arguments.base});
  for (const OutputFile& file : files) refuse_overlap({&file}, inputs);

  Simulation pair;
  with_threads(arguments.threads, [&] {
    SimulateOptions options = arguments.options;
    if (!arguments.base.empty()) options.base = read_base(arguments.base, arguments.quiet);
    pair = simulate(arguments.scenario, options);
  });
  files[0].write(write_csv(pair.p));
  files[1].write(write_csv(pair.q));
  files[2].write(to_json(pair.truth));
  if (!pair.posteriors.empty()) {
    Table posteriors{.rows = pair.posteriors.size()};
    posteriors.columns.push_back({.name = "posterior", .values = std::move(pair.posteriors)});
    files[3].write(write_csv(posteriors));
  }
  print(format("%s: %zu rows of P, %zu rows of Q, %zu columns in %s; true JSD %.4f (%s)\n",
               arguments.scenario.c_str(), pair.p.rows, pair.q.rows, pair.p.columns.size(),
               safe_text(arguments.out, Medium::line).c_str(), pair.truth.jsd, pair.truth.method.c_str()));
  return done;
}

constexpr std::size_t widest_line = 110;

/// The words of a line, broken where it would become too long.
void append_words(std::string& text, std::string line, const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    if (line.size() + word.size() > widest_line) {
      text += line + "\n";
      line = std::string(13, ' ');
    }
    line += word;
  }
  text += line + "\n";
}

std::string scenario_help() {
  std::string text = "\nScenarios:\n";
  for (const ScenarioInfo& scenario : scenarios()) {
    std::string line = "  " + std::string(scenario.name);
    line.resize(std::max<std::size_t>(line.size() + 1, 14), ' ');
    std::vector<std::string> flags;
    for (const std::string_view option : scenario.options) {
      if (!flags.empty()) flags.back() += ",";
      flags.push_back(option == "base" ? " BASE" : " --" + std::string(option));
      std::ranges::replace(flags.back(), '_', '-');
    }
    if (!flags.empty()) {
      flags.front().insert(1, "(");
      flags.back() += ")";
    }
    append_words(text, line + std::string(scenario.description), flags);
  }
  std::vector<std::string> kinds;
  for (const auto& kind : log_ratio_kinds()) {
    if (!kinds.empty()) kinds.back() += ",";
    kinds.push_back(" " + std::string(kind));
  }
  text += "\n";
  append_words(text, "Kinds of log-ratio:", kinds);
  return text;
}

}  // namespace

void add_simulate(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand(
      "simulate", "draw a pair of tables with a known divergence: p.csv, q.csv and truth.json");
  command.footer(scenario_help);
  command.add_option("SCENARIO", arguments->scenario, "one of the scenarios below")
      .type_name(choice_list(scenario_names()))
      .required();
  command.add_option("BASE", arguments->base,
                     "for split and random: table whose rows are assigned to P and Q");
  command.add_option("--out", arguments->out, "directory to write to")
      .type_name("DIR")
      .required()
      .group(output_group);
  add_simulate_options(command, arguments->options);
  add_force_option(command, arguments->force);
  add_threads_option(command, arguments->threads);
  add_quiet_option(command, arguments->quiet);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
