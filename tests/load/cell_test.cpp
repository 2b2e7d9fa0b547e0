#include "load/cell.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace jsdiv {
namespace {

TEST(Cell, MissingTokensAreThoseOfPandasAndTheQuestionMark) {
  for (const char* token :
       {"",    "?",    "NA",   "N/A",  "n/a",  "<NA>", "#N/A",   "#N/A N/A", "#NA",     "NaN",
        "nan", "-NaN", "-nan", "NULL", "null", "None", "1.#IND", "-1.#IND",  "1.#QNAN", "-1.#QNAN"}) {
    EXPECT_EQ(classify(token), CellClass::missing) << token;
  }
  for (const char* text : {"??", "NA ", "missing"}) EXPECT_EQ(classify(text), CellClass::text) << text;
  for (const char* text : {"-", "na", "Na", "none", "Null"}) {
    EXPECT_FALSE(is_missing(text)) << text;
    EXPECT_EQ(classify(text), CellClass::marker) << text;
  }
}

TEST(Cell, ReadsNumbersInCNotation) {
  EXPECT_EQ(parse_number("17"), 17.0);
  EXPECT_EQ(parse_number("-0.25"), -0.25);
  EXPECT_EQ(parse_number("+3"), 3.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("5."), 5.0);
  EXPECT_EQ(parse_number("1e3"), 1000.0);
  EXPECT_EQ(parse_number("1E-3"), 0.001);
  EXPECT_EQ(parse_number("1e-999"), 0.0);
  for (const char* text :
       {"", "+", "-", "+-1", "1,5", "1 2", "0x10", "1_000", "12a", "1e", "--1", ".", "e5", "nan"}) {
    EXPECT_FALSE(parse_number(text).has_value()) << text;
  }
}

TEST(Cell, KnowsInfiniteFromFinite) {
  for (const char* text : {"inf", "-inf", "INF", "Infinity", "+inf", "1e999", "-1e400"}) {
    EXPECT_EQ(classify(text), CellClass::infinite) << text;
  }
  EXPECT_EQ(classify("1.7976931348623157e308"), CellClass::number);
}

TEST(Cell, BooleansAreWordsInAnyCase) {
  for (const char* text : {"true", "TRUE", "True", "yes", "Yes", "t", "T"})
    EXPECT_EQ(parse_boolean(text), true) << text;
  for (const char* text : {"false", "FALSE", "no", "No", "f", "F"})
    EXPECT_EQ(parse_boolean(text), false) << text;
  for (const char* text : {"0", "1", "y", "n", "on", ""})
    EXPECT_FALSE(parse_boolean(text).has_value()) << text;
  EXPECT_EQ(classify("0"), CellClass::number);
}

TEST(Cell, KnowsNumbersWithLeadingZeros) {
  for (const char* text : {"007", "01", "00"}) EXPECT_EQ(classify(text), CellClass::padded) << text;
  for (const char* text : {"0", "7", "0.5", "00.5", "-07", "0e1"})
    EXPECT_EQ(classify(text), CellClass::number) << text;
}

// The seconds are those of `date -u -d TEXT +%s`.
TEST(Cell, ReadsIsoDates) {
  EXPECT_EQ(parse_datetime("1970-01-01"), 0.0);
  EXPECT_EQ(parse_datetime("2024-02-29"), 1709164800.0);
  EXPECT_EQ(parse_datetime("1969-12-31T23:59:59Z"), -1.0);
  EXPECT_EQ(parse_datetime("2024-02-29T12:30"), 1709209800.0);
  EXPECT_EQ(parse_datetime("2024-02-29 12:30:15"), 1709209815.0);
  EXPECT_EQ(parse_datetime("2024-02-29T12:30:15.25Z"), 1709209815.25);
  EXPECT_EQ(parse_datetime("2024-02-29T12:30:15+01:00"), 1709206215.0);
  EXPECT_EQ(parse_datetime("2024-02-29T12:30:15-0530"), 1709229615.0);
  EXPECT_EQ(parse_datetime("2024-02-29T12:30:15+01"), 1709206215.0);
  EXPECT_EQ(parse_datetime("0001-01-01"), -62135596800.0);
  for (const char* text :
       {"2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32", "2024-1-1", "01/02/2024", "20240229",
        "2024-02-29T", "2024-02-29T24:00", "2024-02-29T12:60", "2024-02-29T12:30:15.",
        "2024-02-29T12:30:15+25:00", "2024-02-29T12:30 UTC", "2024-02-29x"}) {
    EXPECT_FALSE(parse_datetime(text).has_value()) << text;
  }
}

TEST(Cell, NumbersAndDatesReadBackAsWritten) {
  for (const double value : {0.1, 1.0 / 3, 1e300, 5e-324, -123456789.125, 9007199254740993.0}) {
    EXPECT_EQ(parse_number(format_number(value)), value);
  }
  EXPECT_EQ(format_number(3), "3");
  for (const double seconds :
       {0.0, 1709209815.25, 1709209815.123456, -1.0, -0.5, 253402300799.0, 86399.9999999}) {
    EXPECT_EQ(parse_datetime(format_datetime(seconds)), seconds) << format_datetime(seconds);
  }
  EXPECT_EQ(format_datetime(1709164800), "2024-02-29");
  EXPECT_EQ(format_datetime(1709209815.25), "2024-02-29T12:30:15.25Z");
}

}  // namespace
}  // namespace jsdiv
