#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/description.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace jsdiv::cli {

/// What the commands need of CLI11. parser.cpp alone includes it: it takes the compiler longer to read than
/// all of a command.

/// Thrown by whoever reads the value of an option: what is wrong with it.
struct BadValue {
  std::string message;
};

/// What is wrong with the arguments, in one line that ends with where to look.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option or argument of a command, while it is described.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  Option& required();
  Option& type_name(const std::string& placeholder);
  Option& group(const std::string& title);
  Option& default_text(const std::string& text);
  /// Takes one of these and nothing else.
  Option& one_of(const std::vector<std::string>& choices);
  /// An argument that takes so many values.
  Option& expected(int least, int most);

 private:
  CLI::Option* option_;
};

class Command {
 public:
  explicit Command(CLI::App& app) : app_(&app) {}

  Command add_subcommand(const std::string& name, const std::string& help);
  /// Options (--name) and arguments (NAME) whose value is text.
  Option add_option(const std::string& name, std::string& field, const std::string& help);
  Option add_option(const std::string& name, std::optional<std::string>& field, const std::string& help);
  Option add_option(const std::string& name, std::vector<std::string>& field, const std::string& help);
  /// `read` takes the text and may throw BadValue.
  Option add_option(const std::string& name, std::function<void(const std::string&)> read,
                    const std::string& help);
  /// Takes a,b,c.
  Option add_list(const std::string& name, std::vector<std::string>& field, const std::string& help);
  /// With "!--name" the field becomes false.
  Option add_flag(const std::string& name, bool& field, const std::string& help);
  void remove_option(const std::string& name);
  /// Asked for when the help is printed.
  void footer(std::function<std::string()> text);
  /// What to do when the command was chosen.
  void callback(std::function<void()> chosen);

  bool was_chosen() const;
  bool has(const std::string& option) const;
  /// The first option under this heading that was given.
  std::optional<std::string> first_given(const std::string& group) const;

 private:
  CLI::App* app_;
};

/// The arguments of the whole program.
class Parser {
 public:
  Parser(const std::string& name, const std::string& description);
  ~Parser();
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  Command program();
  void set_version(const std::string& flags, std::function<std::string()> text, const std::string& help);
  /// False if help or the version was asked for and has been printed. Throws UsageError.
  bool parse(int argument_count, char** arguments);
  CommandInfo describe() const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace jsdiv::cli
