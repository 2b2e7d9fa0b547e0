#pragma once

#include <string>
#include <vector>

namespace jsdiv::cli {

/// What there is to say about an option, for every form in which it is said.
struct OptionInfo {
  std::vector<std::string> flags;    ///< --name, -n; a positional has none
  std::string name;                  ///< of a positional
  std::string argument;              ///< placeholder of the value, "a|b" for a choice; empty: a flag
  std::vector<std::string> choices;  ///< of the value; empty: anything
  std::string help;
  std::string default_value;
  bool required = false;
  bool repeated = false;  ///< a positional that takes several values

  /// "-V, --version" or "--level NUMBER"
  std::string usage() const;
  /// The help, with the default and whether it is required.
  std::string sentence() const;
};

struct OptionGroup {
  std::string title;
  std::vector<OptionInfo> options;
};

struct CommandInfo {
  std::string name;  ///< "jsdiv bench merge"
  std::string description;
  std::string example;
  std::string footer;
  std::vector<OptionInfo> positionals;
  std::vector<OptionGroup> groups;
  std::vector<CommandInfo> commands;

  /// "jsdiv estimate P Q [options]"
  std::string usage() const;
};

/// What --help prints.
std::string help_text(const CommandInfo& command);

}  // namespace jsdiv::cli
