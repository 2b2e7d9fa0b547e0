#include "bench/published.hpp"

#include <gtest/gtest.h>

#include "bench/experiment.hpp"

namespace jsdiv::bench {
namespace {

// Copied by hand from the paper's tables.
TEST(Published, HoldsThePapersFigures) {
  const Published* row = find_published("paper", "dependence", "rho=0.9", "mlp");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->error, 0.50);
  EXPECT_EQ(row->error_sd, 0.55);
  row = find_published("paper", "imbalance", "gap=1 ratio=0.1 correction=on", "xgboost");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->error, 12.22);
  EXPECT_EQ(row->error_sd, 9.97);
  row = find_published("paper", "real-high", "pair=intrusion/ctgan", "lr-pol");
  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row->estimate, 0.29);
  row = find_published("files", "dimension", "d=50", "rf");
  ASSERT_NE(row, nullptr);
  EXPECT_NEAR(*row->error, 23.61, 0.005);
  EXPECT_EQ(find_published("paper", "dependence", "rho=0.1", "mlp"), nullptr);
  EXPECT_EQ(find_published("paper", "", "rho=0.9", "mlp"), nullptr);
}

TEST(Published, TimesStandForTheirSettings) {
  EXPECT_EQ(published_seconds("imbalance", "gap=0.7 ratio=0.1 correction=on", "syndat"), 0.01);
  EXPECT_EQ(published_seconds("real-high", "pair=intrusion/ctgan", "syndat"), 0.08);
  EXPECT_EQ(published_seconds("dependence", "rho=0.4", "synthcity"), 0.0);
  EXPECT_NEAR(*published_seconds("real-high", "pair=intrusion/ctgan", "lr-pol"), 28076.65, 0.01);
  EXPECT_FALSE(published_seconds("dependence", "rho=0.4", "gaussian"));
}

TEST(Published, EverySettingOfOurExperimentsIsThere) {
  for (const char* name :
       {"dependence", "dimension", "finite", "imbalance", "sample-size", "real-high", "real-low"}) {
    for (const Setting& setting : find_experiment(name).settings) {
      EXPECT_NE(find_published("files", name, setting.label, "rf"), nullptr) << name << " " << setting.label;
    }
  }
}

}  // namespace
}  // namespace jsdiv::bench
