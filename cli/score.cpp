#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "core/output_file.hpp"
#include "jsdiv/estimate.hpp"
#include "load/csv_writer.hpp"

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
  check_output(arguments.out, arguments.output.force);
  Scores scores = score(arguments.p, arguments.q, arguments.x, arguments.options);
  Column row{.name = "row", .type = ColumnType::integer};
  for (std::size_t i = 1; i <= scores.posteriors.size(); ++i) row.values.push_back(static_cast<double>(i));
  const std::size_t rows = scores.posteriors.size();
  Column posterior{.name = "posterior", .values = std::move(scores.posteriors)};
  write_output(arguments.out, write_csv({.columns = {std::move(row), std::move(posterior)}, .rows = rows}),
               arguments.output.force);
  std::printf("%zu rows scored; D(x) near 1: like P, near 0: like Q. Written to %s\n", rows,
              arguments.out.c_str());
  print_warnings(scores.warnings, arguments.output);
  return done;
}

}  // namespace

void add_score(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("score", "train on all of P and Q, write D(x) for each row of a third table");
  command->add_option("P", arguments->p, "table")->required();
  command->add_option("Q", arguments->q, "table to tell from it")->required();
  command->add_option("X", arguments->x, "table whose rows are scored")->required();
  command->add_option("--out", arguments->out, "CSV to write: row, posterior")->required()->group("Output");
  add_estimate_options(*command, arguments->options);
  add_load_options(*command, arguments->options.load);
  add_paper_options(*command, arguments->options.paper);
  add_family_options(*command, arguments->options.family);
  command->add_flag("--force", arguments->output.force, "overwrite output files")->group("Output");
  command->add_flag("--quiet", arguments->output.quiet, "no warnings on standard error")->group("Output");
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
