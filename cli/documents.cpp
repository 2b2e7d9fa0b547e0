#include "cli/documents.hpp"

#include <algorithm>

#include "classify/registry.hpp"

namespace jsdiv::cli {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size())) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Every command that does something, also those below others.
std::vector<const CommandInfo*> all_commands(const CommandInfo& program) {
  std::vector<const CommandInfo*> commands;
  for (const CommandInfo& command : program.commands) {
    commands.push_back(&command);
    for (const CommandInfo* below : all_commands(command)) commands.push_back(below);
  }
  return commands;
}

std::vector<OptionInfo> options_of(const CommandInfo& command) {
  std::vector<OptionInfo> options;
  for (const OptionGroup& group : command.groups) {
    options.insert(options.end(), group.options.begin(), group.options.end());
  }
  return options;
}

/// The words of the command behind the program's name.
std::string path_of(const CommandInfo& command) {
  return command.name.substr(command.name.find(' ') + 1);
}

std::vector<std::string> candidates(const OptionInfo& option) {
  if (!option.choices.empty()) return option.choices;
  std::vector<std::string> names;
  const bool takes_families = std::ranges::any_of(option.flags, [](const std::string& flag) {
    return flag == "--families" || flag == "--exclude-families";
  });
  if (!takes_families) return names;
  names.emplace_back("all");
  for (const Family* family : families()) names.emplace_back(family->name());
  return names;
}

std::string joined_words(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string roff(const std::string& text) {
  std::string escaped = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
  if (escaped.starts_with(".") || escaped.starts_with("'")) escaped.insert(0, "\\&");
  return escaped;
}

std::string roff_options(const std::vector<OptionInfo>& options) {
  std::string text;
  for (const OptionInfo& option : options) {
    text += ".TP\n.B " + roff(option.usage()) + "\n" + roff(option.sentence()) + "\n";
  }
  return text;
}

/// How bash completes the value of an option, or a positional.
std::string bash_value(const OptionInfo& option) {
  const std::vector<std::string> words = candidates(option);
  if (!words.empty()) return "compgen -W '" + joined_words(words) + "' -- \"$current\"";
  return std::string("compgen ") + (option.argument == "DIR" ? "-d" : "-f") + " -- \"$current\"";
}

std::string zsh_escaped(const std::string& text) {
  std::string escaped = replaced(text, "'", "'\\''");
  for (const char* special : {"[", "]", ":"})
    escaped = replaced(escaped, special, std::string("\\") + special);
  return escaped;
}

std::string zsh_action(const OptionInfo& option) {
  const std::vector<std::string> words = candidates(option);
  if (!words.empty()) {
    return option.argument == "LIST" ? "_values -s , value " + joined_words(words)
                                     : "(" + joined_words(words) + ")";
  }
  return option.argument == "DIR" ? "_files -/" : "_files";
}

std::string zsh_arguments(const CommandInfo& command, const std::string& indent) {
  std::string text = "_arguments -S";
  for (const OptionInfo& option : options_of(command)) {
    for (const std::string& flag : option.flags) {
      text += " \\\n" + indent + "'" + flag + "[" + zsh_escaped(option.help) + "]";
      if (!option.argument.empty()) text += ":" + zsh_escaped(option.argument) + ":" + zsh_action(option);
      text += "'";
    }
  }
  for (std::size_t i = 0; i < command.positionals.size(); ++i) {
    const OptionInfo& positional = command.positionals[i];
    const std::string place = positional.repeated ? "*" : std::to_string(i + 1);
    text += " \\\n" + indent + "'" + place + ":" + positional.name + ":" + zsh_action(positional) + "'";
  }
  return text + "\n";
}

}  // namespace

std::string options_markdown(const CommandInfo& program) {
  std::string text;
  const auto cell = [](const std::string& content) { return replaced(content, "|", "\\|"); };
  for (const CommandInfo* command : all_commands(program)) {
    text += "### " + command->name + "\n\n" + command->description + "\n\n```\n" + command->usage() +
            "\n```\n\n| option | meaning | default |\n|---|---|---|\n";
    for (const OptionInfo& positional : command->positionals) {
      text += "| `" + positional.name + "` | " + cell(positional.help) + " | |\n";
    }
    for (const OptionInfo& option : options_of(*command)) {
      text += "| `" + cell(option.usage()) + "` | " + cell(option.help) + " | " +
              (option.required                ? "required "
               : option.default_value.empty() ? ""
                                              : "`" + option.default_value + "` ") +
              "|\n";
    }
    text += "\n";
  }
  return text;
}

