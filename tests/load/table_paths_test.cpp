#include "load/table_paths.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "jsdiv/error.hpp"
#include "load/part_columns.hpp"

namespace jsdiv {
namespace {

namespace fs = std::filesystem;

class TablePaths : public testing::Test {
 protected:
  void SetUp() override {
    fs::remove_all(folder_);
    fs::create_directories(folder_ / "parts");
    for (const char* name : {"parts/b.csv", "parts/a.csv", "parts/_SUCCESS", "parts/.a.crc", "x,y.csv"})
      std::ofstream(folder_ / name) << "a\n1\n";
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_ = fs::path(testing::TempDir()) / "jsdiv_table_paths";
};

TEST_F(TablePaths, AFolderIsItsPartsInTheOrderOfTheirNames) {
  EXPECT_EQ(table_paths(at("parts")), (std::vector{at("parts/a.csv"), at("parts/b.csv")}));
}

TEST_F(TablePaths, PatternsAndListsAreExpandedAndExistingNamesAreNot) {
  EXPECT_EQ(table_paths(at("parts/?.csv")), (std::vector{at("parts/a.csv"), at("parts/b.csv")}));
  EXPECT_EQ(table_paths(at("parts/b.csv") + "," + at("parts/a.csv")),
            (std::vector{at("parts/b.csv"), at("parts/a.csv")}));
  EXPECT_EQ(table_paths(at("x,y.csv")), (std::vector{at("x,y.csv")}));
  EXPECT_EQ(table_paths("-"), (std::vector<std::string>{"-"}));
  // What does not exist is for the reader to say.
  EXPECT_EQ(table_paths(at("none.csv")), (std::vector{at("none.csv")}));
}

TEST_F(TablePaths, NothingToReadIsAnError) {
  fs::create_directories(folder_ / "empty");
  EXPECT_THROW(table_paths(at("empty")), InvalidInput);
  EXPECT_THROW(table_paths(at("q-*.csv")), InvalidInput);
  EXPECT_THROW(table_paths(folder_.string()), InvalidInput) << "it holds folders";
}

TEST(PartColumns, JoinsRowsAndLevels) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  const PartColumn joined =
      join_parts({{{0, 1, missing}, {"b", "d"}}, {{}, {}}, {{missing}, {}}, {{0, 0, 1}, {"a", "b"}}});
  EXPECT_EQ(joined.levels, (std::vector<std::string>{"a", "b", "d"}));
  ASSERT_EQ(joined.values.size(), 7U);
  const std::vector<double> expected{1, 2, missing, missing, 0, 0, 1};
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_TRUE(joined.values[i] == expected[i] || (std::isnan(joined.values[i]) && std::isnan(expected[i])));
  }
  EXPECT_EQ(join_parts({{{1.5, 2}, {}}, {{-3}, {}}}).values, (std::vector<double>{1.5, 2, -3}));
}

}  // namespace
}  // namespace jsdiv
