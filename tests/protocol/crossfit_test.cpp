#include "protocol/crossfit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "../support/tables.hpp"
#include "classify/registry.hpp"
#include "core/parallel.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t folds = 4;

/// A rounded column against a continuous one, a shift, and a category with many levels: something of
/// everything that is learnt from rows.
Sample mixed_sample() {
  const std::size_t n = 120;
  Sample sample = sample_of(
      n, n,
      {joined("shift", normal_values(n, 1), drawn(n, 2, [](RandomStream& r) { return 1 + r.normal(); })),
       joined("grid", drawn(n, 3, [](RandomStream& r) { return rounded(r.normal(), 0.1); }),
              normal_values(n, 4))});
  Column level{"level", ColumnType::category, {}, {}};
  RandomStream random(5);
  for (std::size_t i = 0; i < 2 * n; ++i) level.values.push_back(static_cast<double>(random.below(40)));
  for (int i = 0; i < 60; ++i) level.levels.push_back("level " + std::to_string(100 + i));
  sample.columns.push_back(std::move(level));
  return sample;
}

CrossFit fit(const Sample& sample, std::span<const std::uint8_t> labels,
             std::span<const Family* const> families) {
  const std::vector<ValueCodes> values = value_codes(sample);
  return cross_fit({sample, values, labels, families, {}, {}}, folds, RandomStream(7), {});
}

const std::vector<const Family*>& cheap_families() {
  static const std::vector<const Family*> chosen{&family("logreg"), &family("rf")};
  return chosen;
}

TEST(CrossFit, ScoresEveryRowOnceAndTellsTheTablesApart) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  const CrossFit result = fit(sample, labels, cheap_families());
  ASSERT_EQ(result.rows.size(), 240U);
  EXPECT_EQ(result.folds, folds);
  EXPECT_EQ(result.smaller_training_class, 90U);
  std::array<int, folds> in_fold{};
  double mean_p = 0, mean_q = 0;
  for (std::size_t row = 0; row < 240; ++row) {
    ++in_fold.at(result.rows[row].fold);
    (labels[row] == 1 ? mean_p : mean_q) += result.rows[row].full / 120;
    // No log-odds beyond what 90 rows of a class can support.
    EXPECT_LE(std::abs(result.rows[row].full), std::log(90) + 1e-12);
  }
  for (const int rows : in_fold) EXPECT_EQ(rows, 60);
  EXPECT_GT(mean_p, 1);
  EXPECT_LT(mean_q, -1);
}

/// One learner that reads the first feature, one that knows nothing; counts what is asked of it.
class Counted final : public Family {
 public:
  struct Counts {
    std::atomic<int> prepared = 0;
    std::array<std::atomic<int>, 2> fits{};  ///< of either learner
  };

  Counted(bool with_reader, Counts& counts) : with_reader_(with_reader), counts_(counts) {}

  std::string_view name() const override { return "counted"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override { return knowing(false); }
  std::vector<Config> shortlist(const SpaceContext&) const override {
    if (!with_reader_) return {knowing(false)};
    return {knowing(true), knowing(false)};
  }
  bool stochastic() const override { return false; }
  bool needs_calibration() const override { return false; }
  bool calibrates_on_log_odds() const override { return false; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    ++counts_.prepared;
    return std::make_unique<CountedTrainer>(problem, counts_);
  }

 private:
  static Config knowing(bool reads) {
    Config config;
    config.set("reads", std::int64_t{reads});
    return config;
  }

  class CountedModel final : public Model {
   public:
    explicit CountedModel(Config config) : config_(std::move(config)) {}
    void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
      const bool reads = config_.integer("reads", 0, 1) == 1;
      for (std::size_t i = 0; i < rows.size(); ++i) out[i] = reads ? -features.at(rows[i], 0) : 0.0;
    }
    double prior_log_odds() const override { return 0; }
    const Config& config() const override { return config_; }

   private:
    Config config_;
  };

  class CountedTrainer final : public Trainer {
   public:
    CountedTrainer(const Problem& problem, Counts& counts) : Trainer(problem), counts_(counts) {}
    std::unique_ptr<Model> fit(Rows, const Config& config, const Fit&) const override {
      ++counts_.fits.at(static_cast<std::size_t>(config.integer("reads", 0, 1)));
      return std::make_unique<CountedModel>(config);
    }

   private:
    Counts& counts_;
  };

  bool with_reader_;
  Counts& counts_;
};

