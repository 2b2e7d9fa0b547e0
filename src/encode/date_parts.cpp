#include "encode/date_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "core/calendar.hpp"

namespace jsdiv {
namespace {

constexpr double seconds_per_day = 86400;
constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// What the code needs to know about a part.
struct PartTraits {
  DatePart part;
  std::string_view name;
  std::string_view long_name;
  double first;        ///< smallest value
  std::size_t length;  ///< distinct whole values: one turn of the circle
  double turn;         ///< in days, at most
};

constexpr std::array<PartTraits, 5> traits_of_parts = {
    {{DatePart::hour, "hour", "hour of the day", 0, 24, 1},
     {DatePart::minute, "minute", "minute of the hour", 0, 60, 1.0 / 24},
     {DatePart::weekday, "weekday", "day of the week", 0, 7, 7},
     {DatePart::day, "day", "day of the month", 1, 31, 31},
     {DatePart::month, "month", "month", 1, 12, 366}}};

const PartTraits& traits(DatePart part) {
  return traits_of_parts[static_cast<std::size_t>(part)];
}

double part_value(DatePart part, double seconds) {
  const double days = std::floor(seconds / seconds_per_day);
  const double time = seconds - days * seconds_per_day;
  switch (part) {
    case DatePart::hour:
      return time / 3600;
    case DatePart::minute:
      return std::fmod(time, 3600) / 60;
    case DatePart::weekday:  // 1970-01-01 was a Thursday
      return days + 3 - 7 * std::floor((days + 3) / 7);
    case DatePart::day:
      return date_from_days(static_cast<std::int64_t>(days)).day;
    case DatePart::month:
      return date_from_days(static_cast<std::int64_t>(days)).month;
  }
  return missing;
}

/// 20241231
bool is_date_in_digits(double value) {
  if (value < 19900101 || value > 20991231 || value != std::floor(value)) return false;
  const auto whole = static_cast<int>(value);
  const int month = whole / 100 % 100;
  const int day = whole % 100;
  return month >= 1 && month <= 12 && day >= 1 && day <= days_in_month(whole / 10000, month);
}

/// Shares of the whole values of a part.
std::vector<double> shares(const PartTraits& part, std::span<const double> values, std::size_t& present) {
  std::vector<double> result(part.length, 0);
  present = 0;
  for (const double seconds : values) {
    if (std::isnan(seconds)) continue;
    ++result[part_index(part.part, seconds)];
    ++present;
  }
  for (double& share : result) share /= static_cast<double>(std::max<std::size_t>(present, 1));
  return result;
}

double divergence(std::span<const double> p, std::span<const double> q) {
  double bits = 0;
  for (std::size_t i = 0; i < p.size(); ++i) {
    for (const double share : {p[i], q[i]}) {
      if (share > 0) bits += 0.5 * share * std::log2(2 * share / (p[i] + q[i]));
    }
  }
  return bits;
}

std::string value_name(const PartTraits& part, std::size_t index) {
  constexpr std::array<std::string_view, 7> weekdays = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                        "Friday", "Saturday", "Sunday"};
  constexpr std::array<std::string_view, 12> months = {"January",   "February", "March",    "April",
                                                       "May",       "June",     "July",     "August",
                                                       "September", "October",  "November", "December"};
  if (part.part == DatePart::weekday) return std::string(weekdays[index]);
  if (part.part == DatePart::month) return std::string(months[index]);
  return std::to_string(index + static_cast<std::size_t>(part.first));
}

/// The stretch of neighbouring values, round the circle, whose shares differ most.
struct Stretch {
  std::size_t begin = 0;
  std::size_t length = 1;
  double share_p = 0;
  double share_q = 0;
};

Stretch most_different_stretch(std::span<const double> p, std::span<const double> q) {
  Stretch best;
  for (std::size_t begin = 0; begin < p.size(); ++begin) {
    Stretch now{begin, 0, 0, 0};
    for (now.length = 1; now.length < p.size(); ++now.length) {
      const std::size_t last = (begin + now.length - 1) % p.size();
      now.share_p += p[last];
      now.share_q += q[last];
      // Of a stretch and the rest of the circle, which differ alike, the one with less of the two shares.
      const bool concentrated = now.share_p + now.share_q <= 1 || now.length * 2 <= p.size();
      if (concentrated && std::abs(now.share_p - now.share_q) > std::abs(best.share_p - best.share_q) + 1e-12)
        best = now;
    }
  }
  return best;
}

std::string percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + " %";
}

