#include "encode/date_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "core/calendar.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

double at(int year, int month, int day, double hour = 0) {
  return static_cast<double>(days_from_date({year, month, day})) * 86400 + hour * 3600;
}

double number(DatePart part, double seconds) {
  return DateFeature{part, DateForm::number}.value(seconds);
}

TEST(Calendar, GoesThereAndBack) {
  for (const auto& [days, year, month, day] :
       {std::tuple{0, 1970, 1, 1}, {-1, 1969, 12, 31}, {19782, 2024, 2, 29}, {-719162, 1, 1, 1}}) {
    EXPECT_EQ(days_from_date({year, month, day}), days);
    const CalendarDate date = date_from_days(days);
    EXPECT_EQ(date.year, year);
    EXPECT_EQ(date.month, month);
    EXPECT_EQ(date.day, day);
  }
  EXPECT_EQ(days_in_month(2024, 2), 29);
  EXPECT_EQ(days_in_month(1900, 2), 28);
  EXPECT_EQ(days_in_month(2000, 2), 29);
}

TEST(DateParts, ValuesOfADate) {
  const double thursday = at(2024, 2, 29, 13.75);
  EXPECT_EQ(number(DatePart::hour, thursday), 13.75);
  EXPECT_EQ(number(DatePart::minute, thursday), 45);
  EXPECT_EQ(number(DatePart::weekday, thursday), 3);
  EXPECT_EQ(number(DatePart::day, thursday), 29);
  EXPECT_EQ(number(DatePart::month, thursday), 2);
  const double before_the_epoch = at(1969, 12, 28, 23.5);  // a Sunday
  EXPECT_EQ(number(DatePart::hour, before_the_epoch), 23.5);
  EXPECT_EQ(number(DatePart::weekday, before_the_epoch), 6);
  EXPECT_EQ(number(DatePart::day, before_the_epoch), 28);
  EXPECT_EQ(number(DatePart::month, before_the_epoch), 12);
}

TEST(DateParts, CirclesCloseAndMissingStaysMissing) {
  const DateFeature sine{DatePart::hour, DateForm::sine};
  const DateFeature cosine{DatePart::hour, DateForm::cosine};
  EXPECT_DOUBLE_EQ(sine.value(at(2024, 1, 1, 6)), 1);
  EXPECT_DOUBLE_EQ(cosine.value(at(2024, 1, 1, 12)), -1);
  EXPECT_NEAR(sine.value(at(2024, 1, 1, 24) - 1), sine.value(at(2024, 1, 1)), 1e-4);
  EXPECT_NEAR(cosine.value(at(2024, 1, 1, 24) - 1), 1, 1e-8);
  EXPECT_DOUBLE_EQ((DateFeature{DatePart::month, DateForm::sine}.value(at(2024, 4, 1))), 1);
  for (const DateForm form : {DateForm::number, DateForm::sine, DateForm::cosine}) {
    EXPECT_TRUE(std::isnan(DateFeature{DatePart::day, form}.value(missing)));
  }
}

std::vector<std::string> names(const std::vector<double>& values) {
  std::vector<std::string> result;
  for (const DateFeature& feature : date_features(values)) result.push_back(feature.name());
  return result;
}

TEST(DateParts, OnlyPartsThatVaryAndComeRoundBecomeFeatures) {
  EXPECT_TRUE(names({}).empty());
  EXPECT_TRUE(names({missing, at(2024, 1, 1, 5), at(2024, 1, 1, 5)}).empty());
  EXPECT_EQ(names({at(2024, 1, 1), missing, at(2024, 2, 5)}),
            (std::vector<std::string>{"day", "day (sine)", "day (cosine)"}))
      << "Mondays, a month apart";
  EXPECT_EQ(names({at(2024, 1, 1, 5), at(2024, 1, 2, 7)}),
            (std::vector<std::string>{"hour", "hour (sine)", "hour (cosine)"}));
  EXPECT_TRUE(names({at(2024, 1, 1, 5), at(2024, 1, 1, 7)}).empty()) << "one morning";
  EXPECT_EQ(names({at(2023, 1, 1, 5), at(2024, 3, 5, 7.5)}).size(), 15U);
  const std::vector<double> years = {at(2023, 1, 1, 5), at(2024, 3, 5, 7.5)};
  EXPECT_EQ(date_features(years, std::array{DatePart::weekday}).size(), 3U);
}

