#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

/// How text for people is laid out. The default suits files: no colour, lines as long as they are.
struct TextStyle {
  std::size_t width = 0;  ///< characters in a line; 0: no limit
  bool colour = false;
};

/// The number of characters on screen of a UTF-8 text without wide or combining characters; bold print takes
/// no room.
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

/// A column of a table of text: the heading and a cell for each row.
struct TextColumn {
  std::string heading;
  std::vector<std::string> cells;
};

/// Columns side by side, as wide as they must be, a line for the headings and one for each row; the last
/// columns are left out where a line would not hold them.
std::vector<std::string> table_lines(const std::vector<TextColumn>& columns, const TextStyle& style);

/// These lines, each ended by a newline.
std::string text_table(const std::vector<TextColumn>& columns, const TextStyle& style);

/// A name that is not ours in at most that many characters of one line: what would act on a terminal is
/// written out.
std::string label(std::string_view name, std::size_t columns);

/// The same for a path, of which the end is kept where it is too long.
std::string path_label(std::string_view path, std::size_t columns);

/// In bold print, where there is colour.
std::string bold(std::string_view text, const TextStyle& style);

}  // namespace jsdiv
