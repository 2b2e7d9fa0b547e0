#include "load/written_date.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "core/calendar.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t longest_date = 40;
constexpr double seconds_per_day = 86400;

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

char lower(char letter) {
  return static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
}

bool is_letter(char letter) {
  return lower(letter) >= 'a' && lower(letter) <= 'z';
}

/// A number of `least` to `most` digits off the front, not followed by a further digit.
struct Digits {
  int value = 0;
  std::size_t count = 0;
};

std::optional<Digits> take_number(std::string_view& text, std::size_t least, std::size_t most) {
  Digits digits;
  while (digits.count < text.size() && is_digit(text[digits.count])) {
    if (digits.count == most) return std::nullopt;
    digits.value = digits.value * 10 + (text[digits.count++] - '0');
  }
  if (digits.count < least) return std::nullopt;
  text.remove_prefix(digits.count);
  return digits;
}

bool take(std::string_view& text, char expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes the word if it stands at the front, in any case, and no letter follows.
bool take_word(std::string_view& text, std::string_view word) {
  if (text.size() < word.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (lower(text[i]) != word[i]) return false;
  }
  if (text.size() > word.size() && is_letter(text[word.size()])) return false;
  text.remove_prefix(word.size());
  return true;
}

std::optional<int> take_month_name(std::string_view& text) {
  constexpr std::array<std::string_view, 12> names = {"january",   "february", "march",    "april",
                                                      "may",       "june",     "july",     "august",
                                                      "september", "october",  "november", "december"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (take_word(text, names[i]) || take_word(text, names[i].substr(0, 3))) return static_cast<int>(i) + 1;
  }
  return take_word(text, "sept") ? std::optional(9) : std::nullopt;
}

/// Two digits are a year from 1969 to 2068, as POSIX reads them.
int full_year(const Digits& year) {
  if (year.count > 2) return year.value;
  return year.value + (year.value < 69 ? 2000 : 1900);
}

bool is_date(int year, int month, int day) {
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(year, month);
}

/// The time behind a date, or alone.
struct Clock {
  std::array<int, 3> parts{};
  int count = 0;
  double fraction = 0;
  bool half_day = false;  ///< AM or PM: the first part is an hour of the day

  /// In seconds.
  double value(ClockUnit unit) const {
    const bool minutes = count == 2 && unit == ClockUnit::minutes && !half_day;
    const int seconds = minutes ? parts[0] * 60 + parts[1] : parts[0] * 3600 + parts[1] * 60 + parts[2];
    return seconds + fraction;
  }
};

std::optional<double> take_fraction(std::string_view& text) {
  double value = 0;
  double unit = 1;
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) value = value * 10 + (text[count++] - '0'), unit *= 10;
  if (count == 0 || count > 15) return std::nullopt;
  text.remove_prefix(count);
  return value / unit;
}

/// 5:30, 05:30:15.25, 5:30 PM; all of the text.
std::optional<Clock> parse_parts(std::string_view text, std::size_t most_hour_digits) {
  Clock clock;
  const auto first = take_number(text, 1, most_hour_digits);
  if (!first) return std::nullopt;
  clock.parts[0] = first->value;
  clock.count = 1;
  while (clock.count < 3 && take(text, ':')) {
    const auto part = take_number(text, 2, 2);
    if (!part || part->value > 59) return std::nullopt;
    clock.parts.at(static_cast<std::size_t>(clock.count++)) = part->value;
  }
  if (clock.count < 2) return std::nullopt;
  if (take(text, '.')) {
    const auto fraction = take_fraction(text);
    if (!fraction) return std::nullopt;
    clock.fraction = *fraction;
  }
  if (text.empty()) return clock;
  while (take(text, ' ')) {
  }
  const bool evening = take_word(text, "pm") || take_word(text, "p.m.");
  const bool morning = !evening && (take_word(text, "am") || take_word(text, "a.m."));
  if ((!morning && !evening) || !text.empty() || clock.parts[0] < 1 || clock.parts[0] > 12)
    return std::nullopt;
  clock.parts[0] = clock.parts[0] % 12 + (evening ? 12 : 0);
  clock.half_day = true;
  return clock;
}

/// A date taken apart, with the numbers in the order in which they stand.
struct Written {
  int first = 0;
  int second = 0;
  int year = 0;
  bool ordered = false;  ///< day and month in an order that has to be known; else first is the day
  char mark = ' ';
  double time = 0;

  std::optional<double> seconds(DateOrder order) const {
    const bool month_first = ordered && order == DateOrder::month_first;
    const int day = month_first ? second : first;
    const int month = month_first ? first : second;
    if (!is_date(year, month, day)) return std::nullopt;
    return static_cast<double>(days_from_date({year, month, day})) * seconds_per_day + time;
  }
};

