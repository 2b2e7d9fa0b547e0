#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jsdiv {

/// Base of everything this library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// An option that a message mentions, by the name of its field. Each surface spells it in its own way:
/// `--ignore age` on the command line, `ignore='age'` in Python, `ignore = "age"` in C++.
struct OptionMention {
  std::string name;
  std::string value;       ///< what to set it to; empty: the option as such
  bool is_number = false;  ///< the value needs no quotes
};

inline OptionMention mention(std::string_view name, std::string value = {}) {
  return {std::string(name), std::move(value)};
}

template <std::integral Number>
OptionMention mention(std::string_view name, Number value) {
  return {std::string(name), std::to_string(value), true};
}

/// The text of an error, in which the options are kept apart from the words.
class Message {
 public:
  using Part = std::variant<std::string, OptionMention>;

  Message() = default;
  Message(const char* text) : parts_{std::string(text)} {}
  Message(std::string text) : parts_{std::move(text)} {}
  Message(OptionMention mention) : parts_{std::move(mention)} {}

  const std::vector<Part>& parts() const { return parts_; }
  bool empty() const { return text().empty(); }

  /// One line of text, with every option as `spell` writes it.
  std::string worded(const std::function<std::string(const OptionMention&)>& spell) const;
  /// The same with options by the names of their fields.
  std::string text() const;

  Message& operator+=(const Message& more) {
    parts_.insert(parts_.end(), more.parts_.begin(), more.parts_.end());
    return *this;
  }

 private:
  std::vector<Part> parts_;
};

inline Message operator+(Message first, const Message& second) {
  return first += second;
}

/// The caller's data or options cannot be used. The message is one line that names the file, row and column
/// where there are any, and says what to do. The command line turns it into exit code 2, Python into
/// ValueError; what() names options by their fields.
class InvalidInput : public Error {
 public:
  /// What the message is about, where it is about one thing.
  struct Subject {
    std::string option;  ///< the field's name
    std::string column;
  };

  explicit InvalidInput(Message message) : InvalidInput(std::move(message), Subject{}) {}
  InvalidInput(Message message, Subject subject);

  const Message& message() const { return details_->message; }
  const Subject& subject() const { return details_->subject; }

 private:
  struct Details {
    Message message;
    Subject subject;
  };
  std::shared_ptr<const Details> details_;  ///< shared, so that copying an exception cannot throw
};

/// The user asked to stop (Ctrl-C). The command line turns it into exit code 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

/// A defect in this library, found by one of its own checks. Exit code 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace jsdiv
