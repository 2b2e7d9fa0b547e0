#include "report/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace jsdiv {
namespace {

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return !continues_character(byte); }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t width = text_width(text);
  return std::string(text) + std::string(columns > width ? columns - width : 0, ' ');
}

std::string fitted(std::string_view text, std::size_t columns) {
  const bool cut = text_width(text) > columns;
  std::size_t left = columns - (cut ? 1 : 0);
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!continues_character(text[i]) && left-- == 0) break;
    const auto code = static_cast<unsigned char>(text[i]);
    result += code < 0x20 || code == 0x7F ? ' ' : text[i];
  }
  return cut ? result + "…" : result;
}

std::string text_bar(double share, std::size_t columns) {
  constexpr std::array<std::string_view, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto length =
      static_cast<std::size_t>(std::lround(8 * std::clamp(share, 0.0, 1.0) * static_cast<double>(columns)));
  std::string bar;
  for (std::size_t i = 0; i < length / 8; ++i) bar += "█";
  return bar.append(eighths[length % 8]);
}

std::string wrapped(std::string_view paragraph, const TextStyle& style, std::string_view indent) {
  const std::size_t blanks = std::min(paragraph.find_first_not_of(' '), paragraph.size());
  std::string text(blanks, ' ');
  std::size_t used = blanks;
  bool first = true;
  paragraph.remove_prefix(blanks);
  while (!paragraph.empty()) {
    const std::size_t end = std::min(paragraph.find(' '), paragraph.size());
    const std::string_view word = paragraph.substr(0, end);
    paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
    const std::size_t width = text_width(word);
    if (!first && style.width > 0 && used + 1 + width > style.width) {
      text.append("\n").append(indent);
      used = text_width(indent);
    } else if (!first) {
      text += ' ';
      ++used;
    }
    first = false;
    text += word;
    used += width;
  }
  return text + "\n";
}

std::string bold(std::string_view text, const TextStyle& style) {
  return style.colour ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}

}  // namespace jsdiv
