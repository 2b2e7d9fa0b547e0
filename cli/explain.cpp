#include "jsdiv/explain.hpp"

#include <memory>

#include "cli/command.hpp"
#include "explain/explain_json.hpp"
#include "explain/explain_summary.hpp"
#include "report/html.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  ExplainOptions options;
  Output output;
};

int run(const Arguments& arguments) {
  const Output& output = arguments.output;
  open_outputs(output, {arguments.p, arguments.q});
  ExplainOptions options = arguments.options;
  options.estimate.progress = progress_bar(output);
  const ExplainResult result = explain(arguments.p, arguments.q, options);
  const auto page = [&] {
    return html_page({.result = result_json(result.estimate),
                      .explain = explain_json(result),
                      .compare = nullptr,
                      .charts = column_charts_json(result.estimate.column_charts)});
  };
  return deliver(to_json(result), page, summary(result, terminal_style()), result.warnings, output);
}

}  // namespace

void add_explain(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  ExplainOptions& options = arguments->options;
  Command command =
      app.add_subcommand("explain", "show which columns, pairs, slices and rows cause the divergence");
  command.add_option("P", arguments->p, "table (CSV, TSV, Parquet or Arrow)").required();
  command.add_option("Q", arguments->q, "table to compare it with").required();
  command.add_option("--by", options.by, "also break the divergence down by the values of this column")
      .type_name("COLUMN")
      .group("Explain");
  command
      .add_option("--rung", options.rung,
                  "rung of the ladder to explain (default: content if number formats differ and the content "
                  "does too)")
      .one_of({"as_stored", "common_grids", "content"})
      .group("Explain");
  command
      .add_flag("--show-rows", options.show_rows,
                "include the cell values of the most revealing rows in the result")
      .group("Explain");
  add_number(command, "--telling-rows", options.telling_rows,
             "number of most revealing rows of each table to list")
      .group("Explain");
  add_analysis_options(command, options.estimate, arguments->output);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
