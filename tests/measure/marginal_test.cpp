#include "jsdiv/marginal.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"
#include "measure/histogram.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

Sample one_column(std::vector<double> p, const std::vector<double>& q, ColumnType type = ColumnType::number,
                  std::vector<std::string> levels = {}) {
  Sample sample;
  sample.table_rows = {p.size(), q.size()};
  p.insert(p.end(), q.begin(), q.end());
  sample.columns = {{"x", type, std::move(p), std::move(levels)}};
  return sample;
}

ColumnType type_named(const std::string& name) {
  for (const ColumnType type : {ColumnType::integer, ColumnType::boolean, ColumnType::category}) {
    if (to_string(type) == name) return type;
  }
  return ColumnType::number;
}

std::vector<double> cells(const nlohmann::json& values) {
  std::vector<double> result;
  for (const auto& value : values) {
    if (value.is_boolean()) {
      result.push_back(value.get<bool>() ? 1 : 0);
    } else {
      result.push_back(value.is_null() ? missing : value.get<double>());
    }
  }
  return result;
}

class MarginalFixture : public testing::Test {
 protected:
  void SetUp() override {
    std::ifstream file(JSDIV_GOLDEN_DIR "/measure/marginal.json");
    ASSERT_TRUE(file) << "fixture not found";
    columns_ = nlohmann::json::parse(file)["columns"];
    ASSERT_GT(columns_.size(), 20U);
  }
  nlohmann::json columns_;
};

void expect_equal(const std::optional<double>& value, const nlohmann::json& expected,
                  const std::string& what) {
  ASSERT_EQ(value.has_value(), !expected.is_null()) << what;
  if (value) {
    EXPECT_NEAR(*value, expected.get<double>(), 1e-9) << what;
  }
}

TEST_F(MarginalFixture, EqualsTheLibraries) {
  for (const auto& column : columns_) {
    SCOPED_TRACE(column["name"].get<std::string>());
    std::vector<std::string> levels = column["levels"];
    const Sample sample =
        one_column(cells(column["p"]), cells(column["q"]), type_named(column["type"]), levels);
    const MarginalColumn result = marginal_baselines(sample).columns.at(0);
    expect_equal(result.syndat, column["syndat"], "syndat");
    expect_equal(result.synthcity, column["synthcity"], "synthcity");
    expect_equal(result.synthcity_upstream, column["synthcity_upstream"], "synthcity_upstream");
  }
}

TEST_F(MarginalFixture, HasTheEdgesOfNumpy) {
  for (const auto& column : columns_) {
    SCOPED_TRACE(column["name"].get<std::string>());
    std::vector<double> pooled = cells(column["p"]);
    const std::vector<double> q = cells(column["q"]);
    pooled.insert(pooled.end(), q.begin(), q.end());
    std::erase_if(pooled, [](double value) { return std::isnan(value); });
    const auto edges = numpy_auto_edges(summarise(pooled), column["auto"]["integers"].get<bool>());
    ASSERT_EQ(edges.has_value(), !column["auto"]["edges"].is_null());
    if (edges) {
      EXPECT_EQ(*edges, column["auto"]["edges"].get<std::vector<double>>());
    }
  }
}

TEST(Marginal, GivesDisjointPointMassesTheirKnownValues) {
  const MarginalResult result = marginal_baselines(one_column({0, 0, 0, 0}, {1, 1, 1, 1}));
  EXPECT_EQ(result.syndat, 1.0);
  // One bin and "outside": shares 1, 0 plus one each are 2/3, 1/3 against 1/3, 2/3.
  const double nats = 2.0 / 3 * std::log(4.0 / 3) + 1.0 / 3 * std::log(2.0 / 3);
  EXPECT_NEAR(*result.synthcity_upstream, std::sqrt(nats), 1e-12);
  EXPECT_NEAR(*result.synthcity_upstream, 0.238, 5e-4);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "synthcity_upstream_understates");
}

TEST(Marginal, ShowsHowUpstreamShrinksWithTenBins) {
  // All but nine of P's million rows in one of ten bins, Q outside: 2/12 and 1/12 where sqrt(ln 2) = 0.833 is
  // the truth.
  std::vector<double> p(1000000, 0.0);
  for (int i = 1; i < 10; ++i) p[static_cast<std::size_t>(i)] = i;
  const MarginalResult result = marginal_baselines(one_column(std::move(p), {50, 50}));
  EXPECT_NEAR(*result.synthcity_upstream, 0.119, 1e-4);
}

TEST(Marginal, CountsSmallIntegersByHand) {
  // Shares 1/2, 1/2, 0 against 0, 1/2, 1/2: half of the mass is disjoint.
  EXPECT_NEAR(*marginal_baselines(one_column({1, 2, 1, 2}, {2, 3, 2, 3}, ColumnType::integer)).syndat, 0.5,
              1e-12);
  const auto sample = one_column({0, 1, 0, 1}, {1, 2, 1, 2}, ColumnType::category, {"a", "b", "c"});
  EXPECT_NEAR(*marginal_baselines(sample).syndat, 0.5, 1e-12);
}

