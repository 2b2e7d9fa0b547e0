#include "split/paper_split.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

Sample sample_of(std::vector<std::size_t> table_rows) {
  Sample sample;
  sample.table_rows = std::move(table_rows);
  return sample;
}

std::size_t rows_below(const std::vector<RowIndex>& part, std::size_t bound) {
  return static_cast<std::size_t>(std::ranges::count_if(part, [&](RowIndex row) { return row < bound; }));
}

void expect_disjoint(const PaperSplit& split) {
  std::vector<RowIndex> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  EXPECT_EQ(std::set<RowIndex>(all.begin(), all.end()).size(), all.size());
}

TEST(PaperSplit, DefaultsToHalfQuarterQuarter) {
  const PaperSplit split = paper_split(sample_of({100, 100}), {}, {}, 0);
  expect_disjoint(split);
  EXPECT_EQ(split.train.size(), 100U);
  EXPECT_EQ(split.test.size(), 50U);
  EXPECT_EQ(split.validation.size(), 50U);
  EXPECT_EQ(rows_below(split.train, 100), 50U);
  EXPECT_EQ(rows_below(split.test, 100), 25U);
  EXPECT_TRUE(std::ranges::is_sorted(split.train));
}

TEST(PaperSplit, LeavesTheRestAndFurtherTablesUnused) {
  const PaperSplit split = paper_split(sample_of({100, 100, 30}), 40, 10, 0);
  expect_disjoint(split);
  EXPECT_EQ(split.train.size(), 80U);
  EXPECT_EQ(split.test.size(), 20U);
  EXPECT_EQ(split.validation.size(), 20U);
  EXPECT_LT(split.train.back(), 200U);
}

TEST(PaperSplit, CutsTheSmallerTableInTheSameProportions) {
  for (const bool p_is_larger : {true, false}) {
    const std::size_t rows_p = p_is_larger ? 6000 : 600;
    const PaperSplit split = paper_split(sample_of({rows_p, 6600 - rows_p}), 2000, 1000, 3);
    expect_disjoint(split);
    EXPECT_EQ(rows_below(split.train, rows_p), p_is_larger ? 2000U : 200U);
    EXPECT_EQ(split.train.size(), 2200U);
    EXPECT_EQ(split.test.size(), 1100U);
    EXPECT_EQ(split.validation.size(), 1100U);
  }
}

TEST(PaperSplit, IsDecidedByTheSeed) {
  const Sample sample = sample_of({60, 60});
  EXPECT_EQ(paper_split(sample, {}, {}, 1).train, paper_split(sample, {}, {}, 1).train);
  EXPECT_NE(paper_split(sample, {}, {}, 1).train, paper_split(sample, {}, {}, 2).train);
}

TEST(PaperSplit, PutsEachRowInEachPartAsOftenAsTheSizesSay) {
  const Sample sample = sample_of({8, 8});
  int row_trains = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    row_trains += std::ranges::binary_search(paper_split(sample, {}, {}, seed).train, 3U);
  }
  EXPECT_NEAR(row_trains / 2000.0, 0.5, 0.045);  // four standard errors
}

TEST(PaperSplit, KeepsGroupsTogether) {
  Sample sample = sample_of({400, 200});
  for (std::size_t row = 0; row < 600; ++row) sample.groups.push_back(static_cast<std::uint32_t>(row % 150));
  const PaperSplit split = paper_split(sample, {}, {}, 1);
  expect_disjoint(split);
  std::set<std::uint32_t> seen;
  for (const auto* part : {&split.train, &split.test, &split.validation}) {
    std::set<std::uint32_t> in_part;
    for (const RowIndex row : *part) in_part.insert(sample.groups[row]);
    for (const std::uint32_t group : in_part) EXPECT_TRUE(seen.insert(group).second) << "group " << group;
  }
  EXPECT_EQ(split.train.size() + split.test.size() + split.validation.size(), 600U);
  EXPECT_NEAR(static_cast<double>(rows_below(split.train, 400)), 200, 4);
  EXPECT_NEAR(static_cast<double>(split.train.size()), 300, 6);
  EXPECT_NEAR(static_cast<double>(rows_below(split.test, 400)), 100, 4);
}

TEST(PaperSplit, RefusesGroupsThatAreTooCoarse) {
  Sample sample = sample_of({40, 40});
  sample.groups.assign(80, 0);
  std::fill(sample.groups.begin() + 20, sample.groups.end(), 1U);
  EXPECT_THROW(paper_split(sample, {}, {}, 1), InvalidInput);
}

std::string message_of(const Sample& sample, std::optional<std::size_t> train,
                       std::optional<std::size_t> eval) {
  try {
    paper_split(sample, train, eval, 0);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(PaperSplit, SaysWhatDoesNotFit) {
  EXPECT_EQ(message_of(sample_of({100, 80}), 60, 21),
            "train = 60 and eval = 21 need 60 + 2 * 21 rows, but the larger table has 100; lower one "
            "of them, or provide more rows");
  EXPECT_EQ(
      message_of(sample_of({100, 3}), {}, {}),
      "Q has 3 rows; to train, test and validate (train = 50 and eval = 25 of 100 rows) each table needs "
      "at least 4");
  EXPECT_NE(message_of(sample_of({3, 3}), {}, {}).find("at least 4"), std::string::npos);
  EXPECT_NE(message_of(sample_of({0, 0}), {}, {}).find("P has 0 rows"), std::string::npos);
  EXPECT_NE(message_of(sample_of({100, 100}), 0, {}).find("at least 1"), std::string::npos);
  EXPECT_NE(message_of(sample_of({100, 100}), ~std::size_t{0}, 1), "");
  EXPECT_EQ(message_of(sample_of({4, 4}), {}, {}), "");
}

}  // namespace
}  // namespace jsdiv
