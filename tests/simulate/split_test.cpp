// Tables whose rows are given to P and Q with known probabilities, and the population of such pairs.
#include "simulate/split.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "simulate/base_table.hpp"
#include "simulate/kinds.hpp"

namespace jsdiv::simulate_detail {
namespace {

double bits_of_posterior(double d) {
  return d <= 0 || d >= 1 ? 1 : 1 + d * std::log2(d) + (1 - d) * std::log2(1 - d);
}

double mean_posterior(std::span<const double> log_ratio, double offset) {
  double sum = 0;
  for (const double value : log_ratio) sum += sigmoid(value + offset);
  return sum / static_cast<double>(log_ratio.size());
}

std::shared_ptr<const Table> two_columns(std::size_t rows) {
  Table table{.rows = rows};
  RandomStream random(4);
  for (const char* name : {"a", "b"}) {
    Column column{.name = name};
    for (std::size_t i = 0; i < rows; ++i) column.values.push_back(random.normal());
    table.columns.push_back(std::move(column));
  }
  return std::make_shared<const Table>(std::move(table));
}

std::string message_of(std::string_view scenario, const SimulateOptions& options) {
  try {
    simulate(scenario, options);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "no error";
}

TEST(BalancingOffset, MakesBothTablesEquallyLikely) {
  EXPECT_NEAR(balancing_offset(std::vector<double>{3}), -3, 1e-12);
  EXPECT_NEAR(balancing_offset(std::vector<double>{-1, 1}), 0, 1e-12);
  // The last row is P's for certain, so the others share what is left of one half: (4/2 - 1) / 3.
  EXPECT_NEAR(balancing_offset(std::vector<double>{0, 0, 0, 500}), logit(1.0 / 3), 1e-12);
  RandomStream random(1);
  for (const double scale : {0.01, 1.0, 30.0, 1000.0}) {
    std::vector<double> log_ratio;
    for (int i = 0; i < 500; ++i) log_ratio.push_back(scale * (std::exp(random.normal()) - 1));
    EXPECT_NEAR(mean_posterior(log_ratio, balancing_offset(log_ratio)), 0.5, 1e-12) << scale;
  }
}

TEST(PosteriorWithJsd, ReachesTheWantedJsd) {
  // Two rows: σ(s) and 1 - σ(s), so JSD = 1 - H(σ(s)); H(0.11002786) = 1/2.
  const auto half = posterior_with_jsd(std::vector<double>{-1, 1}, 0.5);
  EXPECT_NEAR(sigmoid(half.log_odds[0]), 0.11002786443835955, 1e-9);
  RandomStream random(2);
  std::vector<double> log_ratio;
  for (int i = 0; i < 400; ++i) log_ratio.push_back(std::exp(random.normal()));
  for (const double wanted : {0.0, 1e-4, 0.1, 0.5, 0.97}) {
    const KnownPosterior posterior = posterior_with_jsd(log_ratio, wanted);
    double enumerated = 0, mean = 0;
    for (std::size_t i = 0; i < log_ratio.size(); ++i) {
      const double d = sigmoid(posterior.strength * log_ratio[i] + posterior.offset);
      EXPECT_NEAR(sigmoid(posterior.log_odds[i]), d, 1e-12);
      enumerated += bits_of_posterior(d) / 400;
      mean += d / 400;
    }
    EXPECT_NEAR(enumerated, wanted, 1e-9);
    EXPECT_NEAR(posterior.jsd, enumerated, 1e-12);
    EXPECT_NEAR(mean, 0.5, 1e-12);
  }
}

TEST(PosteriorWithJsd, GivesTheHighestWhereNoneReaches) {
  // One row of four stands out: three quarters of the rows keep the posterior 1/3 at best.
  const auto posterior = posterior_with_jsd(std::vector<double>{0, 0, 0, 1}, 0.9);
  EXPECT_NEAR(posterior.jsd, 0.25 + 0.75 * bits_of_posterior(1.0 / 3), 1e-9);
  EXPECT_EQ(posterior_with_jsd(std::vector<double>{2, 2, 2}, 0.1).jsd, 0);
}

TEST(DrawSplit, KeepsSizesRowsAndPosteriors) {
  const auto base = two_columns(4000);
  const auto posterior = posterior_with_jsd(base->columns[0].values, 0.4);
  const Simulation pair = draw_split(*base, posterior, {500, 125}, RandomStream(3));
  ASSERT_EQ(pair.p.rows, 500U);
  ASSERT_EQ(pair.q.rows, 125U);
  ASSERT_EQ(pair.posteriors.size(), 625U);
  double of_p = 0, of_q = 0;
  std::set<double> seen;
  for (std::size_t i = 0; i < 625; ++i) {
    const Table& table = i < 500 ? pair.p : pair.q;
    const double a = table.columns[0].values[i < 500 ? i : i - 500];
    EXPECT_TRUE(seen.insert(a).second);
    EXPECT_NEAR(pair.posteriors[i], sigmoid(posterior.strength * a + posterior.offset), 1e-12);
    (i < 500 ? of_p : of_q) +=
        i < 500 ? std::log2(2 * pair.posteriors[i]) / 500 : std::log2(2 * (1 - pair.posteriors[i])) / 125;
  }
  EXPECT_NEAR(pair.truth.oracle, (of_p + of_q) / 2, 1e-12);
  EXPECT_NEAR(pair.truth.oracle, pair.truth.jsd, 5 * pair.truth.oracle_standard_error);

  // Without sizes every row goes somewhere.
  const Simulation all = draw_split(*base, posterior, {}, RandomStream(3));
  EXPECT_EQ(all.p.rows + all.q.rows, 4000U);
  EXPECT_NEAR(static_cast<double>(all.p.rows), 2000, 5 * std::sqrt(1000));
}

TEST(LogRatios, AreFunctionsOfTheRowOnMeanZeroAndDeviationOne) {
  RandomStream random(5);
  Table table = find_base("incomplete").draw(600, 8, random);
  // Each row twice.
  for (Column& column : table.columns) {
    column.values.insert(column.values.end(), column.values.begin(), column.values.begin() + 600);
  }
  table.rows = 1200;
  const CellView cells = view_cells(table, RandomStream(6));
  for (const LogRatioKind& kind : log_ratios()) {
    const std::vector<double> values = draw_log_ratio(kind, cells, RandomStream(7));
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < 600; ++i) {
      ASSERT_TRUE(std::isfinite(values[i])) << kind.name;
      ASSERT_EQ(values[i], values[i + 600]) << kind.name;
      sum += values[i] / 600;
      squares += values[i] * values[i] / 600;
    }
    EXPECT_NEAR(sum, 0, 1e-9) << kind.name;
    EXPECT_NEAR(squares, 1, 1e-9) << kind.name;
  }
}

TEST(CellView, IsStandardisedWithMissingCellsMarked) {
  const double gap = std::numeric_limits<double>::quiet_NaN();
  const Table table = {.columns = {{"number", ColumnType::number, {1, gap, 3, 100}},
                                   {"level", ColumnType::category, {0, 1, 0, gap}, {"a", "b"}},
                                   {"constant", ColumnType::integer, {7, 7, 7, 7}}},
                       .rows = 4};
  const CellView cells = view_cells(table, RandomStream(1));
  EXPECT_EQ(cells.is_category, (std::vector<bool>{false, true, false}));
  EXPECT_EQ(cells.missing.sum(), 2);
  EXPECT_EQ(cells.missing(1, 0), 1);
  EXPECT_EQ(cells.missing(3, 1), 1);
  EXPECT_LT(cells.values(0, 0), cells.values(2, 0));
  EXPECT_LT(cells.values(2, 0), cells.values(3, 0));
  EXPECT_EQ(cells.values(0, 1), cells.values(2, 1));
  EXPECT_NE(cells.values(0, 1), cells.values(1, 1));
  EXPECT_EQ(cells.values.col(2).norm(), 0);
  for (int j = 0; j < 2; ++j) EXPECT_NEAR(cells.values.col(j).squaredNorm(), 4, 1e-9) << j;
}

TEST(BaseKinds, HaveTheAskedShape) {
  for (const BaseKind& kind : base_kinds()) {
    for (const std::size_t columns : {1, 7}) {
      RandomStream random(8);
      const Table table = kind.draw(300, columns, random);
      ASSERT_EQ(table.rows, 300U) << kind.name;
      ASSERT_EQ(table.columns.size(), columns) << kind.name;
      for (const Column& column : table.columns) {
        ASSERT_EQ(column.values.size(), 300U) << kind.name;
        for (const double value : column.values) {
          if (std::isnan(value)) continue;
          ASSERT_TRUE(std::isfinite(value)) << kind.name;
          const bool category = column.type == ColumnType::category;
          ASSERT_TRUE(!category || value < static_cast<double>(column.levels.size())) << kind.name;
          ASSERT_TRUE(column.type != ColumnType::integer || value == std::floor(value)) << kind.name;
        }
      }
    }
  }
}

TEST(Population, LeftOutKindsExistAndAreNeverDrawnForCalibration) {
  for (const std::string_view name : left_out_bases) EXPECT_EQ(find_base(name).name, name);
  for (const std::string_view name : left_out_log_ratios) EXPECT_EQ(find_log_ratio(name).name, name);
  std::map<std::string, std::set<std::string>> bases, ratios;
  for (const char* kinds : {"calibration", "left-out"}) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      for (const auto& [name, value] :
           simulate("random", {.n = 40, .seed = seed, .d = 3, .kinds = kinds}).truth.parameters) {
        if (name == "base") bases[kinds].insert(std::get<std::string>(value));
        if (name == "log_ratio") ratios[kinds].insert(std::get<std::string>(value));
      }
    }
  }
  EXPECT_EQ(bases["left-out"].size(), left_out_bases.size());
  EXPECT_EQ(ratios["left-out"].size(), left_out_log_ratios.size());
  EXPECT_GE(bases["calibration"].size(), 8U);
  EXPECT_GE(ratios["calibration"].size(), 12U);
  for (const std::string_view name : left_out_bases)
    EXPECT_FALSE(bases["calibration"].contains(std::string(name)));
  for (const std::string_view name : left_out_log_ratios)
    EXPECT_FALSE(ratios["calibration"].contains(std::string(name)));
}

