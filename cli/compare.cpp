#include "jsdiv/compare.hpp"

#include <cstdio>
#include <memory>

#include "cli/command.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string reference;
  std::vector<std::string> candidates;
  CompareOptions options;
  Output output;
};

int run(const Arguments& arguments) {
  const Output& output = arguments.output;
  check_json(output);
  CompareOptions options = arguments.options;
  options.estimate.progress = progress_bar(output);
  const CompareResult result = compare(arguments.reference, arguments.candidates, options);
  write_json(to_json(result), output);
  if (!output.json_on_stdout()) std::fputs(summary(result).c_str(), stdout);
  print_warnings(result.warnings, output);
  return done;
}

}  // namespace

void add_compare(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CompareOptions& options = arguments->options;
  CLI::App* command = app.add_subcommand("compare", "rank several tables by how far they are from one");
  command->add_option("REAL", arguments->reference, "table to compare with (CSV, TSV, also .gz and .zst)")
      ->required();
  command->add_option("SYN", arguments->candidates, "tables to rank")->required();
  command
      ->add_flag("--over-time", options.over_time,
                 "the tables are one table over time: keep their order, compare neighbours")
      ->group("Compare");
  command->add_flag("!--no-yardstick", options.yardstick, "do not compare two halves of REAL")
      ->group("Compare");
  add_estimate_options(*command, options.estimate);
  add_load_options(*command, options.estimate.load);
  add_family_options(*command, options.estimate.family);
  add_output_options(*command, arguments->output);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
