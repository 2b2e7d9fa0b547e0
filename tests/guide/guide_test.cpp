#include "guide/guide.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "guide/measured.hpp"

namespace jsdiv {
namespace {

/// 3000 rows a side, 4 columns of numbers, nothing wrong with them.
DataFacts plain_facts() {
  DataFacts facts{.rows_p = 3000, .rows_q = 3000, .columns = 4, .features = 4};
  facts.types["number"] = 4;
  return facts;
}

std::vector<std::string> present(const DataFacts& facts) {
  std::vector<std::string> names;
  for (const Regime& regime : regimes_of(facts)) {
    if (regime.present) names.push_back(regime.name);
  }
  return names;
}

Advice advice_for(const DataFacts& facts, const std::string& estimator) {
  const auto all = advise(facts, {});
  const auto found = std::ranges::find(all, estimator, &Advice::estimator);
  EXPECT_NE(found, all.end());
  return *found;
}

bool says(const Advice& advice, const std::string& text) {
  return std::ranges::any_of(
      advice.reasons, [&](const std::string& reason) { return reason.find(text) != std::string::npos; });
}

TEST(Regimes, PlainDataHasDependenceOnly) {
  EXPECT_EQ(present(plain_facts()), std::vector<std::string>{"dependence"});
}

TEST(Regimes, EachStartsAtItsThreshold) {
  DataFacts facts = plain_facts();
  facts.features = 15;  // 1500 training rows: exactly 100 for each
  EXPECT_EQ(present(facts), (std::vector<std::string>{"dependence"}));
  facts.features = 16;
  EXPECT_EQ(present(facts), (std::vector<std::string>{"dependence", "dimension"}));

  facts = plain_facts();
  facts.rows_q = 3290;
  EXPECT_EQ(present(facts), (std::vector<std::string>{"dependence"}));
  facts.rows_q = 3310;
  EXPECT_EQ(present(facts), (std::vector<std::string>{"dependence", "imbalance"}));

  facts = plain_facts();
  facts.rows_p = facts.rows_q = 1999;
  EXPECT_EQ(present(facts), (std::vector<std::string>{"dependence", "small"}));

  facts = plain_facts();
  facts.columns = facts.features = 1;
  EXPECT_TRUE(present(facts).empty());
}

TEST(Advice, EveryEstimatorHasAVerdictAndAutoComesFirst) {
  const auto all = advise(plain_facts(), {});
  std::vector<std::string> names;
  for (const Advice& advice : all) names.push_back(advice.estimator);
  EXPECT_EQ(names, (std::vector<std::string>{"auto", "logreg", "lr-pol", "rf", "xgboost", "mlp", "gaussian",
                                             "kernel", "pairs", "tabpfn", "pfn", "syndat", "synthcity"}));
}

TEST(Advice, BaselinesAreBlindToDependence) {
  const Advice advice = advice_for(plain_facts(), "syndat");
  EXPECT_EQ(advice.verdict, Verdict::not_recommended);
  EXPECT_TRUE(says(advice, "ignores dependence between them"));
  DataFacts facts = plain_facts();
  facts.columns = facts.features = 1;
  EXPECT_EQ(advice_for(facts, "syndat").verdict, Verdict::caveats);
}

TEST(Advice, DisjointValuesRuleOutSmoothFamilies) {
  DataFacts facts = plain_facts();
  facts.separated_share = 0.997;
  facts.separating_column = "age";
  for (const char* smooth : {"logreg", "lr-pol", "mlp", "gaussian", "kernel"}) {
    EXPECT_EQ(advice_for(facts, smooth).verdict, Verdict::not_recommended) << smooth;
    EXPECT_TRUE(says(advice_for(facts, smooth), "99.7 % of one table's rows have values of 'age'")) << smooth;
  }
  EXPECT_GE(advice_for(facts, "rf").verdict, Verdict::caveats);
  EXPECT_EQ(advice_for(facts, "auto").verdict, Verdict::recommended);
}

TEST(Advice, PolynomialsOfManyFeaturesAreLeftOut) {
  DataFacts facts = plain_facts();
  facts.rows_p = facts.rows_q = 1'000'000;
  facts.columns = facts.features = 98;  // 98 + 98·99/2 = 4949 products
  EXPECT_FALSE(says(advice_for(facts, "lr-pol"), "only degree 1"));
  facts.columns = facts.features = 99;  // 5049
  EXPECT_TRUE(says(advice_for(facts, "lr-pol"), "only degree 1"));
}

TEST(Advice, TellsOfCopiesAndFewRows) {
  DataFacts facts = plain_facts();
  facts.repeated_share = 0.2;
  EXPECT_TRUE(says(advice_for(facts, "auto"), "20 % of one table's rows are copies"));
  facts = plain_facts();
  facts.rows_q = 90;
  EXPECT_EQ(advice_for(facts, "auto").verdict, Verdict::caveats);
  EXPECT_TRUE(says(advice_for(facts, "auto"), "90 rows"));
}

TEST(Measured, HasEveryRegimeForThePublishedFamilies) {
  for (const char* regime : {"dependence", "dimension", "imbalance", "small"}) {
    for (const char* estimator : {"logreg", "lr-pol", "rf", "xgboost", "mlp"}) {
      ASSERT_TRUE(measured_error(regime, estimator)) << regime << " " << estimator;
      EXPECT_GT(measured_error(regime, estimator)->error_x100, 0);
    }
  }
  EXPECT_FALSE(measured_error("dependence", "nobody"));
  EXPECT_FALSE(measured_error("nowhere", "auto"));
  // Logistic regression cannot see a correlation; auto can.
  EXPECT_EQ(advice_for(plain_facts(), "logreg").verdict, Verdict::not_recommended);
  EXPECT_EQ(advice_for(plain_facts(), "auto").verdict, Verdict::recommended);
}

}  // namespace
}  // namespace jsdiv
