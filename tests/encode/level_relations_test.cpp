#include "encode/level_relations.hpp"

#include <gtest/gtest.h>

#include "../support/tables.hpp"
#include "core/rows.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t rows_a_side = 1000;
constexpr std::size_t level_number = 40;

std::vector<std::string> names(std::size_t count) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) result.push_back("l" + std::to_string(100 + i));
  return result;
}

struct Learnt {
  Sample sample;
  std::vector<RowIndex> rows;
  InnerFolds folds;
  LevelRelations relations;
};

/// Relations of a drawn category of 40 levels with a column that is made from level and row.
template <typename Make>
Learnt learn_with(ColumnType type, const Make& make) {
  RandomStream random(1);
  Column category{"category", ColumnType::category, {}, names(level_number)};
  Column other{
      "other", type, {}, type == ColumnType::category ? names(level_number) : std::vector<std::string>{}};
  for (std::size_t row = 0; row < 2 * rows_a_side; ++row) {
    const auto level = static_cast<double>(random.below(level_number));
    category.values.push_back(level);
    other.values.push_back(make(level, row < rows_a_side, random));
  }
  Learnt result{
      sample_of(rows_a_side, rows_a_side, {category, other}), row_range(0, 2 * rows_a_side), {}, {}};
  const auto labels = result.sample.labels();
  result.folds = inner_folds(result.sample, labels, result.rows, RandomStream(2));
  result.relations = find_level_relations(result.sample, {true, type == ColumnType::category}, labels,
                                          result.rows, result.folds);
  return result;
}

TEST(LevelRelations, ANumberIsSeenBesideWhatItsLevelUsuallyHas) {
  const Learnt learnt = learn_with(ColumnType::number, [](double level, bool in_p, RandomStream& random) {
    return 10 * static_cast<double>(static_cast<int>(level) % 7) + (in_p ? 0 : 2) + 0.1 * random.normal();
  });
  ASSERT_EQ(learnt.relations.numbers.size(), 1U);
  EXPECT_EQ(learnt.relations.numbers[0].number(), 1U);
  EXPECT_GT(learnt.relations.numbers[0].explained(), 0.9);
  std::size_t right = 0;
  for (const RowIndex row : learnt.rows) {
    const float beside =
        learnt.relations.numbers[0].of_row(learnt.sample, row, learnt.folds.fold_of_row[row]);
    right += (beside < 0) == (row < rows_a_side) ? 1 : 0;
  }
  EXPECT_GT(right, 1960U);
}

TEST(LevelRelations, ANumberThatLevelsDoNotExplainIsLeftAlone) {
  const Learnt learnt =
      learn_with(ColumnType::number, [](double, bool, RandomStream& random) { return random.normal(); });
  EXPECT_TRUE(learnt.relations.numbers.empty());
}

TEST(LevelRelations, ALevelThatGoesWithOthersInOneTableIsSeenInThePair) {
  const auto drawn_level = [](RandomStream& random) {
    return static_cast<double>(random.below(level_number));
  };
  const Learnt learnt = learn_with(ColumnType::category, [&](double level, bool in_p, RandomStream& random) {
    return in_p ? level : drawn_level(random);
  });
  ASSERT_EQ(learnt.relations.pairs.size(), 1U);
  EXPECT_GT(learnt.relations.pairs[0].gain(), 0.3);
  for (const RowIndex row : learnt.rows) {
    const bool kept = learnt.sample.columns[0].values[row] == learnt.sample.columns[1].values[row];
    const auto told = learnt.relations.pairs[0].of_row(learnt.sample, row, learnt.folds.fold_of_row[row]);
    EXPECT_EQ(told[0] > 0, kept);
  }
}

TEST(LevelRelations, PairsThatTellNoMoreThanTheirColumnsAreLeftOut) {
  // The second level follows from the first in both tables, or from nothing.
  const Learnt same =
      learn_with(ColumnType::category, [](double level, bool, RandomStream&) { return level; });
  EXPECT_TRUE(same.relations.pairs.empty());
  const Learnt shifted = learn_with(ColumnType::category, [](double, bool in_p, RandomStream& random) {
    return static_cast<double>(random.below(in_p ? level_number : level_number / 2));
  });
  EXPECT_TRUE(shifted.relations.pairs.empty());
}

}  // namespace
}  // namespace jsdiv
