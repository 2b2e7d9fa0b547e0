#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/parser.hpp"
#include "core/output_file.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/simulate.hpp"
#include "jsdiv/table.hpp"
#include "report/text_layout.hpp"

namespace jsdiv::cli {

/// The exit codes of the contract.
enum ExitCode {
  done = 0,
  answer_is_no = 1,
  bad_input = 2,
  our_bug = 70,
  no_resources = 71,
  interrupted = 130
};

/// What a subcommand does once its arguments are read; the exit code.
using Action = std::function<int()>;

/// Each adds its subcommand to `app` and returns through `action` what to run if it was chosen.
void add_estimate(Command app, Action& action);
void add_score(Command app, Action& action);
void add_explain(Command app, Action& action);
void add_compare(Command app, Action& action);
void add_marginal(Command app, Action& action);
void add_guide(Command app, Action& action);
void add_simulate(Command app, Action& action);
void add_bench(Command app, Action& action);
void add_verify(Command app, Action& action);

/// The whole program: its commands, its own options, and what the arguments chose.
struct Program {
  Program();

  Parser parser;
  Action action;
};

/// Headings of options.
inline constexpr const char* paper_group = "Protocol paper";
inline constexpr const char* self_check_group = "Self-check";
inline constexpr const char* output_group = "Output";
inline constexpr const char* run_group = "Run";

/// One line to start from, for the help of a command such as "jsdiv bench merge".
std::string example_of(const std::string& command);

/// An option whose value is a number, with its present value as the default where it has one.
template <typename Number>
Option add_number(Command command, const std::string& flag, Number& field, const std::string& help);
template <typename Number>
Option add_number(Command command, const std::string& flag, std::optional<Number>& field,
                  const std::string& help);

/// a|b|c: the type of an option or argument that takes one of these.
template <typename Names>
std::string choice_list(const Names& names) {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : "|").append(name);
  return text;
}

/// What every command takes that computes, warns or writes.
void add_threads_option(Command command, std::size_t& threads);
void add_quiet_option(Command command, bool& quiet);
void add_force_option(Command command, bool& force);

/// Adds the options of a group of fields; the lists are in jsdiv/options.hpp and
/// simulate/scenario_fields.hpp.
void add_load_options(Command command, LoadOptions& options);
void add_estimate_options(Command command, EstimateOptions& options);
void add_self_check_options(Command command, SelfCheckOptions& options);
void add_paper_options(Command command, PaperOptions& options);
void add_family_options(Command command, FamilyOptions& options);
void add_simulate_options(Command command, SimulateOptions& options);

/// Where results go.
struct Output {
  std::string json;  ///< "-": standard output
  std::string html;
  bool force = false;
  bool quiet = false;
  mutable std::shared_ptr<OutputFile> json_file;  ///< from `open_outputs` to `write_json`
  mutable std::shared_ptr<OutputFile> html_file;  ///< from `open_outputs` to `write_html`

  bool json_on_stdout() const { return json == "-"; }
};
void add_output_options(Command command, Output& output);
void add_html_option(Command command, Output& output);

/// What the commands take that build on an estimate.
void add_analysis_options(Command command, EstimateOptions& options, Output& output);

/// One line each on standard error; nothing with --quiet.
void print_warnings(const std::vector<Warning>& warnings, const Output& output);

/// For text on standard output: on a terminal as wide as that, with colour unless NO_COLOR is set or TERM is
/// dumb (no-color.org); elsewhere plain.
TextStyle terminal_style();

/// A progress bar on standard error, if that is a terminal and --quiet is off; else an empty function.
ProgressFunction progress_bar(const Output& output);

/// The files that the tables of these names consist of.
std::vector<std::string> files_of_tables(const std::vector<std::string>& names);

/// Opens the files for the JSON and the page, before any work is done, if there are to be any. Throws
/// InvalidInput if one cannot be written, is a file of one of the tables or one of the files that the command
/// writes beside them.
void open_outputs(const Output& output, const std::vector<std::string>& tables,
                  std::vector<const OutputFile*> others = {});

/// Writes JSON text to where `output` says; nothing if it says nowhere.
void write_json(const std::string& text, const Output& output);

/// Writes the page, which is made only if there is to be one.
void write_html(const std::function<std::string()>& page, const Output& output);

/// Hands over a result: JSON, page and summary to where `output` says, warnings on standard error.
int deliver(const std::string& json, const std::function<std::string()>& page, const std::string& summary,
            const std::vector<Warning>& warnings, const Output& output);

/// "jsdiv 1.2.3"; verbose: with a line for each library that it was built with or runs on.
std::string version_text(bool verbose);

/// Lines on standard output, with any control character that came in from outside written out.
void print(const std::string& text);
/// The same, for text that may be bold in places.
void print_styled(const std::string& text);

/// Throws InvalidInput if anything that was printed did not arrive.
void finish_printing();

}  // namespace jsdiv::cli
