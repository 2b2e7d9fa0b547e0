#include "tune/trial.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

namespace jsdiv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A fold that answers the t-th call with the t-th row of a script.
class ScriptedFold final : public FoldScorer {
 public:
  explicit ScriptedFold(std::vector<std::vector<double>> script) : script_(std::move(script)) {}
  std::vector<double> losses(const Config&) override { return script_.at(calls++); }
  std::size_t calls = 0;

 private:
  std::vector<std::vector<double>> script_;
};

struct Folds {
  explicit Folds(std::vector<std::vector<std::vector<double>>> scripts) {
    for (auto& script : scripts) owned.push_back(std::make_unique<ScriptedFold>(std::move(script)));
    for (auto& fold : owned) scorers.push_back(fold.get());
  }
  std::vector<std::unique_ptr<ScriptedFold>> owned;
  std::vector<FoldScorer*> scorers;
};

SearchSpace real_line() {
  return {.parameters = {Parameter::real("x", 0, 1)}};
}

Config at(double x) {
  Config config;
  config.set("x", x);
  return config;
}

TEST(TrialRunner, AveragesThePathOverFoldsByHand) {
  SearchSpace space{.path_name = "C", .path_values = {0.1, 1, 10}};
  // Each fold likes another end; the mean (2.5, 2, 3) is lowest in the middle.
  Folds folds({{{1, 2, 4}}, {{4, 2, 2}}});
  TrialRunner runner(space, folds.scorers, true);
  const Trial& trial = runner.run(Config{}, "exhaustive");
  EXPECT_DOUBLE_EQ(trial.loss, 2);
  EXPECT_EQ(trial.config.real("C"), 1.0);
  EXPECT_DOUBLE_EQ(trial.standard_error, 0);
  EXPECT_EQ(trial.folds_scored, 2);
  EXPECT_FALSE(trial.rejected);
  EXPECT_EQ(trial.origin, "exhaustive");
}

TEST(TrialRunner, AWholePathBecomesIntegersAndTiesGoToTheFirst) {
  SearchSpace space{.path_name = "rounds", .path_values = {100, 200}};
  Folds folds({{{1, 1}}});
  TrialRunner runner(space, folds.scorers, true);
  EXPECT_EQ(runner.run(Config{}, "x").config.integer("rounds"), 100);
}

TEST(TrialRunner, AFailedPathValueIsPassedOver) {
  SearchSpace space{.path_name = "C", .path_values = {0.1, 1}};
  Folds folds({{{0.1, 1}}, {{std::nan(""), 2}}});
  TrialRunner runner(space, folds.scorers, true);
  const Trial& trial = runner.run(Config{}, "x");
  EXPECT_DOUBLE_EQ(trial.loss, 1.5);
  EXPECT_EQ(trial.config.real("C"), 1.0);
  EXPECT_NEAR(trial.standard_error, std::sqrt(0.5) / std::sqrt(2), 1e-12);
}

