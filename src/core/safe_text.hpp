#pragma once

#include <string>
#include <string_view>

namespace jsdiv {

/// Where text goes that holds cells, names, paths or arguments, which are not ours.
enum class Medium {
  line,      ///< one line on a terminal: an error, a warning, a cell of a table
  block,     ///< lines of ours on a terminal, with such text in them
  markdown,  ///< a cell or heading of a Markdown document
};

/// The text with everything that would act on its reader written out: control characters, the C1 range, what
/// changes the direction of writing or cannot be seen, and bytes that are no UTF-8 become \n, \x1b, \u202e or
/// \xff; in Markdown also what would be markup. For CSV see load/csv_writer.hpp, for HTML plot/svg.hpp.
std::string safe_text(std::string_view text, Medium medium);

}  // namespace jsdiv
