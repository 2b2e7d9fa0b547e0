#include <type_traits>

#include "cli/command.hpp"
#include "core/output_file.hpp"
#include "protocol/option_fields.hpp"
#include "simulate/option_fields.hpp"

namespace jsdiv::cli {
namespace {

/// Turns fields into options of a command. Defaults and help come from the fields.
struct OptionAdder {
  CLI::App& command;
  std::string group;

  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum& field, std::string_view help) {
    std::vector<std::string> allowed;
    allowed.reserve(std::size(Spelling<Enum>::values));
    for (const auto& [spelling, value] : Spelling<Enum>::values) allowed.emplace_back(spelling);
    const auto assign = [&field](const std::string& text) {
      for (const auto& [spelling, value] : Spelling<Enum>::values) {
        if (spelling == text) field = value;
      }
    };
    command.add_option_function<std::string>(flag(name), assign, std::string(help))
        ->check(CLI::IsMember(allowed))
        ->default_str(std::string(spell(field)))
        ->group(group);
  }
  void operator()(std::string_view name, bool& field, std::string_view help) {
    if (field) {
      command.add_flag("!--no-" + std::string(name), field, "do not " + std::string(help))->group(group);
    } else {
      command.add_flag(flag(name), field, std::string(help))->group(group);
    }
  }
  void operator()(std::string_view name, std::vector<std::string>& field, std::string_view help) {
    command.add_option(flag(name), field, std::string(help))
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("LIST")
        ->group(group);
  }
  template <typename T>
  void operator()(std::string_view name, std::optional<T>& field, std::string_view help) {
    command.add_option(flag(name), field, std::string(help))->group(group);
  }
  template <typename T>
  requires(!std::is_enum_v<T>) void operator()(std::string_view name, T& field, std::string_view help) {
    command.add_option(flag(name), field, std::string(help))->capture_default_str()->group(group);
  }

 private:
  static std::string flag(std::string_view name) { return "--" + std::string(name); }
};

}  // namespace

void add_load_options(CLI::App& command, LoadOptions& options) {
  visit_load_fields(options, OptionAdder{command, "Columns"});
}

void add_estimate_options(CLI::App& command, EstimateOptions& options) {
  visit_estimate_fields(options, OptionAdder{command, "Estimate"});
  command.add_option("--threads", options.threads, "0: one for each core; never changes a result")
      ->capture_default_str()
      ->group("Estimate");
}

void add_paper_options(CLI::App& command, PaperOptions& options) {
  visit_paper_fields(options, OptionAdder{command, paper_group});
}

void add_family_options(CLI::App& command, FamilyOptions& options) {
  visit_family_fields(options, OptionAdder{command, "Families"});
}

void add_simulate_options(CLI::App& command, SimulateOptions& options) {
  visit_simulate_fields(options, OptionAdder{command, "Options"});
}

void add_output_options(CLI::App& command, Output& output) {
  command.add_option("--json", output.json, "write the result as JSON; -: to standard output, alone")
      ->group("Output");
  command.add_flag("--force", output.force, "overwrite output files")->group("Output");
  command.add_flag("--quiet", output.quiet, "no progress, no warnings on standard error")->group("Output");
}

void check_json(const Output& output) {
  if (!output.json.empty() && !output.json_on_stdout()) check_output(output.json, output.force);
}

void write_json(const std::string& text, const Output& output) {
  if (output.json.empty()) return;
  if (output.json_on_stdout()) {
    std::fwrite(text.data(), 1, text.size(), stdout);
  } else {
    write_output(output.json, text, output.force);
  }
}

}  // namespace jsdiv::cli
