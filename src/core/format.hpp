#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace jsdiv {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] inline std::string format(const char* pattern, ...) {
  std::va_list arguments;
  va_start(arguments, pattern);
  std::va_list again;
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, pattern, arguments);
  va_end(arguments);
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), pattern, again);
  va_end(again);
  text.pop_back();
  return text;
}

/// The names, one after the other: "a, b, c".
template <class Names>
std::string joined(const Names& names, const char* between = ", ") {
  std::string text;
  for (const auto& name : names) text.append(text.empty() ? "" : between).append(name);
  return text;
}

}  // namespace jsdiv
