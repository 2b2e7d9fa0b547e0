#include "load/written_number.hpp"

#include <algorithm>
#include <array>

#include "core/message.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t longest_unit = 12;     // bytes; "bedrooms", "km/h", "°C"
constexpr std::size_t longest_written = 80;  // no number that people write is longer

constexpr std::array<std::string_view, 12> currency_signs = {"$", "€", "£", "¥", "₹",  "₽",
                                                             "₩", "₺", "₪", "₫", "zł", "kr"};
constexpr std::array<std::string_view, 24> currency_codes = {
    "USD", "EUR", "GBP", "JPY", "CHF", "CAD", "AUD", "NZD", "CNY", "INR", "BRL", "MXN",
    "SEK", "NOK", "DKK", "PLN", "CZK", "HUF", "RUB", "TRY", "ZAR", "KRW", "SGD", "HKD"};
constexpr std::array<std::string_view, 3> wide_blanks = {"\xC2\xA0", "\xE2\x80\xAF", "\xE2\x80\x89"};

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Bytes of the blank at the front: a space, or one of those that do not break a line.
std::size_t blank_at_front(std::string_view text) {
  if (text.starts_with(' ')) return 1;
  for (const std::string_view blank : wide_blanks) {
    if (text.starts_with(blank)) return blank.size();
  }
  return 0;
}

void skip_blanks(std::string_view& text) {
  while (const std::size_t length = blank_at_front(text)) text.remove_prefix(length);
}

void drop_blanks_at_end(std::string_view& text) {
  for (bool again = true; again;) {
    again = false;
    if (text.ends_with(' ')) text.remove_suffix(1), again = true;
    for (const std::string_view blank : wide_blanks) {
      if (text.ends_with(blank)) text.remove_suffix(blank.size()), again = true;
    }
  }
}

bool take_sign(std::string_view& text, bool& negative) {
  if (take(text, "-") || take(text, "\xE2\x88\x92")) return negative = true;
  return take(text, "+");
}

std::string_view take_currency(std::string_view& text) {
  for (const std::string_view sign : currency_signs) {
    if (take(text, sign)) return sign;
  }
  for (const std::string_view code : currency_codes) {
    if (take(text, code)) return code;
  }
  return {};
}

/// What may follow a number: letters of any script and the signs of units.
bool is_unit(std::string_view text) {
  if (text.empty() || text.size() > longest_unit) return false;
  const bool starts_well = (static_cast<unsigned char>(text.front()) & 0x80) != 0 || text.front() == '%' ||
                           (text.front() >= 'a' && text.front() <= 'z') ||
                           (text.front() >= 'A' && text.front() <= 'Z');
  return starts_well && std::ranges::all_of(text, [](char letter) {
           return (static_cast<unsigned char>(letter) & 0x80) != 0 || letter == '%' || letter == '/' ||
                  letter == '.' || letter == '^' || letter == '*' || (letter >= 'a' && letter <= 'z') ||
                  (letter >= 'A' && letter <= 'Z');
         });
}

/// A text taken apart. The digits are not yet read: which mark is which, the column decides.
struct Parts {
  bool negative = false;
  std::string_view currency;
  std::string_view digits;  ///< with its marks and blanks
  std::string_view exponent;
  std::string_view unit;
};

std::optional<Parts> take_apart(std::string_view text) {
  if (text.size() > longest_written) return std::nullopt;
  Parts parts;
  skip_blanks(text);
  drop_blanks_at_end(text);
  // Accountants put what is owed into parentheses.
  const bool parentheses = text.size() > 2 && text.front() == '(' && text.back() == ')';
  if (parentheses) {
    text = text.substr(1, text.size() - 2);
    parts.negative = true;
  }
  const bool signed_first = take_sign(text, parts.negative);
  skip_blanks(text);
  parts.currency = take_currency(text);
  skip_blanks(text);
  if (!parts.currency.empty() && take_sign(text, parts.negative) && signed_first) return std::nullopt;
  if (parentheses && signed_first) return std::nullopt;

  const auto is_mark = [](char letter) { return letter == '.' || letter == ',' || letter == '\''; };
  std::size_t length = 0;
  while (length < text.size()) {
    if (is_digit(text[length]) || is_mark(text[length])) {
      ++length;
      continue;
    }
    // A blank belongs to the number if a digit follows: 1 234.
    const std::size_t blank = blank_at_front(text.substr(length));
    if (blank == 0 || length + blank >= text.size() || !is_digit(text[length + blank])) break;
    length += blank;
  }
  parts.digits = text.substr(0, length);
  text.remove_prefix(length);
  if (parts.digits.empty() || std::ranges::none_of(parts.digits, is_digit)) return std::nullopt;

  if (text.size() > 1 && (text.front() == 'e' || text.front() == 'E')) {
    std::size_t end = text[1] == '+' || text[1] == '-' ? 2 : 1;
    const std::size_t first_digit = end;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end > first_digit) {
      parts.exponent = text.substr(0, end);
      text.remove_prefix(end);
    }
  }
  // As ledgers put it: 12.50-
  if (!signed_first && !parentheses && !parts.negative && text == "-") {
    parts.negative = true;
    return parts;
  }
  skip_blanks(text);
  if (text.empty()) return parts;
  if (parts.currency.empty()) {
    std::string_view rest = text;
    const std::string_view currency = take_currency(rest);
    if (!currency.empty() && rest.empty()) {
      parts.currency = currency;
      return parts;
    }
  }
  if (!is_unit(text)) return std::nullopt;
  parts.unit = text;
  return parts;
}

