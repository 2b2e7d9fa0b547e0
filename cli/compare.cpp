#include "jsdiv/compare.hpp"

#include <memory>
#include <optional>

#include "cli/command.hpp"
#include "compare/compare_json.hpp"
#include "core/output_file.hpp"
#include "report/html.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string reference;
  std::vector<std::string> candidates;
  CompareOptions options;
  std::string html;
  Output output;
};

int run(const Arguments& arguments) {
  const Output& output = arguments.output;
  check_json(output, {arguments.reference});
  std::optional<OutputFile> html;
  if (!arguments.html.empty()) html.emplace(arguments.html, output.force);
  refuse_overlap({output.json_file.get(), html ? &*html : nullptr}, {arguments.reference});
  CompareOptions options = arguments.options;
  options.estimate.progress = progress_bar(output);
  const CompareResult result = compare(arguments.reference, arguments.candidates, options);
  write_json(to_json(result), output);
  if (html) {
    html->write(html_page(
        {.result = nullptr, .explain = nullptr, .compare = compare_json(result), .charts = Json::array()}));
  }
  if (!output.json_on_stdout()) print(summary(result));
  print_warnings(result.warnings, output);
  return done;
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
  add_estimate_options(command, options.estimate);
  add_load_options(command, options.estimate.load);
  add_family_options(command, options.estimate.family);
  add_output_options(command, arguments->output);
  add_html_option(command, arguments->html);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