TEST(CrossFit, WhatLosesTheRaceIsPreparedAndFittedOnOneHalfAlone) {
  const Sample sample = mixed_sample();
  Counted::Counts lost;
  const Counted knows_nothing(false, lost);
  const CrossFit with =
      fit(sample, sample.labels(), std::array<const Family*, 2>{cheap_families()[0], &knows_nothing});
  EXPECT_EQ(with.families[1].dropped_folds, folds);
  EXPECT_EQ(lost.prepared, static_cast<int>(folds));
  EXPECT_EQ(lost.fits[0], static_cast<int>(folds));

  // Both halves and the whole for the one that is needed, one half for the other.
  Counted::Counts won;
  const Counted reads(true, won);
  const CrossFit alone = fit(sample, sample.labels(), std::array<const Family*, 1>{&reads});
  EXPECT_EQ(alone.families[0].dropped_folds, 0U);
  EXPECT_EQ(won.prepared, 3 * static_cast<int>(folds));
  EXPECT_EQ(won.fits[1], 3 * static_cast<int>(folds));
  EXPECT_EQ(won.fits[0], static_cast<int>(folds));
}

TEST(CrossFit, NothingAboutAFoldIsLearntFromIt) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  const CrossFit before = fit(sample, labels, cheap_families());

  // Two rows of fold 2 change; no other row of fold 2 may get another score.
  Sample two_rows = sample;
  std::vector<std::size_t> in_fold;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (before.rows[row].fold == 2) in_fold.push_back(row);
  }
  for (const std::size_t row : {in_fold.front(), in_fold.back()}) {
    two_rows.columns[0].values[row] = 99;
    two_rows.columns[1].values[row] = 99.5;
    two_rows.columns[2].values[row] = 59;
  }
  const CrossFit changed = fit(two_rows, labels, cheap_families());
  for (const std::size_t row : in_fold) {
    if (row == in_fold.front() || row == in_fold.back()) continue;
    EXPECT_EQ(before.rows[row].full, changed.rows[row].full) << row;
    EXPECT_EQ(before.rows[row].halves, changed.rows[row].halves) << row;
  }
  // The models of the other folds have learnt from these rows.
  bool others_moved = false;
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    others_moved |= before.rows[row].fold != 2 && before.rows[row].full != changed.rows[row].full;
  }
  EXPECT_TRUE(others_moved);
}

TEST(CrossFit, LabelsOfAFoldChangeNoScoreInIt) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  const CrossFit before = fit(sample, labels, cheap_families());
  std::size_t p = 0, q = 120;
  while (before.rows[p].fold != 1) ++p;
  while (before.rows[q].fold != 1) ++q;
  // A row of P and one of Q exchange their cells, which is as if they exchanged their labels, and keeps the
  // division into folds.
  Sample exchanged = sample;
  for (Column& column : exchanged.columns) std::swap(column.values[p], column.values[q]);
  const CrossFit after = fit(exchanged, labels, cheap_families());
  EXPECT_EQ(before.rows[p].full, after.rows[q].full);
  EXPECT_EQ(before.rows[q].full, after.rows[p].full);
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    if (row == p || row == q || before.rows[row].fold != 1) continue;
    EXPECT_EQ(before.rows[row].full, after.rows[row].full);
  }
}

TEST(CrossFit, GroupsAreTheDraws) {
  Sample sample = mixed_sample();
  for (std::size_t row = 0; row < 240; ++row) sample.groups.push_back(static_cast<std::uint32_t>(row / 4));
  const auto labels = sample.labels();
  const CrossFit result = fit(sample, labels, cheap_families());
  // 30 groups of P and 30 of Q; a training part has three quarters of them, give or take one.
  EXPECT_NEAR(static_cast<double>(result.smaller_training_class), 22.5, 1);
  for (std::size_t row = 0; row < 240; ++row) EXPECT_EQ(result.rows[row].fold, result.rows[row / 4 * 4].fold);
}

