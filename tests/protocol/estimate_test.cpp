#include "jsdiv/estimate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

constexpr double a_day = 86400;

EstimateOptions fast() {
  EstimateOptions options;
  options.families = {"logreg"};
  options.threads = 1;
  return options;
}

/// Normal numbers around `mean`, rounded to so many digits.
Column normals(const std::string& name, std::size_t rows, double mean, int digits, RandomStream random) {
  const double unit = std::pow(10.0, -digits);
  Column column{.name = name};
  for (std::size_t i = 0; i < rows; ++i)
    column.values.push_back(std::round((mean + random.normal()) / unit) * unit);
  return column;
}

Table table_of(std::vector<Column> columns) {
  const std::size_t rows = columns.at(0).values.size();
  return {.columns = std::move(columns), .rows = rows};
}

Table shifted(std::size_t rows, double mean, int digits = 3) {
  const RandomStream random = RandomStream(7).child(std::to_string(mean));
  return table_of(
      {normals("x", rows, mean, digits, random.child("x")), normals("y", rows, 0, 3, random.child("y"))});
}

bool warns(const Result& result, std::string_view code) {
  return std::ranges::count(result.warnings, code, &Warning::code) > 0;
}

TEST(Estimate, TheExchangeOfTheTablesShowsInNoNumber) {
  const Result result = estimate(shifted(150, 0), shifted(120, 1), fast());
  const Result exchanged = estimate(shifted(120, 1), shifted(150, 0), fast());
  EXPECT_EQ(result.jsd, exchanged.jsd);
  EXPECT_EQ(result.standard_error, exchanged.standard_error);
  EXPECT_EQ(result.p_value, exchanged.p_value);
  EXPECT_EQ(result.confidence_interval->low, exchanged.confidence_interval->low);
  EXPECT_EQ(result.divergences->distance_rows_p, exchanged.divergences->distance_rows_q);
}

TEST(Estimate, FormatsThatDifferMakeALadderThatDoesNotRise) {
  const Result result = estimate(shifted(150, 0, 1), shifted(150, 0.7, 6), fast());
  ASSERT_EQ(result.ladder.size(), 3U);
  EXPECT_EQ(result.ladder[0].rung, "as_stored");
  EXPECT_EQ(result.ladder[2].rung, "content");
  EXPECT_GT(result.jsd, 0.8);
  for (std::size_t i = 1; i < 3; ++i) EXPECT_LE(result.ladder[i].jsd, result.ladder[i - 1].jsd);
  EXPECT_LT(result.ladder[2].jsd, 0.4);
  EXPECT_EQ(result.support->harmonised_jsd, result.ladder[1].jsd);
  EXPECT_TRUE(warns(result, "support_mismatch"));

  EstimateOptions harmonised = fast();
  harmonised.support = Support::harmonise;
  const Result first = estimate(shifted(150, 0, 1), shifted(150, 0.7, 6), harmonised);
  ASSERT_EQ(first.ladder.size(), 2U);
  EXPECT_EQ(first.ladder[0].rung, "common_grids");
  EXPECT_LT(first.jsd, 0.4);
}

TEST(Estimate, WeightedRowsHaveNoPermutationsAndNoDistances) {
  Table p = shifted(150, 0);
  Table q = shifted(150, 1);
  for (Table* table : {&p, &q}) {
    Column weight{.name = "w"};
    for (std::size_t i = 0; i < table->rows; ++i) weight.values.push_back(static_cast<double>(1 + i % 3));
    table->columns.push_back(std::move(weight));
  }
  EstimateOptions options = fast();
  options.load.weight = "w";
  const Result result = estimate(p, q, options);
  EXPECT_EQ(result.p_value, std::nullopt);
  EXPECT_TRUE(warns(result, "no_p_value"));
  EXPECT_TRUE(warns(result, "no_distances"));
  EXPECT_GT(result.jsd, 0.05);
}

TEST(Estimate, NamesThePartOfADateThatDiffers) {
  Table p = shifted(140, 0);
  Table q = shifted(140, 0);
  for (Table* table : {&p, &q}) {
    Column day{.name = "day", .type = ColumnType::datetime};
    for (std::size_t i = 0; i < table->rows; ++i) {
      // 1970-01-05 was a Monday. P has all days of the week, Q no Saturday and Sunday.
      const std::size_t week = i / 7;
      const std::size_t weekday = table == &p ? i % 7 : i % 5;
      day.values.push_back(a_day * static_cast<double>(4 + 7 * week + weekday));
    }
    table->columns.push_back(std::move(day));
  }
  for (const bool exchanged : {false, true}) {
    const Result result = exchanged ? estimate(q, p, fast()) : estimate(p, q, fast());
    ASSERT_EQ(result.support->date_parts.size(), 1U);
    EXPECT_EQ(result.support->date_parts[0].column, "day");
    EXPECT_EQ(result.support->date_parts[0].message,
              exchanged ? "day of the week: Saturday to Sunday in 0 % of P and 29 % of Q"
                        : "day of the week: Saturday to Sunday in 29 % of P and 0 % of Q");
    EXPECT_GT(result.support->date_parts[0].jsd, 0.05);
  }
}

