#include <memory>

#include "cli/command.hpp"
#include "core/format.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/estimate.hpp"
#include "load/csv_writer.hpp"
#include "protocol/option_fields.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  std::string x;
  std::string out;
  EstimateOptions options;
  Output output;
};

int run(const Arguments& arguments) {
  OutputFile out(arguments.out, arguments.output.force);
  refuse_overlap({&out}, files_of_tables({arguments.p, arguments.q, arguments.x}));
  EstimateOptions options = arguments.options;
  options.progress = progress_bar(arguments.output);
  Scores scores = score(arguments.p, arguments.q, arguments.x, options);
  Column row{.name = "row", .type = ColumnType::integer};
  for (std::size_t i = 1; i <= scores.posteriors.size(); ++i) row.values.push_back(static_cast<double>(i));
  const std::size_t rows = scores.posteriors.size();
  Column posterior{.name = "posterior", .values = std::move(scores.posteriors)};
  out.write(write_csv({.columns = {std::move(row), std::move(posterior)}, .rows = rows}));
  print(
      format("scored %zu rows and wrote them to %s; a posterior near 1 means that the row looks like P, near "
             "0 like Q\n",
             rows, safe_text(arguments.out, Medium::line).c_str()));
  print_warnings(scores.warnings, arguments.output);
  return done;
}

}  // namespace

void add_score(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand("score",
                                       "train one classifier family on P and Q and write D(x), the "
                                       "probability of P, for each row of a third table");
  command.add_option("P", arguments->p, "table").required();
  command.add_option("Q", arguments->q, "table to compare it with").required();
  command.add_option("X", arguments->x, "table whose rows to score").required();
  command.add_option("--out", arguments->out, "CSV file to write, with the columns row and posterior")
      .type_name("FILE")
      .required()
      .group(output_group);
  add_estimate_options(command, arguments->options);
  add_load_options(command, arguments->options.load);
  add_paper_options(command, arguments->options.paper);
  add_family_options(command, arguments->options.family);
  for (const std::string_view unused : unused_by_score) {
    command.remove_option("--" + std::string(unused));
  }
  // Elsewhere an estimate may use several families.
  command.remove_option("--families");
  command.add_list("--families", arguments->options.families, "the classifier family to train")
      .group("Estimate");
  add_force_option(command, arguments->output.force);
  add_quiet_option(command, arguments->output.quiet);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
