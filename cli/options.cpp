#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "cli/command.hpp"
#include "core/format.hpp"
#include "core/message.hpp"
#include "core/output_file.hpp"
#include "load/table_paths.hpp"
#include "protocol/option_fields.hpp"
#include "simulate/scenario_fields.hpp"

namespace jsdiv::cli {
namespace {

template <typename Number>
void read_number(const std::string& text, Number& field) {
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(begin, end, field);
  const bool whole = failure == std::errc() && rest == end && !text.empty();
  if (whole && std::isfinite(static_cast<double>(field))) return;
  const char* wanted = !std::is_integral_v<Number>  ? "a number"
                       : std::is_unsigned_v<Number> ? "a non-negative whole number"
                                                    : "a whole number";
  throw BadValue{jsdiv::quoted(text) + " is not " + wanted};
}

template <typename Number>
Option add_text_of_number(Command command, const std::string& flag, const std::string& help,
                          std::function<void(const std::string&)> assign) {
  return command.add_option(flag, std::move(assign), help)
      .type_name(std::is_integral_v<Number> ? "N" : "NUMBER");
}

/// Turns fields into options of a command. Defaults and help come from the fields.
struct OptionAdder {
  Command command;
  std::string group;

  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum& field, std::string_view help) {
    std::vector<std::string> choices;
    choices.reserve(std::size(Spelling<Enum>::values));
    for (const auto& [spelling, value] : Spelling<Enum>::values) choices.emplace_back(spelling);
    const auto assign = [&field, choices](const std::string& text) {
      for (const auto& [spelling, value] : Spelling<Enum>::values) {
        if (spelling != text) continue;
        field = value;
        return;
      }
      throw BadValue{unknown_name("value", text, choices)};
    };
    command.add_option(flag(name), assign, std::string(help))
        .type_name(choice_list(choices))
        .default_text(std::string(spell(field)))
        .group(group);
  }
  void operator()(std::string_view name, bool& field, std::string_view help) {
    if (field) {
      command.add_flag("!--no-" + std::string(name), field, "do not " + std::string(help)).group(group);
    } else {
      command.add_flag(flag(name), field, std::string(help)).group(group);
    }
  }
  void operator()(std::string_view name, std::vector<std::string>& field, std::string_view help) {
    command.add_list(flag(name), field, std::string(help)).group(group);
  }
  void operator()(std::string_view name, std::string& field, const OptionNote& note) {
    command.add_option(flag(name), field, note.help)
        .type_name(note.placeholder)
        .default_text(field)
        .group(group);
  }
  void operator()(std::string_view name, std::optional<std::string>& field, const OptionNote& note) {
    command.add_option(flag(name), field, note.help).type_name(note.placeholder).group(group);
  }
  template <typename Number>
  void operator()(std::string_view name, std::optional<Number>& field, std::string_view help) {
    add_number(command, flag(name), field, std::string(help)).group(group);
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  void operator()(std::string_view name, Number& field, std::string_view help) {
    add_number(command, flag(name), field, std::string(help)).group(group);
  }

 private:
  static std::string flag(std::string_view name) { return "--" + std::string(name); }
};

}  // namespace

template <typename Number>
Option add_number(Command command, const std::string& flag, Number& field, const std::string& help) {
  const auto assign = [&field](const std::string& text) { read_number(text, field); };
  return add_text_of_number<Number>(command, flag, help, assign)
      .default_text(format("%.15g", static_cast<double>(field)));
}

template <typename Number>
Option add_number(Command command, const std::string& flag, std::optional<Number>& field,
                  const std::string& help) {
  const auto assign = [&field](const std::string& text) { read_number(text, field.emplace()); };
  return add_text_of_number<Number>(command, flag, help, assign);
}

template Option add_number(Command, const std::string&, int&, const std::string&);
template Option add_number(Command, const std::string&, std::uint64_t&, const std::string&);
template Option add_number(Command, const std::string&, double&, const std::string&);
template Option add_number(Command, const std::string&, std::optional<int>&, const std::string&);
template Option add_number(Command, const std::string&, std::optional<std::uint64_t>&, const std::string&);
template Option add_number(Command, const std::string&, std::optional<double>&, const std::string&);

void add_load_options(Command command, LoadOptions& options) {
  visit_load_fields(options, OptionAdder{command, "Tables"});
}

void add_estimate_options(Command command, EstimateOptions& options) {
  visit_estimate_fields(options, OptionAdder{command, "Estimate"});
  add_threads_option(command, options.threads);
}

void add_self_check_options(Command command, SelfCheckOptions& options) {
  visit_self_check_fields(options, OptionAdder{command, self_check_group});
}

void add_paper_options(Command command, PaperOptions& options) {
  visit_paper_fields(options, OptionAdder{command, paper_group});
}

void add_family_options(Command command, FamilyOptions& options) {
  visit_family_fields(options, OptionAdder{command, "Families"});
}

void add_simulate_options(Command command, SimulateOptions& options) {
  visit_simulate_fields(options, OptionAdder{command, "Scenario"});
}

void add_threads_option(Command command, std::size_t& threads) {
  struct Run {
    std::size_t& threads;
  } run{threads};
  visit_run_fields(run, OptionAdder{command, run_group});
}

void add_quiet_option(Command command, bool& quiet) {
  command.add_flag("--quiet", quiet, "do not print progress and warnings to standard error").group(run_group);
}

void add_force_option(Command command, bool& force) {
  command.add_flag("--force", force, "overwrite existing files").group(output_group);
}

void add_html_option(Command command, Output& output) {
  command.add_option("--html", output.html, "write a report to share, as a single HTML file")
      .type_name("FILE")
      .group(output_group);
}

void add_output_options(Command command, Output& output) {
  command
      .add_option("--json", output.json,
                  "write the result as JSON (- for standard output, instead of the summary)")
      .type_name("FILE")
      .group(output_group);
  add_force_option(command, output.force);
  add_quiet_option(command, output.quiet);
}

void add_analysis_options(Command command, EstimateOptions& options, Output& output) {
  add_estimate_options(command, options);
  add_load_options(command, options.load);
  add_family_options(command, options.family);
  add_output_options(command, output);
  add_html_option(command, output);
}

std::vector<std::string> files_of_tables(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    const std::vector<std::string> paths = table_paths(name);
    files.insert(files.end(), paths.begin(), paths.end());
  }
  return files;
}

void open_outputs(const Output& output, const std::vector<std::string>& tables,
                  std::vector<const OutputFile*> others) {
  if (!output.json.empty() && !output.json_on_stdout())
    output.json_file = std::make_shared<OutputFile>(output.json, output.force);
  if (!output.html.empty()) output.html_file = std::make_shared<OutputFile>(output.html, output.force);
  others.insert(others.end(), {output.json_file.get(), output.html_file.get()});
  refuse_overlap(others, files_of_tables(tables));
}

void write_json(const std::string& text, const Output& output) {
  if (output.json.empty()) return;
  if (output.json_on_stdout()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    output.json_file->write(text);
  }
}

void write_html(const std::function<std::string()>& page, const Output& output) {
  if (output.html_file) output.html_file->write(page());
}

int deliver(const std::string& json, const std::function<std::string()>& page, const std::string& summary,
            const std::vector<Warning>& warnings, const Output& output) {
  write_json(json, output);
  write_html(page, output);
  if (!output.json_on_stdout()) print_styled(summary);
  print_warnings(warnings, output);
  return done;
}

}  // namespace jsdiv::cli
