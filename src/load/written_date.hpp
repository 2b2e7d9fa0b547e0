#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jsdiv {

/// Dates and lengths of time as people write them: 31.12.2024  12/31/2024 5:30 PM  31-Dec-2024  Dec 31, 2024
/// 2024/12/31  and  1:30:05  12:45  2 days 01:30:00. A column is read that way when one form reads all of its
/// cells.

/// Which of the first two numbers is the day; a name of the month, or a year in front, leaves no doubt.
enum class DateOrder : std::uint8_t { day_first, month_first };

/// Whether some order reads the text as a date, with or without a time.
bool looks_like_date(std::string_view text);

/// Seconds since 1970-01-01; nothing if the text is no date under that order.
std::optional<double> parse_written_date(std::string_view text, DateOrder order);

/// What the distinct texts of a column say about the order of their dates.
class WrittenDates {
 public:
  void add(std::string_view text);

  /// Whether one order may read all of them.
  bool consistent() const { return consistent_ && !(day_decides_ && month_decides_); }
  /// What the texts alone say; nothing if they leave it open.
  std::optional<DateOrder> order() const;
  /// Where they leave it open and no other table decides: points come from countries where the day is first.
  DateOrder customary() const { return slashes_ ? DateOrder::month_first : DateOrder::day_first; }
  /// Whether the order matters for any of them.
  bool ordered() const { return ordered_; }

 private:
  bool consistent_ = true;
  bool ordered_ = false;
  bool slashes_ = false;
  bool day_decides_ = false;  ///< a text that only day_first explains
  bool month_decides_ = false;
};

/// 12:45 is hours and minutes or minutes and seconds; the column decides.
enum class ClockUnit : std::uint8_t { hours, minutes };

/// Whether the text is a time of the day or a length of time: 1:30, 01:30:05.25, 2 days 01:30:00, 5:30 PM.
bool looks_like_clock(std::string_view text);

/// In seconds; `unit` is that of the first number where there are two.
std::optional<double> parse_clock(std::string_view text, ClockUnit unit);

/// What the distinct texts of a column say about their first number.
class WrittenClocks {
 public:
  void add(std::string_view text);

  /// Minutes and seconds where other cells have hours besides, or where a day has fewer hours.
  bool minutes_first() const { return (two_ && three_) || beyond_a_day_; }

 private:
  bool two_ = false;
  bool three_ = false;
  bool beyond_a_day_ = false;
};

}  // namespace jsdiv
