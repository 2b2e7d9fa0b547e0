#include "cli/parser.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "cli/command.hpp"
#include "core/message.hpp"

namespace jsdiv::cli {
namespace {

std::vector<std::string> split_choices(const std::string& text) {
  return text.find('|') == std::string::npos ? std::vector<std::string>() : CLI::detail::split(text, '|');
}

OptionInfo describe_option(const CLI::Option& option) {
  OptionInfo info{.help = option.get_description(),
                  .default_value = option.get_default_str(),
                  .required = option.get_required()};
  if (option.get_positional()) {
    info.name = option.get_name(true, false);
    info.repeated = option.get_expected_max() > 1;
    info.choices = split_choices(option.get_type_name());
    return info;
  }
  for (const std::string& name : option.get_snames()) info.flags.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) info.flags.push_back("--" + name);
  if (option.get_type_size() == 0) {
    info.default_value.clear();
    return info;
  }
  info.argument = option.get_type_name();
  info.choices = split_choices(info.argument);
  return info;
}

CommandInfo describe_command(const CLI::App& app) {
  CommandInfo info{.description = app.get_description(), .footer = app.get_footer()};
  info.name = app.get_name();
  for (const CLI::App* parent = app.get_parent(); parent != nullptr; parent = parent->get_parent())
    info.name = parent->get_name() + " " + info.name;
  info.example = example_of(info.name);
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) {
      info.positionals.push_back(describe_option(*option));
      continue;
    }
    const std::string title = option->get_group();
    auto group = std::ranges::find(info.groups, title, &OptionGroup::title);
    if (group == info.groups.end()) group = info.groups.insert(info.groups.end(), {.title = title});
    group->options.push_back(describe_option(*option));
  }
  // CLI11 gives every command --help before all others; it is the least of their options.
  std::stable_partition(info.groups.begin(), info.groups.end(),
                        [](const OptionGroup& group) { return group.title != "Options"; });
  for (const CLI::App* command : app.get_subcommands({})) info.commands.push_back(describe_command(*command));
  return info;
}

/// An unset variable of a shell ("$COLUMN") must not pass for an option that was left out.
std::string refuse_empty(const std::string& text) {
  return text.empty() ? "the value is empty; give one, or leave it out" : "";
}

std::string first_line(std::string text) {
  const auto end = text.find('\n');
  if (end != std::string::npos) text.resize(end);
  return text;
}

const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  const std::string help = command.get_parent() == nullptr ? "; see jsdiv --help"
                                                           : "; see jsdiv " + command.get_name() + " --help";
  const std::vector<std::string> unexpected = app.remaining(true);
  if (unexpected.empty()) return first_line(error.what()) + help;
  const std::string& first = unexpected.front();
  std::vector<std::string> known;
  if (first.starts_with("-")) {
    for (const CLI::Option* option : command.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
    return "unknown option " + first + did_you_mean(first.substr(0, first.find('=')), known) + help;
  }
  if (&command != &app) return "unexpected argument " + jsdiv::quoted(first) + help;
  for (const CLI::App* subcommand : app.get_subcommands({})) known.push_back(subcommand->get_name());
  return unknown_name("command", first, known) + help;
}

}  // namespace

Option& Option::required() {
  option_->required();
  return *this;
}

Option& Option::type_name(const std::string& placeholder) {
  option_->type_name(placeholder);
  return *this;
}

Option& Option::group(const std::string& title) {
  option_->group(title);
  return *this;
}

Option& Option::default_text(const std::string& text) {
  option_->default_str(text);
  return *this;
}

Option& Option::one_of(const std::vector<std::string>& choices) {
  const auto refusal = [choices](const std::string& text) {
    return std::ranges::count(choices, text) > 0 ? "" : unknown_name("value", text, choices);
  };
  option_->check(refusal)->type_name(choice_list(choices));
  return *this;
}

Option& Option::expected(int least, int most) {
  option_->expected(least, most);
  return *this;
}

Command Command::add_subcommand(const std::string& name, const std::string& help) {
  return Command(*app_->add_subcommand(name, help));
}

Option Command::add_option(const std::string& name, std::string& field, const std::string& help) {
  return Option(*app_->add_option(name, field, help)->check(refuse_empty));
}

Option Command::add_option(const std::string& name, std::optional<std::string>& field,
                           const std::string& help) {
  return Option(*app_->add_option(name, field, help)->check(refuse_empty));
}

Option Command::add_option(const std::string& name, std::vector<std::string>& field,
                           const std::string& help) {
  return Option(*app_->add_option(name, field, help)->check(refuse_empty));
}

Option Command::add_option(const std::string& name, std::function<void(const std::string&)> read,
                           const std::string& help) {
  const auto read_or_refuse = [name, read = std::move(read)](const std::string& text) {
    try {
      read(text);
    } catch (const BadValue& bad) {
      throw CLI::ValidationError(name, bad.message);
    }
  };
  return Option(*app_->add_option_function<std::string>(name, read_or_refuse, help));
}

Option Command::add_list(const std::string& name, std::vector<std::string>& field, const std::string& help) {
  return Option(*app_->add_option(name, field, help)
                     ->delimiter(',')
                     ->allow_extra_args(false)
                     ->check(refuse_empty)
                     ->type_name("LIST"));
}

Option Command::add_flag(const std::string& name, bool& field, const std::string& help) {
  if (!name.starts_with('!')) return Option(*app_->add_flag(name, field, help));
  return Option(*app_->add_flag_callback(
      name.substr(1), [&field] { field = false; }, help));
}

void Command::remove_option(const std::string& name) {
  app_->remove_option(app_->get_option(name));
}

void Command::footer(std::function<std::string()> text) {
  app_->footer(std::move(text));
}

void Command::callback(std::function<void()> chosen) {
  app_->callback(std::move(chosen));
}

bool Command::was_chosen() const {
  return app_->parsed();
}

bool Command::has(const std::string& option) const {
  return app_->count(option) > 0;
}

std::optional<std::string> Command::first_given(const std::string& group) const {
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    if (option->get_group() == group && option->count() > 0) return option->get_name();
  }
  return std::nullopt;
}

Parser::Parser(const std::string& name, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_help_flag("-h,--help", "print this help");
  app_->formatter_fn([](const CLI::App* command, const std::string&, CLI::AppFormatMode) {
    return help_text(describe_command(*command));
  });
  app_->require_subcommand(1);
}

Parser::~Parser() = default;

Command Parser::program() {
  return Command(*app_);
}

void Parser::set_version(const std::string& flags, std::function<std::string()> text,
                         const std::string& help) {
  app_->set_version_flag(flags, std::move(text), help);
}

bool Parser::parse(int argument_count, char** arguments) {
  try {
    app_->parse(argument_count, arguments);
    return true;
  } catch (const CLI::Success& help) {
    app_->exit(help);
    return false;
  } catch (const CLI::ParseError& error) {
    throw UsageError(usage_message(*app_, error));
  }
}

CommandInfo Parser::describe() const {
  return describe_command(*app_);
}

}  // namespace jsdiv::cli
