#include "guide/guide.hpp"

#include <memory>

#include "cli/command.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  LoadOptions load;
  FamilyOptions families;
  std::size_t threads = 0;
  Output output;
};

int run(const Arguments& arguments) {
  if (arguments.p.empty()) {
    print(guide_table());
    return done;
  }
  if (arguments.q.empty()) throw InvalidInput("give both tables, or neither for the general guide");
  const Output& output = arguments.output;
  open_outputs(output, {arguments.p, arguments.q});
  const Guide result = guide(arguments.p, arguments.q, arguments.load, arguments.families, arguments.threads);
  write_json(dump(guide_json(result)), output);
  if (!output.json_on_stdout()) print(summary(result));
  print_warnings(result.warnings, output);
  return done;
}

}  // namespace

void add_guide(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command =
      app.add_subcommand("guide", "recommend estimators for this data, with reasons, without training any");
  command.add_option("P", arguments->p, "table (omit both tables for the general guide)");
  command.add_option("Q", arguments->q, "table to compare it with");
  add_load_options(command, arguments->load);
  add_family_options(command, arguments->families);
  add_threads_option(command, arguments->threads);
  add_output_options(command, arguments->output);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
