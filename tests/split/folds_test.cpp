#include "split/folds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

struct Labelled {
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;

  Labelled(std::size_t rows_p, std::size_t rows_q) : labels(rows_p + rows_q, 0), rows(rows_p + rows_q) {
    std::fill_n(labels.begin(), rows_p, std::uint8_t{1});
    std::iota(rows.begin(), rows.end(), RowIndex{0});
  }

  std::size_t count(const std::vector<RowIndex>& part, std::uint8_t label) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(part, [&](RowIndex row) { return labels[row] == label; }));
  }
};

void expect_partition(const std::vector<Fold>& folds, std::vector<RowIndex> rows) {
  std::vector<RowIndex> all;
  for (const Fold& fold : folds) {
    all.insert(all.end(), fold.held_out.begin(), fold.held_out.end());
    std::vector<RowIndex> both = fold.train;
    both.insert(both.end(), fold.held_out.begin(), fold.held_out.end());
    std::ranges::sort(both);
    EXPECT_EQ(both, rows) << "train and held_out are not complementary";
    EXPECT_TRUE(std::ranges::is_sorted(fold.train));
    EXPECT_TRUE(std::ranges::is_sorted(fold.held_out));
  }
  std::ranges::sort(all);
  EXPECT_EQ(all, rows) << "a row is not held out exactly once";
}

TEST(Folds, HoldEveryRowOutOnceAndSpreadEachClassEvenly) {
  for (const auto& [rows_p, rows_q, k] :
       {std::array<std::size_t, 3>{23, 41, 5}, {5, 100, 5}, {2, 2, 2}, {99, 10, 10}}) {
    const Labelled data(rows_p, rows_q);
    const auto folds = stratified_folds(data.rows, data.labels, {}, k, RandomStream(1));
    ASSERT_EQ(folds.size(), k);
    expect_partition(folds, data.rows);
    for (const Fold& fold : folds) {
      EXPECT_GE(data.count(fold.held_out, 1), rows_p / k);
      EXPECT_LE(data.count(fold.held_out, 1), (rows_p + k - 1) / k);
      EXPECT_GE(data.count(fold.held_out, 0), rows_q / k);
      EXPECT_LE(data.count(fold.held_out, 0), (rows_q + k - 1) / k);
      EXPECT_LE(fold.held_out.size(), (rows_p + rows_q + k - 1) / k);
    }
  }
}

TEST(Folds, CutASubsetWithoutTouchingOtherRows) {
  const Labelled data(30, 30);
  const std::vector<RowIndex> subset = {1, 3, 5, 7, 31, 33, 35, 37};
  expect_partition(stratified_folds(subset, data.labels, {}, 4, RandomStream(1)), subset);
}

TEST(Folds, DependOnTheStreamAlone) {
  const Labelled data(50, 50);
  const auto first = stratified_folds(data.rows, data.labels, {}, 5, RandomStream(7));
  const auto again = stratified_folds(data.rows, data.labels, {}, 5, RandomStream(7));
  const auto other = stratified_folds(data.rows, data.labels, {}, 5, RandomStream(8));
  EXPECT_EQ(first[2].held_out, again[2].held_out);
  EXPECT_NE(first[2].held_out, other[2].held_out);
}

TEST(Folds, ShuffleBeforeDealing) {
  // The chance that rows 0 and 1 share one of five folds is 9/49; over 2,000 seeds its error is 0.009.
  const Labelled data(50, 50);
  int together = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const auto folds = stratified_folds(data.rows, data.labels, {}, 5, RandomStream(seed));
    for (const Fold& fold : folds) {
      together +=
          std::ranges::binary_search(fold.held_out, 0U) && std::ranges::binary_search(fold.held_out, 1U);
    }
  }
  EXPECT_NEAR(together / 2000.0, 9.0 / 49, 0.036);
}