// The truth is the mean over the base table, the oracle the mean over these rows: the mean of k draws of
// (oracle - truth) / error has the error 1/sqrt(k), and no draw may be far off.
TEST(Population, TheOracleIsUnbiased) {
  double sum = 0;
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Simulation pair = simulate("random", {.n = 300, .seed = seed, .d = 4});
    EXPECT_GE(pair.truth.jsd, 0);
    EXPECT_LT(pair.truth.jsd, 0.971);
    EXPECT_EQ(pair.posteriors.size(), pair.p.rows + pair.q.rows);
    if (pair.truth.jsd < 0.01 || pair.q.rows < 100) continue;
    const double z = (pair.truth.oracle - pair.truth.jsd) / pair.truth.oracle_standard_error;
    EXPECT_LT(std::abs(z), 5) << seed;
    sum += z;
    ++counted;
  }
  EXPECT_GT(counted, 25);
  EXPECT_LT(std::abs(sum), 4 * std::sqrt(counted));
}

TEST(Population, IsTheSameForEveryNumberOfThreads) {
  for (const std::uint64_t seed : {11, 12}) {
    Simulation one, two;
    with_threads(1, [&] { one = simulate("random", {.seed = seed, .d = 5}); });
    with_threads(2, [&] { two = simulate("random", {.seed = seed, .d = 5}); });
    EXPECT_EQ(one.p.sha256, two.p.sha256);
    EXPECT_EQ(one.posteriors, two.posteriors);
    EXPECT_EQ(to_json(one.truth), to_json(two.truth));
    EXPECT_NE(one.p.sha256, simulate("random", {.seed = seed + 2, .d = 5}).p.sha256);
  }
}

