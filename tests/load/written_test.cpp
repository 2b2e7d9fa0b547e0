#include "load/written_number.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

#include "load/cell.hpp"
#include "text_tables.hpp"

namespace jsdiv {
namespace {

using test::read_text;
using test::rejection;
using test::TextTables;

NumberForm form_of(const std::vector<std::string>& texts, NumberMark otherwise = NumberMark::point) {
  WrittenNumbers numbers;
  for (const std::string& text : texts) numbers.add(text);
  EXPECT_TRUE(numbers.consistent());
  return numbers.form(otherwise);
}

bool consistent(const std::vector<std::string>& texts) {
  WrittenNumbers numbers;
  for (const std::string& text : texts) numbers.add(text);
  return numbers.consistent();
}

std::string note_of(const TextTables& read) {
  for (const Warning& warning : read.warnings) {
    if (is_note(warning)) return warning.message;
  }
  return "";
}

TEST(WrittenNumber, TheCellsOfAColumnDecideWhatACommaMeans) {
  EXPECT_EQ(form_of({"1,5"}).decimal, NumberMark::comma);
  EXPECT_EQ(form_of({"0,125"}).decimal, NumberMark::comma);
  EXPECT_EQ(form_of({"1234,567"}).decimal, NumberMark::comma);
  EXPECT_EQ(form_of({"1.234,567"}).decimal, NumberMark::comma);
  EXPECT_EQ(form_of({"1.234.567"}).decimal, NumberMark::comma);
  EXPECT_EQ(form_of({"1,234,567"}).decimal, NumberMark::point);
  EXPECT_EQ(form_of({"1,234.5"}).decimal, NumberMark::point);
  EXPECT_EQ(form_of({"1,234", "0.5"}).decimal, NumberMark::point);
  EXPECT_EQ(form_of({"1,234"}, NumberMark::point).decimal, NumberMark::point);
  EXPECT_EQ(form_of({"1,234"}, NumberMark::comma).decimal, NumberMark::comma);
  EXPECT_TRUE(form_of({"1,234"}, NumberMark::point).grouped);
  EXPECT_FALSE(form_of({"1,234"}, NumberMark::comma).grouped);
  EXPECT_FALSE(consistent({"1,5", "1.5"}));
  EXPECT_FALSE(consistent({"5 kg", "5 g"}));
  EXPECT_FALSE(consistent({"5 %", "5"}));
  EXPECT_FALSE(consistent({"$5", "€5"}));
  EXPECT_TRUE(consistent({"$5", "5"}));
}

TEST(WrittenNumber, ReadsWhatPeopleWrite) {
  const std::vector<std::pair<std::string, double>> with_point = {{"1,234.50", 1234.5},
                                                                  {"1'234", 1234},
                                                                  {"1 234", 1234},
                                                                  {"1\xC2\xA0"
                                                                   "234",
                                                                   1234},
                                                                  {"12", 12},
                                                                  {"-1,000", -1000},
                                                                  {"1,000,000", 1e6},
                                                                  {"1,23,456", 123456},
                                                                  {"-12,34,56,789.5", -123456789.5},
                                                                  {"\xE2\x88\x92"
                                                                   "3",
                                                                   -3},
                                                                  {"(12.5)", -12.5},
                                                                  {"1.5e3", 1500},
                                                                  {"999", 999}};
  const NumberForm point = form_of({"1,234.5"});
  for (const auto& [text, value] : with_point) EXPECT_EQ(parse_written(text, point), value) << text;

  const NumberForm comma = form_of({"1,5"});
  EXPECT_EQ(parse_written("-0,25", comma), -0.25);
  EXPECT_EQ(parse_written("1.234.567,5", comma), 1234567.5);
  EXPECT_EQ(parse_written("1 234,5", comma), 1234.5);
  EXPECT_EQ(parse_written("1,5e-3", comma), 0.0015);

  const NumberForm dollars = form_of({"$1.50"});
  for (const char* text : {"-$5", "$-5", "($5)", "- $5", "-5 $"}) {
    EXPECT_EQ(parse_written(text, dollars), -5.0) << text;
  }
  EXPECT_EQ(parse_written("12,50 €", form_of({"12,5 €"})), 12.5);
  EXPECT_EQ(parse_written("EUR 12.50", form_of({"EUR 12.5"})), 12.5);
  EXPECT_EQ(parse_written("3.5 %", form_of({"3.5%"})), 3.5);
  EXPECT_EQ(parse_written("70kg", form_of({"70 kg"})), 70.0);
  EXPECT_EQ(parse_written("-5 °C", form_of({"5 °C"})), -5.0);
  EXPECT_EQ(parse_written("5.20-", form_of({"5.20-"})), -5.2);
  EXPECT_EQ(parse_written("3 bedrooms", form_of({"2 bedrooms"})), 3.0);
}

TEST(WrittenNumber, OtherTextStaysText) {
  for (const char* text :
       {"",         "abc",     "1,2,3",       "123,45,678", "1,23,45", "1,23,4567", "1,234,56,789",
        "1.23.456", "12.34.5", "192.168.1.1", "2024-01-02", "12:30",   "10-20",     "<5",
        "18+",      "1/2",     "#5",          "$",          "kg",      "5 kg 3",    "--5",
        "+-5",      "-$-5",    "01,234",      "5a3",        "(5",      "-(5)",      "-5-",
        "1  2"}) {
    EXPECT_FALSE(parse_written(text, form_of({"1.5"})).has_value()) << text;
  }
  for (const char* text : {"1,2,3", "12.34.5", "2024-01-02", "12:30", "10-20", "<5", "5a3", "1/2"}) {
    EXPECT_FALSE(looks_written(text)) << text;
    EXPECT_EQ(classify(text) == CellClass::written, false) << text;
  }
}

TEST(WrittenColumns, DecimalCommasWhereTheSemicolonSeparates) {
  const TextTables read = read_text({"a;b\n1,5;x\n2,25;y\n", "a;b\n-3,5;x\n1.000,5;y\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::number);
  EXPECT_EQ(read.tables[0].columns[0].values, (std::vector<double>{1.5, 2.25}));
  EXPECT_EQ(read.tables[1].columns[0].values, (std::vector<double>{-3.5, 1000.5}));
  EXPECT_EQ(read.tables[0].columns[1].type, ColumnType::category);
  EXPECT_EQ(note_of(read),
            "columns were converted from the way they are written: 'a' (decimal comma, thousands "
            "separators); use the option categorical to compare a column as text");
}

TEST(WrittenColumns, OpenCellsFollowTheOtherTableAndThenTheDelimiter) {
  EXPECT_EQ(read_text({"a;b\n1,234;1\n", "a;b\n2,345;1\n"}).tables[0].columns[0].values[0], 1.234);
  EXPECT_EQ(read_text({"a\tb\n1,234\t1\n", "a\tb\n2,345\t1\n"}).tables[0].columns[0].values[0], 1234);
  EXPECT_EQ(read_text({"a\tb\n1,234\t1\n", "a\tb\n2,5\t1\n"}).tables[0].columns[0].values[0], 1.234);
  EXPECT_EQ(read_text({"a,b\n\"1,234\",1\n", "a,b\n\"12,345,678\",1\n"}).tables[0].columns[0].values[0],
            1234);
}

TEST(WrittenColumns, EachTableMayHaveItsOwnConvention) {
  const TextTables read = read_text({"a,b\n1.5,1\n2.5,1\n", "a;b\n1,5;1\n$2,25;1\n"});
  EXPECT_EQ(read.tables[0].columns[0].values, (std::vector<double>{1.5, 2.5}));
  EXPECT_EQ(read.tables[1].columns[0].values, (std::vector<double>{1.5, 2.25}));
}

TEST(WrittenColumns, AColumnMayBeginWithPlainNumbers) {
  std::string text = "a,b\n";
  for (int i = 0; i < 100000; ++i) text += "12,x\n";
  text += "\"1,200\",x\n";
  const TextTables read = read_text({text, "a,b\n5,x\n,y\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::integer);
  EXPECT_EQ(read.tables[0].columns[0].values.back(), 1200);
  EXPECT_TRUE(std::isnan(read.tables[1].columns[0].values[1]));
}

TEST(WrittenColumns, TheUserHasTheLastWord) {
  LoadOptions text;
  text.categorical = {"a"};
  EXPECT_EQ(read_text({"a,b\n$5,1\n", "a,b\n$6,1\n"}, text).tables[0].columns[0].type, ColumnType::category);
  LoadOptions weight;
  weight.weight = "a";
  EXPECT_EQ(read_text({"a,b\n$5,1\n", "a,b\n$6,1\n"}, weight).tables[0].columns[1].values[0], 5);
  LoadOptions numeric;
  numeric.numeric = {"a"};
  EXPECT_EQ(rejection({"a,b\n5 kg,1\n5 g,1\n", "a,b\n1,1\n"}, numeric),
            "p.csv: row 1 (line 2), column 'a': '5 kg' is not a number (numeric); correct it or leave the "
            "cell empty");
}

TEST(WrittenColumns, UnitsMustAgree) {
  EXPECT_EQ(rejection({"a,b\n12%,1\n", "a,b\n0.12,1\n"}),
            "q.csv: column 'a': the numbers are without a unit, but in % in p.csv; write both the same way, "
            "or compare the column as text with categorical = \"a\"");
  EXPECT_EQ(rejection({"a,b\n$12,1\n", "a,b\n€12,1\n"}),
            "q.csv: column 'a': the numbers are in €, but in $ in p.csv; write both the same way, or compare "
            "the column as text with categorical = \"a\"");
}

TEST(WrittenColumns, MostlyNumbersIsWorthAWarning) {
  const TextTables read = read_text({"a,b\n1,1\n2,1\n3.5,1\nunknown,1\n", "a,b\n4,1\n5,1\nunknown,1\n"});
  ASSERT_EQ(read.codes(), std::vector<std::string>{"mostly_numbers"});
  EXPECT_EQ(read.warnings[0].message,
            "columns are compared as text although most of their cells look like numbers: 'a' (5 of 7 cells, "
            "but not "
            "p.csv: row 4 (line 5), column 'a': 'unknown'); correct the other cells or leave them empty, or "
            "confirm that they are text (option categorical)");
  LoadOptions confirmed;
  confirmed.categorical = {"a"};
  EXPECT_TRUE(read_text({"a,b\n1,1\n2,1\nunknown,1\n", "a,b\n4,1\nunknown,1\n"}, confirmed).warnings.empty());
  EXPECT_EQ(read_text({"a,b\n1,1\nx,1\nunknown,1\n", "a,b\n4,1\nx,1\nunknown,1\n"}).codes(),
            std::vector<std::string>{"mixed_types"});
  EXPECT_TRUE(read_text({"a,b\n1st,1\n2nd,1\n", "a,b\n3rd,1\n1st,1\n"}).warnings.empty());
}

TEST(Reconcile, ZeroAndOneBesideTrueAndFalseAreBooleans) {
  const TextTables read = read_text({"a,b\nTrue,1\nFalse,2\n", "a,b\n1,1\n0,2\n"});
  for (const Table& table : read.tables) {
    EXPECT_EQ(table.columns[0].type, ColumnType::boolean);
    EXPECT_EQ(table.columns[0].values, (std::vector<double>{1, 0}));
  }
  EXPECT_EQ(rejection({"a,b\nTrue,1\nFalse,2\n", "a,b\n1,1\n7,2\n"}),
            "p.csv: row 1 (line 2), column 'a': 'True' is not a number, but every value in q.csv is; write 1 "
            "and 0 for "
            "true and false, or compare the column as text with categorical = \"a\"");
}

TEST(Reconcile, FlagsAreNoNumbersOnOrder) {
  LoadOptions numeric;
  numeric.numeric = {"a"};
  EXPECT_EQ(rejection({"a,b\n1,1\n0,2\n", "a,b\nTrue,1\nFalse,2\n"}, numeric),
            "q.csv: row 1 (line 2), column 'a': 'True' is not a number (numeric); correct it or leave the "
            "cell empty");
}

Table in_memory(Column column) {
  Table table;
  table.rows = column.values.size();
  table.columns = {std::move(column), {"other", ColumnType::number, {1, 2}, {}}};
  return table;
}

TEST(Reconcile, TextInMemoryTakesTheTypeOfTheOtherTable) {
  const Column flags{"a", ColumnType::boolean, {1, 0}, {}};
  const Column numbers{"a", ColumnType::number, {1.5, 2}, {}};
  const Column times{"a", ColumnType::datetime, {0, 3600}, {}};
  const std::vector<std::pair<Column, Column>> pairs = {
      {flags, {"a", ColumnType::category, {1, 0}, {"False", "True"}}},
      {numbers, {"a", ColumnType::category, {0, 1}, {"1.5", "2"}}},
      {numbers, {"a", ColumnType::category, {0, 1}, {"$1.50", "$2.00"}}},
      {times, {"a", ColumnType::category, {0, 1}, {"1970-01-01", "1970-01-01T01:00"}}}};
  for (const auto& [typed, text] : pairs) {
    std::vector<Table> tables = {in_memory(typed), in_memory(text)};
    std::vector<Warning> warnings;
    align_tables(tables, {}, warnings);
    EXPECT_EQ(tables[1].columns[0].type, typed.type);
    EXPECT_EQ(tables[1].columns[0].values, typed.values);
    EXPECT_TRUE(tables[1].columns[0].levels.empty());
  }
}

TEST(Reconcile, TextInMemoryIsReadAsNumbersOnOrder) {
  LoadOptions numeric;
  numeric.numeric = {"a"};
  const Column text{"a", ColumnType::category, {0, 1}, {"1,5", "2,25"}};
  std::vector<Table> tables = {in_memory(text), in_memory(text)};
  std::vector<Warning> warnings;
  align_tables(tables, numeric, warnings);
  EXPECT_EQ(tables[0].columns[0].values, (std::vector<double>{1.5, 2.25}));
}

TEST(Times, ZonesAreMadeEqualOrRefused) {
  const TextTables read = read_text(
      {"t,b\n2024-01-01T12:00:00+02:00,1\n2024-01-01,1\n", "t,b\n2024-01-01T10:00:00.5Z,1\n2024-01-02,1\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::datetime);
  EXPECT_EQ(read.tables[0].columns[0].values[0] + 0.5, read.tables[1].columns[0].values[0]);
  EXPECT_EQ(rejection({"t,b\n2024-01-01 12:00,1\n", "t,b\n2024-01-01,1\n2024-01-01T12:00Z,1\n"}),
            "p.csv: row 1 (line 2), column 't': '2024-01-01 12:00' has no time zone, but '2024-01-01T12:00Z' "
            "in q.csv, "
            "row 2 (line 3), has one; give every time its zone, such as Z or +01:00, or none of them");
}

}  // namespace
}  // namespace jsdiv
