#include "load/cell.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "core/calendar.hpp"
#include "load/written_date.hpp"
#include "load/written_number.hpp"

namespace jsdiv {
namespace {

constexpr std::array<std::string_view, 20> missing_tokens = {
    "",    "?",    "NA",   "N/A",  "n/a",  "<NA>", "#N/A",   "#N/A N/A", "#NA",     "NaN",
    "nan", "-NaN", "-nan", "NULL", "null", "None", "1.#IND", "-1.#IND",  "1.#QNAN", "-1.#QNAN"};
constexpr std::size_t longest_missing_token = 9;
constexpr std::array<std::string_view, 18> markers = {
    "-",  "--",   "---",  "\xE2\x80\x93", "\xE2\x80\x94", ".",       "..",    "...",     "na",
    "nd", "n.a.", "n.d.", "none",         "null",         "#div/0!", "#ref!", "#value!", "#num!"};

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return text.size() == lower.size() && std::ranges::equal(text, lower, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
         });
}

/// Reads exactly `digits` decimal digits off the front of `text`.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char expected) {
  if (text.empty() || text.front() != expected) return false;
  text.remove_prefix(1);
  return true;
}

/// The fraction of a second after its point, 1 to 9 or more digits.
std::optional<double> take_fraction(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && text[length] >= '0' && text[length] <= '9') ++length;
  if (length == 0 || length > 18) return std::nullopt;
  double fraction = 0;
  std::string decimal = "0.";
  decimal += text.substr(0, length);
  fast_float::from_chars(decimal.data(), decimal.data() + decimal.size(), fraction);
  text.remove_prefix(length);
  return fraction;
}

/// Offset of a zone (Z, +01, +0100, +01:00) in seconds; the text must end with it.
std::optional<int> take_zone(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, '+') && !take(text, '-')) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || *hours > 23) return std::nullopt;
  if (text.empty()) return sign * *hours * 3600;
  take(text, ':');
  const auto minutes = take_digits(text, 2);
  if (!minutes || *minutes > 59 || !text.empty()) return std::nullopt;
  return sign * (*hours * 3600 + *minutes * 60);
}

}  // namespace

bool is_missing(std::string_view text) {
  if (text.size() > longest_missing_token) return false;
  return std::ranges::find(missing_tokens, text) != missing_tokens.end();
}

bool is_marker(std::string_view text) {
  return std::ranges::any_of(markers,
                             [&](std::string_view marker) { return equal_ignoring_case(text, marker); });
}

std::optional<double> parse_number(std::string_view text) {
  if (!text.empty() && text.front() == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '-') return std::nullopt;
  }
  double value = 0;
  const auto result = fast_float::from_chars(text.data(), text.data() + text.size(), value);
  const bool complete = !text.empty() && result.ptr == text.data() + text.size();
  const bool readable = result.ec == std::errc() || result.ec == std::errc::result_out_of_range;
  if (!complete || !readable || std::isnan(value)) return std::nullopt;
  return value;
}

std::optional<bool> parse_boolean(std::string_view text) {
  for (const std::string_view word : {"true", "yes", "t"}) {
    if (equal_ignoring_case(text, word)) return true;
  }
  for (const std::string_view word : {"false", "no", "f"}) {
    if (equal_ignoring_case(text, word)) return false;
  }
  return std::nullopt;
}

std::optional<ParsedTime> parse_time(std::string_view text) {
  if (text.size() < 10 || text[4] != '-') return std::nullopt;
  const auto year = take_digits(text, 4);
  if (!year || !take(text, '-')) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || *month < 1 || *month > 12 || !take(text, '-')) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || *day < 1 || *day > days_in_month(*year, *month)) return std::nullopt;
  const double midnight = static_cast<double>(days_from_date({*year, *month, *day})) * 86400;
  if (text.empty()) return ParsedTime{midnight, CellClass::date};

  if (!take(text, 'T') && !take(text, 't') && !take(text, ' ')) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take(text, ':')) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  int second = 0;
  double fraction = 0;
  if (take(text, ':')) {
    const auto whole = take_digits(text, 2);
    if (!whole || *whole > 59) return std::nullopt;
    second = *whole;
    if (take(text, '.') || take(text, ',')) {
      const auto part = take_fraction(text);
      if (!part) return std::nullopt;
      fraction = *part;
    }
  }
  const CellClass kind = text.empty() ? CellClass::local_time : CellClass::zoned_time;
  const auto zone = take_zone(text);
  if (!zone) return std::nullopt;
  return ParsedTime{midnight + (*hour * 3600 + *minute * 60 + second - *zone) + fraction, kind};
}

std::optional<double> parse_datetime(std::string_view text) {
  const std::optional<ParsedTime> time = parse_time(text);
  return time ? std::optional(time->seconds) : std::nullopt;
}

namespace {

bool has_leading_zeros(std::string_view digits) {
  return digits.size() > 1 && digits.front() == '0' &&
         std::ranges::all_of(digits, [](char letter) { return letter >= '0' && letter <= '9'; });
}

}  // namespace

CellClass classify(std::string_view text) {
  if (is_missing(text)) return CellClass::missing;
  if (const auto number = parse_number(text)) {
    if (!std::isfinite(*number)) return CellClass::infinite;
    return has_leading_zeros(text) ? CellClass::padded : CellClass::number;
  }
  if (parse_boolean(text)) return CellClass::boolean;
  if (const auto time = parse_time(text)) return time->kind;
  if (looks_written(text)) return CellClass::written;
  if (looks_like_date(text)) return CellClass::written_date;
  if (looks_like_clock(text)) return CellClass::clock;
  return is_marker(text) ? CellClass::marker : CellClass::text;
}

std::string_view trim(std::string_view text) {
  const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string format_number(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

std::string format_datetime(double seconds) {
  const double day = std::floor(seconds / 86400);
  const CalendarDate date = date_from_days(static_cast<std::int64_t>(day));
  std::array<char, 64> buffer;
  int length = std::snprintf(buffer.data(), buffer.size(), "%04d-%02d-%02d", date.year, date.month, date.day);
  std::string date_text(buffer.data(), static_cast<std::size_t>(length));
  const double time = seconds - day * 86400;
  if (time == 0) return date_text;

  const int whole = static_cast<int>(time);
  length = std::snprintf(buffer.data(), buffer.size(), "T%02d:%02d:%02d", whole / 3600, whole / 60 % 60,
                         whole % 60);
  const std::string text = date_text + std::string(buffer.data(), static_cast<std::size_t>(length));
  for (int digits = 0; digits < 12; ++digits) {
    length = std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, time - whole);
    std::string candidate = text;
    if (digits > 0) candidate.append(buffer.data() + 1, static_cast<std::size_t>(length) - 1);
    candidate += 'Z';
    if (buffer[0] == '0' && parse_datetime(candidate) == seconds) return candidate;
  }
  std::snprintf(buffer.data(), buffer.size(), "%.12f", time - whole);
  return text + (buffer.data() + 1) + "Z";
}

}  // namespace jsdiv