TEST(Folds, KeepGroupsTogetherAndClassesBalanced) {
  const Labelled data(300, 200);
  RandomStream random(3);
  std::vector<std::uint32_t> groups(500);
  for (auto& group : groups) group = static_cast<std::uint32_t>(random.below(60));
  const auto folds = stratified_folds(data.rows, data.labels, groups, 5, RandomStream(4));
  expect_partition(folds, data.rows);
  std::map<std::uint32_t, std::set<std::size_t>> folds_of_group;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    for (const RowIndex row : folds[k].held_out) folds_of_group[groups[row]].insert(k);
    EXPECT_NEAR(static_cast<double>(data.count(folds[k].held_out, 1)), 60, 6);
    EXPECT_NEAR(static_cast<double>(data.count(folds[k].held_out, 0)), 40, 6);
  }
  for (const auto& [group, where] : folds_of_group) EXPECT_EQ(where.size(), 1U) << "group " << group;
}

TEST(Folds, BalanceGroupsOfOneTableEach) {
  // Groups of 7, 5, 4, 3, 2, 2, 1 rows of P fit two parts of 12 exactly.
  const std::vector<std::size_t> sizes = {7, 5, 4, 3, 2, 2, 1};
  const Labelled data(24, 24);
  std::vector<std::uint32_t> groups;
  for (std::size_t table = 0; table < 2; ++table) {
    for (std::size_t g = 0; g < sizes.size(); ++g) {
      groups.insert(groups.end(), sizes[g], static_cast<std::uint32_t>(table * sizes.size() + g));
    }
  }
  const auto halves = stratified_halves(data.rows, data.labels, groups, RandomStream(5));
  EXPECT_EQ(data.count(halves[0], 1), 12U);
  EXPECT_EQ(data.count(halves[0], 0), 12U);
}

TEST(Folds, HalvesAreComplementaryStratifiedPartsOfTrain) {
  const Labelled data(31, 52);
  for (const bool grouped : {false, true}) {
    std::vector<std::uint32_t> groups;
    if (grouped) {
      for (std::size_t row = 0; row < 83; ++row) groups.push_back(static_cast<std::uint32_t>(row / 2));
    }
    for (const Fold& plain : stratified_folds(data.rows, data.labels, groups, 4, RandomStream(1))) {
      const HalvedFold fold = with_halves(plain, data.labels, groups, RandomStream(2));
      EXPECT_EQ(fold.train, plain.train);
      EXPECT_EQ(fold.held_out, plain.held_out);
      std::vector<RowIndex> both = fold.halves[0];
      both.insert(both.end(), fold.halves[1].begin(), fold.halves[1].end());
      std::ranges::sort(both);
      EXPECT_EQ(both, fold.train);
      const std::size_t tolerance = grouped ? 2 : 1;
      for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
        const auto first = data.count(fold.halves[0], label);
        const auto second = data.count(fold.halves[1], label);
        EXPECT_LE(first > second ? first - second : second - first, tolerance);
      }
      if (!grouped) continue;
      std::set<std::uint32_t> in_first;
      for (const RowIndex row : fold.halves[0]) in_first.insert(groups[row]);
      for (const RowIndex row : fold.halves[1]) EXPECT_FALSE(in_first.contains(groups[row]));
    }
  }
}

TEST(Folds, SayWhatIsMissingWhenThereAreFewerRowsThanFolds) {
  const Labelled data(4, 40);
  try {
    stratified_folds(data.rows, data.labels, {}, 5, RandomStream(1));
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(),
                 "P has 4 rows to split into 5 parts, and each part needs at least one; provide more rows");
  }
}

TEST(Folds, RefuseGroupsThatCannotBeSpread) {
  const Labelled data(40, 40);
  std::vector<std::uint32_t> groups(80, 0);
  std::fill(groups.begin() + 60, groups.end(), 1U);
  EXPECT_THROW(stratified_folds(data.rows, data.labels, groups, 5, RandomStream(1)), InvalidInput);
}

}  // namespace
}  // namespace jsdiv
