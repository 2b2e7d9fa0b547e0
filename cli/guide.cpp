#include "guide/guide.hpp"

#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "core/output_file.hpp"
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
    std::fputs(guide_table().c_str(), stdout);
    return done;
  }
  if (arguments.q.empty()) throw InvalidInput("give both tables, or neither to see the general guide");
  const Output& output = arguments.output;
  check_json(output);
  const Guide result = guide(arguments.p, arguments.q, arguments.load, arguments.families, arguments.threads);
  write_json(dump(guide_json(result)), output);
  if (!output.json_on_stdout()) std::fputs(summary(result).c_str(), stdout);
  print_warnings(result.warnings, output);
  return done;
}

}  // namespace

void add_guide(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("guide", "which estimators suit this data and why; nothing is trained");
  command->add_option("P", arguments->p, "table (neither P nor Q: the general guide)");
  command->add_option("Q", arguments->q, "table to compare it with");
  add_load_options(*command, arguments->load);
  add_family_options(*command, arguments->families);
  command->add_option("--threads", arguments->threads, "0: one for each core")->capture_default_str();
  add_output_options(*command, arguments->output);
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
