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

TEST(Record, FamiliesThatAgreeToTheLastBitsDoNotDisagree) {
  Result result;
  result.families = {family_of("logreg", {0.0}, 0.69), family_of("rf", {1e-17}, 0.69)};
  for (FamilyResult& family : result.families) family.seeds[0].standard_error = 0;
  copy_selected(result, 1);
  EXPECT_TRUE(result.warnings.empty());
}

std::vector<std::string> warnings_of_stack(double raw, Measured held_out,
                                           std::vector<std::pair<std::string, double>> families) {
  Result result;
  result.raw = raw;
  result.held_out = held_out;
  result.standard_error = held_out.standard_error;
  for (const auto& [name, value] : families) {
    result.families.push_back({.name = name, .raw = value, .standard_error = 0.004});
  }
  warn_of_stack(result);
  std::vector<std::string> codes;
  for (const Warning& warning : result.warnings) codes.push_back(warning.code);
  return codes;
}

TEST(Record, AGoodResultHasNoWarnings) {
  using Codes = std::vector<std::string>;
  // A perfect synthesiser is a little below 0; a linear family sees nothing where trees do.
  EXPECT_EQ(warnings_of_stack(-0.004, {-0.004, 0.001}, {{"logreg", 0}, {"rf", -0.01}}), Codes{});
  EXPECT_EQ(warnings_of_stack(0.31, {0.3, 0.005}, {{"logreg", 0}, {"xgboost", 0.29}}), Codes{});
  EXPECT_EQ(warnings_of_stack(1.002, {0.99, 0.003}, {{"logreg", 0.5}, {"xgboost", 0.99}}), Codes{});
  // One family that beats the stack by 0.05, eight errors; the stack that is worse than a guess.
  EXPECT_EQ(warnings_of_stack(0.25, {0.24, 0.005}, {{"logreg", 0}, {"xgboost", 0.29}}),
            Codes{"estimators_disagree"});
  EXPECT_EQ(warnings_of_stack(-4.6, {-4.6, 0.1}, {{"rf", -3}}),
            (Codes{"broken_stack", "estimators_disagree"}));
  EXPECT_EQ(warnings_of_stack(-0.06, {-0.06, 0.03}, {{"rf", 0}}), Codes{});  // two errors: chance
  EXPECT_EQ(warnings_of_stack(1.02, {0.99, 0.003}, {{"xgboost", 0.99}}), Codes{"above_one"});
}

TEST(Record, RowsTellTheirOwnInformation) {
  // Q comes first in the arithmetic: two rows of the user's Q, then one of P.
  const Sample sample{.columns = {}, .table_rows = {2, 1}};
  const std::vector<double> information = {std::log2(2 * 0.9), std::log2(2 * 0.6), std::log2(2 * 0.8)};
  std::vector<RowRecord> records;
  append_auto_rows(sample, true, 3, information, records);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].table, 'P');
  EXPECT_EQ(records[0].row, 1U);
  EXPECT_NEAR(records[0].posterior, 0.8, 1e-15);
  EXPECT_NEAR(records[0].share, 0.5 * std::log2(2 * 0.8), 1e-15);
  EXPECT_EQ(records[2].table, 'Q');
  EXPECT_EQ(records[2].row, 2U);
  EXPECT_NEAR(records[2].posterior, 0.4, 1e-15);
  EXPECT_NEAR(records[2].information, std::log2(2 * 0.6), 1e-15);
  EXPECT_NEAR(records[2].share, 0.25 * std::log2(2 * 0.6), 1e-15);
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
  EXPECT_EQ(choose_families(options).size(),
            families().size() - 2);  // tabpfn needs weights, pfn runs where it is named
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
