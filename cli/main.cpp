#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/command.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::cli {
namespace {

/// The first Ctrl-C asks the jobs to stop, the second does not wait for them.
void on_interrupt(int) {
  if (interrupt_requested.exchange(true)) std::_Exit(interrupted);
}

int fail(ExitCode code, const char* message) {
  std::fprintf(stderr, "jsdiv: %s\n", message);
  return code;
}

std::string first_line(std::string text) {
  const auto end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  return text;
}

int run(int argument_count, char** arguments) {
  CLI::App app("How far apart are two tables? The Jensen-Shannon divergence of their joint distributions.",
               "jsdiv");
  app.set_version_flag("--version", "jsdiv " JSDIV_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  Action action;
  add_estimate(app, action);
  add_score(app, action);
  add_marginal(app, action);
  add_guide(app, action);
  add_simulate(app, action);
  add_bench(app, action);
  add_verify(app, action);
  try {
    app.parse(argument_count, arguments);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ParseError& error) {
    return fail(bad_input, (first_line(error.what()) + "; see jsdiv --help").c_str());
  }
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  try {
    const int code = action();
    if (std::fflush(stdout) != 0) return fail(bad_input, "cannot write to standard output");
    return code;
  } catch (const InvalidInput& error) {
    return fail(bad_input, error.what());
  } catch (const Interrupted&) {
    return fail(interrupted, "interrupted; nothing was written");
  } catch (const std::bad_alloc&) {
    return fail(bad_input, "not enough memory for tables of this size; use fewer rows or columns");
  } catch (const std::exception& error) {
    return fail(our_bug, (std::string(error.what()) + " (this is a bug of jsdiv; please report it)").c_str());
  }
}

}  // namespace
}  // namespace jsdiv::cli

// What can still be thrown is std::bad_alloc while the options are declared.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argument_count, char** arguments) {
  return jsdiv::cli::run(argument_count, arguments);
}