std::optional<Written> take_date(std::string_view& text) {
  Written date;
  if (const auto month = take_month_name(text)) {  // Dec 31, 2024
    take(text, '.');
    if (!take(text, ' ')) return std::nullopt;
    const auto day = take_number(text, 1, 2);
    if (!day || !(take(text, ',') || text.starts_with(' '))) return std::nullopt;
    take(text, ' ');
    const auto year = take_number(text, 4, 4);
    if (!year) return std::nullopt;
    date.first = day->value, date.second = *month, date.year = year->value;
    return date;
  }
  const auto first = take_number(text, 1, 4);
  if (!first || first->count == 3 || text.empty()) return std::nullopt;
  date.mark = text.front();
  if (date.mark != '.' && date.mark != '/' && date.mark != '-' && date.mark != ' ') return std::nullopt;
  text.remove_prefix(1);
  if (date.mark == '.') take(text, ' ');
  if (first->count <= 2 && !text.empty() && is_letter(text.front())) {  // 31-Dec-2024
    const auto month = take_month_name(text);
    if (!month) return std::nullopt;
    take(text, '.');
    if (!take(text, date.mark) && !take(text, ' ') && !take(text, ',')) return std::nullopt;
    take(text, ' ');
    const auto year = take_number(text, 2, 4);
    if (!year || year->count == 3) return std::nullopt;
    date.first = first->value, date.second = *month, date.year = full_year(*year);
    return date;
  }
  if (date.mark == ' ') return std::nullopt;
  const auto second = take_number(text, 1, 2);
  if (!second || !take(text, date.mark)) return std::nullopt;
  if (date.mark == '.') take(text, ' ');
  const auto third = take_number(text, first->count == 4 ? 1 : 2, first->count == 4 ? 2 : 4);
  if (!third || third->count == 3) return std::nullopt;
  if (first->count == 4) {  // 2024/12/31
    date.first = third->value, date.second = second->value, date.year = first->value;
    return date;
  }
  date.first = first->value, date.second = second->value, date.year = full_year(*third);
  date.ordered = true;
  return date;
}

std::optional<Written> parse_date(std::string_view text) {
  if (text.size() < 6 || text.size() > longest_date) return std::nullopt;
  std::optional<Written> date = take_date(text);
  if (!date || text.empty()) return date;
  take(text, ',');
  if (!take(text, ' ') && !take(text, 'T')) return std::nullopt;
  while (take(text, ' ')) {
  }
  const std::optional<Clock> clock = parse_parts(text, 2);
  if (!clock || clock->parts[0] > 23) return std::nullopt;
  date->time = clock->value(ClockUnit::hours);
  return date;
}

struct SignedClock {
  Clock clock;
  double days = 0;
  bool negative = false;
};

/// Also "2 days 01:30:00" and "-1:30".
std::optional<SignedClock> parse_length(std::string_view text) {
  if (text.size() < 4 || text.size() > longest_date) return std::nullopt;
  SignedClock length;
  length.negative = take(text, '-');
  std::string_view rest = text;
  if (const auto days = take_number(rest, 1, 6);
      days && take(rest, ' ') && (take_word(rest, "days") || take_word(rest, "day"))) {
    length.days = days->value;
    take(rest, ',');
    if (!take(rest, ' ')) return std::nullopt;
    text = rest;
  }
  const std::optional<Clock> clock = parse_parts(text, 6);
  if (!clock) return std::nullopt;
  length.clock = *clock;
  return length;
}

}  // namespace

bool looks_like_date(std::string_view text) {
  const std::optional<Written> date = parse_date(text);
  return date && (date->seconds(DateOrder::day_first) || date->seconds(DateOrder::month_first));
}

std::optional<double> parse_written_date(std::string_view text, DateOrder order) {
  const std::optional<Written> date = parse_date(text);
  return date ? date->seconds(order) : std::nullopt;
}

void WrittenDates::add(std::string_view text) {
  const std::optional<Written> date = parse_date(text);
  if (!date) {
    consistent_ = false;
    return;
  }
  const bool day_first = date->seconds(DateOrder::day_first).has_value();
  const bool month_first = date->seconds(DateOrder::month_first).has_value();
  if (!day_first && !month_first) consistent_ = false;
  day_decides_ |= day_first && !month_first;
  month_decides_ |= month_first && !day_first;
  ordered_ |= date->ordered;
  slashes_ |= date->ordered && date->mark == '/';
}

std::optional<DateOrder> WrittenDates::order() const {
  if (day_decides_ == month_decides_) return std::nullopt;
  return day_decides_ ? DateOrder::day_first : DateOrder::month_first;
}

bool looks_like_clock(std::string_view text) {
  return parse_length(text).has_value();
}

std::optional<double> parse_clock(std::string_view text, ClockUnit unit) {
  const std::optional<SignedClock> length = parse_length(text);
  if (!length) return std::nullopt;
  const double seconds = length->days * seconds_per_day + length->clock.value(unit);
  return length->negative ? -seconds : seconds;
}

void WrittenClocks::add(std::string_view text) {
  const std::optional<SignedClock> length = parse_length(text);
  if (!length || length->clock.half_day) return;
  (length->clock.count == 2 ? two_ : three_) = true;
  beyond_a_day_ |= length->clock.count == 2 && length->clock.parts[0] >= 24;
}

}  // namespace jsdiv
