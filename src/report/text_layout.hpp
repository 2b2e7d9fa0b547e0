#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jsdiv {

/// How text for people is laid out. The default suits files: no colour, lines as long as they are.
struct TextStyle {
  std::size_t width = 0;  ///< characters in a line; 0: no limit
  bool colour = false;
};

/// The number of characters on screen of a UTF-8 text without wide or combining characters.
std::size_t text_width(std::string_view text);

/// With blanks after it up to that many characters; as it is if it is longer.
std::string padded(std::string_view text, std::size_t columns);

/// Cut to that many characters, the last being an ellipsis; control characters become blanks.
std::string fitted(std::string_view text, std::size_t columns);

/// A bar of up to `columns` characters for a share of the longest, in eighths of a character.
std::string text_bar(double share, std::size_t columns);

/// A paragraph in lines that fit, broken between words, each ended by a newline; `indent` goes before all but
/// the first.
std::string wrapped(std::string_view paragraph, const TextStyle& style, std::string_view indent = "");

/// In bold print, where there is colour.
std::string bold(std::string_view text, const TextStyle& style);

}  // namespace jsdiv