std::string words(const PartTraits& part, const Stretch& stretch) {
  const std::string first = value_name(part, stretch.begin);
  const std::size_t end = stretch.begin + stretch.length - 1;
  const std::string last = value_name(part, end < part.length ? end : end - part.length);
  return std::string(part.long_name) + ": " + first + (stretch.length > 1 ? " to " + last : "") + " in " +
         percent(stretch.share_p) + " of P and " + percent(stretch.share_q) + " of Q";
}

}  // namespace

std::size_t part_length(DatePart part) {
  return traits(part).length;
}

std::size_t part_index(DatePart part, double seconds) {
  const auto index = static_cast<std::size_t>(std::floor(part_value(part, seconds)) - traits(part).first);
  return std::min(index, traits(part).length - 1);
}

std::string DateFeature::name() const {
  const std::string base(traits(part).name);
  return form == DateForm::number ? base : base + (form == DateForm::sine ? " (sine)" : " (cosine)");
}

double DateFeature::value(double seconds) const {
  if (std::isnan(seconds)) return missing;
  const double number = part_value(part, seconds);
  if (form == DateForm::number) return number;
  const PartTraits& of_part = traits(part);
  const double angle = 2 * std::numbers::pi * (number - of_part.first) / static_cast<double>(of_part.length);
  return form == DateForm::sine ? std::sin(angle) : std::cos(angle);
}

std::vector<DateFeature> date_features(std::span<const double> training, std::span<const DatePart> parts) {
  double begin = std::numeric_limits<double>::infinity();
  double end = -begin;
  for (const double seconds : training) {
    if (std::isnan(seconds)) continue;
    begin = std::min(begin, seconds);
    end = std::max(end, seconds);
  }
  std::vector<DateFeature> features;
  for (const DatePart part : parts) {
    if (!(end - begin > traits(part).turn * seconds_per_day)) continue;
    const bool varies = std::ranges::any_of(training, [&](double seconds) {
      return !std::isnan(seconds) && part_value(part, seconds) != part_value(part, begin);
    });
    if (!varies) continue;
    for (const DateForm form : {DateForm::number, DateForm::sine, DateForm::cosine})
      features.push_back({part, form});
  }
  return features;
}

double TimeScale::seconds(double value) const {
  if (std::isnan(value)) return missing;
  if (!digits) return value / units_per_second;
  const auto whole = static_cast<std::int64_t>(value);
  const CalendarDate date{static_cast<int>(whole / 10000), static_cast<int>(whole / 100 % 100),
                          static_cast<int>(whole % 100)};
  return static_cast<double>(days_from_date(date)) * seconds_per_day;
}

std::optional<TimeScale> time_scale(ColumnType type, std::span<const double> values) {
  if (type == ColumnType::datetime) return TimeScale{};
  if (type != ColumnType::integer && type != ColumnType::number) return std::nullopt;
  constexpr double begin = 631152000;  // 1990
  constexpr double end = 4102444800;   // 2100
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  bool all_digits = type == ColumnType::integer;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
    all_digits = all_digits && is_date_in_digits(value);
  }
  if (!(low < high)) return std::nullopt;
  if (all_digits) return TimeScale{1, true};
  for (const double units : {1.0, 1e3, 1e6, 1e9}) {
    if (low >= begin * units && high < end * units && high - low > seconds_per_day * units)
      return TimeScale{units, false};
  }
  return std::nullopt;
}

std::optional<DatePartDifference> most_different_part(std::span<const double> p, std::span<const double> q) {
  constexpr double deviations = 3;
  std::optional<DatePartDifference> best;
  for (const PartTraits& part : traits_of_parts) {
    std::size_t rows_p = 0;
    std::size_t rows_q = 0;
    const std::vector<double> share_p = shares(part, p, rows_p);
    const std::vector<double> share_q = shares(part, q, rows_q);
    if (rows_p == 0 || rows_q == 0) continue;
    // Under equality 8 ln 2 times the divergence, over 1/n + 1/m, is chi-squared with a degree of freedom
    // less than there are values.
    double values = 0;
    for (std::size_t i = 0; i < part.length; ++i) values += share_p[i] + share_q[i] > 0;
    const double unit =
        (1.0 / static_cast<double>(rows_p) + 1.0 / static_cast<double>(rows_q)) / (8 * std::numbers::ln2);
    const double excess = divergence(share_p, share_q) - unit * (values - 1);
    if (excess <= deviations * unit * std::sqrt(2 * (values - 1))) continue;
    if (best && excess <= best->divergence) continue;
    best = DatePartDifference{part.part, excess, words(part, most_different_stretch(share_p, share_q))};
  }
  return best;
}

}  // namespace jsdiv
