#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/content_hash.hpp"
#include "text_tables.hpp"

namespace jsdiv {
namespace {

using test::read_text;
using test::rejection;

std::vector<std::string> names(const Table& table) {
  std::vector<std::string> result;
  for (const Column& column : table.columns) result.push_back(column.name);
  return result;
}

TEST(Schema, ColumnsAreMatchedByName) {
  const auto read = read_text({"a,b,c\n1,2,3\n", "a,b,c\n4,5,6\n"});
  EXPECT_EQ(names(read.tables[0]), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_TRUE(read.warnings.empty());
}

TEST(Schema, ExchangingTheTablesChangesNothingElse) {
  const std::string p = "c,a,b\n1,2,3\n";
  const std::string q = "a,c,b\n4,5,6\n";
  EXPECT_EQ(names(read_text({p, q}).tables[0]), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(names(read_text({q, p}).tables[0]), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(read_text({p, q}).tables[0].columns[2].values[0], 1);
}

TEST(Schema, UnmatchedColumnsAreLeftOutWithAWarning) {
  const auto read = read_text({"a,b,c\n1,2,3\n", "d,b\n4,5\n"});
  EXPECT_EQ(names(read.tables[0]), (std::vector<std::string>{"b"}));
  ASSERT_EQ(read.codes(), (std::vector<std::string>{"unmatched_columns"}));
  EXPECT_EQ(read.warnings[0].message,
            "columns that are not in every table are left out: only in p.csv: 'a', 'c'; only in q.csv: 'd'");
}

TEST(Schema, AThirdTableNeedsTheColumnsOfTheFirstTwo) {
  const auto read = read_text({"a,b\n1,x\n", "a,b\n2,y\n", "z,b,a\n9,w,3\n"});
  EXPECT_EQ(names(read.tables[2]), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read.tables[0].columns[1].levels, (std::vector<std::string>{"w", "x", "y"}));
  EXPECT_EQ(read.tables[2].columns[1].values[0], 0);
  EXPECT_EQ(read.codes(), (std::vector<std::string>{"unmatched_columns"}));
  EXPECT_EQ(rejection({"a,b\n1,x\n", "a,b\n2,y\n", "a\n3\n"}),
            "x.csv: no column 'b', which p.csv and q.csv have; add it, or leave it out with ignore = \"b\"");
}

TEST(Schema, NoCommonColumn) {
  EXPECT_EQ(rejection({"a\n1\n", "b\n1\n"}),
            "p.csv and q.csv have no column name in common; check that both files have a header line");
}

TEST(Schema, SelectsAndIgnores) {
  const std::string text = "a,b,c\n1,2,3\n";
  LoadOptions options;
  options.columns = {"c", "a"};
  EXPECT_EQ(names(read_text({text, text}, options).tables[0]), (std::vector<std::string>{"a", "c"}));
  options = {};
  options.ignore = {"b"};
  EXPECT_EQ(names(read_text({text, text}, options).tables[0]), (std::vector<std::string>{"a", "c"}));
  options.ignore = {"a", "b", "c"};
  EXPECT_NE(rejection({text, text}, options).find("no column is left"), std::string::npos);
  options.ignore = {"d"};  // only Q has it: no reason to refuse
  EXPECT_NO_THROW(read_text({text, "a,b,c,d\n1,2,3,4\n"}, options));
  EXPECT_TRUE(read_text({text, "a,b,c,d\n1,2,3,4\n"}, options).warnings.empty());
}

TEST(Schema, AnUnknownNameSuggestsTheNearest) {
  const std::string text = "age,income\n1,2\n";
  const auto message = [&](auto set) {
    LoadOptions options;
    set(options);
    return rejection({text, text}, options);
  };
  EXPECT_EQ(message([](LoadOptions& o) { o.columns = {"agee"}; }),
            "p.csv: no column 'agee' (columns); did you mean 'age'?");
  EXPECT_EQ(message([](LoadOptions& o) { o.ignore = {"Income"}; }),
            "p.csv: no column 'Income' (ignore); did you mean 'income'?");
  EXPECT_EQ(message([](LoadOptions& o) { o.categorical = {"incme"}; }),
            "p.csv: no column 'incme' (categorical); did you mean 'income'?");
  EXPECT_EQ(message([](LoadOptions& o) { o.numeric = {"zzzzzzzz"}; }),
            "p.csv: no column 'zzzzzzzz' (numeric)");
  EXPECT_EQ(message([](LoadOptions& o) { o.group = "ag"; }),
            "p.csv: no column 'ag' (group); did you mean 'age'?");
  EXPECT_EQ(message([](LoadOptions& o) { o.weight = "w"; }), "p.csv: no column 'w' (weight)");
  EXPECT_EQ(message([](LoadOptions& o) { o.categorical = o.numeric = {"age"}; }),
            "column 'age' is listed in both categorical and numeric; choose one");
}

TEST(Schema, IntegerInOneAndNumberInTheOtherIsNumber) {
  const auto read = read_text({"a,b,c\n1,2,9007199254740992\n", "a,b,c\n1.5,2.0,9007199254740994\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::number);
  EXPECT_EQ(read.tables[1].columns[0].type, ColumnType::number);
  EXPECT_EQ(read.tables[0].columns[1].type, ColumnType::integer);
  EXPECT_EQ(read.tables[0].columns[2].type, ColumnType::number);
}

TEST(Schema, NumbersAgainstTextIsAnError) {
  const std::string expected =
      "q.csv: row 2 (line 3), column 'age': 'old' is not a number, but every value in p.csv is; correct it, "
      "or compare "
      "the column as text with categorical = \"age\"";
  EXPECT_EQ(rejection({"age\n1\n2\n", "age\n3\nold\n"}), expected);
  LoadOptions options;
  options.categorical = {"age"};
  const auto read = read_text({"age\n1\n2\n", "age\n3\nold\n"}, options);
  EXPECT_EQ(read.tables[0].columns[0].levels, (std::vector<std::string>{"1", "2", "3", "old"}));
  EXPECT_EQ(read.tables[1].columns[0].values, (std::vector<double>{2, 3}));
  EXPECT_NE(rejection({"d\n2020-01-01\n", "d\nsoon\n"}).find("'soon' is not a date"), std::string::npos);
  EXPECT_NE(rejection({"d\n2020-01-01\n", "d\n5\n"})
                .find("p.csv: row 1 (line 2), column 'd': '2020-01-01' is not a number"),
            std::string::npos);
}

TEST(Schema, BooleansAgainstTextAreCategories) {
  const auto read = read_text({"a\nyes\nno\n", "a\nyes\nmaybe\n"});
  EXPECT_EQ(read.tables[0].columns[0].type, ColumnType::category);
  EXPECT_EQ(read.tables[0].columns[0].levels, (std::vector<std::string>{"maybe", "no", "yes"}));
  EXPECT_EQ(read.tables[0].columns[0].values, (std::vector<double>{2, 1}));
  EXPECT_TRUE(read.warnings.empty());
}

TEST(Schema, CategoriesOfNumbersAreComparedByValue) {
  LoadOptions options;
  options.categorical = {"code"};
  const auto read = read_text({"code\n1\n10\n2\n", "code\n1.0\n02\n\n"}, options);
  EXPECT_EQ(read.tables[0].columns[0].levels, (std::vector<std::string>{"1", "10", "2"}));
  EXPECT_EQ(read.tables[1].columns[0].values, (std::vector<double>{0, 2}));
}

TEST(Schema, OrderedNumbersMustBeNumbers) {
  LoadOptions options;
  options.numeric = {"a"};
  EXPECT_EQ(rejection({"a\n1\nx\n", "a\nx\n"}, options),
            "p.csv: row 2 (line 3), column 'a': 'x' is not a number (numeric); correct it or leave the "
            "cell empty");
}

TEST(Schema, InfiniteValuesAreRejected) {
  for (const std::string value : {"inf", "-inf", "1e999", "Infinity"}) {
    EXPECT_EQ(
        rejection({"a,b\n1,2\n", "a,b\n1,2\n1," + value + "\n"}),
        "q.csv: row 2 (line 3), column 'b': '" + value +
            "' is not finite; replace it with a number or leave the cell empty, or leave the column out with "
            "ignore = \"b\"");
  }
}

TEST(Schema, EmptyColumnsAreLeftOutWithAWarning) {
  const auto read = read_text({"a,b,c\n1,,\n2,,\n", "a,b,c\n3,NA,5\n4,?,\n"});
  EXPECT_EQ(names(read.tables[0]), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(read.codes(), (std::vector<std::string>{"all_missing"}));
  EXPECT_NE(read.warnings[0].message.find("'b'"), std::string::npos);
  EXPECT_NE(rejection({"a,b\n,\n", "a,b\n,\n"}).find("nothing to compare"), std::string::npos);
}

TEST(Schema, AColumnThatIsEmptyInOneTableTakesTheTypeOfTheOther) {
  for (const std::string value : {"5", "x", "2020-01-01", "true"}) {
    const auto read = read_text({"a,b\n1,\n", "a,b\n1," + value + "\n"});
    EXPECT_EQ(read.tables[0].columns[1].type, read.tables[1].columns[1].type);
    EXPECT_EQ(read.tables[0].columns[1].levels, read.tables[1].columns[1].levels);
    EXPECT_TRUE(std::isnan(read.tables[0].columns[1].values[0]));
  }
}

TEST(Schema, TextThatDiffersInEveryRowLooksLikeAnIdentifier) {
  std::string ids = "id,letter\n";
  for (int row = 0; row < 30; ++row) ids += "r" + std::to_string(row) + (row % 2 == 0 ? ",a\n" : ",b\n");
  const auto read = read_text({ids, ids});
  ASSERT_EQ(read.codes(), (std::vector<std::string>{"identifier_like"}));
  EXPECT_NE(read.warnings[0].message.find("'id'"), std::string::npos);
}

TEST(Schema, AConstantColumnStays) {
  EXPECT_EQ(names(read_text({"a,k\n1,7\n2,7\n", "a,k\n1,7\n2,7\n"}).tables[0]),
            (std::vector<std::string>{"a", "k"}));
}

TEST(Group, LabelsArePooledAndNoFeature) {
  LoadOptions options;
  options.group = "person";
  options.weight = "w";
  auto read =
      read_text({"person,a,w\nann,1,1\nbob,2,0.5\n", "a,w,person\n3,2,bob\n4,0,cid\n", "a\n5\n"}, options);
  const Sample sample = pool_tables(std::move(read.tables), options, read.warnings);
  ASSERT_EQ(sample.columns.size(), 1U);
  EXPECT_EQ(sample.columns[0].values, (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(sample.table_rows, (std::vector<std::size_t>{2, 2, 1}));
  EXPECT_EQ(sample.group_labels, (std::vector<std::string>{"ann", "bob", "cid", ""}));
  EXPECT_EQ(sample.groups, (std::vector<std::uint32_t>{0, 1, 1, 2, 3}));
  // Each table's weights have the mean 1.
  const std::vector<double> weights = {4.0 / 3, 2.0 / 3, 2, 0, 1};
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_DOUBLE_EQ(sample.weights[i], weights[i]);
}

TEST(Weight, HasNoUnit) {
  LoadOptions options;
  options.weight = "w";
  const auto weights = [&](const std::vector<std::string>& cells) {
    std::string text = "w,a\n";
    for (const std::string& cell : cells) text += cell + ",1\n";
    auto read = read_text({text, text}, options);
    return pool_tables(std::move(read.tables), options, read.warnings).weights;
  };
  const std::vector<double> expected = {0.5, 1.5, 0, 2, 0.5, 1.5, 0, 2};
  for (const auto& cells : std::vector<std::vector<std::string>>{{"1", "3", "0", "4"},
                                                                 {"1e-6", "3e-6", "0", "4e-6"},
                                                                 {"4e307", "12e307", "0", "16e307"},
                                                                 {"1e-310", "3e-310", "0", "4e-310"}}) {
    const std::vector<double> found = weights(cells);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << cells[0];
  }
}

TEST(LargeIntegers, KeepTheirTextAsLevelsAndGroups) {
  const std::string p = "key,a\n9007199254740992,1\n9007199254740993,2\n";
  const std::string q = "key,a\n9007199254740993,1\n9007199254740994,2\n";
  const std::vector<std::string> exact = {"9007199254740992", "9007199254740993", "9007199254740994"};
  LoadOptions group;
  group.group = "key";
  auto grouped = read_text({p, q}, group);
  EXPECT_EQ(pool_tables(std::move(grouped.tables), group, grouped.warnings).group_labels, exact);
  LoadOptions categorical;
  categorical.categorical = {"key"};
  const auto read = read_text({p, q}, categorical);
  EXPECT_EQ(read.tables[0].columns[0].levels, exact);
  EXPECT_TRUE(read.warnings.empty());
}

TEST(LargeIntegers, AsNumbersAreWorthAWarning) {
  const auto read = read_text({"key,x\n9007199254740993,1e300\n", "key,x\n5,2.5e17\n"});
  ASSERT_EQ(read.codes(), std::vector<std::string>{"inexact_integers"});
  EXPECT_NE(read.warnings[0].message.find("'key'; if they are keys"), std::string::npos);
}

TEST(LargeIntegers, OfATypedTableAreNoLevels) {
  Table table;
  table.rows = 2;
  table.columns = {{"key", ColumnType::integer, {9007199254740992.0, 9007199254740994.0}, {}},
                   {"a", ColumnType::number, {1, 2}, {}}};
  LoadOptions options;
  options.group = "key";
  std::vector<Table> tables = {table, table};
  std::vector<Warning> warnings;
  try {
    align_tables(tables, options, warnings);
    FAIL() << "nothing was rejected";
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "P: column 'key': whole numbers beyond 9007199254740992 (2^53) are not exact as numbers; "
                 "provide the column as text to distinguish them");
  }
}

TEST(Group, NumbersAreTheSameGroupHoweverWritten) {
  LoadOptions options;
  options.group = "g";
  auto read = read_text({"g,a\n1,1\n2,2\n", "g,a\n2.0,3\n3.0,4\n"}, options);
  const Sample sample = pool_tables(std::move(read.tables), options, read.warnings);
  EXPECT_EQ(sample.group_labels, (std::vector<std::string>{"1", "2", "3"}));
  EXPECT_EQ(sample.groups, (std::vector<std::uint32_t>{0, 1, 1, 2}));
}

TEST(Group, MissingGroupsAndBadWeightsAreRejected) {
  LoadOptions group;
  group.group = "g";
  EXPECT_EQ(rejection({"g,a\nx,1\n", "g,a\nx,1\n,2\n"}, group),
            "q.csv: row 2 (line 3), column 'g': the group is missing (group); every row needs one");
  LoadOptions weight;
  weight.weight = "w";
  EXPECT_EQ(rejection({"w,a\n1,1\n", "w,a\n1,1\n-2,2\n"}, weight),
            "q.csv: row 2 (line 3), column 'w': the weight is negative (-2) (weight); every row needs a "
            "number of at least 0");
  EXPECT_EQ(rejection({"w,a\n1,1\n", "w,a\n1,1\n,2\n"}, weight),
            "q.csv: row 2 (line 3), column 'w': the weight is missing (weight); every row needs a number of "
            "at least 0");
  EXPECT_EQ(rejection({"w,a\n0,1\n", "w,a\n1,1\n"}, weight), "p.csv: column 'w': all weights are 0 (weight)");
  EXPECT_EQ(rejection({"w,a\n1,1\n0,2\n1e100,1\n", "w,a\n1,1\n"}, weight),
            "p.csv: row 1 (line 2), column 'w': the weight 1 is nothing beside the largest, 1e+100 (weight); "
            "correct them, or give such rows the weight 0");
  EXPECT_EQ(rejection({"w,a\nheavy,1\n", "w,a\n1,1\n"}, weight),
            "p.csv: row 1 (line 2), column 'w': 'heavy' is not a number (weight); correct it or leave the "
            "cell empty");
  EXPECT_NE(rejection({"w,a\ninf,1\n", "w,a\n1,1\n"}, weight).find("not finite"), std::string::npos);
}

TEST(Pool, JoinsRowsInOrder) {
  auto read = read_text({"a,b\n1,x\n2,y\n", "a,b\n3,z\n"});
  std::vector<Warning> warnings;
  const Sample sample = pool_tables(std::move(read.tables), {}, warnings);
  EXPECT_EQ(sample.rows(), 3U);
  EXPECT_EQ(sample.labels(), (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(sample.columns[0].values, (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(sample.columns[1].levels, (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(sample.columns[1].values, (std::vector<double>{0, 1, 2}));
  EXPECT_TRUE(sample.groups.empty());
  EXPECT_TRUE(sample.weights.empty());
}

Table in_memory(std::vector<Column> columns) {
  Table table;
  table.rows = columns.at(0).values.size();
  table.columns = std::move(columns);
  return table;
}

TEST(Align, TablesInMemoryAreUnifiedLikeFiles) {
  const double nan = std::nan("");
  std::vector<Table> tables = {
      in_memory({{"n", ColumnType::number, {1, 2}, {}}, {"c", ColumnType::category, {0, 1}, {"b", "d"}}}),
      in_memory({{"c", ColumnType::category, {nan, 0}, {"a"}}, {"n", ColumnType::integer, {3, 4}, {}}})};
  std::vector<Warning> warnings;
  align_tables(tables, {}, warnings);
  EXPECT_EQ(names(tables[0]), names(tables[1]));
  EXPECT_EQ(tables[0].columns[0].levels, (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(tables[0].columns[0].values, (std::vector<double>{1, 2}));
  EXPECT_EQ(tables[1].columns[0].values[1], 0);
  EXPECT_EQ(tables[0].columns[1].type, ColumnType::integer);
  EXPECT_EQ(tables[0].sha256.size(), 64U);
}

TEST(Align, OverridesConvertTypedColumns) {
  std::vector<Table> tables;
  for (int t = 0; t < 2; ++t) {
    tables.push_back(in_memory({{"n", ColumnType::number, {1, 2.5}, {}},
                                {"t", ColumnType::category, {0, 1}, {"10", "9"}},
                                {"d", ColumnType::datetime, {0, 86400}, {}},
                                {"b", ColumnType::boolean, {0, 1}, {}}}));
  }
  LoadOptions options;
  options.categorical = {"n", "d", "b"};
  options.numeric = {"t"};
  std::vector<Warning> warnings;
  align_tables(tables, options, warnings);
  EXPECT_EQ(tables[0].columns[0].levels, (std::vector<std::string>{"1", "2.5"}));
  EXPECT_EQ(tables[0].columns[1].type, ColumnType::integer);
  EXPECT_EQ(tables[0].columns[1].values, (std::vector<double>{10, 9}));
  EXPECT_EQ(tables[0].columns[2].levels, (std::vector<std::string>{"1970-01-01", "1970-01-02"}));
  EXPECT_EQ(tables[0].columns[3].levels, (std::vector<std::string>{"false", "true"}));
}

TEST(Align, RejectsWhatFilesWouldBeRejectedFor) {
  const auto message = [](Table p, Table q) {
    std::vector<Table> tables = {std::move(p), std::move(q)};
    std::vector<Warning> warnings;
    try {
      align_tables(tables, {}, warnings);
    } catch (const InvalidInput& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  const Table good = in_memory({{"a", ColumnType::number, {1}, {}}});
  EXPECT_EQ(message(good, in_memory({{"a", ColumnType::number, {1, INFINITY}, {}}}))
                .find("Q: row 2, column 'a': 'inf' is not finite"),
            0U);
  EXPECT_EQ(message(good, in_memory({{"a", ColumnType::category, {0}, {"x"}}}))
                .find("Q: row 1, column 'a': 'x' is not a number"),
            0U);
  EXPECT_EQ(message(good, in_memory({{"a", ColumnType::number, {}, {}}})),
            "Q: no data rows; the table needs rows");
  Table uneven = in_memory({{"a", ColumnType::number, {1}, {}}, {"b", ColumnType::number, {}, {}}});
  EXPECT_EQ(message(good, uneven), "Q: column 'b' has 0 values, but the table has 1 rows");
}

TEST(ContentHash, DependsOnTheContentOnly) {
  const Table a =
      in_memory({{"a", ColumnType::integer, {1, 0}, {}}, {"c", ColumnType::category, {1, 0}, {"x", "y"}}});
  Table b = in_memory(
      {{"a", ColumnType::number, {1, -0.0}, {}}, {"c", ColumnType::category, {3, 1}, {"w", "x", "xx", "y"}}});
  b.source = "b.csv";
  EXPECT_EQ(content_hash(a), content_hash(b));
  Table other_value = a;
  other_value.columns[0].values[0] = 2;
  Table other_name = a;
  other_name.columns[0].name = "b";
  Table other_level = a;
  other_level.columns[1].levels[0] = "w";
  Table missing = a;
  missing.columns[0].values[0] = std::nan("");
  for (const Table& other : {other_value, other_name, other_level, missing})
    EXPECT_NE(content_hash(a), content_hash(other));
}

}  // namespace
}  // namespace jsdiv
