#pragma once

#include <span>
#include <string>
#include <string_view>

namespace jsdiv {

/// 'text' for a one-line message: control characters become blanks, long text is cut.
std::string quoted(std::string_view text);

/// 'a', 'b', 'c' and 12 more
std::string quoted_list(std::span<const std::string> names);

/// The candidate with the fewest edits, as "; did you mean 'x'?", or nothing if none is close.
std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

/// "unknown family 'xgbost'; did you mean 'xgboost'?", or a list of all there are if none is close.
std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> known);

}  // namespace jsdiv
