#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/simulate.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv::cli {

/// The exit codes of the contract.
enum ExitCode { done = 0, answer_is_no = 1, bad_input = 2, our_bug = 70, interrupted = 130 };

/// What a subcommand does once its arguments are read; the exit code.
using Action = std::function<int()>;

/// Each adds its subcommand to `app` and returns through `action` what to run if it was chosen.
void add_estimate(CLI::App& app, Action& action);
void add_score(CLI::App& app, Action& action);
void add_marginal(CLI::App& app, Action& action);
void add_guide(CLI::App& app, Action& action);
void add_simulate(CLI::App& app, Action& action);
void add_bench(CLI::App& app, Action& action);
void add_verify(CLI::App& app, Action& action);

/// The heading of the options that only Algorithm 1 has.
inline constexpr const char* paper_group = "Protocol paper";

/// Adds the options of a group of fields; the lists are in protocol/ and
/// simulate/option_fields.hpp.
void add_load_options(CLI::App& command, LoadOptions& options);
void add_estimate_options(CLI::App& command, EstimateOptions& options);
void add_paper_options(CLI::App& command, PaperOptions& options);
void add_family_options(CLI::App& command, FamilyOptions& options);
void add_simulate_options(CLI::App& command, SimulateOptions& options);

/// Where results go.
struct Output {
  std::string json;  ///< "-": standard output
  bool force = false;
  bool quiet = false;

  bool json_on_stdout() const { return json == "-"; }
};
void add_output_options(CLI::App& command, Output& output);

/// One line each on standard error; nothing with --quiet.
void print_warnings(const std::vector<Warning>& warnings, const Output& output);

/// A progress bar on standard error, if that is a terminal and --quiet is off; else an empty function.
ProgressFunction progress_bar(const Output& output);

/// Refuses, before any work is done, a JSON file that must not be overwritten.
void check_json(const Output& output);

/// Writes JSON text to where `output` says; nothing if it says nowhere.
void write_json(const std::string& text, const Output& output);

}  // namespace jsdiv::cli
