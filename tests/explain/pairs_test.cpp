#include "explain/broken_pairs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "explain/drawn_tables.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

TEST(Pairs, RakingGivesCommonMarginsAndKeepsTheOddsRatio) {
  // [a, b]: an odds ratio of 6 in the second table, of 1 in the first.
  std::array<std::vector<double>, 2> shares = {std::vector<double>{0.4, 0.2, 0.1, 0.3},
                                               std::vector<double>{0.25, 0.25, 0.25, 0.25}};
  const auto odds_ratio = [](const std::vector<double>& t) { return t[0] * t[3] / (t[1] * t[2]); };
  const double before = odds_ratio(shares[0]);
  rake_to_common_margins(shares, 2, 2);
  EXPECT_NEAR(odds_ratio(shares[0]), before, 1e-9);
  EXPECT_NEAR(odds_ratio(shares[1]), 1, 1e-9);
  for (const auto& table : shares) {
    EXPECT_NEAR(table[0] + table[1], 0.55, 1e-8);  // the mean of 0.6 and 0.5
    EXPECT_NEAR(table[0] + table[2], 0.5, 1e-8);
  }
}

TEST(Pairs, CellsOfOneTableAloneStayOut) {
  std::array<std::vector<double>, 2> shares = {std::vector<double>{0.5, 0.25, 0.25, 0},
                                               std::vector<double>{0.5, 0.5, 0, 0}};
  rake_to_common_margins(shares, 2, 2);  // the second table lacks a = 1
  for (const auto& table : shares) {
    EXPECT_EQ(table[2], 0);
    EXPECT_NEAR(table[0] + table[1], 1, 1e-12);
  }
}

TEST(Pairs, HolmStopsAtTheFirstThatIsNotEvident) {
  EXPECT_EQ(evident_by_holm(std::vector<double>{0.01, 0.5, 0.02}), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(evident_by_holm(std::vector<double>{0.02, 0.03, 0.9}), (std::vector<bool>{false, false, false}));
}

TEST(Pairs, ABrokenDependenceStandsOutAndShiftedColumnsDoNot) {
  const std::size_t rows = 2000;
  std::vector<Column> columns(4);
  for (std::size_t j = 0; j < 4; ++j) columns[j].name = "x" + std::to_string(j);
  RandomStream random = RandomStream(3).child("pairs");
  for (std::size_t i = 0; i < 2 * rows; ++i) {
    const bool first = i < rows;
    const double a = random.normal();
    const double b = random.normal();
    columns[0].values.push_back(a);
    columns[1].values.push_back(first ? 0.7 * a + std::sqrt(0.51) * random.normal() : random.normal());
    columns[2].values.push_back(first ? b : 2 * b + 3);
    columns[3].values.push_back(0.8 * b + 0.6 * random.normal());  // tied to x2 in both tables alike
  }
  const std::vector<std::size_t> all = {0, 1, 2, 3};
  const auto pairs = study_pairs(drawn_tables(std::move(columns), rows), all);
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_GT(pairs[0].beyond.value, 0.05);  // (0, 1)
  EXPECT_LT(pairs[0].p_value, 1e-10);
  for (std::size_t i = 1; i < pairs.size(); ++i) {
    EXPECT_LT(std::abs(pairs[i].beyond.value), 4 * pairs[i].beyond.standard_error) << i;
    EXPECT_GT(pairs[i].p_value, 0.001) << i;
  }
  EXPECT_GT(pairs[5].together, 0.2);  // (2, 3): the columns differ, their dependence does not
}

TEST(Pairs, ChanceIsRarelyTakenForABrokenDependence) {
  const std::size_t rows = 600;
  int mistaken = 0;
  for (std::uint64_t draw = 0; draw < 80; ++draw) {
    RandomStream random = RandomStream(9).child(draw);
    std::vector<Column> columns(5);
    for (std::size_t j = 0; j < 5; ++j) columns[j].name = "x" + std::to_string(j);
    for (std::size_t i = 0; i < 2 * rows; ++i) {
      const double a = random.normal();
      columns[0].values.push_back(a);
      columns[1].values.push_back(0.8 * a + 0.6 * random.normal());
      columns[2].values.push_back(static_cast<double>(random.below(50)));
      columns[3].values.push_back(random.uniform() < 0.4 ? 0 : random.normal());
      columns[4].values.push_back(static_cast<double>(random.below(3)));
    }
    const std::vector<std::size_t> all = {0, 1, 2, 3, 4};
    std::vector<double> p_values;
    for (const PairStudy& pair : study_pairs(drawn_tables(std::move(columns), rows), all)) {
      p_values.push_back(pair.p_value);
    }
    const auto evident = evident_by_holm(p_values);
    mistaken += std::ranges::count(evident, true) > 0 ? 1 : 0;
  }
  EXPECT_LE(mistaken, 10);  // 4 expected, standard deviation 1.95
}

}  // namespace
}  // namespace jsdiv
