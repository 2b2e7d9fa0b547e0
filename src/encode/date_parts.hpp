#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// The parts of a date-time, which is stored as seconds since 1970-01-01.
enum class DatePart : std::uint8_t {
  hour,     ///< of the day, with its fraction: 13.5 at half past one
  minute,   ///< of the hour, with its fraction
  weekday,  ///< 0 on Monday to 6 on Sunday
  day,      ///< of the month, 1 to 31
  month     ///< 1 to 12
};

inline constexpr std::array all_date_parts = {DatePart::hour, DatePart::minute, DatePart::weekday,
                                              DatePart::day, DatePart::month};

/// How many whole values a part has.
std::size_t part_length(DatePart part);
/// Which of them, counted from 0, a date-time has.
std::size_t part_index(DatePart part, double seconds);

/// A number for trees, which may split it anywhere; sine and cosine for smooth families, to which 23:59 and
/// 0:00 must be neighbours.
enum class DateForm : std::uint8_t { number, sine, cosine };

struct DateFeature {
  DatePart part = DatePart::hour;
  DateForm form = DateForm::number;

  /// "hour", "hour (sine)"
  std::string name() const;
  /// Of the date-time; NaN where that is missing.
  double value(double seconds) const;
};

/// Number, sine and cosine of each of the parts that takes more than one value among `training` and may come
/// round there: dates without times have no hours, whole hours no minutes, and the month of dates within one
/// year only says again how late they are.
std::vector<DateFeature> date_features(std::span<const double> training,
                                       std::span<const DatePart> parts = all_date_parts);

/// How the cells of a column become seconds since 1970-01-01.
struct TimeScale {
  double units_per_second = 1;
  bool digits = false;  ///< 20241231: year, month and day as one number

  double seconds(double value) const;
};

/// The scale of a column of date-times, or of numbers that can hardly be anything else: all of them between
/// 1990 and 2100 in seconds, or parts of a second, since 1970, more than a day apart; or all of them dates of
/// these years written as eight digits. Nothing for other columns.
std::optional<TimeScale> time_scale(ColumnType type, std::span<const double> values);

/// The part whose distribution differs most between two columns.
struct DatePartDifference {
  DatePart part = DatePart::hour;
  double divergence = 0;  ///< Jensen-Shannon, in bits, of the part on its own, less what chance adds
  std::string words;      ///< "hour of the day: 9 to 16 in 33 % of P and 100 % of Q"
};

/// Nothing if no part differs by more than chance explains (three standard errors).
std::optional<DatePartDifference> most_different_part(std::span<const double> p, std::span<const double> q);

}  // namespace jsdiv
