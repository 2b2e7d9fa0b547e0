#include "protocol/record.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "classify/registry.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

FamilyResult family_of(std::string name, std::vector<double> raw, double log_loss) {
  FamilyResult family{.name = std::move(name)};
  for (const double value : raw) {
    family.seeds.push_back({.jsd = std::clamp(value, 0.0, 1.0),
                            .raw = value,
                            .standard_error = 0.01,
                            .validation_log_loss = log_loss,
                            .auc = 0.5});
  }
  summarise_seeds(family);
  return family;
}

TEST(Record, SummarisesSeedsByHand) {
  const FamilyResult family = family_of("rf", {0.1, 0.2, 0.6}, 0.5);
  EXPECT_NEAR(family.raw, 0.3, 1e-15);
  EXPECT_NEAR(*family.sd, std::sqrt(0.07), 1e-15);  // (0.04 + 0.01 + 0.09) / 2
  EXPECT_NEAR(*family.standard_error, std::sqrt(0.07 / 3), 1e-15);
}

TEST(Record, ANegativeMeanIsReportedAsZeroAndKeptRaw) {
  Result result;
  result.families = {family_of("rf", {-0.1, 0.05}, 0.7)};
  copy_selected(result, 0);
  EXPECT_EQ(result.jsd, 0);
  EXPECT_NEAR(result.raw, -0.025, 1e-15);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "below_chance");
}

TEST(Record, OneSeedTakesItsErrorFromTheRows) {
  Result result;
  result.families = {family_of("rf", {0.5}, 0.7)};
  result.protocol.options.level = 0.95;
  copy_selected(result, 0);
  EXPECT_FALSE(result.families[0].sd.has_value());
  EXPECT_NEAR(result.confidence_interval->high, 0.5 + 1.959964 * 0.01, 1e-6);
}

TEST(Record, SelectsTheLowestLogLossAndWarnsOfDisagreement) {
  Result result;
  result.families = {family_of("logreg", {0.001, 0.001}, 0.69), family_of("rf", {0.3, 0.31}, 0.5)};
  EXPECT_EQ(select_family(result.families), 1U);
  copy_selected(result, 1);
  EXPECT_EQ(result.selected_family, "rf");
  EXPECT_NEAR(*result.disagreement->ratio, 305, 1e-9);
  ASSERT_EQ(result.warnings.size(), 1U);
  EXPECT_EQ(result.warnings[0].code, "estimators_disagree");

  Result agreeing;
  agreeing.families = {family_of("logreg", {0.30, 0.31}, 0.69), family_of("rf", {0.31, 0.32}, 0.5)};
  copy_selected(agreeing, 1);
  EXPECT_TRUE(agreeing.warnings.empty());
}

TEST(Record, RowSharesAddUpToTheEstimate) {
  const Sample sample{.columns = {}, .table_rows = {2, 2}, .weights = {1, 3, 1, 1}};
  const std::vector<RowIndex> rows = {0, 1, 2, 3};
  const std::vector<double> posteriors = {0.9, 0.6, 0.2, 0.4};
  const std::vector<double> terms = {0.8, 0.4, 0.6, 0.2};
  std::vector<RowRecord> records;
  append_rows(sample, rows, 7, posteriors, terms, 1, records);
  double sum = 0;
  for (const RowRecord& record : records) sum += record.share;
  EXPECT_NEAR(sum, 0.5 * (0.8 + 3 * 0.4) / 4 + 0.5 * (0.6 + 0.2) / 2, 1e-15);
  EXPECT_EQ(records[3].table, 'Q');
  EXPECT_EQ(records[3].row, 2U);
}

TEST(Record, ChoosesFamiliesByName) {
  EstimateOptions options;
  EXPECT_EQ(choose_families(options).size(), families().size() - 1);  // tabpfn needs weights
  options.protocol = Protocol::paper;
  EXPECT_EQ(choose_families(options).size(), 5U);
  options.families = {"rf", "logreg"};
  ASSERT_EQ(choose_families(options).size(), 2U);
  EXPECT_EQ(choose_families(options)[0]->name(), "logreg");
  options.exclude_families = {"logreg"};
  EXPECT_EQ(choose_families(options).size(), 1U);
  options.exclude_families = {"logreg", "rf"};
  EXPECT_THROW(choose_families(options), InvalidInput);
  options.families = {"tabpfn"};
  options.exclude_families = {};
  EXPECT_THROW(choose_families(options), InvalidInput);  // it needs weights
}

}  // namespace
}  // namespace jsdiv
