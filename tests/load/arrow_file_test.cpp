#include "load/arrow_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "load/load.hpp"
#include "text_tables.hpp"

namespace jsdiv {
namespace {

const std::string types_file = JSDIV_GOLDEN_DIR "/load/types.parquet";

class Parquet : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_arrow()) GTEST_SKIP() << "built without Arrow";
  }
};

TEST_F(Parquet, ReadsAColumnOfEachType) {
  LoadOptions options;
  options.ignore = {"nested"};
  std::vector<Warning> warnings;
  const std::vector<std::string> paths = {types_file, types_file};
  const auto tables = read_tables(paths, options, warnings);
  const auto values = [&](const char* name) { return tables[1].find(name)->values; };
  const auto type = [&](const char* name) { return tables[1].find(name)->type; };
  EXPECT_EQ(tables[0].rows, 3U);
  EXPECT_EQ(type("i8"), ColumnType::integer);
  EXPECT_EQ(values("i8")[2], -3);
  EXPECT_TRUE(std::isnan(values("i8")[1]));
  EXPECT_EQ(values("u64"), (std::vector<double>{1, 2, 3}));
  EXPECT_TRUE(std::isnan(values("f32")[2]));
  EXPECT_EQ(values("f64"), (std::vector<double>{0.1, -2.5, 1e300}));
  EXPECT_EQ(values("money")[2], -3.5);
  EXPECT_EQ(type("flag"), ColumnType::boolean);
  EXPECT_EQ(values("flag")[0], 1);
  EXPECT_EQ(type("day"), ColumnType::datetime);
  EXPECT_EQ(values("day")[0], 1709164800);
  EXPECT_EQ(values("moment")[0], 1709209815.25);
  EXPECT_EQ(tables[0].find("text")->levels, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values("text")[0], 1);
  EXPECT_EQ(tables[0].find("large")->levels, (std::vector<std::string>{"", "NA", "x"}));
  EXPECT_EQ(tables[0].find("coded")->levels, (std::vector<std::string>{"blue", "red"}));
  EXPECT_EQ(values("coded")[0], 1);
  EXPECT_TRUE(std::isnan(values("coded")[2]));
  EXPECT_EQ(tables[0].find("empty"), nullptr);
  EXPECT_EQ(tables[0].sha256.size(), 64U);
}

TEST_F(Parquet, AColumnThatCannotBeComparedIsNamed) {
  std::vector<Warning> warnings;
  const std::vector<std::string> paths = {types_file, types_file};
  try {
    read_tables(paths, {}, warnings);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("column 'nested' has the Arrow type list"), std::string::npos)
        << error.what();
  }
}

TEST_F(Parquet, MatchesCsv) {
  std::vector<InputFile> files;
  files.push_back(InputFile::open(types_file));
  files.push_back(InputFile::from_memory("q.csv", "text,f64,day\nc,5,2024-03-01\n"));
  LoadOptions options;
  options.columns = {"text", "f64", "day"};
  std::vector<Warning> warnings;
  const auto tables = read_inputs(std::move(files), options, warnings, 0);
  EXPECT_EQ(tables[1].find("text")->levels, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(tables[1].find("text")->values[0], 2);
  EXPECT_EQ(tables[1].find("day")->type, ColumnType::datetime);
}

}  // namespace
}  // namespace jsdiv
