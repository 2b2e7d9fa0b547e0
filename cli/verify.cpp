#include <memory>

#include "cli/command.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/error.hpp"
#include "report/verify.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string result;
  std::vector<std::string> tables;
  std::size_t threads = 0;
  bool quiet = false;  ///< as on every command; there is no progress and no warning here to silence
};

int run(const Arguments& arguments) {
  if (arguments.tables.size() == 1)
    throw InvalidInput("give both tables, or neither to use the recorded paths");
  const Verification verification = verify(arguments.result, arguments.tables, arguments.threads);
  for (const std::string& difference : verification.differences)
    print(safe_text(difference, Medium::line) + "\n");
  print(verification.verdict + "\n");
  return verification.equal ? done : answer_is_no;
}

}  // namespace

void add_verify(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command = app.add_subcommand(
      "verify", "repeat a recorded estimate and compare; exit with code 1 if the results differ");
  command.add_option("RESULT", arguments->result, "JSON file written by jsdiv estimate --json").required();
  command.add_option("TABLES", arguments->tables, "P and Q, if they are not at the recorded paths")
      .expected(0, 2);
  add_threads_option(command, arguments->threads);
  add_quiet_option(command, arguments->quiet);
  command.callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
