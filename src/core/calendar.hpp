#pragma once

#include <cstdint>

namespace jsdiv {

/// The proleptic Gregorian calendar.
struct CalendarDate {
  int year = 1970;
  int month = 1;  ///< 1 to 12
  int day = 1;    ///< 1 to 31
};

/// Days from 1970-01-01 to the date.
std::int64_t days_from_date(const CalendarDate& date);

CalendarDate date_from_days(std::int64_t days);

int days_in_month(int year, int month);

}  // namespace jsdiv
