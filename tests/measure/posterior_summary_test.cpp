#include "measure/posterior_summary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace jsdiv {
namespace {

RowRecord scored(char table, double posterior, double weight = 1) {
  return {.table = table, .posterior = posterior, .weight = weight};
}

TEST(PosteriorSummary, CountsEachTableByItself) {
  const std::vector<RowRecord> rows = {scored('P', 0.99), scored('P', 1), scored('P', 0.5),
                                       scored('P', 0.51), scored('Q', 0), scored('Q', 0.024)};
  const auto summary = posterior_summary(rows);
  ASSERT_TRUE(summary);
  ASSERT_EQ(summary->p.size(), 40U);
  EXPECT_DOUBLE_EQ(summary->p[39], 0.5);
  EXPECT_DOUBLE_EQ(summary->p[20], 0.5);
  EXPECT_DOUBLE_EQ(summary->q[0], 1);
}

TEST(PosteriorSummary, ReliabilityCountsTheTablesEquallyAndKeepsTiesTogether) {
  // 30 rows of P and 10 of Q share D = 0.75; 10 of P and 30 of Q share D = 0.25.
  std::vector<RowRecord> rows;
  for (int i = 0; i < 30; ++i) rows.push_back(scored('P', 0.75));
  for (int i = 0; i < 10; ++i) rows.push_back(scored('P', 0.25));
  for (int i = 0; i < 5; ++i) rows.push_back(scored('Q', 0.75));
  for (int i = 0; i < 15; ++i) rows.push_back(scored('Q', 0.25));
  const auto summary = posterior_summary(rows);
  ASSERT_EQ(summary->reliability.size(), 2U);
  const ReliabilityBin& high = summary->reliability[1];
  EXPECT_DOUBLE_EQ(high.predicted, 0.75);
  EXPECT_DOUBLE_EQ(high.observed, 0.75);  // 30/40 against 5/20
  EXPECT_EQ(high.rows, 35U);
  // Masses 1/80 and 1/40, total 1/2: sqrt(30 (0.25/80)² + 5 (0.75/40)²) / 0.5
  EXPECT_NEAR(high.standard_error, std::sqrt(30 * std::pow(0.25 / 80, 2) + 5 * std::pow(0.75 / 40, 2)) / 0.5,
              1e-12);
}

TEST(PosteriorSummary, WeightsCount) {
  const auto summary = posterior_summary(std::vector<RowRecord>{scored('P', 0.9, 3), scored('P', 0.1, 1),
                                                                scored('P', 0.5, 0), scored('Q', 0.1, 2)});
  EXPECT_DOUBLE_EQ(std::accumulate(summary->p.begin(), summary->p.end(), 0.0), 1);
  EXPECT_DOUBLE_EQ(summary->p[36], 0.75);
  EXPECT_DOUBLE_EQ(summary->q[4], 1);
}

TEST(PosteriorSummary, NeedsRowsOfBothTables) {
  EXPECT_FALSE(posterior_summary({}));
  EXPECT_FALSE(posterior_summary(std::vector<RowRecord>{scored('P', 0.5)}));
}

TEST(PosteriorSummary, TenBinsOfAboutEqualWeightInTheOrderOfD) {
  std::vector<RowRecord> rows;
  for (int i = 0; i < 500; ++i) rows.push_back(scored(i % 2 == 0 ? 'P' : 'Q', (i + 0.5) / 500));
  const auto summary = posterior_summary(rows);
  ASSERT_EQ(summary->reliability.size(), 10U);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_NEAR(summary->reliability[i].predicted, 0.05 + 0.1 * static_cast<double>(i), 0.003);
    EXPECT_NEAR(static_cast<double>(summary->reliability[i].rows), 50, 1);
  }
}

}  // namespace
}  // namespace jsdiv
