#include "cli/description.hpp"

namespace jsdiv::cli {
namespace {

constexpr std::size_t help_column = 34;
constexpr std::size_t help_width = 100;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string::npos; end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

/// Breaks the text at blanks; lines after the first are indented.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string result;
  std::size_t used = indent;
  for (const std::string& word : split(text, ' ')) {
    if (used > indent && used + 1 + word.size() > help_width) {
      result += "\n" + std::string(indent, ' ');
      used = indent;
    }
    if (used > indent) result += " ", ++used;
    result += word;
    used += word.size();
  }
  return result;
}

std::string help_line(const std::string& term, const std::string& text) {
  std::string line = "  " + term;
  if (line.size() + 2 > help_column) {
    line += "\n" + std::string(help_column, ' ');
  } else {
    line.resize(help_column, ' ');
  }
  return line + wrapped(text, help_column) + "\n";
}

}  // namespace

std::string OptionInfo::usage() const {
  std::string text = name;
  for (const std::string& flag : flags) text += (text.empty() ? "" : ", ") + flag;
  return argument.empty() ? text : text + " " + argument;
}

std::string OptionInfo::sentence() const {
  if (required && !flags.empty()) return help + " (required)";
  return default_value.empty() ? help : help + " (default: " + default_value + ")";
}

std::string CommandInfo::usage() const {
  std::string text = name;
  for (const OptionInfo& positional : positionals) {
    const std::string shown = positional.name + (positional.repeated ? "..." : "");
    text += positional.required ? " " + shown : " [" + shown + "]";
  }
  for (const OptionGroup& group : groups) {
    for (const OptionInfo& option : group.options) {
      if (option.required) text += " " + option.usage();
    }
  }
  return text + (commands.empty() || !positionals.empty() ? " [options]" : " COMMAND");
}

std::string help_text(const CommandInfo& command) {
  std::string text = command.description + "\n\nUsage: " + command.usage() + "\n";
  if (!command.example.empty()) text += "Example: " + command.example + "\n";
  if (!command.positionals.empty()) {
    text += "\nArguments:\n";
    for (const OptionInfo& positional : command.positionals)
      text += help_line(positional.name, positional.sentence());
  }
  if (!command.commands.empty()) {
    text += "\nCommands:\n";
    for (const CommandInfo& subcommand : command.commands)
      text += help_line(subcommand.name.substr(subcommand.name.rfind(' ') + 1), subcommand.description);
  }
  for (const OptionGroup& group : command.groups) {
    text += "\n" + group.title + ":\n";
    for (const OptionInfo& option : group.options) text += help_line(option.usage(), option.sentence());
  }
  return text + command.footer;
}

}  // namespace jsdiv::cli
