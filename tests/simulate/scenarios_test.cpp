// Properties of every scenario: its densities, its sizes, its marginals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "jsdiv/simulate.hpp"

namespace jsdiv {
namespace {

struct Case {
  std::string_view scenario;
  SimulateOptions options;
};

std::vector<Case> cases_with_options() {
  return {{"dependence", {.rho = -0.3}},
          {"dependence", {.rho = 0.9999}},
          {"imbalance", {.gap = 2.0, .ratio = 0.1}},
          {"dimension", {.d = 1}},
          {"dimension", {.d = 2}},
          {"dimension", {.d = 50}},
          {"finite", {.seed = 1, .fit_rows = 5}},
          {"finite", {.seed = 2, .fit_rows = 10}},
          {"t-copula", {.rho = 0.8, .df = 1.0, .d = 2}},
          {"t-copula", {.rho = -0.9, .df = 0.5, .d = 2}},
          {"t-copula", {.rho = 0.0, .df = 8.0, .d = 2}},
          {"t-copula", {.rho = -0.3, .df = 2.0, .d = 4}}};
}

/// All but `split`, which needs a table to split.
std::vector<std::string_view> scenarios_of_their_own() {
  std::vector<std::string_view> names = scenario_names();
  std::erase(names, "split");
  return names;
}

// The plug-in with the true densities has the truth as its expectation, if rows, densities and reference
// belong together.
void expect_oracle_agrees(std::string_view scenario, SimulateOptions options) {
  options.n = 60'000;
  const Truth truth = simulate(scenario, options).truth;
  const double error = std::hypot(truth.oracle_standard_error, truth.standard_error);
  EXPECT_NEAR(truth.oracle, truth.jsd, 5 * error + 1e-12) << to_json(truth);
  EXPECT_LE(truth.standard_error, 2e-4);
  EXPECT_EQ(truth.standard_error > 0, truth.method == "monte carlo");
}

TEST(Scenarios, TheOracleIsWithinItsErrorOfTheTruth) {
  for (const std::string_view name : scenarios_of_their_own()) expect_oracle_agrees(name, {.seed = 3});
  for (const Case& each : cases_with_options()) expect_oracle_agrees(each.scenario, each.options);
}

TEST(Scenarios, OneRowEachWorks) {
  for (const std::string_view name : scenarios_of_their_own()) {
    const Simulation pair = simulate(name, {.n = 1, .n_q = 1});
    EXPECT_EQ(pair.p.rows, 1U);
    EXPECT_EQ(pair.q.rows, 1U);
    EXPECT_TRUE(std::isfinite(pair.truth.oracle)) << name;
    EXPECT_TRUE(std::isnan(pair.truth.oracle_standard_error)) << name;
  }
}

TEST(Scenarios, TablesAreWellFormed) {
  for (const std::string_view name : scenarios_of_their_own()) {
    const Simulation pair = simulate(name, {.n = 500, .n_q = 400});
    for (const Table* table : {&pair.p, &pair.q}) {
      EXPECT_EQ(table->rows, table == &pair.p ? 500U : 400U);
      EXPECT_EQ(table->columns.size(), pair.p.columns.size());
      EXPECT_EQ(table->sha256.size(), 64U);
      for (const Column& column : table->columns) {
        ASSERT_EQ(column.values.size(), table->rows);
        EXPECT_TRUE(std::ranges::is_sorted(column.levels));
        EXPECT_EQ(column.levels.empty(), column.type != ColumnType::category);
        for (const double value : column.values) {
          if (std::isnan(value)) continue;
          EXPECT_TRUE(std::isfinite(value));
          EXPECT_TRUE(column.type == ColumnType::number || value == std::round(value));
          EXPECT_TRUE(column.type != ColumnType::boolean || value == 0 || value == 1);
          EXPECT_TRUE(column.levels.empty() || (value >= 0 && value < double(column.levels.size())));
        }
      }
    }
  }
}

TEST(Scenarios, TruthsThatAreKnownByHand) {
  EXPECT_NEAR(simulate("dependence", {.n = 1, .rho = 0.0}).truth.jsd, 0, 1e-13);
  EXPECT_EQ(simulate("xor", {.n = 1}).truth.jsd, 1);
  EXPECT_NEAR(simulate("xor3", {.n = 1}).truth.jsd, 1 + 0.1 * std::log2(0.1) + 0.9 * std::log2(0.9), 1e-14);
}

TEST(Scenarios, TheTruthOfARandomPairBelongsToItsSeed) {
  const auto truth = [](std::uint64_t seed) {
    return simulate("dimension", {.n = 1, .seed = seed}).truth.jsd;
  };
  EXPECT_EQ(truth(4), truth(4));
  EXPECT_NE(truth(4), truth(5));
  EXPECT_EQ(truth(4), simulate("gaussian10", {.n = 1, .seed = 4}).truth.jsd);
}

/// Largest distance between two empirical distribution functions; missing cells count as the lowest value.
double kolmogorov_distance(std::vector<double> a, std::vector<double> b) {
  for (auto* values : {&a, &b}) {
    for (double& value : *values) {
      if (std::isnan(value)) value = -std::numeric_limits<double>::infinity();
    }
    std::ranges::sort(*values);
  }
  double distance = 0;
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    distance = std::max(distance, std::abs(double(i) / double(a.size()) - double(j) / double(b.size())));
  }
  return distance;
}

// √(n/2) times the distance exceeds 2.4 with probability 2 exp(−2·2.4²) = 2e-5 if the columns are alike.
TEST(Scenarios, MarginalsAgreeWhereOnlyDependenceDiffers) {
  constexpr std::size_t n = 50'000;
  for (const std::string_view name : {"dependence", "xor", "t-copula", "xor3", "broken", "demo"}) {
    const Simulation pair = simulate(name, {.n = n, .n_q = n, .seed = 8});
    for (std::size_t j = 0; j < pair.p.columns.size(); ++j) {
      EXPECT_LT(kolmogorov_distance(pair.p.columns[j].values, pair.q.columns[j].values),
                2.4 / std::sqrt(n / 2.0))
          << name << " " << pair.p.columns[j].name;
    }
  }
}

double missing_share(const Column& column) {
  return double(std::ranges::count_if(column.values, [](double value) { return std::isnan(value); })) /
         double(column.values.size());
}

TEST(Scenarios, MissingAgreesInItsRatesButNotInItsReasons) {
  constexpr std::size_t n = 100'000;
  const Simulation pair = simulate("missing", {.n = n});
  EXPECT_EQ(missing_share(*pair.p.find("spend")), 0);
  for (const char* name : {"income", "score"}) {
    const double share = missing_share(*pair.q.find(name));
    EXPECT_NEAR(missing_share(*pair.p.find(name)), share, 5 * std::sqrt(2 * share * (1 - share) / n)) << name;
  }
  EXPECT_GT(kolmogorov_distance(pair.p.find("income")->values, pair.q.find("income")->values), 0.05);
}

TEST(Scenarios, LatticeRoundsItsShareOfQ) {
  constexpr std::size_t n = 100'000;
  const Simulation pair = simulate("lattice", {.n = n});
  const auto on_grid = [](const Table& table) {
    return double(std::ranges::count_if(table.find("price")->values,
                                        [](double price) { return 2 * price == std::round(2 * price); }));
  };
  EXPECT_EQ(on_grid(pair.p), 0);
  EXPECT_NEAR(on_grid(pair.q) / n, 0.4, 5 * std::sqrt(0.24 / n));
}

TEST(Scenarios, DemoIsWhatTheReadmeNeeds) {
  const Simulation pair = simulate("demo");
  EXPECT_NE(pair.p.rows, pair.q.rows);
  EXPECT_GT(pair.truth.jsd, 0.3);
  EXPECT_LT(pair.truth.jsd, 0.6);
  for (const ColumnType type :
       {ColumnType::number, ColumnType::integer, ColumnType::category, ColumnType::boolean}) {
    EXPECT_TRUE(
        std::ranges::any_of(pair.p.columns, [&](const Column& column) { return column.type == type; }));
  }
  EXPECT_GT(missing_share(*pair.p.find("income")), 0.05);
}

}  // namespace
}  // namespace jsdiv
