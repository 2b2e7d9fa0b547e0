#include "core/safe_text.hpp"

#include <cstdint>
#include <optional>

#include "core/format.hpp"

namespace jsdiv {
namespace {

struct Character {
  std::uint32_t code;
  std::size_t bytes;
};

/// The UTF-8 character that `text` begins with; none if its first byte begins no shortest form of one.
std::optional<Character> first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return Character{lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return std::nullopt;
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return std::nullopt;
    code = code << 6 | (byte(i) & 0x3FU);
  }
  const std::uint32_t smallest = bytes == 2 ? 0x80 : bytes == 3 ? 0x800 : 0x10000;
  if (code < smallest || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return std::nullopt;
  return Character{code, bytes};
}

/// Characters that move the cursor, end a line, reverse the writing or leave no mark.
bool acts(std::uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code <= 0x9F)) return true;
  switch (code) {
    case 0x00AD:  // soft hyphen
    case 0x061C:  // Arabic letter mark
    case 0x180E:  // Mongolian vowel separator
    case 0xFEFF:  // byte order mark
      return true;
    default:
      return code == 0x200B || code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
             (code >= 0x2060 && code <= 0x206F) || (code >= 0xFFF9 && code <= 0xFFFB) ||
             (code >= 0xE0000 && code <= 0xE0FFF);
  }
}

std::string written_out(std::uint32_t code) {
  switch (code) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return format(code < 0x80 ? "\\x%02x" : "\\u%04x", static_cast<unsigned>(code));
  }
}

bool is_markup(std::uint32_t code) {
  return code < 0x80 &&
         std::string_view("\\`*[]<>&|").find(static_cast<char>(code)) != std::string_view::npos;
}

}  // namespace

std::string safe_text(std::string_view text, Medium medium) {
  std::string safe;
  safe.reserve(text.size());
  while (!text.empty()) {
    const auto character = first_character(text);
    const std::size_t bytes = character ? character->bytes : 1;
    if (!character) {
      safe += format("\\x%02x", static_cast<unsigned>(static_cast<unsigned char>(text[0])));
    } else if (acts(character->code) && !(medium == Medium::block && character->code == '\n')) {
      safe += written_out(character->code);
    } else {
      if (medium == Medium::markdown && is_markup(character->code)) safe += '\\';
      safe += text.substr(0, bytes);
    }
    text.remove_prefix(bytes);
  }
  return safe;
}

}  // namespace jsdiv