TEST(Estimate, LevelsThatFewRowsHaveAreToldToTheReader) {
  Table p = shifted(60, 0);
  Table q = shifted(60, 0);
  for (Table* table : {&p, &q}) {
    Column town{.name = "town", .type = ColumnType::category};
    for (std::size_t i = 0; i < table->rows; ++i) {
      const std::size_t pair = i / 2;
      if (i % 2 == 0) town.levels.push_back((table == &p ? "p" : "q") + std::to_string(100 + pair));
      town.values.push_back(static_cast<double>(pair));
    }
    table->columns.push_back(std::move(town));
  }
  const Result result = estimate(p, q, fast());
  EXPECT_TRUE(warns(result, "few_rows"));
  EXPECT_TRUE(warns(result, "unseen_levels"));
}

TEST(Estimate, ProgressEndsAtOneAndNeverFallsBack) {
  for (const Protocol protocol : {Protocol::automatic, Protocol::paper}) {
    EstimateOptions options = fast();
    options.protocol = protocol;
    options.seeds = 2;
    options.paper.iterations = 0;
    std::vector<double> fractions;
    std::mutex mutex;
    options.progress = [&](double fraction, std::string_view what) {
      const std::lock_guard lock(mutex);
      EXPECT_FALSE(what.empty());
      fractions.push_back(fraction);
    };
    estimate(shifted(120, 0), shifted(120, 1), options);
    ASSERT_GT(fractions.size(), 1U);
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_NEAR(fractions.back(), 1, 1e-9);
  }
}

TEST(Estimate, ABudgetOfThePaperKeepsTheCheapestFamily) {
  EstimateOptions options = fast();
  options.protocol = Protocol::paper;
  options.families = {"logreg", "rf"};
  options.seeds = 1;
  options.paper.iterations = 3;
  options.time_budget = 1e-6;
  const Result little = estimate(shifted(120, 0), shifted(120, 1), options);
  ASSERT_EQ(little.families.size(), 1U);
  EXPECT_EQ(little.families[0].name, "logreg");
  EXPECT_EQ(little.protocol.options.paper.iterations, 1);
  EXPECT_EQ(little.runtime.time_budget, 1e-6);
  EXPECT_TRUE(warns(little, "time_budget"));

  options.time_budget = 1e6;
  const Result ample = estimate(shifted(120, 0), shifted(120, 1), options);
  EXPECT_EQ(ample.families.size(), 2U);
  EXPECT_EQ(ample.protocol.options.paper.iterations, 3);
  EXPECT_FALSE(warns(ample, "time_budget"));
}

TEST(Estimate, OtherLevelsOfTheInterval) {
  const Result result = estimate(shifted(150, 0), shifted(150, 1), fast());
  const Interval same = *result.interval(0.95);
  EXPECT_NEAR(same.low, result.confidence_interval->low, 1e-12);
  EXPECT_NEAR(same.high, result.confidence_interval->high, 1e-12);
  EXPECT_GE(result.interval(0.5)->low, same.low);
  EXPECT_LE(result.interval(0.99)->low, same.low);
  for (const double level : {0.0, 1.0, -1.0, std::nan("")})
    EXPECT_THROW(result.interval(level), InvalidInput);
  EXPECT_FALSE(Result{}.interval(0.9).has_value());

  EstimateOptions options = fast();
  options.protocol = Protocol::paper;
  options.seeds = 2;
  options.paper.iterations = 0;
  const Result paper = estimate(shifted(150, 0), shifted(150, 1), options);
  EXPECT_NEAR(paper.interval(0.95)->low, paper.confidence_interval->low, 1e-12);
}

TEST(Posteriors, OfUnequalTablesAreCorrectedUnlessThatIsSwitchedOff) {
  const Table p = shifted(10, 0);
  const Table q = shifted(30, 1);
  // What a classifier at the prior 1 : 3 says that knows nothing.
  const std::vector<double> blind(40, 0.25);
  const Result corrected = estimate_posteriors(p, q, blind);
  EXPECT_NEAR(corrected.raw, 0, 1e-12);
  EXPECT_TRUE(corrected.protocol.corrected);
  EXPECT_TRUE(warns(corrected, "posteriors_corrected"));

  EstimateOptions options;
  options.paper.correction = Correction::off;
  const Result as_given = estimate_posteriors(p, q, blind, options);
  // 1 + (log2 D over P + log2 (1 - D) over Q) / 2
  EXPECT_NEAR(as_given.raw, 1 + 0.5 * (std::log2(0.25) + std::log2(0.75)), 1e-12);
  EXPECT_FALSE(warns(as_given, "posteriors_corrected"));
}

TEST(Classifier, RefusesMissingCellsThatThePapersEncodingHasNotSeen) {
  EstimateOptions options;
  options.protocol = Protocol::paper;
  Table x = shifted(5, 0);
  x.columns[0].values[2] = std::nan("");
  const Classifier paper(shifted(60, 0), shifted(60, 1), "logreg", {}, options);
  EXPECT_THROW(paper.posteriors(x), InvalidInput);
  options.paper.encoding = Encoding::native;
  EXPECT_EQ(Classifier(shifted(60, 0), shifted(60, 1), "logreg", {}, options).posteriors(x).size(), 5U);
}

}  // namespace
}  // namespace jsdiv
