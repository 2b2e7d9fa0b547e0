#include "bench/aggregate.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "bench/tables.hpp"

namespace jsdiv::bench {
namespace {

Plan plan_of_two_seeds() {
  return make_plan(parse_experiment(R"({
    "schema": "jsdiv.experiment/1", "name": "mine", "title": "Mine", "families": ["rf"], "seeds": 2,
    "published": "dependence",
    "base": {"scenario": "dependence", "train": 100, "eval": 50}, "grids": [{"axes": {"rho": [0.9]}}]})",
                                    "mine.json"),
                   {});
}

JobResults two_results() {
  JobResult low{.jsd = 0.28, .raw = 0.28, .seconds = 2};
  low.reference = 0.30;
  low.oracle = 0.305;
  JobResult high{.jsd = 0.31, .raw = 0.31, .seconds = 4};
  high.reference = 0.30;
  high.oracle = 0.285;
  return {low, high};
}

TEST(Spread, OfOneValueHasNoDeviation) {
  const double one[] = {3};
  EXPECT_EQ(spread_of(one).mean, 3);
  EXPECT_FALSE(spread_of(one).sd);
  const double three[] = {1, 2, 6};
  EXPECT_DOUBLE_EQ(spread_of(three).mean, 3);
  EXPECT_DOUBLE_EQ(*spread_of(three).sd, std::sqrt(7.0));
}

TEST(Aggregate, TellsTheMeanErrorFromTheErrorOfTheMean) {
  const Cells cells = aggregate(plan_of_two_seeds(), two_results());
  const Cell& cell = cells.at({0, "rf"});
  EXPECT_EQ(cell.seeds, 2U);
  EXPECT_NEAR(cell.estimate.mean, 0.295, 1e-12);
  EXPECT_NEAR(cell.error->mean, 1.5, 1e-9);  // (2 + 1) / 2
  EXPECT_NEAR(*cell.error->sd, std::sqrt(0.5), 1e-9);
  EXPECT_NEAR(*cell.error_of_mean, 0.5, 1e-9);
  EXPECT_NEAR(*cell.oracle_error, 1.0, 1e-9);  // (0.5 + 1.5) / 2
  EXPECT_EQ(cell.seconds, 3);
}

TEST(Tables, PutThePublishedFiguresBelowOurs) {
  const Plan plan = plan_of_two_seeds();
  const auto tables = paper_tables(plan, aggregate(plan, two_results()));
  ASSERT_EQ(tables.size(), 1U);
  using Row = std::vector<std::string>;
  ASSERT_EQ(tables[0].header, (Row{"setting", "source", "RF", "oracle", "true JSD"}));
  ASSERT_EQ(tables[0].rows.size(), 5U);
  EXPECT_EQ(tables[0].rows[0], (Row{"rho=0.9", "jsdiv", "1.50 ± 0.71", "1.00", "0.3000"}));
  EXPECT_EQ(tables[0].rows[1], (Row{"", "paper", "1.11 ± 1.04", "–", "–"}));
  EXPECT_EQ(tables[0].rows[2], (Row{"", "files", "2.15", "1.05", "0.3092"}));
  EXPECT_EQ(tables[0].rows[3], (Row{"Time (s)", "jsdiv", "3.00", "–", "–"}));
  EXPECT_EQ(tables[0].rows[4], (Row{"", "published", "214", "–", "–"}));
}

TEST(Tables, CsvHasARowForEachJob) {
  const Plan plan = plan_of_two_seeds();
  const std::string csv = results_csv(plan, two_results());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
  EXPECT_NE(csv.find("mine,rho=0.9,0.9,rf,0,0.28,0.28,,,,,,0.3,0.305,2,"), std::string::npos) << csv;
  const std::string summary = summary_csv(plan, aggregate(plan, two_results()));
  EXPECT_NE(summary.find("paper,mine,rho=0.9,rf,,,,1.11,1.04,,,,,\n"), std::string::npos) << summary;
}

}  // namespace
}  // namespace jsdiv::bench
