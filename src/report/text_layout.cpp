#include "report/text_layout.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/safe_text.hpp"

namespace jsdiv {
namespace {

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
}

}  // namespace

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  bool in_sequence = false;
  for (const char byte : text) {
    if (byte == '\033') in_sequence = true;
    if (!in_sequence && !continues_character(byte)) ++width;
    if (byte == 'm') in_sequence = false;
  }
  return width;
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

std::vector<std::string> table_lines(const std::vector<TextColumn>& columns, const TextStyle& style) {
  std::vector<std::string> lines(columns.at(0).cells.size() + 1, "  ");
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::size_t width = text_width(columns[j].heading);
    for (const std::string& cell : columns[j].cells) width = std::max(width, text_width(cell));
    if (j > 0 && style.width > 0 && text_width(lines[0]) + width > style.width) break;
    const std::size_t padding = j + 1 < columns.size() ? width + 3 : 0;
    lines[0] += padded(columns[j].heading, padding);
    for (std::size_t i = 0; i < columns[j].cells.size(); ++i)
      lines[i + 1] += padded(columns[j].cells[i], padding);
  }
  for (std::string& line : lines) line.erase(line.find_last_not_of(' ') + 1);
  return lines;
}

std::string text_table(const std::vector<TextColumn>& columns, const TextStyle& style) {
  std::string text;
  for (const std::string& line : table_lines(columns, style)) text += line + "\n";
  return text;
}

std::string label(std::string_view name, std::size_t columns) {
  return fitted(safe_text(name, Medium::line), columns);
}

std::string path_label(std::string_view path, std::size_t columns) {
  const std::string safe = safe_text(path, Medium::line);
  const std::size_t width = text_width(safe);
  if (width <= columns || safe.find('/') == std::string::npos) return fitted(safe, columns);
  std::size_t left_out = width - columns + 1;
  std::size_t begin = 0;
  while (begin < safe.size() && (left_out > 0 || continues_character(safe[begin]))) {
    if (!continues_character(safe[begin])) --left_out;
    ++begin;
  }
  return "…" + safe.substr(begin);
}

std::string bold(std::string_view text, const TextStyle& style) {
  return style.colour ? "\033[1m" + std::string(text) + "\033[0m" : std::string(text);
}

}  // namespace jsdiv
