#include "protocol/auto_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "../support/tables.hpp"
#include "jsdiv/error.hpp"
#include "protocol/budget.hpp"

namespace jsdiv {
namespace {

Sample normal_pair(std::size_t rows_p, std::size_t rows_q) {
  return sample_of(rows_p, rows_q,
                   {joined("x", normal_values(rows_p, 1), normal_values(rows_q, 2)),
                    joined("y", normal_values(rows_p, 3), normal_values(rows_q, 4))});
}

bool warns_of(const std::vector<Warning>& warnings, const std::string& code) {
  return std::ranges::any_of(warnings, [&](const Warning& warning) { return warning.code == code; });
}

TEST(AutoPlan, FoldsHoldGroupsEnoughForTheTest) {
  EXPECT_EQ(plan_folds(20, {}, true).folds, 5U);
  EXPECT_EQ(plan_folds(20, {}).folds, 10U);
  EXPECT_EQ(plan_folds(6, {}, true).folds, 2U);
  EXPECT_EQ(plan_folds(400, {}, true).folds, plan_folds(400, {}).folds);
}

TEST(AutoPlan, FoldsAndRepetitionsFollowTheSmallerTable) {
  const auto planned = [](std::size_t rows_p, std::size_t rows_q) {
    return plan_auto(normal_pair(rows_p, rows_q), {}).plan;
  };
  EXPECT_EQ(planned(500, 900).folds, 5U);
  EXPECT_EQ(planned(500, 900).repetitions, 1);
  EXPECT_EQ(planned(499, 900).folds, 10U);
  EXPECT_EQ(planned(499, 900).repetitions, 3);
  EXPECT_EQ(planned(7, 900).folds, 3U);
  EXPECT_THROW(planned(3, 900), InvalidInput);
}

TEST(AutoPlan, ExtrapolatesFromAHundredTrainingRowsOfTheSmallerTable) {
  // Ten folds train on nine tenths.
  EXPECT_TRUE(plan_auto(normal_pair(111, 400), {}).plan.few_training_rows);
  EXPECT_FALSE(plan_auto(normal_pair(112, 400), {}).plan.few_training_rows);
}

TEST(AutoPlan, GroupsCountAndNotTheirRows) {
  Sample sample = normal_pair(600, 600);
  for (std::size_t row = 0; row < 1200; ++row) sample.groups.push_back(static_cast<std::uint32_t>(row / 60));
  const AutoPlan plan = plan_auto(std::move(sample), {}).plan;
  EXPECT_EQ(plan.folds, 2U) << "ten groups a table, at least four in a fold";
  EXPECT_EQ(plan.training_draws, 5U);
  EXPECT_TRUE(plan.few_training_rows);
}

TEST(AutoPlan, LeavesIdentifiersOutUnlessTheyAreNamed) {
  Sample sample = normal_pair(100, 100);
  std::vector<double> ids(200);
  std::iota(ids.begin(), ids.end(), 1000.0);
  sample.columns.push_back({"record", ColumnType::integer, ids, {}});
  const PlannedSample planned = plan_auto(sample, {});
  EXPECT_EQ(planned.plan.identifiers, (std::vector<std::string>{"record"}));
  EXPECT_EQ(planned.sample.columns.size(), 2U);
  EXPECT_EQ(planned.values.size(), 2U);
  EXPECT_TRUE(warns_of(planned.plan.warnings, "identifier"));
  EstimateOptions named;
  named.load.numeric = {"record"};
  EXPECT_EQ(plan_auto(sample, named).sample.columns.size(), 3U);
}

TEST(AutoPlan, CopiesOfARowAreAGroup) {
  Sample sample = normal_pair(300, 200);
  for (Column& column : sample.columns) std::copy_n(column.values.begin(), 150, column.values.begin() + 150);
  const PlannedSample planned = plan_auto(std::move(sample), {});
  EXPECT_TRUE(planned.plan.equal_rows_are_groups);
  EXPECT_EQ(planned.sample.groups[3], planned.sample.groups[153]);
  EXPECT_EQ(planned.plan.training_draws, 135U);
}

TEST(AutoPlan, ThinsRowsByTheSeedAndKnowsWhichAreLeft) {
  EstimateOptions options;
  options.max_rows = 60;
  const Sample sample = normal_pair(200, 50);
  const PlannedSample planned = plan_auto(sample, options);
  EXPECT_EQ(planned.sample.rows_p(), 60U);
  EXPECT_EQ(planned.sample.rows_q(), 50U);
  ASSERT_EQ(planned.rows.size(), 110U);
  for (std::size_t i = 0; i < 110; ++i) {
    EXPECT_EQ(planned.sample.columns[0].values[i], sample.columns[0].values[planned.rows[i]]);
  }
  options.seed = 1;
  EXPECT_NE(plan_auto(sample, options).rows, planned.rows);
}

TEST(AutoPlan, SeesWhereFormatsDiffer) {
  Sample sample = normal_pair(300, 300);
  for (std::size_t row = 0; row < 300; ++row) {
    sample.columns[0].values[row] = std::round(sample.columns[0].values[row] * 100) / 100;
  }
  const AutoPlan plan = plan_auto(std::move(sample), {}).plan;
  EXPECT_TRUE(plan.grids_differ);
  EXPECT_TRUE(plan.may_be_told_apart);
  EXPECT_FALSE(plan_auto(normal_pair(300, 300), {}).plan.grids_differ);
}

/// Work that takes no time of its own: what it is asked to do is what counts.
struct Asked {
  std::vector<EstimateOptions> calls;
  Work work() {
    return [this](const Sample&, const EstimateOptions& options) {
      calls.push_back(options);
      return Result{};
    };
  }
};

TEST(Budget, AnAmpleOneChangesNothing) {
  EstimateOptions options;
  options.time_budget = 1e6;
  Asked asked;
  std::vector<Warning> warnings;
  const EstimateOptions plan = plan_within_budget(normal_pair(2000, 2000), options, asked.work(), warnings);
  EXPECT_FALSE(plan.time_budget);
  EXPECT_FALSE(plan.max_rows);
  EXPECT_FALSE(plan.seeds);
  EXPECT_TRUE(warnings.empty());
  ASSERT_EQ(asked.calls.size(), 1U);
  EXPECT_EQ(asked.calls[0].max_rows, 400U) << "tried on a fifth of the rows";
}

TEST(Budget, ATinyOneThinsRowsAndKeepsTheForest) {
  EstimateOptions options;
  options.time_budget = 1e-9;
  std::vector<Warning> warnings;
  const Work slow = [](const Sample&, const EstimateOptions&) {
    Result result;
    for (const auto& [name, seconds] : {std::pair{"logreg", 1.0}, {"rf", 8.0}, {"mlp", 5.0}}) {
      result.families.push_back({.name = name, .seconds = seconds});
    }
    return result;
  };
  const EstimateOptions plan = plan_within_budget(normal_pair(2000, 2000), options, slow, warnings);
  EXPECT_EQ(plan.max_rows, 400U);
  EXPECT_EQ(plan.seeds, 1);
  EXPECT_EQ(plan.exclude_families, (std::vector<std::string>{"mlp", "logreg"}));
  EXPECT_TRUE(warns_of(warnings, "time_budget"));
}

}  // namespace
}  // namespace jsdiv
