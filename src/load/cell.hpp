#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jsdiv {

/// What the text of a cell is, before the type of its column is known. The values are bits, so that the cells
/// of a column add up to a set of classes.
enum class CellClass : std::uint16_t {
  missing = 0,
  number = 1,
  infinite = 2,  ///< inf, -inf, Infinity, 1e999
  boolean = 4,
  date = 8,
  text = 16,
  written = 32,     ///< a number as people write it: see written_number.hpp
  local_time = 64,  ///< a date with a time that says no zone
  zoned_time = 128,
  written_date = 256,  ///< a date as people write it: see written_date.hpp
  clock = 512,         ///< a time of the day or a length of time: 12:30, 1:05:30
  marker = 1024,       ///< a sign that stands for no value among numbers and dates, and is text elsewhere
  padded = 2048        ///< a number with leading zeros, such as 007
};
using CellClasses = std::uint16_t;

constexpr CellClasses bits(CellClass kind) {
  return static_cast<CellClasses>(kind);
}

constexpr CellClasses finite_classes = bits(CellClass::number) | bits(CellClass::padded);
constexpr CellClasses numeric_classes = finite_classes | bits(CellClass::infinite);
constexpr CellClasses datetime_classes =
    bits(CellClass::date) | bits(CellClass::local_time) | bits(CellClass::zoned_time);
/// What is read, beyond the plain forms, if one form reads all cells of a column; text otherwise.
constexpr CellClasses written_classes = bits(CellClass::written) | bits(CellClass::written_date) |
                                        bits(CellClass::clock) | bits(CellClass::marker);

/// Whether there are some, and all of them are among `allowed`.
constexpr bool only(CellClasses classes, CellClasses allowed) {
  return classes != 0 && (classes & ~allowed) == 0;
}

/// Missing cells are written as one of these, exactly: the list of pandas.read_csv plus '?', which older
/// repositories of data sets use.
///
///     (empty)  ?  NA  N/A  n/a  <NA>  #N/A  #N/A N/A  #NA  NaN  nan  -NaN  -nan  NULL  null  None
///     1.#IND  -1.#IND  1.#QNAN  -1.#QNAN
bool is_missing(std::string_view text);

/// What else stands for a missing value where all other cells are numbers or dates: a dash or several,
/// points, na and none in any case, n.a. and the errors of spreadsheets.
bool is_marker(std::string_view text);

/// A decimal number in C notation with an optional sign; the value may be infinite. Nothing for any other
/// text.
std::optional<double> parse_number(std::string_view text);

/// true, yes, t and false, no, f in any case. 0 and 1 are numbers.
std::optional<bool> parse_boolean(std::string_view text);

/// ISO 8601: 2024-02-29, or a date with a time: 2024-02-29T12:30, 2024-02-29 12:30:15.25+01:00,
/// 2024-02-29T12:30:15Z. Seconds since 1970-01-01; a time without a zone is taken as UTC, and `kind` says so.
struct ParsedTime {
  double seconds = 0;
  CellClass kind = CellClass::date;
};
std::optional<ParsedTime> parse_time(std::string_view text);
std::optional<double> parse_datetime(std::string_view text);

CellClass classify(std::string_view text);

/// Without the blanks around it.
std::string_view trim(std::string_view text);

/// The shortest text that reads back as the same number.
std::string format_number(double value);

/// The inverse of parse_datetime, in UTC: a bare date at midnight, otherwise seconds with the digits they
/// need.
std::string format_datetime(double seconds);

}  // namespace jsdiv
