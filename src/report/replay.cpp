#include "report/replay.hpp"

#include <algorithm>

#include "classify/registry.hpp"
#include "jsdiv/explain.hpp"

namespace jsdiv {
namespace {

/// As one word of a POSIX shell.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:%@";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

std::string value_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::string text;
  for (const Json& item : value) text += (text.empty() ? "" : ",") + value_text(item);
  return text;
}

/// Options whose values are not those of `defaults`.
std::string option_words(const Json& options, const Json& defaults) {
  std::string words;
  for (const auto& [key, value] : options.items()) {
    if (defaults.contains(key) && defaults[key] == value) continue;
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    if (value.is_boolean()) {
      words += value.get<bool>() ? " --" + name : " --no-" + name;
    } else if (!value.is_null()) {
      words += " --" + name + " " + shell_word(value_text(value));
    }
  }
  return words;
}

bool is_ours(const Json& name) {
  return std::ranges::any_of(families(), [&](const Family* family) { return name == family->name(); });
}

/// Empty where no command can repeat it.
std::string command_for(const std::string& verb, const std::vector<std::string>& paths,
                        const Json& protocol) {
  if (!std::ranges::all_of(protocol.at("families"), is_ours)) return "";
  std::string command = "jsdiv " + verb;
  for (const std::string& path : paths) {
    if (path.empty()) return "";
    // A path that begins with a dash would be taken for an option.
    command += " " + shell_word(path[0] == '-' ? "./" + path : path);
  }
  return command + option_words(protocol.at("options"), options_json({}));
}

std::vector<std::string> input_paths(const Json& protocol) {
  std::vector<std::string> paths;
  for (const Json& input : protocol.at("inputs")) paths.push_back(input.at("path").get<std::string>());
  return paths;
}

std::string comparison_command(const Json& comparison) {
  std::vector<std::string> paths(comparison.at("candidates").size() + 1);
  paths[0] = comparison.at("reference").at("input").at("path").get<std::string>();
  for (const Json& candidate : comparison.at("candidates")) {
    paths.at(candidate.at("position").get<std::size_t>()) =
        candidate.at("input").at("path").get<std::string>();
  }
  const std::string command = command_for("compare", paths, comparison.at("protocol"));
  return command.empty() ? command
                         : command + (comparison.at("over_time").get<bool>() ? " --over-time" : "") +
                               (comparison.at("yardstick").is_null() ? " --no-yardstick" : "");
}

}  // namespace

std::string replay_command(const Json& result) {
  const std::string schema = result.at("schema");
  if (schema == "jsdiv.compare/1") return comparison_command(result);
  const bool explained = schema == "jsdiv.explain/1";
  const Json& protocol = (explained ? result.at("estimate") : result).at("protocol");
  std::string command = command_for(explained ? "explain" : "estimate", input_paths(protocol), protocol);
  if (command.empty() || !explained) return command;
  const ExplainChoices usual;
  const Json defaults = {{"show_rows", usual.show_rows}, {"telling_rows", usual.telling_rows}};
  return command + option_words(result.value("options", Json::object()), defaults);
}

}  // namespace jsdiv
