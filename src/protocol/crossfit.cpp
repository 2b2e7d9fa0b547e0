#include "protocol/crossfit.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "classify/subsample.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "protocol/fold_job.hpp"
#include "protocol/progress.hpp"
#include "split/folds.hpp"
#include "split/subset.hpp"
#include "support/value_counts.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Bits: what a doubling of the training rows may gain without anyone missing it.
constexpr double gain_of_no_interest = 0.002;
/// Times the pilot's rows that a training part is given at most. What is gained beyond, the learning curve
/// has to tell.
constexpr double most_pilots = 5;
/// Times the pilot's rows of both tables that a fold holds out for what each family tells by itself.
constexpr std::size_t probe_pilots = 4;

/// A fold of a large table: fewer rows to learn from, and as many held-out rows as tell what each family
/// brings.
struct ThinnedFold {
  Sample sample;                ///< of these rows alone
  std::vector<RowIndex> probe;  ///< the held-out ones among them, by their numbers in the whole sample
  std::vector<std::uint8_t> labels;
  HalvedFold fold;

  /// With at most `training_rows` rows of a class to learn from.
  ThinnedFold(const CrossFitProblem& problem, const Fold& whole, std::size_t training_rows,
              const RandomStream& random) {
    std::array<std::size_t, 2> counts{};
    for (const RowIndex row : whole.train) ++counts[problem.labels[row]];
    const double share = std::min(
        1.0, static_cast<double>(training_rows) / static_cast<double>(std::min(counts[0], counts[1])));
    const auto limit =
        static_cast<std::size_t>(std::llround(share * static_cast<double>(whole.train.size())));
    const auto train = stratified_subsample(whole.train, problem.labels, limit, random.child("thin"));
    probe = stratified_subsample(whole.held_out, problem.labels, probe_pilots * problem.pilot_rows,
                                 random.child("probe"));
    std::vector<RowIndex> rows;
    std::ranges::merge(train, probe, std::back_inserter(rows));
    sample = subset(problem.sample, rows);
    labels = gather(problem.labels, Rows(rows));
    const auto position = [&](RowIndex row) {
      return static_cast<RowIndex>(std::ranges::lower_bound(rows, row) - rows.begin());
    };
    for (const RowIndex row : train) fold.train.push_back(position(row));
    for (const RowIndex row : probe) fold.held_out.push_back(position(row));
    fold.halves = stratified_halves(fold.train, labels, sample.groups, random.child("halves"));
  }

  FoldOutcome run(const CrossFitProblem& problem, const RandomStream& random, ProgressCounter& progress,
                  const std::optional<FurtherRows>& further = std::nullopt) const {
    const std::vector<ValueCodes> values = value_codes(sample);
    return run_fold({sample, values, labels, problem.families, problem.features, problem.options}, fold,
                    random, progress, further);
  }
};

/// How many rows of a class the learners need: one fold is tried with the pilot's. What the last
/// doubling gained halves with each further one where the excess loss falls as one over the rows, so that the
/// rows follow at which it no longer exceeds the error of the estimate. None: all of them.
std::optional<std::size_t> rows_needed(const CrossFitProblem& problem, std::span<const Fold> folds,
                                       const RandomStream& random) {
  const std::size_t available = smaller_class(problem.sample, problem.labels, folds[0].train);
  if (available <= 2 * problem.pilot_rows) return std::nullopt;
  const ProgressFunction nobody;
  ProgressCounter silent(nobody, 1);
  const RandomStream of_pilot = random.child("pilot");
  const ThinnedFold thinned(problem, folds[0], problem.pilot_rows, of_pilot);
  const FoldOutcome pilot = thinned.run(problem, of_pilot, silent);
  const auto labels = gather(problem.labels, Rows(thinned.probe));
  const auto weights = gather(std::span<const double>(problem.sample.weights), Rows(thinned.probe));
  const auto value = [&](const auto& of_row) {
    std::vector<double> log_odds;
    for (const RowScores& row : pilot.rows) log_odds.push_back(of_row(row));
    return divergence_with_error(jsd_terms(log_odds, labels), {labels, weights, {}});
  };
  const Measured whole = value([](const RowScores& row) { return row.full; });
  const double half = 0.5 * (value([](const RowScores& row) { return row.halves[0]; }).value +
                             value([](const RowScores& row) { return row.halves[1]; }).value);
  const double error = whole.standard_error * std::sqrt(static_cast<double>(labels.size()) /
                                                        static_cast<double>(problem.labels.size()));
  const double enough = std::max(error, gain_of_no_interest);
  const double pilots = std::clamp((whole.value - half) / enough, 1.0, most_pilots);
  const double rows = pilots * static_cast<double>(problem.pilot_rows);
  if (rows >= static_cast<double>(available)) return std::nullopt;
  return static_cast<std::size_t>(rows);
}

