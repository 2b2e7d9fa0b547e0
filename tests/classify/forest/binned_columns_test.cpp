#include "classify/forest/binned_columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "jsdiv/random.hpp"

namespace jsdiv::forest {
namespace {

TEST(Between, LiesBelowTheUpperValue) {
  EXPECT_EQ(between(1, 2), 1.5F);
  const float one = 1;
  const float next = std::nextafter(one, 2.0F);
  EXPECT_EQ(between(one, next), one);
  EXPECT_EQ(between(-3e38F, 3e38F), 0.0F);
  EXPECT_TRUE(std::isfinite(between(3e38F, std::numeric_limits<float>::max())));
}

TEST(MakeBins, GivesEachOfFewValuesItsOwnBin) {
  const ColumnBins bins = make_bins({5, 1, 1, 3, 5, 5});
  EXPECT_EQ(bins.low, (std::vector<float>{1, 3, 5}));
  EXPECT_EQ(bins.high, bins.low);
  EXPECT_EQ(bins.edges, (std::vector<float>{2, 4}));
  EXPECT_EQ(bins.bin(-1e30F), 0);
  EXPECT_EQ(bins.bin(2), 0);
  EXPECT_EQ(bins.bin(2.1F), 1);
  EXPECT_EQ(bins.bin(5), 2);
  EXPECT_EQ(bins.bin(1e30F), 2);
}

TEST(MakeBins, GivesAConstantColumnOneBin) {
  const ColumnBins bins = make_bins({7, 7, 7});
  EXPECT_EQ(bins.size(), 1U);
  EXPECT_TRUE(bins.edges.empty());
  EXPECT_EQ(bins.bin(-100), 0);
  EXPECT_EQ(bins.bin(100), 0);
}

TEST(MakeBins, SplitsManyValuesIntoBinsOfEqualFrequency) {
  std::vector<float> values(256 * 40);
  std::iota(values.begin(), values.end(), 0.0F);
  const ColumnBins bins = make_bins(values);
  ASSERT_EQ(bins.size(), max_bins);
  std::vector<int> rows(max_bins);
  for (const float value : values) ++rows[bins.bin(value)];
  EXPECT_EQ(rows, std::vector<int>(max_bins, 40));
}

TEST(MakeBins, KeepsAFrequentValueApart) {
  RandomStream random(1);
  std::vector<float> values(5000, 0.0F);
  for (std::size_t i = 0; i < 4000; ++i) values[i] = static_cast<float>(random.normal());
  const ColumnBins bins = make_bins(values);
  const Bin zero = bins.bin(0);
  EXPECT_EQ(bins.low[zero], 0.0F);
  EXPECT_EQ(bins.high[zero], 0.0F);
  EXPECT_GT(bins.size(), 200U);
}

TEST(MakeBins, EveryValueLiesWithinItsBin) {
  RandomStream random(2);
  std::vector<float> values;
  for (int i = 0; i < 3000; ++i) values.push_back(static_cast<float>(std::exp(20 * random.normal())));
  values.insert(values.end(),
                {3e38F, -3e38F, 0.0F, -0.0F, std::numeric_limits<float>::max(),
                 std::numeric_limits<float>::lowest(), std::numeric_limits<float>::denorm_min()});
  for (int i = 0; i < 300; ++i) values.push_back(0.0F);
  const ColumnBins bins = make_bins(values);
  ASSERT_EQ(bins.edges.size() + 1, bins.size());
  EXPECT_TRUE(std::is_sorted(bins.edges.begin(), bins.edges.end(), std::less_equal<>()));
  for (const float value : values) {
    const Bin bin = bins.bin(value);
    EXPECT_EQ(bin, std::lower_bound(bins.edges.begin(), bins.edges.end(), value) - bins.edges.begin());
    EXPECT_GE(value, bins.low[bin]);
    EXPECT_LE(value, bins.high[bin]);
  }
}

TEST(BinnedColumns, LearnsFromTrainingRowsAlone) {
  Matrix matrix(4, 1);
  std::copy_n(std::vector<float>{1, 2, 100, 4}.begin(), 4, matrix.column(0).begin());
  const std::vector<RowIndex> rows = {3, 0, 1};
  const BinnedColumns binned(matrix.view(), rows);
  EXPECT_EQ(binned.bins(0).high, (std::vector<float>{1, 2, 4}));
  EXPECT_EQ(binned.column(0)[3], 2);
  EXPECT_EQ(binned.column(0)[0], 0);
}

}  // namespace
}  // namespace jsdiv::forest
