#include "self_check/resplit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "core/numeric.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Sample sample_of(std::vector<double> values, std::size_t rows_p) {
  Sample sample;
  sample.table_rows = {rows_p, values.size() - rows_p};
  sample.columns = {{.name = "x", .values = std::move(values)}};
  return sample;
}

TEST(PoolRows, CountsEqualRowsOnce) {
  const PooledRows rows = pool_rows(sample_of({1, 2, 1, missing, missing}, 2), "");
  EXPECT_EQ(rows.same_value, (std::vector<std::uint32_t>{0, 1, 0, 2, 2}));
  EXPECT_EQ(rows.distinct, 3);
  EXPECT_DOUBLE_EQ(rows.share_p, 0.4);
  EXPECT_EQ(rows.table.columns.size(), 1);
}

TEST(Divide, KnowsTheDivergenceOfTwoRows) {
  // Two rows with posteriors σ(s) and 1 - σ(s): JSD = 1 - H(σ(s)), and H(0.11002786) = 1/2.
  const PooledRows rows = pool_rows(sample_of({1, 2}, 1), "");
  const auto division = divide(rows, std::vector<double>{-3, 3}, 0.5);
  ASSERT_TRUE(division);
  EXPECT_NEAR(division->jsd, 0.5, 1e-9);
  EXPECT_NEAR(division->posteriors[0], 0.11002786443835955, 1e-9);
  EXPECT_NEAR(division->strength, logit(1 - 0.11002786443835955) / 3, 1e-8);
}

TEST(Divide, GivesPItsShareOfTheRows) {
  std::vector<double> values, g;
  for (int i = 0; i < 400; ++i) {
    values.push_back(i);
    g.push_back(std::sin(i));
  }
  const PooledRows rows = pool_rows(sample_of(values, 40), "");
  for (const double wanted : {0.0, 0.1, 0.6}) {
    const auto division = divide(rows, g, wanted);
    ASSERT_TRUE(division);
    double p = 0, jsd = 0;
    for (const double posterior : division->posteriors) p += posterior / 400;
    EXPECT_NEAR(p, 0.1, 1e-9);
    // From the two tables' masses themselves.
    for (const double posterior : division->posteriors) {
      const double a = posterior / (400 * p), b = (1 - posterior) / (400 * (1 - p)), m = (a + b) / 2;
      jsd += (a * std::log2(a / m) + b * std::log2(b / m)) / 2;
    }
    EXPECT_NEAR(jsd, wanted, 1e-6);
  }
}

TEST(Divide, TakesEqualRowsTogether) {
  // Two values with two rows each: whatever g says of single rows, rows of one value share its mean.
  const PooledRows rows = pool_rows(sample_of({1, 1, 2, 2}, 2), "");
  const auto division = divide(rows, std::vector<double>{0, 2, 4, 6}, 0.3);
  ASSERT_TRUE(division);
  EXPECT_DOUBLE_EQ(division->posteriors[0], division->posteriors[1]);
  EXPECT_FALSE(divide(rows, std::vector<double>{0, 2, 0, 2}, 0.3));
  EXPECT_TRUE(divide(rows, std::vector<double>{0, 2, 0, 2}, 0.0));
  EXPECT_FALSE(divide(pool_rows(sample_of({1, 1}, 1), ""), std::vector<double>{0, 1}, 0.3));
}

TEST(Divide, KeepsGroupsTogether) {
  Sample sample = sample_of({1, 2, 3, 4, 5, 6}, 3);
  sample.group_labels = {"a", "b", "c"};
  sample.groups = {0, 0, 1, 1, 2, 2};
  const PooledRows rows = pool_rows(sample, "who");
  ASSERT_EQ(rows.table.columns.size(), 2);
  const auto division = divide(rows, std::vector<double>{1, 2, 3, 4, 5, 6}, 0.4);
  ASSERT_TRUE(division);
  bool both = false;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto tables = draw_division(rows, *division, RandomStream(seed));
    std::set<double> groups_of_p(tables[0].columns[1].values.begin(), tables[0].columns[1].values.end());
    for (const double group : tables[1].columns[1].values) EXPECT_FALSE(groups_of_p.contains(group));
    EXPECT_EQ(tables[0].rows + tables[1].rows, 6);
    both = both || (tables[0].rows > 0 && tables[1].rows > 0);
  }
  EXPECT_TRUE(both);
}

TEST(Divide, TakesEqualRowsOfDifferentGroupsAsOnePoint) {
  // One value in two groups, that go to P with probabilities d and 1 - d: both tables hold the same value.
  Sample sample = sample_of({7, 7}, 1);
  sample.group_labels = {"a", "b"};
  sample.groups = {0, 1};
  EXPECT_FALSE(divide(pool_rows(sample, "who"), std::vector<double>{-1, 1}, 0.2));
}

TEST(DrawDivision, FollowsThePosteriors) {
  std::vector<double> values;
  for (int i = 0; i < 4000; ++i) values.push_back(i);
  const PooledRows rows = pool_rows(sample_of(values, 2000), "");
  std::vector<double> g;
  for (int i = 0; i < 4000; ++i) g.push_back(i < 2000 ? 1 : -1);
  const auto division = divide(rows, g, 0.2);
  ASSERT_TRUE(division);
  const auto tables = draw_division(rows, *division, RandomStream(1));
  double high = 0;
  for (const double value : tables[0].columns[0].values) high += value < 2000;
  // A binomial count of 2000 rows, within five standard deviations.
  const double expected = 2000 * division->posteriors[0];
  EXPECT_NEAR(high, expected, 5 * std::sqrt(expected * (1 - division->posteriors[0])));
}

}  // namespace
}  // namespace jsdiv
