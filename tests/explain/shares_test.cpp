#include "explain/shares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "classify/registry.hpp"
#include "explain/drawn_tables.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {
namespace {

/// x0 shifted, x1 and x2 tied together in the first table alone, x3 noise.
ExplainedTables four_columns() {
  const std::size_t rows = 600;
  std::vector<Column> columns(4);
  RandomStream random = RandomStream(21).child("shares");
  for (std::size_t j = 0; j < 4; ++j) columns[j].name = "x" + std::to_string(j);
  for (std::size_t i = 0; i < 2 * rows; ++i) {
    const bool first = i < rows;
    const double a = random.normal();
    columns[0].values.push_back(random.normal() + (first ? 0.8 : 0));
    columns[1].values.push_back(a);
    columns[2].values.push_back(first ? 0.8 * a + 0.6 * random.normal() : random.normal());
    columns[3].values.push_back(random.normal());
  }
  return drawn_tables(std::move(columns), rows);
}

ColumnShares shares_of(const ExplainedTables& tables) {
  const ExplainerFamily gaussian{&family("gaussian"), family("gaussian").defaults({.features = 4}), {}};
  const std::vector<ValueCodes> values = value_codes(tables.sample);
  const ExplainerFit fit =
      fit_explainer({tables.sample, values, tables.labels, gaussian, {}, 3}, RandomStream(1));
  return draw_shares(fit, tables.rows(), 4, RandomStream(2));
}

TEST(Shares, GuiltyColumnsShareAndTheSumIsWhatTheModelProves) {
  const ColumnShares shares = shares_of(four_columns());
  ASSERT_EQ(shares.columns.size(), 4U);
  EXPECT_EQ(shares.rows, 1200U);
  double sum = 0;
  for (const Measured& share : shares.columns) sum += share.value;
  EXPECT_NEAR(sum, shares.sum.value, 1e-12);
  EXPECT_LT(std::abs(shares.sum.value - shares.held_out), 4 * shares.sum.standard_error);
  for (const std::size_t guilty : {0, 1, 2}) EXPECT_GT(shares.columns[guilty].value, 0.03) << guilty;
  EXPECT_LT(std::abs(shares.columns[3].value), 0.01);
  // The two that differ in nothing but their dependence are equally guilty of it.
  EXPECT_NEAR(shares.columns[1].value, shares.columns[2].value,
              4 * std::hypot(shares.columns[1].standard_error, shares.columns[2].standard_error));
}

TEST(Shares, ScalingKeepsProportionsWhereTheyAreClear) {
  ColumnShares shares;
  shares.columns = {{0.3, 0.01}, {0.1, 0.01}};
  shares.sum = {0.4, 0.02};
  const auto scaled = scaled_to(shares, 0.2);
  EXPECT_DOUBLE_EQ(scaled[0].value, 0.15);
  EXPECT_DOUBLE_EQ(scaled[1].value, 0.05);
  EXPECT_DOUBLE_EQ(scaled[0].standard_error, 0.005);
  shares.sum.standard_error = 0.3;  // not clear of 0: the same is added to each
  const auto added = scaled_to(shares, 0.2);
  EXPECT_DOUBLE_EQ(added[0].value, 0.2);
  EXPECT_NEAR(added[1].value, 0, 1e-15);
}

}  // namespace
}  // namespace jsdiv