TEST(Marginal, IsZeroForEqualTablesAndSymmetric) {
  RandomStream random(1);
  std::vector<double> p;
  std::vector<double> q;
  for (int i = 0; i < 500; ++i) {
    p.push_back(random.normal());
    q.push_back(1 + random.normal());
  }
  const MarginalResult same = marginal_baselines(one_column(p, p));
  EXPECT_EQ(same.syndat, 0.0);
  EXPECT_EQ(same.synthcity, 0.0);
  EXPECT_EQ(same.synthcity_upstream, 0.0);
  const MarginalResult forward = marginal_baselines(one_column(p, q));
  const MarginalResult backward = marginal_baselines(one_column(q, p));
  EXPECT_DOUBLE_EQ(*forward.syndat, *backward.syndat);
  EXPECT_DOUBLE_EQ(*forward.synthcity, *backward.synthcity);
  EXPECT_GT(*forward.syndat, 0.05);
}

TEST(Marginal, IsBlindToTheXorOfTwoColumns) {
  RandomStream random(2);
  constexpr std::size_t rows = 4000;
  Sample sample;
  sample.table_rows = {rows, rows};
  for (const ColumnType type : {ColumnType::integer, ColumnType::number, ColumnType::category}) {
    sample.columns.assign(2, {"x", type, {}, {"no", "yes"}});
    for (std::size_t row = 0; row < 2 * rows; ++row) {
      const double bit = static_cast<double>(random.below(2));
      sample.columns[0].values.push_back(bit);
      sample.columns[1].values.push_back(row < rows ? bit : 1 - bit);
    }
    const MarginalResult result = marginal_baselines(sample);
    EXPECT_LT(*result.syndat, 0.002);
    EXPECT_LT(*result.synthcity, 0.002);
  }
}

TEST(Marginal, AveragesOverColumnsThatHaveAValue) {
  Sample sample = one_column({1, 1, 1, 1}, {2, 2, 2, 2});
  sample.columns.push_back({"same", ColumnType::number, {1, 2, 3, 4, 1, 2, 3, 4}, {}});
  sample.columns.push_back({"empty", ColumnType::number, std::vector<double>(8, missing), {}});
  sample.weights.assign(8, 2.0);
  const MarginalResult result = marginal_baselines(sample);
  EXPECT_DOUBLE_EQ(*result.syndat, 0.5);
  EXPECT_FALSE(result.columns[2].syndat.has_value());
  ASSERT_EQ(result.warnings.size(), 3U);
  EXPECT_EQ(result.warnings[0].code, "marginal_ignores_weights");
  EXPECT_EQ(result.warnings[1].code, "marginal_undefined");
  EXPECT_NE(result.warnings[1].message.find("'empty'"), std::string::npos);
}

TEST(Marginal, ComparesTheGivenRowsOnly) {
  const Sample sample = one_column({1, 1, 9, 9}, {1, 1, 5, 5}, ColumnType::integer);
  const std::vector<std::uint32_t> rows_p = {0, 1};
  const std::vector<std::uint32_t> rows_q = {4, 5};
  EXPECT_EQ(marginal_baselines(sample, rows_p, rows_q).syndat, 0.0);
}

TEST(Marginal, SurvivesExtremeValuesAndRefusesInfinity) {
  const MarginalResult wide = marginal_baselines(one_column({-1.7e308, 0, 1}, {0, 1, 1.7e308}));
  EXPECT_FALSE(wide.syndat.has_value());
  const MarginalResult tiny = marginal_baselines(one_column({0, 5e-324, 1e-323}, {0, 1e-323, 5e-324}));
  EXPECT_EQ(tiny.syndat, 0.0);
  const double next = std::nextafter(1.0, 2.0);
  const MarginalResult crowded = marginal_baselines(one_column({1, next, 1, next}, {1, next, 1, next}));
  EXPECT_FALSE(crowded.syndat.has_value()) << "there is no room for an edge between neighbouring numbers";
  EXPECT_THROW(marginal_baselines(one_column({1, HUGE_VAL}, {1, 2})), InvalidInput);
  EXPECT_THROW(marginal_baselines(one_column({}, {1, 2})), InvalidInput);
}

TEST(Marginal, GivesTheSameForAnyThreadCount) {
  RandomStream random(3);
  Sample sample;
  sample.table_rows = {300, 300};
  for (int column = 0; column < 9; ++column) {
    sample.columns.push_back({"x", ColumnType::number, {}, {}});
    for (int row = 0; row < 600; ++row) sample.columns.back().values.push_back(random.normal());
  }
  MarginalResult one;
  MarginalResult four;
  with_threads(1, [&] { one = marginal_baselines(sample); });
  with_threads(4, [&] { four = marginal_baselines(sample); });
  EXPECT_EQ(one.syndat, four.syndat);
  EXPECT_EQ(one.synthcity_upstream, four.synthcity_upstream);
}

}  // namespace
}  // namespace jsdiv
