#include "core/calendar.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

TEST(Calendar, CountsDaysFrom1970) {
  EXPECT_EQ(days_from_date({1970, 1, 1}), 0);
  EXPECT_EQ(days_from_date({1969, 12, 31}), -1);
  EXPECT_EQ(days_from_date({2000, 2, 29}), 30 * 365 + 7 + 31 + 28);
  EXPECT_EQ(days_from_date({2370, 1, 1}), 146097);      // 400 years are 97 leap years
  EXPECT_EQ(days_from_date({-30, 1, 1}), -5 * 146097);  // before the year 0, too
}

TEST(Calendar, EachDayFollowsTheOneBefore) {
  CalendarDate before = date_from_days(-1'000'000);
  EXPECT_EQ(before.year, -768);
  for (std::int64_t day = -999'999; day <= 1'000'000; ++day) {
    const CalendarDate date = date_from_days(day);
    ASSERT_EQ(days_from_date(date), day);
    if (before.day < days_in_month(before.year, before.month)) {
      ASSERT_EQ(date.day, before.day + 1);
      ASSERT_EQ(date.month, before.month);
    } else {
      ASSERT_EQ(date.day, 1);
      ASSERT_EQ(date.month, before.month % 12 + 1);
      ASSERT_EQ(date.year, before.year + (before.month == 12));
    }
    before = date;
  }
}

TEST(Calendar, LeapYears) {
  EXPECT_EQ(days_in_month(2023, 2), 28);
  EXPECT_EQ(days_in_month(2024, 2), 29);
  EXPECT_EQ(days_in_month(1900, 2), 28);
  EXPECT_EQ(days_in_month(2000, 2), 29);
  EXPECT_EQ(days_in_month(2024, 4), 30);
  EXPECT_EQ(days_in_month(2024, 12), 31);
}

}  // namespace
}  // namespace jsdiv
