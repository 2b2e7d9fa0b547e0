#include "core/byte_count.hpp"

#include <charconv>
#include <cmath>
#include <string_view>

#include "core/format.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr double mega = 1024.0 * 1024;
constexpr double giga = 1024 * mega;

}  // namespace

std::size_t parse_bytes(const std::string& text, const std::string& option) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [after, error] = std::from_chars(text.data(), end, number);
  std::string_view unit(after, static_cast<std::size_t>(end - after));
  double factor = 1;
  if (unit.ends_with('B') || unit.ends_with('b')) unit.remove_suffix(1);
  if (unit.size() == 1) {
    constexpr std::string_view units = "kmgtKMGT";
    const std::size_t place = units.find(unit[0]);
    factor = place == std::string_view::npos ? 0 : std::pow(1024.0, 1 + static_cast<double>(place % 4));
  } else if (!unit.empty()) {
    factor = 0;
  }
  const double bytes = number * factor;
  if (error != std::errc() || !(bytes >= 1) || bytes > 1e18) {
    throw InvalidInput(mention(option) + " is " + quoted(text) + "; give bytes, for example 500M or 2G",
                       {.option = option});
  }
  return static_cast<std::size_t>(bytes);
}

std::string format_bytes(double bytes) {
  if (bytes < mega) return format("%.0f bytes", bytes);
  return bytes >= giga ? format("%.1f GB", bytes / giga) : format("%.0f MB", std::ceil(bytes / mega));
}

std::string bytes_to_allow(double bytes) {
  const double needed = std::ceil(bytes / mega);
  return needed >= 10 * 1024 ? format("%.0fG", std::ceil(bytes / giga)) : format("%.0fM", needed);
}

}  // namespace jsdiv