TEST(CrossFit, LargeTrainingPartsAreThinnedToWhatTheLearnersCanUse) {
  // A shift of one column: logistic regression knows all of it after a few hundred rows.
  const std::size_t n = 4000;
  const Sample sample =
      pair_of(normal_values(n, 1), drawn(n, 2, [](RandomStream& r) { return 1 + r.normal(); }));
  const auto labels = sample.labels();
  const std::vector<ValueCodes> values = value_codes(sample);
  const std::vector<const Family*> logreg{&family("logreg")};
  const auto run = [&](std::size_t pilot_rows) {
    return cross_fit({sample, values, labels, logreg, {}, {}, pilot_rows}, folds, RandomStream(3), {});
  };
  const CrossFit thinned = run(300), all = run(2000);
  EXPECT_FALSE(all.training_rows) << "a training part has 3,000 rows of a table";
  ASSERT_TRUE(thinned.training_rows);
  EXPECT_LT(*thinned.training_rows, 2000U);
  EXPECT_EQ(thinned.smaller_training_class, *thinned.training_rows);
  double squares = 0;
  for (std::size_t row = 0; row < 2 * n; ++row) {
    EXPECT_EQ(thinned.rows[row].fold, all.rows[row].fold);
    EXPECT_NE(thinned.rows[row].full, 0);
    squares += std::pow(thinned.rows[row].full - all.rows[row].full, 2);
  }
  // Log-odds of a slope and an intercept with standard errors of about 2 / sqrt(300).
  EXPECT_LT(std::sqrt(squares / (2 * n)), 0.25);

  // By itself the family scored 1,200 of the 2,000 rows that each fold holds out.
  EXPECT_EQ(all.told_rows.size(), 2 * n);
  ASSERT_EQ(thinned.told_rows.size(), folds * 1200);
  EXPECT_TRUE(std::ranges::is_sorted(thinned.told_rows));
  ASSERT_EQ(thinned.families[0].log_odds.size(), thinned.told_rows.size());
  // A stack of one learner is that learner, scaled: what it says of a row by itself is what the stack says,
  // although the one was scored with the training rows and the other in a block of its own.
  for (std::size_t i = 0; i < thinned.told_rows.size(); ++i) {
    EXPECT_NEAR(thinned.families[0].log_odds[i], thinned.rows[thinned.told_rows[i]].full, 1e-5);
  }
}

TEST(CrossFit, TheNumberOfFoldsAtATimeDoesNotShow) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  const std::vector<ValueCodes> values = value_codes(sample);
  const CrossFit together = fit(sample, labels, cheap_families());
  const CrossFit one_by_one =
      cross_fit({sample, values, labels, cheap_families(), {}, {}, 10'000, 1}, folds, RandomStream(7), {});
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    EXPECT_EQ(together.rows[row].full, one_by_one.rows[row].full);
  }
}

TEST(CrossFit, ValuesThatAreNotGivenAreCounted) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  const CrossFit given = fit(sample, labels, cheap_families());
  const CrossFit counted =
      cross_fit({sample, {}, labels, cheap_families(), {}, {}}, folds, RandomStream(7), {});
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    EXPECT_EQ(given.rows[row].full, counted.rows[row].full);
    EXPECT_EQ(given.rows[row].halves, counted.rows[row].halves);
  }
}

TEST(CrossFit, TrainingPartsBeyondTheLargestAreSurelyThinned) {
  EXPECT_FALSE(surely_thins(50'000));  // five pilots: all of them may be asked for
  EXPECT_TRUE(surely_thins(50'001));
}

TEST(CrossFit, ThinnedPartsOfGroupsCountTheirGroups) {
  const std::size_t n = 4000;
  Sample sample = pair_of(normal_values(n, 1), drawn(n, 2, [](RandomStream& r) { return 1 + r.normal(); }));
  for (std::size_t row = 0; row < 2 * n; ++row) sample.groups.push_back(static_cast<std::uint32_t>(row / 2));
  const auto labels = sample.labels();
  const std::vector<ValueCodes> values = value_codes(sample);
  const std::vector<const Family*> logreg{&family("logreg")};
  const CrossFit thinned =
      cross_fit({sample, values, labels, logreg, {}, {}, 300}, folds, RandomStream(3), {});
  ASSERT_TRUE(thinned.training_rows);
  EXPECT_LT(thinned.smaller_training_class, *thinned.training_rows) << "some groups have both of their rows";
  EXPECT_GE(2 * thinned.smaller_training_class, *thinned.training_rows);
}

TEST(CrossFit, DoesNotDependOnThreads) {
  const Sample sample = mixed_sample();
  const auto labels = sample.labels();
  std::array<CrossFit, 2> results;
  for (const std::size_t i : {0, 1}) {
    with_threads(1 + 3 * i, [&] { results[i] = fit(sample, labels, cheap_families()); });
  }
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    EXPECT_EQ(results[0].rows[row].full, results[1].rows[row].full);
  }
}

}  // namespace
}  // namespace jsdiv
