#pragma once

#include <algorithm>
#include <cmath>
#include <string>

namespace jsdiv {

/// The number of characters on screen of a UTF-8 text without wide or combining characters.
inline std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }));
}

/// With blanks after it up to that many characters; as it is if it is longer.
inline std::string padded(const std::string& text, std::size_t columns) {
  return text + std::string(columns > text_width(text) ? columns - text_width(text) : 0, ' ');
}

/// Cut to that many characters, the last being an ellipsis.
inline std::string fitted(const std::string& text, std::size_t columns) {
  if (text_width(text) <= columns) return text;
  std::string result;
  std::size_t shown = 0;
  for (const char byte : text) {
    if ((static_cast<unsigned char>(byte) & 0xC0) != 0x80 && ++shown == columns) break;
    result += byte;
  }
  return result + "…";
}

/// A bar of up to `columns` characters for a share of the longest.
inline std::string text_bar(double share, std::size_t columns) {
  const double length = std::clamp(share, 0.0, 1.0) * static_cast<double>(columns);
  std::string text;
  for (int i = 0; i < static_cast<int>(std::lround(length)); ++i) text += "█";
  return text;
}

}  // namespace jsdiv
