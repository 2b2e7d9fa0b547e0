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

}  // namespace jsdiv
