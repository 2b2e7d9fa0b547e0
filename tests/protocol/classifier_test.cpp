#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "jsdiv/family.hpp"
#include "jsdiv/simulate.hpp"

namespace jsdiv {
namespace {

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

Simulation correlated(std::size_t rows, std::uint64_t seed) {
  SimulateOptions options;
  options.n = rows;
  options.seed = seed;
  options.rho = 0.8;
  return simulate("dependence", options);
}

/// A column of texts and one of numbers; rows of P are mostly "a", rows of Q mostly "b".
Table mixed_table(bool p, std::size_t rows) {
  Column text{.name = "text", .type = ColumnType::category, .levels = {"a", "b"}};
  Column number{.name = "number"};
  for (std::size_t i = 0; i < rows; ++i) {
    text.values.push_back((i % 5 == 0) == p ? 1 : 0);
    number.values.push_back(static_cast<double>(i % 7));
  }
  return {.columns = {text, number}, .rows = rows};
}

TEST(Classifier, ScoresNewRowsAsTheTableTheyComeFrom) {
  Simulation training = correlated(400, 1);
  Simulation fresh = correlated(300, 2);
  const Classifier classifier(std::move(training.p), std::move(training.q), "gaussian", {});
  const auto in_p = classifier.posteriors(std::move(fresh.p));
  const auto in_q = classifier.posteriors(std::move(fresh.q));
  ASSERT_EQ(in_p.size(), 300U);
  EXPECT_GT(mean(in_p), mean(in_q) + 0.1);
}

TEST(Classifier, IsAtEqualPriorsWithoutCalibrationToo) {
  Simulation large = correlated(600, 1);
  Simulation small = correlated(200, 2);
  const Classifier classifier(std::move(large.p), std::move(small.q), "gaussian", {}, {}, false);
  Simulation fresh = correlated(400, 3);
  const auto in_p = classifier.posteriors(std::move(fresh.p));
  const auto in_q = classifier.posteriors(std::move(fresh.q));
  EXPECT_GT(mean(in_p), mean(in_q) + 0.1);
  // At the prior of the training rows, 3 to 1, the mean over both would be 0.75.
  EXPECT_NEAR(0.5 * (mean(in_p) + mean(in_q)), 0.5, 0.1);
}

TEST(Classifier, TakesALevelThatTrainingDidNotHave) {
  const Classifier classifier(mixed_table(true, 100), mixed_table(false, 100), "gaussian", {});
  Table x{.columns = {{.name = "number", .values = {1, 2, std::numeric_limits<double>::quiet_NaN()}},
                      {.name = "text",
                       .type = ColumnType::category,
                       .values = {1, 0, 2},
                       .levels = {"Z", "a", "b"}}},
          .rows = 3};
  const auto posteriors = classifier.posteriors(x);
  EXPECT_GT(posteriors[0], posteriors[2]);  // "a" is P's, "b" is Q's
  EXPECT_GT(posteriors[0], posteriors[1]);  // "Z" is nobody's
  EXPECT_LT(posteriors[2], posteriors[1]);
}

TEST(Classifier, NamesAColumnThatIsNotThereOrOfAnotherType) {
  const Classifier classifier(mixed_table(true, 50), mixed_table(false, 50), "gaussian", {});
  const auto message = [&](const Table& x) -> std::string {
    try {
      classifier.posteriors(x);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  Table without{.columns = {{.name = "number", .values = {1}}}, .rows = 1};
  EXPECT_EQ(message(without), "X: no column 'text', which P and Q have");
  Table texts{.columns = {{.name = "number", .type = ColumnType::category, .values = {0}, .levels = {"x"}},
                          {.name = "text", .type = ColumnType::category, .values = {0}, .levels = {"a"}}},
              .rows = 1};
  EXPECT_NE(message(texts).find("column 'number': 'x' is not a number"), std::string::npos);
}

TEST(Score, TablesInMemoryGiveAScoreForEachRowOfTheThird) {
  Simulation training = correlated(200, 1);
  Simulation fresh = correlated(50, 2);
  EstimateOptions options;
  options.families = {"gaussian"};
  const Scores scores = score(std::move(training.p), std::move(training.q), std::move(fresh.p), options);
  EXPECT_EQ(scores.posteriors.size(), 50U);
}

TEST(Posteriors, OfTablesInMemoryAreMeasured) {
  const Table p = mixed_table(true, 4);
  const Table q = mixed_table(false, 4);
  const std::vector<double> posteriors = {0.8, 0.8, 0.8, 0.8, 0.2, 0.2, 0.2, 0.2};
  EXPECT_NEAR(estimate_posteriors(p, q, posteriors).jsd, 1 + std::log2(0.8), 1e-12);
}

/// Log-odds linear in the first feature, with the difference of its means as slope.
class FirstFeature final : public Family {
 public:
  std::string_view name() const override { return "first"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override { return {}; }
  bool stochastic() const override { return false; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }
  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<FirstTrainer>(problem);
  }

 private:
  class FirstModel final : public Model {
   public:
    FirstModel(double prior, double slope) : prior_(prior), slope_(slope) {}
    void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
      for (std::size_t i = 0; i < rows.size(); ++i) out[i] = prior_ + slope_ * features.at(rows[i], 0);
    }
    double prior_log_odds() const override { return prior_; }
    const Config& config() const override { return config_; }

   private:
    double prior_;
    double slope_;
    Config config_;
  };
  class FirstTrainer final : public Trainer {
   public:
    using Trainer::Trainer;
    std::unique_ptr<Model> fit(Rows rows, const Config&, const Fit&) const override {
      double sum[2] = {0, 0};
      double count[2] = {0, 0};
      for (const RowIndex row : rows) {
        sum[problem().labels[row]] += problem().features.at(row, 0);
        count[problem().labels[row]] += 1;
      }
      return std::make_unique<FirstModel>(jsdiv::prior_log_odds(problem(), rows),
                                          sum[1] / count[1] - sum[0] / count[0]);
    }
  };
};

TEST(OwnFamilies, RunByNameBesideThoseOfTheRegistry) {
  SimulateOptions simulation;
  simulation.n = 300;
  simulation.gap = 1.0;
  Simulation pair = simulate("imbalance", simulation);
  EstimateOptions options;
  options.own_families = {std::make_shared<FirstFeature>()};
  options.families = {"first", "logreg"};
  const Result result = estimate(pair.p, pair.q, options);
  ASSERT_EQ(result.families.size(), 2U);
  EXPECT_EQ(result.families[1].name, "first");
  EXPECT_GT(result.families[1].jsd, 0.05);
  options.exclude_families = {"first"};
  EXPECT_EQ(estimate(pair.p, pair.q, options).families.size(), 1U);
  options.own_families.clear();
  EXPECT_THROW(estimate(pair.p, pair.q, options), InvalidInput);
}

}  // namespace
}  // namespace jsdiv
