// The interface: options, reproducibility, truth.json, the shared cases.
#include "jsdiv/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/content_hash.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

std::string message_of(std::string_view scenario, const SimulateOptions& options) {
  try {
    simulate(scenario, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(Simulate, UnusableOptionsSayWhatIsAllowed) {
  EXPECT_EQ(message_of("xor", {.rho = 0.5}), "scenario 'xor' does not take rho; it takes n, n_q, seed");
  EXPECT_EQ(message_of("t-copula", {.gap = 0.5}),
            "scenario 't-copula' does not take gap; it takes n, n_q, seed, rho, df, d");
  EXPECT_EQ(message_of("dependence", {.n = 0}), "n is 0; it must lie between 1 and 100000000");
  EXPECT_EQ(message_of("dependence", {.n_q = 0}), "n_q is 0; it must lie between 1 and 100000000");
  EXPECT_EQ(message_of("t-copula", {.df = 0.0}), "df is 0; it must lie between 0.5 and 1000");
  EXPECT_EQ(message_of("imbalance", {.n_q = 5, .ratio = 0.5}),
            "ratio and n_q both set the rows of Q; give one of them");
  EXPECT_NE(message_of("nonsense", {}).find("choose from: dependence, imbalance"), std::string::npos);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double rho : {1.0, -1.0, 1.5, nan}) {
    EXPECT_NE(message_of("dependence", {.rho = rho}).find("rho is"), std::string::npos) << rho;
    EXPECT_NE(message_of("t-copula", {.rho = rho}).find("rho is"), std::string::npos) << rho;
  }
  EXPECT_NE(message_of("t-copula", {.rho = -0.5, .d = 5}), "no error");
  EXPECT_NE(message_of("t-copula", {.d = 1}), "no error");
  EXPECT_NE(message_of("dimension", {.d = 0}), "no error");
  EXPECT_NE(message_of("finite", {.fit_rows = 1}), "no error");
  for (const double ratio : {0.0, -1.0, nan, 1e9})
    EXPECT_NE(message_of("imbalance", {.ratio = ratio}), "no error");
  EXPECT_NE(message_of("imbalance", {.n = 1'000'000, .ratio = 1e5}), "no error");
  EXPECT_NE(message_of("imbalance", {.gap = nan}), "no error");
}

TEST(Simulate, EveryScenarioIsDescribed) {
  EXPECT_EQ(scenarios().size(), scenario_names().size());
  EXPECT_EQ(scenarios().size(), 18U);
  for (const ScenarioInfo& info : scenarios()) EXPECT_FALSE(info.description.empty()) << info.name;
}

TEST(Simulate, RatioSetsTheRowsOfQ) {
  EXPECT_EQ(simulate("imbalance", {.n = 1000, .ratio = 0.1}).q.rows, 100U);
  EXPECT_EQ(simulate("imbalance", {.n = 3, .ratio = 0.1}).q.rows, 1U);
  EXPECT_EQ(simulate("imbalance", {.n = 10, .n_q = 7}).q.rows, 7U);
  EXPECT_EQ(simulate("imbalance", {.n = 10}).q.rows, 10U);
  EXPECT_EQ(simulate("demo", {.n = 100}).q.rows, 75U);
}

TEST(Simulate, IsReproducibleBySeedWhateverTheThreads) {
  for (const std::string_view name : {"dimension", "mixture", "missing", "demo"}) {
    const SimulateOptions options = {.n = 10'000, .seed = 7};
    Simulation one, two;
    with_threads(1, [&] { one = simulate(name, options); });
    with_threads(2, [&] { two = simulate(name, options); });
    EXPECT_EQ(one.p.sha256, two.p.sha256) << name;
    EXPECT_EQ(one.q.sha256, two.q.sha256) << name;
    EXPECT_EQ(to_json(one.truth), to_json(two.truth)) << name;
    const Simulation other = simulate(name, {.n = 10'000, .seed = 8});
    EXPECT_NE(one.p.sha256, other.p.sha256) << name;
  }
}

TEST(ContentHash, SeesEveryPartOfATable) {
  const Table table = {.columns = {{"a", ColumnType::category, {0, 1}, {"x", "y"}}}, .rows = 2};
  Table renamed = table, retyped = table, relabelled = table, changed = table;
  renamed.columns[0].name = "b";
  retyped.columns[0].type = ColumnType::integer;
  relabelled.columns[0].levels = {"xy", ""};
  changed.columns[0].values[1] = std::nan("");
  for (const Table* other : {&renamed, &retyped, &relabelled, &changed}) {
    EXPECT_NE(content_hash(table), content_hash(*other));
  }
  Table negative_zero = table;
  negative_zero.columns[0].values[0] = -0.0;
  EXPECT_EQ(content_hash(table), content_hash(negative_zero));
}

TEST(Simulate, TruthAsJson) {
  const Truth truth = simulate("dependence", {.n = 1, .seed = ~std::uint64_t{0}, .rho = 0.25}).truth;
  const auto json = nlohmann::ordered_json::parse(to_json(truth));
  EXPECT_EQ(json["jsd"], truth.jsd);
  EXPECT_EQ(json["standard_error"], 0);
  EXPECT_EQ(json["method"], "quadrature");
  EXPECT_EQ(json["oracle"], truth.oracle);
  EXPECT_TRUE(json["oracle_standard_error"].is_null());
  EXPECT_EQ(json["scenario"], "dependence");
  EXPECT_EQ(json["parameters"].dump(), R"({"n":1,"n_q":1,"seed":18446744073709551615,"rho":0.25})");
}

std::vector<std::vector<double>> read_rows(const std::filesystem::path& path, std::string& header) {
  std::ifstream file(path);
  std::getline(file, header);
  std::vector<std::vector<double>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<double> row;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    rows.push_back(row);
  }
  return rows;
}

// Their truths are means over 500,000 draws a side, so they err by our oracle's error at that many rows;
// their samples are judged by the densities of `dependence`, written out.
TEST(SharedCases, AgreeWithDependence) {
  const std::filesystem::path folder = std::filesystem::path(JSDIV_SHARED_DIR) / "cases";
  if (!std::filesystem::exists(folder / "truth.json")) GTEST_SKIP() << "no shared cases";
  std::ifstream file(folder / "truth.json");
  const auto truths = nlohmann::json::parse(file);
  for (const char* text : {"0.0", "0.3", "0.6", "0.9"}) {
    const double rho = std::stod(text);
    const std::string name = "rho" + std::string(text) + "_s0";
    const Simulation ours = simulate("dependence", {.rho = rho});
    const double error = ours.truth.oracle_standard_error;
    EXPECT_NEAR(ours.truth.jsd, truths[name].get<double>(), 4 * error * std::sqrt(6000.0 / 500'000) + 1e-12)
        << rho;

    double oracle = 0;
    for (const bool is_p : {true, false}) {
      std::string header;
      const auto rows = read_rows(folder / (name + (is_p ? "_p.csv" : "_q.csv")), header);
      EXPECT_EQ(header, "x0,x1");
      EXPECT_EQ(rows.size(), ours.p.rows);
      for (const auto& row : rows) {
        const double x = row[0], y = row[1];
        const double p = std::exp(-(x * x + y * y) / 2);
        const double q =
            std::exp(-(x * x + y * y - 2 * rho * x * y) / (2 * (1 - rho * rho))) / std::sqrt(1 - rho * rho);
        oracle += std::log2(2 * (is_p ? p : q) / (p + q)) / (2 * double(rows.size()));
      }
    }
    EXPECT_NEAR(oracle, ours.truth.jsd, 5 * error + 1e-12) << rho;
  }
}

// Their means and matrices are other draws of the same recipe: the truths must lie among ours.
TEST(SharedCases, LieAmongTheDrawsOfDimension) {
  const std::filesystem::path folder = std::filesystem::path(JSDIV_SHARED_DIR) / "cases";
  if (!std::filesystem::exists(folder / "truth.json")) GTEST_SKIP() << "no shared cases";
  std::ifstream file(folder / "truth.json");
  const auto truths = nlohmann::json::parse(file);
  for (const std::size_t d : {2, 10, 25, 50}) {
    double lowest = 1, highest = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const double jsd = simulate("dimension", {.n = 1, .seed = seed, .d = d}).truth.jsd;
      lowest = std::min(lowest, jsd), highest = std::max(highest, jsd);
    }
    const double theirs = truths["dim" + std::to_string(d) + "_s0"].get<double>();
    EXPECT_LT(lowest, theirs) << d;
    EXPECT_GT(highest, theirs) << d;
  }
}

}  // namespace
}  // namespace jsdiv
