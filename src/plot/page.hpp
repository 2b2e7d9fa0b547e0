#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace jsdiv::plot {

struct Figure {
  std::string title;
  std::string note;                   ///< what the reader sees, one or two sentences
  std::vector<std::string> pictures;  ///< SVG, by the functions of charts.hpp
};

/// A table of text; a first cell that is empty continues the row above.
struct TextTable {
  std::string title;
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
};

/// A page that needs nothing beside itself: pictures inline, one style sheet, no script. Its content security
/// policy forbids everything else (`default-src 'none'`, the style by its hash).
std::string html_page(const std::string& title, const std::string& introduction,
                      const std::vector<Figure>& figures, const std::vector<TextTable>& tables);

/// The text of a style sheet or script as a content security policy allows it: 'sha256-…'.
std::string policy_hash(std::string_view text);

std::string markdown(const TextTable& table);

}  // namespace jsdiv::plot
