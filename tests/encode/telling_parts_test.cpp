#include "encode/telling_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "../support/tables.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

constexpr double seconds_per_day = 86400;

/// A time of two years and a number, drawn until `is_of_table` accepts them.
using Accept = std::function<bool(double seconds, double number)>;

double hour_of(double seconds) {
  return std::fmod(seconds, seconds_per_day) / 3600;
}

bool is_weekend(double seconds) {
  return std::fmod(std::floor(seconds / seconds_per_day) + 3, 7) >= 5;
}

Sample times_and_numbers(std::size_t rows, std::uint64_t seed, const Accept& of_p, const Accept& of_q) {
  RandomStream random(seed);
  Column at{.name = "at", .type = ColumnType::datetime};
  Column number{.name = "x", .type = ColumnType::number};
  for (const Accept& accept : {of_p, of_q}) {
    for (std::size_t taken = 0; taken < rows;) {
      const double seconds = std::floor(730 * seconds_per_day * random.uniform());
      const double x = random.normal();
      if (!accept(seconds, x)) continue;
      at.values.push_back(seconds);
      number.values.push_back(x);
      ++taken;
    }
  }
  return sample_of(rows, rows, {at, number});
}

std::vector<DatePart> chosen(const Sample& sample) {
  RowsOfTables rows;
  const auto labels = sample.labels();
  for (RowIndex row = 0; row < sample.rows(); ++row) rows[labels[row] == 1 ? side_p : side_q].push_back(row);
  const auto parts = telling_date_parts(sample, rows);
  EXPECT_EQ(parts.size(), 2U);
  EXPECT_TRUE(parts[1].empty()) << "a column of ordinary numbers";
  return parts[0];
}

bool any(double, double) {
  return true;
}

TEST(TellingDateParts, AreNoneWhereTheTablesAreAlike) {
  std::size_t chosen_for_nothing = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    chosen_for_nothing += !chosen(times_and_numbers(80, seed, any, any)).empty();
  EXPECT_LE(chosen_for_nothing, 10U);  // 5 expected at most; more than 10 in 1 of 100 cases
}

TEST(TellingDateParts, AreThoseThatDifferOnTheirOwn) {
  const auto working_day = [](double seconds, double) { return !is_weekend(seconds); };
  EXPECT_EQ(chosen(times_and_numbers(200, 1, any, working_day)), (std::vector{DatePart::weekday}));
}

TEST(TellingDateParts, AreThoseThatDifferBesideAnotherColumn) {
  // The hours have the same distribution in both tables; large numbers come in the morning in P, later in Q.
  const auto morning = [](double seconds, double x) { return (hour_of(seconds) < 12) == (x > 0); };
  const auto evening = [](double seconds, double x) { return (hour_of(seconds) < 12) != (x > 0); };
  EXPECT_EQ(chosen(times_and_numbers(200, 2, morning, evening)), (std::vector{DatePart::hour}));
}

TEST(TellingDateParts, AreNotThoseOfAnotherColumnThatDiffers) {
  const auto large = [](double, double x) { return x > 0; };
  const auto small = [](double, double x) { return x < 0; };
  EXPECT_TRUE(chosen(times_and_numbers(200, 3, large, small)).empty());
}

}  // namespace
}  // namespace jsdiv