TEST(DateParts, CountWholeValuesFromZero) {
  const double thursday = at(2024, 2, 29, 13.75);
  EXPECT_EQ(part_index(DatePart::hour, thursday), 13U);
  EXPECT_EQ(part_index(DatePart::day, thursday), 28U);
  EXPECT_EQ(part_index(DatePart::month, thursday), 1U);
  EXPECT_EQ(part_length(DatePart::month), 12U);
}

TEST(DateParts, SaysWhichPartDiffers) {
  RandomStream random(7);
  std::vector<double> all_day;
  std::vector<double> office;
  std::vector<double> weekdays;
  while (weekdays.size() < 2000) {
    const double time = at(2023, 1, 1) + std::floor(365 * 86400 * random.uniform());
    all_day.push_back(time);
    const double hour = number(DatePart::hour, time);
    if (hour >= 9 && hour < 17) office.push_back(time);
    if (number(DatePart::weekday, time) < 5) weekdays.push_back(time);
  }
  const auto hours = most_different_part(all_day, office);
  ASSERT_TRUE(hours.has_value());
  EXPECT_EQ(hours->part, DatePart::hour);
  // P(1/3, 2/3) against Q(1, 0): 0.459 bits.
  EXPECT_NEAR(hours->divergence, 0.459, 0.02);
  EXPECT_TRUE(hours->words.starts_with("hour of the day: 9 to 16 in 3")) << hours->words;
  EXPECT_NE(hours->words.find("100 % of Q"), std::string::npos) << hours->words;

  const auto days = most_different_part(all_day, weekdays);
  ASSERT_TRUE(days.has_value());
  EXPECT_EQ(days->part, DatePart::weekday);
  EXPECT_NE(days->words.find("Saturday to Sunday"), std::string::npos) << days->words;
  EXPECT_NE(days->words.find("0 % of Q"), std::string::npos) << days->words;

  const std::size_t half = all_day.size() / 2;
  EXPECT_FALSE(
      most_different_part(std::span(all_day).first(half), std::span(all_day).subspan(half)).has_value());
  EXPECT_FALSE(most_different_part({}, office).has_value());
}

TEST(TimeScale, OfNumbersThatAreTimes) {
  const double noon = at(2024, 2, 29, 12), later = at(2024, 12, 31);
  for (const double units : {1.0, 1e3, 1e6, 1e9}) {
    const auto scale = time_scale(ColumnType::integer, std::vector{noon * units, later * units, missing});
    ASSERT_TRUE(scale.has_value()) << units;
    EXPECT_EQ(scale->seconds(noon * units), noon);
  }
  EXPECT_TRUE(time_scale(ColumnType::number, std::vector{noon + 0.5, later}).has_value());
  const auto digits = time_scale(ColumnType::integer, std::vector{20240229.0, 20241231.0});
  ASSERT_TRUE(digits.has_value());
  EXPECT_EQ(digits->seconds(20240229), at(2024, 2, 29));
  EXPECT_TRUE(std::isnan(digits->seconds(missing)));
  EXPECT_EQ(time_scale(ColumnType::datetime, std::vector{0.0, 1.0})->seconds(7), 7);
}

TEST(TimeScale, OfNoOtherColumn) {
  const double noon = at(2024, 2, 29, 12);
  EXPECT_FALSE(time_scale(ColumnType::number, std::vector{noon, noon + 60}));          // within a minute
  EXPECT_FALSE(time_scale(ColumnType::integer, std::vector{0.0, noon, noon + 1e6}));   // 1970
  EXPECT_FALSE(time_scale(ColumnType::integer, std::vector{20240229.0, 20240230.0}));  // no date
  EXPECT_FALSE(time_scale(ColumnType::number, std::vector{20240228.5, 20240229.0}));
  EXPECT_FALSE(time_scale(ColumnType::category, std::vector{noon, noon + 1e6}));
  EXPECT_FALSE(time_scale(ColumnType::integer, std::vector{noon, noon}));
  EXPECT_FALSE(time_scale(ColumnType::integer, {}));
}

}  // namespace
}  // namespace jsdiv
