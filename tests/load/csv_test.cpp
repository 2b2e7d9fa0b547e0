#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "core/content_hash.hpp"
#include "core/parallel.hpp"
#include "core/sha256.hpp"
#include "jsdiv/random.hpp"
#include "load/arrow_file.hpp"
#include "load/csv_writer.hpp"
#include "text_tables.hpp"

namespace jsdiv {
namespace {

using test::read_one;
using test::read_text;
using test::rejection;

std::vector<std::string> texts_of(const Column& column) {
  std::vector<std::string> texts;
  for (const double code : column.values)
    texts.push_back(std::isnan(code) ? "" : column.levels[static_cast<std::size_t>(code)]);
  return texts;
}

TEST(Csv, ReadsATableOfEachType) {
  const Table table = read_one(
      "name,age,height,married,born\n"
      "Ada,36,1.65,yes,1815-12-10\n"
      "Carl,,1.70,no,1777-04-30\n"
      "Ada,NA,?,,\n");
  ASSERT_EQ(table.rows, 3U);
  ASSERT_EQ(table.columns.size(), 5U);
  EXPECT_EQ(table.columns[0].type, ColumnType::category);
  EXPECT_EQ(table.columns[0].levels, (std::vector<std::string>{"Ada", "Carl"}));
  EXPECT_EQ(table.columns[0].values, (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(table.columns[1].type, ColumnType::integer);
  EXPECT_EQ(table.columns[1].values[0], 36);
  EXPECT_TRUE(std::isnan(table.columns[1].values[1]));
  EXPECT_TRUE(std::isnan(table.columns[1].values[2]));
  EXPECT_EQ(table.columns[2].type, ColumnType::number);
  EXPECT_EQ(table.columns[2].values[1], 1.7);
  EXPECT_TRUE(std::isnan(table.columns[2].values[2]));
  EXPECT_EQ(table.columns[3].type, ColumnType::boolean);
  EXPECT_EQ(table.columns[3].values[0], 1);
  EXPECT_EQ(table.columns[3].values[1], 0);
  EXPECT_EQ(table.columns[4].type, ColumnType::datetime);
  EXPECT_EQ(table.columns[4].values[1], -6080140800.0);
}

TEST(Csv, QuotesFollowRfc4180) {
  const Table table = read_one(
      "\"a \"\"b\"\"\",c\n\"x,y\",\"line\nbreak\"\n\"say \"\"hi\"\"\",\"\"\n\"  kept  \",  trimmed  \n");
  EXPECT_EQ(table.columns[0].name, "a \"b\"");
  EXPECT_EQ(texts_of(table.columns[0]), (std::vector<std::string>{"x,y", "say \"hi\"", "  kept  "}));
  EXPECT_EQ(texts_of(table.columns[1]), (std::vector<std::string>{"line\nbreak", "", "trimmed"}));
  EXPECT_TRUE(std::isnan(table.columns[1].values[1]));
}

TEST(Csv, AQuoteInsideAnUnquotedCellStandsForItself) {
  const std::string text = "size,n\n5\" pipe,1\n\"7\"\" pipe\",2\n6'2\",3\n";
  for (const std::size_t chunk : {1UL, 5UL, 1000UL}) {
    const auto read = read_text({text, text}, {}, chunk);
    EXPECT_EQ(texts_of(read.tables[0].columns[0]),
              (std::vector<std::string>{"5\" pipe", "7\" pipe", "6'2\""}))
        << chunk;
    EXPECT_EQ(read.tables[0].columns[1].values, (std::vector<double>{1, 2, 3})) << chunk;
  }
}

TEST(Csv, AnyLineEndAndAByteOrderMark) {
  for (const std::string end : {"\n", "\r\n", "\r"}) {
    for (const bool last_end : {true, false}) {
      for (const std::size_t chunk : {1UL, 2UL, 3UL, 64UL}) {
        const std::string text =
            "\xEF\xBB\xBF"
            "a,b" +
            end + "1,x" + end + "2,y" + (last_end ? end : "");
        const auto read = read_text({text, text}, {}, chunk);
        EXPECT_EQ(read.tables[0].columns[0].name, "a");
        EXPECT_EQ(read.tables[0].columns[0].values, (std::vector<double>{1, 2}));
        EXPECT_EQ(texts_of(read.tables[0].columns[1]), (std::vector<std::string>{"x", "y"}));
        EXPECT_TRUE(read.warnings.empty());
      }
    }
  }
}

TEST(Csv, FindsTheDelimiterInTheHeader) {
  for (const std::string delimiter : {",", ";", "\t", "|"}) {
    const Table table =
        read_one("a" + delimiter + "b" + delimiter + "\"c,;|\"\n1" + delimiter + "2" + delimiter + "3\n");
    ASSERT_EQ(table.columns.size(), 3U) << delimiter;
    EXPECT_EQ(table.columns[2].values[0], 3);
  }
  EXPECT_EQ(read_one("only\n1\n2\n").columns[0].values, (std::vector<double>{1, 2}));
}

TEST(Csv, BlankLinesAreNoRowsButAWarning) {
  const auto read = read_text({"a,b\n1,2\n\n3,4\n\n", "a,b\n1,2\n3,4\n"}, {}, 3);
  EXPECT_EQ(read.tables[0].rows, 2U);
  EXPECT_EQ(read.tables[0].columns[1].values, (std::vector<double>{2, 4}));
  ASSERT_EQ(read.codes(), (std::vector<std::string>{"blank_lines"}));
}

TEST(Csv, ColumnsWithoutANameGetOneWithAWarning) {
  const auto read = read_text({",a\n0,5\n1,6\n", ",a\n0,5\n1,6\n"});
  EXPECT_EQ(read.tables[0].columns[0].name, "column_1");
  EXPECT_EQ(read.codes(), (std::vector<std::string>{"unnamed_columns", "unnamed_columns"}));
  EXPECT_EQ(read.warnings[0].message,
            "p.csv: columns without a name are called 'column_1'; if one of them numbers the rows, leave it "
            "out (option ignore)");
}

TEST(Csv, NumbersInEveryNotation) {
  const Table table =
      read_one("x\n1.5e3\n +2 \n\"3.25\"\n-.5\n12345678901234567890123\n0.1234567890123456789012345\n");
  EXPECT_EQ(table.columns[0].values, (std::vector<double>{1500, 2, 3.25, -0.5, 12345678901234567890123.0,
                                                          0.1234567890123456789012345}));
}

TEST(Csv, LeadingZerosOfOneTableAreWorthAWarning) {
  const std::string padded = "zip,x\n01234,1\n\"02345\",2\n34567,3\n";
  const std::string shortened = "zip,x\n1234,1\n2345,2\n34567,3\n";
  const auto numbers = read_text({padded, shortened});
  EXPECT_EQ(numbers.tables[0].columns[0].values, (std::vector<double>{1234, 2345, 34567}));
  EXPECT_EQ(numbers.tables[0].columns[0].values, numbers.tables[1].columns[0].values);
  ASSERT_EQ(numbers.codes(), std::vector<std::string>{"leading_zeros"});
  EXPECT_NE(numbers.warnings[0].message.find("'zip' (in p.csv)"), std::string::npos);
  EXPECT_EQ(
      read_text({shortened, padded}).warnings.at(0).message,
      "only one table has numbers with leading zeros: 'zip' (in q.csv); they are compared by their values, "
      "so that 01234 equals 1234");
  EXPECT_TRUE(read_text({padded, padded}).warnings.empty());
  LoadOptions options;
  options.categorical = {"zip"};
  const auto levels = read_text({padded, shortened}, options);
  EXPECT_EQ(levels.tables[0].columns[0].levels, (std::vector<std::string>{"1234", "2345", "34567"}));
  EXPECT_TRUE(levels.warnings.empty());
}

TEST(Csv, ATypeThatShowsLateIsStillRight) {
  // Beyond what the sample of the first rows sees, in another chunk than the numbers before it.
  std::string numbers = "x,y,z\n";
  for (int row = 0; row < 60'000; ++row) numbers += "1,2,\n";
  const std::string text = numbers + "1.5,unknown,2020-01-01\n";
  const auto read = read_text({text, text});
  const auto& columns = read.tables[1].columns;
  EXPECT_EQ(columns[0].type, ColumnType::number);
  EXPECT_EQ(columns[1].type, ColumnType::category);
  EXPECT_EQ(columns[1].levels, (std::vector<std::string>{"2", "unknown"}));
  EXPECT_EQ(columns[1].values.back(), 1);
  EXPECT_EQ(columns[1].values.front(), 0);
  EXPECT_EQ(columns[2].type, ColumnType::datetime);
  EXPECT_EQ(read.codes(), (std::vector<std::string>{"mostly_numbers"}));
  EXPECT_NE(read.warnings[0].message.find("row 60001 (line 60002), column 'y': 'unknown'"),
            std::string::npos);
}

// A table with everything in it that makes chunks hard to cut.
std::string awkward_text(std::uint64_t seed) {
  RandomStream random(seed);
  std::string text = "n,t,d,b\n";
  for (int row = 0; row < 300; ++row) {
    text += std::to_string(random.normal()) + ",";
    const auto kind = random.below(6);
    text += kind == 0   ? "\"a\nb\""
            : kind == 1 ? "\"q\"\"q,\""
            : kind == 2 ? "é"
            : kind == 3 ? "\"\r\n\""
                        : "w" + std::to_string(random.below(5));
    text += random.below(5) == 0 ? "," : ",2020-01-0" + std::to_string(1 + random.below(9));
    text += random.below(2) == 0 ? ",true" : ",false";
    text += random.below(3) == 0 ? "\r\n" : random.below(2) == 0 ? "\n" : "\r";
    if (random.below(50) == 0) text += "\n";
  }
  return text;
}

void expect_equal(const std::vector<Table>& a, const std::vector<Table>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t t = 0; t < a.size(); ++t) EXPECT_EQ(content_hash(a[t]), content_hash(b[t]));
}

TEST(Csv, NeitherChunksNorThreadsShow) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::string p = awkward_text(seed);
    const std::string q = awkward_text(seed + 100);
    const auto whole = read_text({p, q}, {}, p.size() + q.size());
    EXPECT_EQ(whole.tables[0].rows, 300U);
    for (const std::size_t chunk : {1UL, 2UL, 3UL, 7UL, 64UL, 65UL, 1000UL}) {
      for (const std::size_t threads : {1UL, 4UL}) {
        with_threads(threads, [&] {
          const auto cut = read_text({p, q}, {}, chunk);
          expect_equal(whole.tables, cut.tables);
          EXPECT_EQ(whole.codes(), cut.codes());
        });
      }
    }
  }
}

class CsvFiles : public testing::Test {
 protected:
  void SetUp() override {
    directory_ = std::filesystem::temp_directory_path() / ("jsdiv_csv_test_" + std::to_string(::getpid()));
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    const std::string path = (directory_ / name).string();
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }
  static std::vector<Table> read(const std::vector<std::string>& paths) {
    std::vector<Warning> warnings;
    return read_tables(paths, {}, warnings);
  }
  std::string rejection_of(const std::vector<std::string>& paths) const {
    try {
      read(paths);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    ADD_FAILURE() << "nothing was rejected";
    return "";
  }

  std::filesystem::path directory_;
};

std::string gzip(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST_F(CsvFiles, CompressedOrNotIsTheSameTable) {
  const std::string text = awkward_text(3);
  const std::string plain = write("p.csv", text);
  const std::string joined = gzip(text.substr(0, 100)) + gzip(text.substr(100));
  const auto expected = read({plain, plain});
  expect_equal(expected, read({plain, write("p.csv.gz", gzip(text))}));
  expect_equal(expected, read({plain, write("joined.csv.gz", joined)}));
  expect_equal(expected, read({plain, write("p.csv.zst", zstd(text))}));
  expect_equal(expected,
               read({plain, write("joined.csv.zst", zstd(text.substr(0, 50)) + zstd(text.substr(50)))}));
}

TEST_F(CsvFiles, TsvIsTabulatedWhateverItsHeaderSays) {
  const std::string path = write("p.tsv", "a,b,c\td\n1\t2\n");
  const auto tables = read({path, path});
  ASSERT_EQ(tables[0].columns.size(), 2U);
  EXPECT_EQ(tables[0].columns[0].name, "a,b,c");
}

TEST_F(CsvFiles, TheHashIsThatOfTheFile) {
  const std::string bytes = gzip("a\n1\n");
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  const auto tables = read({write("p.csv.gz", bytes), write("q.csv", "a\n1\n")});
  EXPECT_EQ(tables[0].sha256, hash.finish());
  EXPECT_EQ(tables[1].sha256, "309b0e45a73d3fc5325e2b6ed0a01ef8b9cde6b05a5633c1f893f970d52bfddc");
  EXPECT_EQ(tables[0].source, (directory_ / "p.csv.gz").string());
}

TEST_F(CsvFiles, FilesThatCannotBeRead) {
  const std::string good = write("good.csv", "a\n1\n");
  EXPECT_NE(rejection_of({(directory_ / "none.csv").string(), good}).find("no such file"), std::string::npos);
  std::filesystem::create_directory(directory_ / "empty");
  EXPECT_NE(rejection_of({(directory_ / "empty").string(), good}).find("no part files"), std::string::npos);
  EXPECT_NE(rejection_of({good, write("cut.csv.gz", gzip("a\n1\n2\n3\n").substr(0, 20))}).find("gzip"),
            std::string::npos);
  EXPECT_NE(rejection_of({good, write("cut.csv.zst", zstd("a\n1\n2\n3\n").substr(0, 12))}).find("zstd"),
            std::string::npos);
  EXPECT_NE(rejection_of({good, write("plain.csv.gz", "a\n1\n")}).find("not compressed"), std::string::npos);
  EXPECT_NE(rejection_of({good, write("empty.csv", "")}).find("empty"), std::string::npos);
}

TEST_F(CsvFiles, ParquetNeedsABuildWithArrow) {
  const std::string good = write("good.csv", "a\n1\n");
  const std::string message = rejection_of({good, write("q.parquet", "PAR1")});
  EXPECT_NE(message.find(has_arrow() ? "not a readable Parquet file" : "needs Arrow"), std::string::npos);
}

TEST(CsvScale, AHundredThousandColumns) {
  std::string text;
  for (int column = 0; column < 100'000; ++column)
    text += (column == 0 ? "c" : ",c") + std::to_string(column);
  for (int row = 0; row < 3; ++row) {
    text += '\n';
    for (int column = 0; column < 100'000; ++column)
      text += std::string(column == 0 ? "" : ",") + (column % 7 == 0 ? "x" : "1.5");
  }
  const Table table = read_one(text + '\n');
  ASSERT_EQ(table.columns.size(), 100'000U);
  EXPECT_EQ(table.columns[99'999].values, (std::vector<double>{1.5, 1.5, 1.5}));
  EXPECT_EQ(table.columns[0].type, ColumnType::category);
}

TEST(CsvErrors, SayWhereAndWhat) {
  const std::string good = "a,b\n1,2\n";
  EXPECT_EQ(rejection({"", good}), "p.csv: the file is empty; it needs a header line and rows");
  EXPECT_EQ(rejection({"\n\n", good}), "p.csv: the file is empty; it needs a header line and rows");
  EXPECT_EQ(rejection({good, "a,b\n"}), "q.csv: no data rows after the header; the table needs rows");
  EXPECT_EQ(rejection({good, "a,b\n\n\n"}), "q.csv: no data rows after the header; the table needs rows");
  EXPECT_EQ(rejection({good, "a,a\n1,2\n"}), "q.csv: header: two columns are named 'a'; rename one of them");
  EXPECT_EQ(rejection({good, "a,b\n1,2\n\"x\ny\",2\n\n3\n4,5\n"}),
            "q.csv: row 3 (line 6): 1 cell where the header has 2; complete the row, or quote cells that "
            "contain the delimiter ','");
  EXPECT_EQ(rejection({good, "a,b\n1,2,3\n"}),
            "q.csv: row 1 (line 2): 3 cells where the header has 2; complete the row, or quote cells that "
            "contain the delimiter ','");
  EXPECT_EQ(rejection({good, "a,b\n1,\"2\n3,4\n"}),
            "q.csv: row 1 (line 2), column 'b': a quoted cell is never closed; add the missing quote");
  EXPECT_EQ(rejection({good, "a,\"b\n1,2\n"}),
            "q.csv: header: a quoted name is never closed; add the missing quote");
  EXPECT_EQ(rejection({good, "a,b\n1,2\n\"3\"4,5\n"}),
            "q.csv: row 2 (line 3), column 'a': text after the closing quote; double the quotes inside a "
            "quoted cell");
  EXPECT_EQ(rejection({good, std::string("a,b\n1,2\n3,\0\n", 12)}),
            "q.csv: row 2 (line 3), byte 11 of the text: a NUL byte; this is not a text table (save it as "
            "UTF-8 CSV)");
  EXPECT_EQ(rejection({good, "a,b\n1,2\n3,\xFF\n"}),
            "q.csv: row 2 (line 3), byte 11 of the text: not valid UTF-8; convert the file, for example with "
            "iconv");
  EXPECT_EQ(rejection({good, "a,\xC3\n1,2\n"}),
            "q.csv: header, byte 3 of the text: not valid UTF-8; convert the file, for example with iconv");
  EXPECT_EQ(rejection({good, std::string("\xFF\xFE"
                                         "a\0",
                                         4)}),
            "q.csv: is UTF-16; save it as UTF-8");
}

TEST(CsvErrors, TheFirstFaultIsReportedWhateverTheChunks) {
  std::string text = "a,b\n";
  for (int row = 1; row <= 200; ++row) text += row % 50 == 0 ? "1\n" : "1,2\n";
  for (const std::size_t chunk : {1UL, 10UL, 100UL, 10'000UL}) {
    try {
      read_text({"a,b\n1,2\n", text}, {}, chunk);
      FAIL();
    } catch (const InvalidInput& error) {
      EXPECT_EQ(std::string(error.what()).find("q.csv: row 50 (line 51): 1 cell"), 0U) << error.what();
    }
  }
}

TEST(CsvErrors, Utf8IsJudgedAcrossChunks) {
  const std::string good = "a\né\n\xE2\x82\xAC\n\xF0\x9F\x98\x80\nok\n";
  for (std::size_t chunk = 1; chunk < good.size() + 1; ++chunk)
    EXPECT_NO_THROW(read_text({good, good}, {}, chunk)) << chunk;
  for (const std::string bad :
       {"\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\x80", "\xF0\x80\x80\x80"}) {
    const std::string text = "a\nx" + bad + "\n";
    for (std::size_t chunk = 1; chunk < text.size() + 1; ++chunk) {
      EXPECT_THROW(read_text({text, text}, {}, chunk), InvalidInput) << chunk;
    }
  }
}

TEST(CsvWriter, WritesWhatTheReaderReadsBack) {
  const auto read = read_text({awkward_text(11), awkward_text(12)});
  const std::string p = write_csv(read.tables[0]);
  const std::string q = write_csv(read.tables[1]);
  const auto again = read_text({p, q});
  expect_equal(read.tables, again.tables);
  EXPECT_TRUE(again.warnings.empty());
}

TEST(CsvWriter, QuotesAndDisarmsText) {
  Table table;
  table.rows = 6;
  table.columns.push_back({"=x",
                           ColumnType::category,
                           {0, 1, 2, 3, 4, 5},
                           {"+1 call", "-5", "=1+1", "@a", "a \"b\", c", "plain"}});
  table.columns.push_back({"v", ColumnType::number, {0.1, -2, std::nan(""), 1e21, 5, 1.0 / 3}, {}});
  EXPECT_EQ(
      write_csv(table),
      "'=x,v\n'+1 call,0.1\n-5,-2\n'=1+1,\n'@a,1e+21\n\"a \"\"b\"\", c\",5\nplain,0.3333333333333333\n");
  Table single;
  single.rows = 2;
  single.columns.push_back({"v", ColumnType::number, {std::nan(""), 1}, {}});
  EXPECT_EQ(write_csv(single), "v\n\"\"\n1\n");
}

}  // namespace
}  // namespace jsdiv
