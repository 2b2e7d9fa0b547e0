#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tables.hpp"

namespace jsdiv {
namespace {

TEST(Harmonise, MovesEveryValueToTheNearestGridPoint) {
  SupportFinding finding;
  finding.column = "x";
  finding.kind = "lattice";
  finding.table = 'P';
  finding.lattice = Lattice{1, 0.5};
  Sample sample = pair_of({1, 1.5 + 1e-12, missing}, {1.3, 1.2, -2.9, 7.26});
  sample.columns.push_back(joined("untouched", {1.1, 2, 3}, {4, 5, 6, 7}));
  const Sample result = harmonise(sample, std::vector{finding});
  const std::vector<double>& x = result.columns[0].values;
  EXPECT_EQ(x[0], 1);
  EXPECT_EQ(x[1], 1.5);
  EXPECT_TRUE(std::isnan(x[2]));
  EXPECT_EQ(x[3], 1.5);
  EXPECT_EQ(x[4], 1);
  EXPECT_EQ(x[5], -3);
  EXPECT_EQ(x[6], 7.5);
  EXPECT_EQ(result.columns[1].values, sample.columns[1].values);
  EXPECT_EQ(result.table_rows, sample.table_rows);
}

TEST(Harmonise, MovesTheOtherTableToTheNearestAtom) {
  SupportFinding finding;
  finding.column = "x";
  finding.kind = "atoms";
  finding.table = 'Q';
  finding.atoms = {-1, 0.2, 5};
  const Sample result = harmonise(pair_of({-9, -0.5, 2.5, 2.7, 99}, {-1, 0.2, 5, 0.3}), std::vector{finding});
  EXPECT_EQ(result.columns[0].values, (std::vector<double>{-1, -1, 0.2, 5, 5, -1, 0.2, 5, 0.3}));
}

TEST(Harmonise, LeavesOtherFindingsAlone) {
  SupportFinding finding;
  finding.column = "x";
  finding.kind = "one_sided_range";
  const Sample sample = pair_of({1, 2}, {3.5});
  EXPECT_EQ(harmonise(sample, std::vector{finding}).columns[0].values, sample.columns[0].values);
}

TEST(Harmonise, LeavesNothingToFindWhereOnlyTheGridDiffered) {
  const std::vector<double> rounded_values =
      drawn(3000, 1, [](RandomStream& r) { return std::round(r.normal() * 10) / 10; });
  const Sample sample = pair_of(rounded_values, normal_values(3000, 2));
  const auto findings = find_support_mismatches(sample);
  ASSERT_TRUE(found(findings, "lattice"));
  const Sample result = harmonise(sample, findings);
  const auto left = find_support_mismatches(result);
  EXPECT_TRUE(left.empty()) << listed(left);
  // The table on the grid keeps its values.
  for (std::size_t i = 0; i < 3000; ++i) EXPECT_NEAR(result.columns[0].values[i], rounded_values[i], 1e-12);
}

}  // namespace
}  // namespace jsdiv
