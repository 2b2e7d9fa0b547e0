#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "jsdiv/error.hpp"
#include "report/verify.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string result;
  std::vector<std::string> tables;
  std::size_t threads = 0;
};

int run(const Arguments& arguments) {
  if (arguments.tables.size() == 1)
    throw InvalidInput("give both tables, or neither to use the recorded paths");
  const Verification verification = verify(arguments.result, arguments.tables, arguments.threads);
  for (const std::string& difference : verification.differences) std::printf("%s\n", difference.c_str());
  std::printf("%s\n", verification.verdict.c_str());
  return verification.equal ? done : answer_is_no;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command =
      app.add_subcommand("verify", "replay a recorded result; exit 1 if it comes out otherwise");
  command->add_option("RESULT", arguments->result, "JSON written by jsdiv estimate --json")->required();
  command->add_option("TABLES", arguments->tables, "P and Q (default: the recorded paths)")->expected(0, 2);
  command->add_option("--threads", arguments->threads, "0: one for each core")->capture_default_str();
  command->callback([arguments, &action] { action = [arguments] { return run(*arguments); }; });
}

}  // namespace jsdiv::cli
