#include "protocol/memory_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr double giga = 1024.0 * 1024 * 1024;

TEST(MemoryPlan, WithoutALimitThereIsNone) {
  const MemoryPlan plan = plan_memory({10'000'000, 10'000'000, 50}, "");
  EXPECT_FALSE(plan.most_rows);
  EXPECT_EQ(plan.folds_at_once, 0U);
}

TEST(MemoryPlan, CoversWhatWasMeasured) {
  struct Run {
    TableSizes sizes;
    std::size_t rows_used;
    double peak_mib;  ///< of runtime.peak_bytes, with two threads and so two folds at a time
  };
  const std::vector<Run> runs = {
      {{100'000, 100'000, 20, 2}, 100'000, 402},          {{1'000'000, 1'000'000, 20, 2}, 1'000'000, 894},
      {{10'000'000, 10'000'000, 10, 2}, 2'000'000, 2228}, {{1000, 1000, 10'000, 2}, 1000, 4062},
      {{100'000, 100'000, 8, 2}, 100'000, 582},  // prices, dates, 5,000 places; doubled rows, other grids
  };
  for (const Run& run : runs) {
    const TableSizes used = run.sizes.within(run.rows_used);
    const double planned =
        std::max(bytes_of_tables(run.sizes), bytes_of_rows(used) + 2 * bytes_of_fold(used));
    EXPECT_GE(planned, run.peak_mib * 1024 * 1024) << run.sizes.rows() << " x " << run.sizes.columns;
    EXPECT_LE(planned, 5 * run.peak_mib * 1024 * 1024) << run.sizes.rows() << " x " << run.sizes.columns;
  }
}

TEST(MemoryPlan, UsesAsManyRowsAsFit) {
  const TableSizes sizes{1'000'000, 3'000'000, 10};
  const MemoryPlan plan = plan_memory(sizes, "1G");
  ASSERT_TRUE(plan.most_rows);
  const TableSizes used = sizes.within(*plan.most_rows);
  EXPECT_LE(bytes_of_rows(used) + bytes_of_fold(used), giga);
  const TableSizes more = sizes.within(*plan.most_rows + *plan.most_rows / 20);
  EXPECT_GT(bytes_of_rows(more) + bytes_of_fold(more), giga);
  EXPECT_EQ(plan.folds_at_once, 1U);
}

TEST(MemoryPlan, RoomForAllRowsThinsNoneAndRunsMoreFoldsAtATime) {
  const TableSizes sizes{5000, 5000, 10};
  const MemoryPlan plan = plan_memory(sizes, "1G");
  EXPECT_FALSE(plan.most_rows);
  EXPECT_GT(plan.folds_at_once, 5U);
}

TEST(MemoryPlan, RefusesWhatCannotBeAndSaysWhatItWouldTake) {
  try {
    plan_memory({1'000'000, 1'000'000, 100}, "1G");
    FAIL();
  } catch (const InvalidInput& error) {
    // 2,000,000 rows of 100 doubles are 1.5 GB before anything is done with them.
    EXPECT_NE(std::string(error.what()).find("at least 1.6 GB"), std::string::npos) << error.what();
    EXPECT_EQ(error.subject().option, "memory");
  }
}

}  // namespace
}  // namespace jsdiv
