#include "explain/slices.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "explain/drawn_tables.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Ages, a region and noise; where age < 25 and the region is North, the log-odds are -2, else 0.05.
ExplainedTables planted_slice() {
  const std::size_t rows = 3000;
  Column age{.name = "age", .type = ColumnType::integer};
  Column region{.name = "region", .type = ColumnType::category, .levels = {"East", "North", "South"}};
  Column noise{.name = "noise"};
  RandomStream random = RandomStream(8).child("slices");
  for (std::size_t i = 0; i < 2 * rows; ++i) {
    age.values.push_back(18 + static_cast<double>(random.below(50)));
    region.values.push_back(static_cast<double>(random.below(3)));
    noise.values.push_back(i % 50 == 0 ? std::numeric_limits<double>::quiet_NaN() : random.normal());
  }
  ExplainedTables tables = drawn_tables({age, region, noise}, rows);
  for (std::size_t i = 0; i < 2 * rows; ++i) {
    tables.log_odds[i] = age.values[i] < 25 && region.values[i] == 1 ? -2 : 0.05;
  }
  const JsdTerms terms = jsd_terms(tables.log_odds, tables.labels);
  for (std::size_t i = 0; i < 2 * rows; ++i) tables.bits[i] = 0.5 * terms.own[i] / static_cast<double>(rows);
  return tables;
}

double sum(const std::vector<double>& values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

TEST(Slices, ThePlantedOneIsFoundAndBitsAndSharesAddUp) {
  const ExplainedTables tables = planted_slice();
  const std::vector<Slice> slices = find_slices(tables);
  double bits = 0;
  double share_p = 0;
  std::size_t rows_q = 0;
  bool found = false;
  for (const Slice& slice : slices) {
    bits += slice.bits;
    share_p += slice.share_p;
    rows_q += slice.rows_q;
    found =
        found || slice.rule == "age < 25 and region = North" || slice.rule == "region = North and age < 25";
  }
  EXPECT_TRUE(found);
  EXPECT_NEAR(bits, sum(tables.bits), 1e-12);
  EXPECT_NEAR(share_p, 1, 1e-12);
  EXPECT_EQ(rows_q, 3000U);
  EXPECT_LE(slices.size(), 4U);  // nothing else is worth a cut
}

TEST(Slices, ByAColumnAddsUpWithMissingCellsApart) {
  const ExplainedTables tables = planted_slice();
  for (const char* name : {"age", "region", "noise"}) {
    double bits = 0;
    const std::vector<Slice> slices = slices_by(tables, name);
    for (const Slice& slice : slices) bits += slice.bits;
    EXPECT_NEAR(bits, sum(tables.bits), 1e-12) << name;
    EXPECT_EQ(slices.back().rule == "noise is missing", std::string(name) == "noise");
  }
  EXPECT_EQ(slices_by(tables, "region")[1].rule, "region = North");
  EXPECT_THROW(slices_by(tables, "nowhere"), InvalidInput);
}

TEST(Slices, ExchangedTablesExchangeTheirShares) {
  ExplainedTables tables = planted_slice();
  const Slice before = find_slices(tables)[0];
  tables.q_first = true;
  const Slice after = find_slices(tables)[0];
  EXPECT_EQ(before.rule, after.rule);
  EXPECT_EQ(before.bits, after.bits);
  EXPECT_EQ(before.share_p, after.share_q);
}

TEST(Slices, DatesAreCutAtTheBeginningOfADayOrMonth) {
  constexpr std::size_t rows = 400;
  constexpr double day = 86400;
  Column date{.name = "date", .type = ColumnType::datetime};
  // Days from 2024-01-01, at noon; the log-odds change in the night before the 50th or the 60th after it.
  const double first = 19723 * day;
  for (std::size_t i = 0; i < 2 * rows; ++i)
    date.values.push_back(first + static_cast<double>(i % 100) * day + day / 2);
  for (const auto& [change, rule] :
       {std::pair(50.0, "date ≥ 2024-02-20"), std::pair(60.0, "date ≥ 2024-03-01")}) {
    ExplainedTables tables = drawn_tables({date}, rows);
    for (std::size_t i = 0; i < 2 * rows; ++i)
      tables.log_odds[i] = date.values[i] < first + change * day ? -2 : 2;
    const JsdTerms terms = jsd_terms(tables.log_odds, tables.labels);
    for (std::size_t i = 0; i < 2 * rows; ++i) tables.bits[i] = 0.5 * terms.own[i] / rows;
    std::vector<std::string> rules;
    for (const Slice& slice : find_slices(tables)) rules.push_back(slice.rule);
    EXPECT_EQ(std::ranges::count(rules, rule), 1) << testing::PrintToString(rules);
  }
}

}  // namespace
}  // namespace jsdiv