std::string manual_page(const CommandInfo& program, const std::string& version) {
  std::string text = ".TH JSDIV 1 \"\" \"jsdiv " + version + "\" \"User Commands\"\n.SH NAME\njsdiv \\- " +
                     roff("estimate the Jensen-Shannon divergence between two tables") +
                     "\n.SH SYNOPSIS\n.B jsdiv\n.I COMMAND\n[options]\n.SH DESCRIPTION\n" +
                     roff(program.description) + "\n";
  for (const CommandInfo* command : all_commands(program)) {
    text += ".SH " + roff(command->name) + "\n" + roff(command->description) + "\n.PP\n.B " +
            roff(command->usage()) + "\n" + roff_options(command->positionals);
    for (const OptionGroup& group : command->groups) {
      text += ".SS " + roff(group.title) + "\n" + roff_options(group.options);
    }
    if (!command->example.empty()) text += ".SS Example\n.EX\n" + roff(command->example) + "\n.EE\n";
  }
  return text +
         ".SH EXIT STATUS\n"
         ".TP\n.B 0\nDone.\n"
         ".TP\n.B 1\nThe check failed: the divergence is above the limit, or a recorded result differs.\n"
         ".TP\n.B 2\nBad input or usage; one line on standard error says what is wrong and where.\n"
         ".TP\n.B 70\nA bug in jsdiv.\n"
         ".TP\n.B 71\nThe system has run out of memory or threads.\n"
         ".TP\n.B 130\nInterrupted.\n";
}

std::string bash_completion(const CommandInfo& program) {
  std::vector<std::string> names;
  for (const CommandInfo& command : program.commands) names.push_back(path_of(command));
  std::string text =
      "# bash completion for jsdiv\n"
      "_jsdiv() {\n"
      "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' words='' i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    case \"$command ${COMP_WORDS[i]}\" in\n";
  for (const CommandInfo* command : all_commands(program)) {
    const std::string path = path_of(*command);
    const auto blank = path.rfind(' ');
    const std::string before = blank == std::string::npos ? "" : path.substr(0, blank);
    text += "      '" + before + " " + path.substr(blank + 1) + "') command='" + path + "' ;;\n";
  }
  std::string top = joined_words(names);
  for (const OptionInfo& option : options_of(program)) top += " " + joined_words(option.flags);
  text +=
      "    esac\n"
      "  done\n"
      "  case \"$command\" in\n"
      "    '') words='" +
      top + "' ;;\n";
  for (const CommandInfo* command : all_commands(program)) {
    std::string flags;
    std::string values;
    for (const OptionInfo& option : options_of(*command)) {
      flags += (flags.empty() ? "" : " ") + joined_words(option.flags);
      if (option.argument.empty()) continue;
      std::string pattern;
      for (const std::string& flag : option.flags) pattern += (pattern.empty() ? "" : "|") + flag;
      values += "        " + pattern + ") COMPREPLY=($(" + bash_value(option) + ")); return ;;\n";
    }
    std::vector<std::string> first =
        command->positionals.empty() ? std::vector<std::string>{} : candidates(command->positionals[0]);
    for (const CommandInfo& below : command->commands)
      first.push_back(below.name.substr(below.name.rfind(' ') + 1));
    text += "    '" + path_of(*command) + "')\n      words='" + flags + "'\n";
    if (!first.empty()) text += "      [[ $current == -* ]] || words='" + joined_words(first) + "'\n";
    text += "      case \"$previous\" in\n" + values + "      esac\n      ;;\n";
  }
  return text +
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
         "  [[ ${#COMPREPLY[@]} -gt 0 || $current == -* ]] || COMPREPLY=($(compgen -f -- \"$current\"))\n"
         "}\n"
         "complete -o filenames -F _jsdiv jsdiv\n";
}

std::string zsh_completion(const CommandInfo& program) {
  std::string text =
      "#compdef jsdiv\n"
      "_jsdiv() {\n"
      "  local curcontext=$curcontext state line\n"
      "  local -a commands=(\n";
  for (const CommandInfo& command : program.commands) {
    text += "    '" + path_of(command) + ":" + zsh_escaped(command.description) + "'\n";
  }
  text += "  )\n  _arguments -C";
  for (const OptionInfo& option : options_of(program)) {
    for (const std::string& flag : option.flags) text += " '" + flag + "[" + zsh_escaped(option.help) + "]'";
  }
  text +=
      " '1:command:->command' '*::argument:->argument'\n"
      "  case $state in\n"
      "    command) _describe command commands ;;\n"
      "    argument)\n"
      "      case $line[1] in\n";
  for (const CommandInfo& command : program.commands) {
    text += "        " + path_of(command) + ") " + zsh_arguments(command, "          ") + "          ;;\n";
  }
  return text +
         "      esac\n"
         "      ;;\n"
         "  esac\n"
         "}\n"
         "_jsdiv \"$@\"\n";
}

}  // namespace jsdiv::cli
