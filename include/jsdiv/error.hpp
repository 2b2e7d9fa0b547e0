#pragma once

#include <stdexcept>
#include <string>

namespace jsdiv {

/// Base of everything this library throws on purpose.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The caller's data or options cannot be used. The message is one line that names the file, row and column
/// where there are any, and says what to do. The command line turns it into exit code 2, Python into
/// ValueError.
class InvalidInput : public Error {
 public:
  using Error::Error;
};

/// The user asked to stop (Ctrl-C). The command line turns it into exit code 130.
class Interrupted : public Error {
 public:
  Interrupted() : Error("interrupted") {}
};

/// A defect of this library, found by one of its own checks. Exit code 70.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace jsdiv