/// What the digits say under one choice of the decimal mark.
struct Reading {
  std::string plain;  ///< in C notation
  bool grouped = false;
};

/// 1 to 3 digits, then groups of exactly 3 that one and the same mark separates; at most one decimal mark.
/// With commas also groups of 2 before the last one, as in India: 12,34,567.
std::optional<Reading> read_digits(std::string_view digits, NumberMark decimal) {
  const char point = decimal == NumberMark::point ? '.' : ',';
  Reading reading;
  std::string_view separator;
  std::size_t since_separator = 0;
  std::size_t first_group = 0, group_size = 0;  // digits before the first separator, and between two
  bool in_fraction = false;
  for (std::size_t i = 0; i < digits.size();) {
    if (is_digit(digits[i])) {
      reading.plain += digits[i];
      ++since_separator;
      ++i;
      continue;
    }
    if (digits[i] == point) {
      if (in_fraction || (reading.grouped && since_separator != 3)) return std::nullopt;
      in_fraction = true;
      reading.plain += '.';
      ++i;
      continue;
    }
    const std::size_t length = std::max<std::size_t>(1, blank_at_front(digits.substr(i)));
    const std::string_view found = digits.substr(i, length);
    const bool first = !reading.grouped;
    if (in_fraction || since_separator == 0 || since_separator > 3) return std::nullopt;
    if (first) {
      first_group = since_separator;
    } else {
      if (group_size == 0) group_size = since_separator == 2 && found == "," && first_group <= 2 ? 2 : 3;
      if (found != separator || since_separator != group_size) return std::nullopt;
    }
    // 0.123 and 0,123 are decimals.
    if (first && reading.plain.front() == '0') return std::nullopt;
    separator = found;
    reading.grouped = true;
    since_separator = 0;
    i += length;
  }
  if (reading.grouped && !in_fraction && since_separator != 3) return std::nullopt;
  return reading;
}

}  // namespace

std::string NumberForm::describe() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (decimal == NumberMark::comma) add("decimal comma");
  if (grouped) add("thousands separators");
  if (!currency.empty()) add("in " + currency);
  if (!unit.empty()) add("in " + unit);
  return text;
}

bool NumberForm::agrees_with(const NumberForm& other) const {
  return unit == other.unit && (currency.empty() || other.currency.empty() || currency == other.currency);
}

bool looks_written(std::string_view text) {
  const std::optional<Parts> parts = take_apart(text);
  return parts &&
         (read_digits(parts->digits, NumberMark::point) || read_digits(parts->digits, NumberMark::comma));
}

std::optional<double> parse_written(std::string_view text, const NumberForm& form) {
  const std::optional<Parts> parts = take_apart(text);
  if (!parts || parts->unit != form.unit) return std::nullopt;
  if (!parts->currency.empty() && parts->currency != form.currency) return std::nullopt;
  const std::optional<Reading> reading = read_digits(parts->digits, form.decimal);
  if (!reading) return std::nullopt;
  return parse_number((parts->negative ? "-" : "") + reading->plain + std::string(parts->exponent));
}

void WrittenNumbers::add(std::string_view text) {
  const std::optional<Parts> parts = take_apart(text);
  if (!parts) {
    consistent_ = false;
    return;
  }
  const std::optional<Reading> with_point = read_digits(parts->digits, NumberMark::point);
  const std::optional<Reading> with_comma = read_digits(parts->digits, NumberMark::comma);
  if (!with_point && !with_comma) consistent_ = false;
  if (with_point && !with_comma) point_decides_ = true;
  if (with_comma && !with_point) comma_decides_ = true;
  grouped_if_point_ |= with_point && with_point->grouped;
  grouped_if_comma_ |= with_comma && with_comma->grouped;
  if (!parts->currency.empty()) {
    if (!currency_.empty() && currency_ != parts->currency) consistent_ = false;
    currency_ = parts->currency;
  }
  if (any_ && parts->unit != unit_) consistent_ = false;
  unit_ = parts->unit;
  any_ = true;
}

std::optional<NumberMark> WrittenNumbers::decimal() const {
  if (comma_decides_ == point_decides_) return std::nullopt;
  return comma_decides_ ? NumberMark::comma : NumberMark::point;
}

NumberForm WrittenNumbers::form(NumberMark otherwise) const {
  const NumberMark mark = decimal().value_or(otherwise);
  return {mark, mark == NumberMark::point ? grouped_if_point_ : grouped_if_comma_, currency_, unit_};
}

}  // namespace jsdiv
