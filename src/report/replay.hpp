#pragma once

#include <string>

#include "report/json.hpp"

namespace jsdiv {

/// The command that repeats a result of estimate, explain or compare, ready for a shell. Empty where no
/// command can: its tables were not files, or its classifiers were the caller's own.
std::string replay_command(const Json& result);

}  // namespace jsdiv