TEST(Population, TakesATableOfOnesOwn) {
  const Simulation pair =
      simulate("random", {.n = 200, .seed = 3, .d = 1, .jsd = 0.2, .base = two_columns(3000)});
  ASSERT_EQ(pair.p.columns.size(), 1U);
  EXPECT_TRUE(pair.p.columns[0].name == "a" || pair.p.columns[0].name == "b");
  EXPECT_NEAR(pair.truth.jsd, 0.2, 1e-9);
}

TEST(Split, WhatCannotBeDoneSaysWhy) {
  EXPECT_EQ(message_of("split", {}), "split needs a base table whose rows it assigns to P and Q");
  EXPECT_EQ(message_of("split", {.base = two_columns(1)}),
            "the base table has 1 row; a split needs at least 2");
  const auto base = two_columns(200);
  for (const double jsd : {1.0, -0.1, std::nan("")}) {
    EXPECT_NE(message_of("split", {.jsd = jsd, .base = base}).find("must be at least 0 and less than 1"),
              std::string::npos)
        << jsd;
  }
  EXPECT_NE(message_of("split", {.log_ratio = "cubic", .base = base}).find("choose from: linear, additive"),
            std::string::npos);
  EXPECT_EQ(message_of("split", {.kinds = "all", .base = base}),
            "kinds is 'all'; choose from: calibration, left-out");
  EXPECT_NE(message_of("split", {.n = 150, .base = base}).find("which needs 150"), std::string::npos);
  EXPECT_NE(message_of("split", {.ratio = 0.5, .base = base}).find("give n too"), std::string::npos);
  EXPECT_EQ(message_of("xor", {.base = base}), "scenario 'xor' does not take base; it takes n, n_q, seed");

  // Three rows of four are the same: whatever the log-ratio, they share a posterior.
  const auto flat =
      std::make_shared<const Table>(Table{.columns = {{"a", ColumnType::integer, {0, 0, 0, 1}}}, .rows = 4});
  const std::string message = message_of("split", {.jsd = 0.9, .base = flat});
  EXPECT_NE(message.find("has a JSD of 0.9; the highest is 0.3113"), std::string::npos) << message;
}

TEST(Split, HitsTheWantedJsdWithEveryKindThatCan) {
  const auto base = two_columns(2000);
  for (const std::string_view kind : log_ratio_kinds()) {
    if (kind == "missingness" || kind == "level" || kind == "bumps" || kind == "strong") continue;
    const Simulation pair = simulate(
        "split",
        {.n = 400, .seed = 9, .ratio = 0.25, .jsd = 0.35, .log_ratio = std::string(kind), .base = base});
    EXPECT_EQ(pair.p.rows, 400U);
    EXPECT_EQ(pair.q.rows, 100U);
    EXPECT_NEAR(pair.truth.jsd, 0.35, 1e-9) << kind;
    EXPECT_EQ(pair.truth.method, "enumeration");
    EXPECT_EQ(pair.truth.standard_error, 0);
  }
}

}  // namespace
}  // namespace jsdiv::simulate_detail