TEST(TrialRunner, BatchesDependOnNothingButTheNumberOfFolds) {
  EXPECT_EQ(fold_batches(1, true), (std::vector<std::size_t>{1}));
  EXPECT_EQ(fold_batches(2, true), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(fold_batches(5, true), (std::vector<std::size_t>{1, 3, 5}));
  EXPECT_EQ(fold_batches(10, true), (std::vector<std::size_t>{1, 3, 5, 10}));
  EXPECT_EQ(fold_batches(12, true), (std::vector<std::size_t>{1, 3, 5, 10, 12}));
  EXPECT_EQ(fold_batches(10, false), (std::vector<std::size_t>{10}));
}

// Differences 0.3 and 0.5: mean 0.4, standard deviation 0.1414, three standard errors 0.3.
TEST(Hopeless, ByHand) {
  EXPECT_TRUE(hopeless(std::vector<double>{0.3, 0.5}, 0));
  EXPECT_TRUE(hopeless(std::vector<double>{0.3, 0.5}, 0.18));  // 3 x 0.18 / sqrt 2 = 0.38
  EXPECT_FALSE(hopeless(std::vector<double>{0.3, 0.5}, 0.2));  // 0.42
  EXPECT_FALSE(hopeless(std::vector<double>{0.1, 0.5}, 0));    // mean 0.3, three standard errors 0.6
  EXPECT_FALSE(hopeless(std::vector<double>{-0.3, -0.5}, 0));
  EXPECT_TRUE(hopeless(std::vector<double>{infinity, 0}, infinity));
  EXPECT_FALSE(hopeless(std::vector<double>{9, 9}, infinity));
}

// Folds differ in difficulty by 1 each. Trials 0-3 are within 0.02 of each other and teach the usual spread;
// trial 4 is worse by 0.5 and is given up after one fold; trial 5 is better and runs to its end.
TEST(TrialRunner, GivesUpAHopelessTrialByHand) {
  const double lag[6][5] = {{0, 0, 0, 0, 0},           {.01, -.01, .01, .02, .01}, {.02, .01, .00, .01, .01},
                            {.00, .02, .01, .01, .02}, {.50, .52, .51, .50, .50},  {-.1, -.1, -.1, -.1, -.1}};
  std::vector<std::vector<std::vector<double>>> scripts(5);
  for (std::size_t k = 0; k < 5; ++k) {
    for (std::size_t t = 0; t < 6; ++t) {
      if (t == 4 && k >= 1) continue;
      scripts[k].push_back({static_cast<double>(k) + lag[t][k]});
    }
  }
  Folds folds(scripts);
  const SearchSpace space = real_line();
  TrialRunner runner(space, folds.scorers, true);
  for (int t = 0; t < 6; ++t) runner.run(at(0.1 * t), "random");

  const auto& trials = runner.trials();
  ASSERT_EQ(trials.size(), 6U);
  for (const std::size_t t : {0, 1, 2, 3, 5}) {
    EXPECT_FALSE(trials[t].rejected) << t;
    EXPECT_EQ(trials[t].folds_scored, 5) << t;
  }
  EXPECT_TRUE(trials[4].rejected);
  EXPECT_EQ(trials[4].folds_scored, 1);
  EXPECT_NEAR(trials[4].loss, 2 + 0.50, 1e-12);  // the best trial's mean over all folds plus the lag on one
  EXPECT_EQ(folds.owned[1]->calls, 5U);
  const TuneResult result = std::move(runner).take_result();
  EXPECT_NEAR(result.best_loss, 1.9, 1e-12);
  EXPECT_EQ(result.best, at(0.5));
}

TEST(TrialRunner, WithoutEarlyRejectionEveryFoldIsScored) {
  std::vector<std::vector<std::vector<double>>> scripts(5);
  for (auto& script : scripts) {
    for (int t = 0; t < 10; ++t) script.push_back({t < 4 ? 0.0 : 100.0});
  }
  Folds folds(scripts);
  const SearchSpace space = real_line();
  TrialRunner runner(space, folds.scorers, false);
  for (int t = 0; t < 10; ++t) EXPECT_EQ(runner.run(at(0.1 * t), "random").folds_scored, 5);
}

TEST(TrialRunner, AFailureIsRecordedAndNeverTheBest) {
  Folds folds({{{std::nan("")}, {3}}, {{1}, {3}}, {{3}, {3}}});
  const SearchSpace space = real_line();
  TrialRunner runner(space, folds.scorers, true);
  EXPECT_EQ(runner.run(at(0), "random").loss, infinity);
  EXPECT_TRUE(runner.trials()[0].rejected);
  folds.owned[1]->calls = 1;
  folds.owned[2]->calls = 1;
  runner.run(at(1), "random");
  const TuneResult result = std::move(runner).take_result();
  EXPECT_EQ(result.best, at(1));
  EXPECT_EQ(result.best_loss, 3);
}

}  // namespace
}  // namespace jsdiv
