#include "explain/cells.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "explain/explained_tables.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<std::uint8_t> halves(std::size_t rows) {
  std::vector<std::uint8_t> labels(2 * rows, 0);
  std::fill_n(labels.begin(), rows, std::uint8_t{1});
  return labels;
}

TEST(Cells, DivergenceOfSharesByHand) {
  EXPECT_DOUBLE_EQ(plug_in_divergence({{{1, 0}, {0, 1}}}), 1);
  EXPECT_DOUBLE_EQ(plug_in_divergence({{{0.25, 0.75}, {0.25, 0.75}}}), 0);
  // 1/2 log2(4/3) + 1/2 (1/2 log2(2/3) + 1/2 log2 2)
  EXPECT_NEAR(plug_in_divergence({{{1, 0}, {0.5, 0.5}}}),
              0.5 * std::log2(4.0 / 3) + 0.25 * std::log2(2.0 / 3) + 0.25, 1e-15);
}

TEST(Cells, BiasOfEqualSharesIsDegreesOfFreedomTimesTheUnit) {
  const CellShares equal = {std::vector<double>(5, 0.2), std::vector<double>(5, 0.2)};
  const std::array<double, 2> rows = {300, 700};
  EXPECT_NEAR(plug_in_bias(equal, rows), 4 * null_unit(rows), 1e-15);
  EXPECT_NEAR(null_unit(rows), (1.0 / 300 + 1.0 / 700) / (8 * std::numbers::ln2), 1e-15);
}

TEST(Cells, TailOfChiSquared) {  // from tables: 5 % points
  EXPECT_NEAR(chi_squared_tail(18.307, 10), 0.05, 0.001);
  EXPECT_NEAR(chi_squared_tail(124.342, 100), 0.05, 0.0005);
  EXPECT_NEAR(chi_squared_tail(3.841, 1), 0.05, 0.003);
  EXPECT_EQ(chi_squared_tail(0, 3), 1);
}

TEST(Cells, LevelsMissingAndRareLevels) {
  const Column column{.name = "c",
                      .type = ColumnType::category,
                      .values = {0, 0, 0, 1, 1, 2, 3, nan},
                      .levels = {"a", "b", "c", "d"}};
  const Cells cells = cut_into_cells(column, halves(4), 3, Bins::common);
  EXPECT_EQ(cells.count, 4U);  // a, b, the others, missing
  EXPECT_EQ(cells.of_row, (std::vector<std::uint8_t>{0, 0, 0, 1, 1, 2, 2, 3}));
}

TEST(Cells, RanksWithinTablesHideAShift) {
  Column column{.name = "x"};
  for (int table = 0; table < 2; ++table) {
    for (int i = 0; i < 100; ++i) column.values.push_back(i + 1000 * table + 0.5);
  }
  const auto labels = halves(100);
  const std::vector<double> shares(200, 0.01);
  const Cells common = cut_into_cells(column, labels, 8, Bins::common);
  const Cells by_rank = cut_into_cells(column, labels, 8, Bins::by_rank);
  EXPECT_DOUBLE_EQ(plug_in_divergence(cell_shares(common, labels, shares)), 1);
  EXPECT_DOUBLE_EQ(plug_in_divergence(cell_shares(by_rank, labels, shares)), 0);
}

TEST(Cells, EqualDistributionsAverageToZeroAndTheTestHoldsItsLevel) {
  const std::size_t rows = 400;
  const int draws = 400;
  double sum = 0;
  double squares = 0;
  int rejected = 0;
  for (int draw = 0; draw < draws; ++draw) {
    RandomStream random = RandomStream(11).child(static_cast<std::uint64_t>(draw));
    Column column{.name = "x"};
    for (std::size_t i = 0; i < 2 * rows; ++i) column.values.push_back(random.normal());
    const auto labels = halves(rows);
    const CountedDivergence counted =
        counted_divergence(cut_into_cells(column, labels, 14, Bins::common), {labels, {}, {}});
    sum += counted.corrected.value;
    squares += counted.corrected.value * counted.corrected.value;
    rejected += counted.p_value < 0.05 ? 1 : 0;
  }
  const double mean = sum / draws;
  const double error = std::sqrt((squares / draws - mean * mean) / draws);
  EXPECT_LT(std::abs(mean), 4 * error);
  // Binomial: 20 expected, standard deviation 4.4.
  EXPECT_GT(rejected, 4);
  EXPECT_LT(rejected, 36);
}

}  // namespace
}  // namespace jsdiv
