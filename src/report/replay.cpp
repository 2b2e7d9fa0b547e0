#include "report/replay.hpp"

#include <algorithm>

#include "classify/registry.hpp"

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

bool is_ours(const Json& name) {
  return std::ranges::any_of(families(), [&](const Family* family) { return name == family->name(); });
}

}  // namespace

std::string replay_command(const Json& result) {
  const Json& protocol = result.at("protocol");
  if (!std::ranges::all_of(protocol.at("families"), is_ours)) return "";
  std::string command = "jsdiv estimate";
  for (const Json& input : protocol.at("inputs")) {
    const auto path = input.at("path").get<std::string>();
    if (path.empty()) return "";
    // A path that begins with a dash would be taken for an option.
    command += " " + shell_word(path[0] == '-' ? "./" + path : path);
  }
  const Json defaults = options_json({});
  for (const auto& [key, value] : protocol.at("options").items()) {
    if (defaults.contains(key) && defaults[key] == value) continue;
    std::string name = key;
    std::ranges::replace(name, '_', '-');
    if (value.is_boolean()) {
      command += value.get<bool>() ? " --" + name : " --no-" + name;
    } else if (!value.is_null()) {
      command += " --" + name + " " + shell_word(value_text(value));
    }
  }
  return command;
}

}  // namespace jsdiv