/// What the families told by themselves, in the order of the rows.
void collect_own_scores(std::span<const std::vector<RowIndex>> told, std::span<FoldOutcome> outcomes,
                        CrossFit& result) {
  std::size_t count = 0;
  for (const auto& of_fold : told) count += of_fold.size();
  std::vector<std::array<std::uint32_t, 3>> order;  // row, fold, place in the fold
  order.reserve(count);
  for (std::uint32_t k = 0; k < told.size(); ++k) {
    for (std::uint32_t i = 0; i < told[k].size(); ++i) order.push_back({told[k][i], k, i});
  }
  std::ranges::sort(order);
  for (const auto& [row, fold, place] : order) result.told_rows.push_back(row);
  for (std::size_t f = 0; f < result.families.size(); ++f) {
    std::vector<double>& log_odds = result.families[f].log_odds;
    log_odds.reserve(count);
    for (const auto& [row, fold, place] : order) {
      log_odds.push_back(outcomes[fold].families[f].log_odds[place]);
    }
    for (FoldOutcome& outcome : outcomes) outcome.families[f].log_odds = {};
  }
}

}  // namespace

bool surely_thins(std::size_t training_draws) {
  return static_cast<double>(training_draws) > most_pilots * static_cast<double>(standard_pilot_rows);
}

CrossFit cross_fit(const CrossFitProblem& problem, std::size_t folds, const RandomStream& random,
                   const ProgressFunction& progress) {
  const Sample& sample = problem.sample;
  const std::span<const Family* const> families = problem.families;
  const auto all_rows = row_range(0, sample.rows());
  const RandomStream of_parts = random.child("folds");
  std::vector<Fold> parts =
      stratified_folds(all_rows, problem.labels, sample.groups, folds, of_parts.child("folds"));

  CrossFit result;
  result.training_rows = rows_needed(problem, parts, random);
  std::vector<ValueCodes> own_values;
  if (!result.training_rows && problem.values.empty()) own_values = value_codes(sample);
  result.rows.resize(sample.rows());
  result.folds = folds;
  result.families.resize(families.size());
  for (std::size_t f = 0; f < families.size(); ++f) result.families[f].name = families[f]->name();
  std::vector<FoldOutcome> outcomes(folds);
  std::vector<std::vector<RowIndex>> told(folds);  // the rows that each family scored by itself
  std::vector<std::size_t> draws(folds);
  ProgressCounter counter(progress, 2 * folds * families.size());
  const auto run_one = [&](std::size_t k) {
    const RandomStream of_fold = random.child("fold").child(k);
    FoldOutcome& outcome = outcomes[k];
    if (result.training_rows) {
      ThinnedFold thinned(problem, parts[k], *result.training_rows, of_fold);
      parts[k].train = {};
      draws[k] = smaller_class(thinned.sample, thinned.labels, thinned.fold.train);
      outcome = thinned.run(problem, of_fold, counter, FurtherRows{sample, parts[k].held_out});
      told[k] = std::move(thinned.probe);
    } else {
      const HalvedFold whole =
          with_halves(parts[k], problem.labels, sample.groups, of_parts.child("halves").child(k));
      draws[k] = smaller_class(sample, problem.labels, whole.train);
      outcome =
          run_fold({sample, own_values.empty() ? problem.values : std::span<const ValueCodes>(own_values),
                    problem.labels, problem.families, problem.features, problem.options},
                   whole, of_fold, counter);
      told[k] = whole.held_out;
    }
    for (std::size_t i = 0; i < parts[k].held_out.size(); ++i) {
      const RowIndex row = parts[k].held_out[i];
      result.rows[row] = outcome.rows[i];
      result.rows[row].fold = static_cast<std::uint32_t>(k);
    }
    outcome.rows = {};
  };
  const std::size_t at_once = problem.folds_at_once == 0 ? folds : problem.folds_at_once;
  for (std::size_t first = 0; first < folds; first += at_once) {
    parallel_for(std::min(at_once, folds - first), [&](std::size_t i) { run_one(first + i); });
  }
  result.smaller_training_class = draws[0];
  collect_own_scores(told, outcomes, result);

  for (std::size_t f = 0; f < families.size(); ++f) {
    FamilyScores& family = result.families[f];
    for (const FoldOutcome& outcome : outcomes) {
      family.weight += outcome.families[f].weight / static_cast<double>(folds);
      family.held_out_loss += outcome.families[f].loss / static_cast<double>(folds);
      family.seconds += outcome.families[f].seconds;
      family.dropped_folds += outcome.families[f].dropped ? 1 : 0;
    }
    family.config = outcomes[0].families[f].config;
    family.notes = outcomes[0].families[f].notes;
  }
  return result;
}

}  // namespace jsdiv
