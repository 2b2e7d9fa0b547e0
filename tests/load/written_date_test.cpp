#include "load/written_date.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "load/cell.hpp"
#include "text_tables.hpp"

namespace jsdiv {
namespace {

using test::read_text;
using test::TextTables;

constexpr double new_years_eve = 1735603200;  // 2024-12-31T00:00:00Z

std::string note_of(const TextTables& read) {
  for (const Warning& warning : read.warnings) {
    if (is_note(warning)) return warning.message;
  }
  return "";
}

TEST(WrittenDate, FormsThatPeopleUse) {
  for (const char* text :
       {"31.12.2024", "31. 12. 2024", "31/12/2024", "31-12-2024", "31.12.24", "31-Dec-2024",
        "31 December 2024", "Dec 31, 2024", "December 31 2024", "2024/12/31", "2024.12.31", "31-DEC-24"}) {
    EXPECT_EQ(parse_written_date(text, DateOrder::day_first), new_years_eve) << text;
    EXPECT_EQ(classify(text), CellClass::written_date) << text;
  }
  for (const char* text : {"12/31/2024", "12/31/24", "12-31-2024", "Dec 31, 2024"}) {
    EXPECT_EQ(parse_written_date(text, DateOrder::month_first), new_years_eve) << text;
  }
  EXPECT_EQ(parse_written_date("1/2/1970", DateOrder::month_first), 86400.0);
  EXPECT_EQ(parse_written_date("1/2/1970", DateOrder::day_first), 31 * 86400.0);
  EXPECT_EQ(parse_written_date("1.1.69", DateOrder::day_first), -365 * 86400.0);
}

TEST(WrittenDate, Times) {
  for (const char* text :
       {"31.12.2024 17:30", "31.12.2024 17:30:00", "31.12.2024, 5:30 PM", "31.12.2024T17:30"}) {
    EXPECT_EQ(parse_written_date(text, DateOrder::day_first), new_years_eve + 17.5 * 3600) << text;
  }
  EXPECT_EQ(parse_written_date("12/31/2024 12:15 AM", DateOrder::month_first), new_years_eve + 900);
  EXPECT_EQ(parse_written_date("12/31/2024 12:15 pm", DateOrder::month_first), new_years_eve + 12.25 * 3600);
  EXPECT_EQ(parse_written_date("31.12.2024 00:00:01.25", DateOrder::day_first), new_years_eve + 1.25);
}

TEST(WrittenDate, OtherTextStaysText) {
  for (const char* text : {"", "31.12", "1.2.3", "192.168.1.1", "32.13.2024", "12.34.5678", "31.12.2024x",
                           "31.12.2024 25:00", "31.12.2024 13:00 PM", "31.12/2024", "Foo 31, 2024",
                           "31 2 2024", "30.02.2024", "1/2", "2024/13/01", "Mayor 3, 2020"}) {
    EXPECT_FALSE(looks_like_date(text)) << text;
  }
}

TEST(WrittenDate, TheColumnDecidesTheOrder) {
  WrittenDates days, months, open, both;
  for (const char* text : {"01.02.2024", "13.02.2024"}) days.add(text);
  for (const char* text : {"01/02/2024", "02/13/2024"}) months.add(text);
  open.add("01/02/2024");
  for (const char* text : {"13/02/2024", "02/13/2024"}) both.add(text);
  EXPECT_EQ(days.order(), DateOrder::day_first);
  EXPECT_EQ(months.order(), DateOrder::month_first);
  EXPECT_EQ(open.order(), std::nullopt);
  EXPECT_EQ(open.customary(), DateOrder::month_first);
  EXPECT_TRUE(open.consistent());
  EXPECT_FALSE(both.consistent());
}

TEST(WrittenClock, Lengths) {
  EXPECT_EQ(parse_clock("1:30:05", ClockUnit::hours), 5405.0);
  EXPECT_EQ(parse_clock("100:00:00.5", ClockUnit::hours), 360000.5);
  EXPECT_EQ(parse_clock("12:45", ClockUnit::hours), 45900.0);
  EXPECT_EQ(parse_clock("12:45", ClockUnit::minutes), 765.0);
  EXPECT_EQ(parse_clock("-0:30", ClockUnit::minutes), -30.0);
  EXPECT_EQ(parse_clock("5:30 PM", ClockUnit::minutes), 63000.0);
  EXPECT_EQ(parse_clock("2 days 01:00:00", ClockUnit::hours), 176400.0);
  EXPECT_EQ(parse_clock("1 day, 0:00:01", ClockUnit::hours), 86401.0);
  for (const char* text : {"2:1", "1:60", "12:345", ":30", "12:", "a:30", "1:30:99", "16:09 to 17:00"}) {
    EXPECT_FALSE(looks_like_clock(text)) << text;
  }
}

TEST(WrittenDateColumns, DatesOfTwoOrders) {
  const TextTables read =
      read_text({"at,b\n13.02.2024,1\n-,2\n", "at,b\n02/13/2024 00:00,1\n2024-02-14,2\n"});
  for (const Table& table : read.tables) {
    EXPECT_EQ(table.columns[0].type, ColumnType::datetime);
    EXPECT_EQ(table.columns[0].values[0], 1707782400.0);
  }
  EXPECT_TRUE(std::isnan(read.tables[0].columns[0].values[1]));
  EXPECT_EQ(read.tables[1].columns[0].values[1], 1707868800.0);
  EXPECT_NE(note_of(read).find("'at' (dates, month first)"), std::string::npos) << note_of(read);
}

TEST(WrittenDateColumns, AnOpenOrderFollowsTheOtherTable) {
  const TextTables read = read_text({"at\n01/02/2024\n", "at\n13/02/2024\n"});
  EXPECT_EQ(read.tables[0].columns[0].values[0], 1706745600.0);  // the first of February
}

TEST(WrittenDateColumns, LengthsOfTime) {
  const TextTables read = read_text({"d\n0:30\n1:05:00\n", "d\n12:00\n--\n"});
  EXPECT_EQ(read.tables[0].columns[0].values, (std::vector<double>{30, 3900}));
  EXPECT_EQ(read.tables[1].columns[0].values[0], 720);
  EXPECT_TRUE(std::isnan(read.tables[1].columns[0].values[1]));
  const TextTables hours = read_text({"d\n8:30\n", "d\n08:30:15\n"});
  EXPECT_EQ(hours.tables[0].columns[0].values[0], 30600);
  EXPECT_EQ(hours.tables[1].columns[0].values[0], 30615);
}

TEST(WrittenDateColumns, WhatNoFormReadsIsText) {
  for (const char* other : {"soon", "12:30", "5 kg"}) {
    const TextTables read =
        read_text({std::string("at\n13.02.2024\n") + other + "\n", "at\n14.02.2024\nx\n"});
    EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::category) << other;
    EXPECT_EQ(note_of(read), "");
  }
}

TEST(WrittenMarkers, StandForNoNumberAmongNumbersOnly) {
  const TextTables read =
      read_text({"a,b\n1.5,yes\n-,-\nn.a.,no\n#DIV/0!,no\n", "a,b\n2,yes\n,-\n3,no\n4,no\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::number);
  EXPECT_EQ(read.tables[0].columns[0].values[0], 1.5);
  for (const std::size_t row : {1, 2, 3}) EXPECT_TRUE(std::isnan(read.tables[0].columns[0].values[row]));
  EXPECT_EQ(read.tables[0].columns[1].type, ColumnType::category);
  EXPECT_EQ(read.tables[0].columns[1].levels, (std::vector<std::string>{"-", "no", "yes"}));
}

TEST(WrittenMarkers, BehindTheFirstRows) {
  std::string rows = "a\n";
  for (int i = 0; i < 3000; ++i) rows += std::to_string(i) + ".5\n";
  const TextTables read = read_text({rows + "--\n", rows});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::number);
  EXPECT_EQ(read.tables[0].columns[0].values[2999], 2999.5);
  EXPECT_TRUE(std::isnan(read.tables[0].columns[0].values[3000]));
}

}  // namespace
}  // namespace jsdiv
