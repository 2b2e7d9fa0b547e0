#include "jsdiv/compare.hpp"

#include <memory>

#include "cli/command.hpp"
#include "compare/compare_json.hpp"
#include "compare/compare_summary.hpp"
#include "report/html.hpp"

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
  std::vector<std::string> inputs = arguments.candidates;
  inputs.push_back(arguments.reference);
  open_outputs(output, inputs);
  CompareOptions options = arguments.options;
  options.estimate.progress = progress_bar(output);
  const CompareResult result = compare(arguments.reference, arguments.candidates, options);
  const auto page = [&] {
    return html_page(
        {.result = nullptr, .explain = nullptr, .compare = compare_json(result), .charts = Json::array()});
  };
  return deliver(to_json(result), page, summary(result, terminal_style()), result.warnings, output);
}

}  // namespace

void add_compare(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CompareOptions& options = arguments->options;
  Command command =
      app.add_subcommand("compare", "rank several tables by their divergence from a reference table");
  command.add_option("REAL", arguments->reference, "reference table (CSV, TSV, Parquet or Arrow)").required();
  command.add_option("SYN", arguments->candidates, "tables to rank").required();
  command
      .add_flag("--over-time", options.over_time,
                "treat the tables as one table over time: keep their order and compare neighbours")
      .group("Compare");
  command.add_flag("!--no-yardstick", options.yardstick, "do not compare two halves of REAL")
      .group("Compare");
  add_analysis_options(command, options.estimate, arguments->output);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
