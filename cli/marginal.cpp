#include <memory>

#include "cli/command.hpp"
#include "jsdiv/marginal.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  LoadOptions load;
  std::size_t threads = 0;
  Output output;
};

int run(const Arguments& arguments) {
  const Output& output = arguments.output;
  open_outputs(output, {arguments.p, arguments.q});
  const MarginalResult result = marginal(arguments.p, arguments.q, arguments.load, arguments.threads);
  write_json(dump(marginal_json(result)), output);
  if (!output.json_on_stdout()) print_styled(summary(result, terminal_style()));
  print_warnings(result.warnings, output);
  return done;
}

}  // namespace

void add_marginal(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand(
      "marginal", "compute the Syndat and Synthcity baselines for each column and their average");
  command.add_option("P", arguments->p, "table").required();
  command.add_option("Q", arguments->q, "table to compare it with").required();
  add_load_options(command, arguments->load);
  add_threads_option(command, arguments->threads);
  add_output_options(command, arguments->output);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
