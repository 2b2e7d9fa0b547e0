#include "protocol/crossfit.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "classify/subsample.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/stopwatch.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/progress.hpp"
#include "split/folds.hpp"
#include "split/subset.hpp"
#include "stack/stack.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Bits: what a doubling of the training rows may gain without anyone missing it.
constexpr double gain_of_no_interest = 0.002;

/// By how much a learner must lower the loss of the stack on this many rows to be worth its fits, in nats:
/// more than a weight fitted to chance lowers it (half of one part in `rows` on average), and more than a
/// hundredth of the estimate's standard error.
double race_tolerance(std::size_t rows) {
  const auto count = static_cast<double>(rows);
  return std::max(1 / count, 0.01 / std::sqrt(count));
}

/// Independent draws of the smaller class: its groups, or its rows where there are none.
std::size_t smaller_class(const Sample& sample, std::span<const std::uint8_t> labels, Rows rows) {
  const auto draws = independent_draws(sample, labels, rows);
  return std::min(draws[0], draws[1]);
}

/// One configuration of a family on one fold.
struct Learner {
  const Family* family = nullptr;
  Config config;
  std::size_t number = 0;      ///< among those of the family
  Config fitted;               ///< the configuration as the last model records it
  std::vector<Warning> notes;  ///< of the last model
  bool kept = true;
  bool previewed = false;                           ///< half 0 was fitted by the coarser model of the choice
  std::array<std::vector<double>, 2> other_half;    ///< model of half h on the rows of half 1 - h
  std::array<std::vector<double>, 2> held_by_half;  ///< model of half h on the held-out rows
  std::vector<double> held_by_all;                  ///< model of the whole training part on the held-out rows
};
using Learners = std::vector<const Learner*>;

/// What a family brings to a fold: its shortlist, and what prepares it for half 0, half 1 and the whole.
struct Entrant {
  std::vector<Learner> learners;
  std::array<std::shared_ptr<const Trainer>, 3> trainers;
  double seconds = 0;

  Learners all() const {
    Learners result;
    for (const Learner& learner : learners) result.push_back(&learner);
    return result;
  }
  Learners kept() const {
    Learners result;
    for (const Learner& learner : learners) {
      if (learner.kept) result.push_back(&learner);
    }
    return result;
  }
};

/// [rows, learners] of one kind of score.
template <typename Scores>
Eigen::MatrixXd columns_of(std::span<const Learner* const> learners, const Scores& scores) {
  const auto rows = static_cast<Eigen::Index>(scores(*learners[0]).size());
  Eigen::MatrixXd matrix(rows, static_cast<Eigen::Index>(learners.size()));
  for (std::size_t j = 0; j < learners.size(); ++j) {
    const std::vector<double>& column = scores(*learners[j]);
    std::ranges::copy(column, matrix.col(static_cast<Eigen::Index>(j)).data());
  }
  return matrix;
}

/// Everything about one fold: the encoded rows, the fits, the stacks.
class FoldJob {
 public:
  FoldJob(const CrossFitProblem& problem, const HalvedFold& fold, const RandomStream& random)
      : sample_(problem.sample),
        labels_(problem.labels),
        fold_(fold),
        options_(problem.options),
        random_(random),
        cap_(std::log(
            static_cast<double>(std::max<std::size_t>(2, smaller_class(sample_, labels_, fold.train))))) {
    for (std::size_t part = 0; part < 3; ++part) {
      features_.emplace_back(sample_, problem.values, labels_, part_rows(part), problem.families,
                             problem.features, random.child("features").child(part));
    }
  }

  std::vector<Entrant> run(std::span<const Family* const> families, ProgressCounter& progress) {
    std::vector<Entrant> entrants(families.size());
    parallel_for(families.size(), [&](std::size_t f) {
      entrants[f] = first_half(*families[f]);
      progress.finished(std::string(families[f]->name()));
    });
    race(entrants);
    parallel_for(families.size(), [&](std::size_t f) {
      remaining_fits(entrants[f]);
      progress.finished(std::string(families[f]->name()));
    });
    return entrants;
  }

  Stack stack_of(std::span<const Learner* const> kept) const {
    return fit_stack(both_halves(kept), half_labels(), half_weights());
  }

  /// The stack of the kept learners applied to the held-out rows, in their order.
  std::vector<RowScores> score(const Stack& stack, std::span<const Learner* const> kept) const {
    const Eigen::VectorXd full = capped(stack(columns_of(
        kept, [](const Learner& l) -> auto& { return l.held_by_all; })));
    std::array<Eigen::VectorXd, 2> halves;
    for (std::size_t h = 0; h < 2; ++h) {
      halves[h] = capped(stack(columns_of(
          kept, [h](const Learner& l) -> auto& { return l.held_by_half[h]; })));
    }
    std::vector<RowScores> rows;
    rows.reserve(fold_.held_out.size());
    for (std::size_t i = 0; i < fold_.held_out.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      rows.push_back(
          {.full = full[k],
           .halves = {halves[0][k], halves[1][k]},
           .rows_with_level = features_[2].features().rows_with_level(sample_, fold_.held_out[i])});
    }
    return rows;
  }

  /// One family by itself, its learners stacked by the same means: its log-odds of the held-out rows, in
  /// their order, and its half-fits' loss. A family that was dropped speaks by its fits on one half.
  double score_alone(const Entrant& entrant, std::vector<double>& log_odds) const {
    const bool kept = !entrant.kept().empty();
    const Learners learners = kept ? entrant.kept() : entrant.all();
    const Eigen::MatrixXd training = kept ? both_halves(learners) : first_scores(learners);
    const auto labels = kept ? half_labels() : gather(labels_, Rows(fold_.halves[1]));
    const auto weights = kept ? half_weights() : gather(row_weights(), Rows(fold_.halves[1]));
    const Stack stack = fit_stack(training, labels, weights);
    const Eigen::VectorXd held = capped(stack(columns_of(
        learners, [](const Learner& l) -> auto& { return l.kept ? l.held_by_all : l.held_by_half[0]; })));
    log_odds.assign(held.data(), held.data() + held.size());
    return balanced_log_loss(stack(training), labels, weights);
  }

 private:
  Rows part_rows(std::size_t part) const { return part < 2 ? Rows(fold_.halves[part]) : Rows(fold_.train); }
  std::span<const double> row_weights() const { return sample_.weights; }

  std::array<std::shared_ptr<const Trainer>, 3> trainers(const Family& family) const {
    std::array<std::shared_ptr<const Trainer>, 3> result;
    for (std::size_t part = 0; part < 3; ++part) {
      result[part] = family.prepare({.features = features_[part].of(family),
                                     .labels = labels_,
                                     .weights = sample_.weights,
                                     .training_rows = part_rows(part),
                                     .options = options_});
    }
    return result;
  }

  /// Log-odds at equal priors, within what the training size can support.
  std::vector<double> scores(const Model& model, const Problem& problem, Rows rows) const {
    std::vector<double> result = log_odds_of(model, problem, rows);
    for (double& value : result) value = std::clamp(value - model.prior_log_odds(), -cap_, cap_);
    return result;
  }

  Eigen::VectorXd capped(const Eigen::VectorXd& values) const {
    return values.cwiseMax(-cap_).cwiseMin(cap_);
  }

  /// The shortlist, each with the value of its path that has the lowest loss of half 0's fit on half 1, and
  /// what that fit says about the other rows.
  Entrant first_half(const Family& family) const {
    const Stopwatch watch;
    Entrant entrant;
    entrant.trainers = trainers(family);
    const Trainer& trainer = *entrant.trainers[0];
    const SpaceContext context{.features = trainer.problem().features.cols, .reweighting = false};
    const SearchSpace space = family.search_space(context);
    const auto scorer = trainer.fold(
        fold_.halves[0], fold_.halves[1],
        {.random = random_.child(family.name()).child("choose"), .validation = {}, .loss = Loss::balanced});
    for (Config& config : family.shortlist(context)) {
      Learner& learner = entrant.learners.emplace_back();
      learner.family = &family;
      learner.config = std::move(config);
      learner.number = entrant.learners.size() - 1;
      std::unique_ptr<Model> preview;
      if (!space.path_name.empty()) {
        const std::vector<double> losses = scorer->losses(learner.config);
        const auto best = static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin());
        learner.config.set(space.path_name, space.path_values[best]);
        preview = scorer->last_model(best);
      }
      learner.previewed = preview != nullptr;
      if (preview) {
        record_half(learner, 0, *preview, trainer.problem());
      } else {
        fit_half(learner, 0, trainer);
      }
    }
    entrant.seconds += watch.seconds();
    return entrant;
  }

  RandomStream random_of(const Learner& learner) const {
    return random_.child(learner.family->name()).child(learner.number);
  }

  void fit_half(Learner& learner, std::size_t half, const Trainer& trainer) const {
    const auto model = trainer.fit(
        fold_.halves[half], learner.config,
        {.random = random_of(learner).child("half").child(half), .validation = {}, .loss = Loss::balanced});
    record_half(learner, half, *model, trainer.problem());
  }

  void record_half(Learner& learner, std::size_t half, const Model& model, const Problem& problem) const {
    learner.other_half[half] = scores(model, problem, fold_.halves[1 - half]);
    learner.held_by_half[half] = scores(model, problem, fold_.held_out);
    learner.fitted = model.config();
    learner.notes = model.notes();
  }

  void remaining_fits(Entrant& entrant) const {
    const Stopwatch watch;
    for (Learner& learner : entrant.learners) {
      if (!learner.kept) continue;
      if (learner.previewed) fit_half(learner, 0, *entrant.trainers[0]);
      fit_half(learner, 1, *entrant.trainers[1]);
      const Trainer& whole = *entrant.trainers[2];
      const auto model =
          whole.fit(fold_.train, learner.config,
                    {.random = random_of(learner).child("whole"), .validation = {}, .loss = Loss::balanced});
      learner.held_by_all = scores(*model, whole.problem(), fold_.held_out);
      learner.fitted = model->config();
      learner.notes = model->notes();
    }
    entrant.trainers = {};
    entrant.seconds += watch.seconds();
  }

  /// Drops the learners without which the stack of the first half-fits is as good.
  void race(std::span<Entrant> entrants) const {
    std::vector<Learner*> learners;
    for (Entrant& entrant : entrants) {
      for (Learner& learner : entrant.learners) learners.push_back(&learner);
    }
    const auto labels = gather(labels_, Rows(fold_.halves[1]));
    const auto weights = gather(row_weights(), Rows(fold_.halves[1]));
    const std::vector<std::size_t> kept =
        needed_learners(first_scores(Learners(learners.begin(), learners.end())), labels, weights,
                        race_tolerance(labels.size()));
    for (Learner* learner : learners) learner->kept = false;
    for (const std::size_t j : kept) learners[j]->kept = true;
  }

  static Eigen::MatrixXd first_scores(std::span<const Learner* const> learners) {
    return columns_of(
        learners, [](const Learner& l) -> auto& { return l.other_half[0]; });
  }

  /// Scores of the rows of half 1 by half 0's models, then the other way round.
  static Eigen::MatrixXd both_halves(std::span<const Learner* const> learners) {
    const Eigen::MatrixXd first = first_scores(learners);
    const Eigen::MatrixXd second = columns_of(
        learners, [](const Learner& l) -> auto& { return l.other_half[1]; });
    Eigen::MatrixXd joined(first.rows() + second.rows(), first.cols());
    joined << first, second;
    return joined;
  }

  std::vector<RowIndex> half_rows() const {
    std::vector<RowIndex> rows = fold_.halves[1];
    rows.insert(rows.end(), fold_.halves[0].begin(), fold_.halves[0].end());
    return rows;
  }
  std::vector<std::uint8_t> half_labels() const { return gather(labels_, half_rows()); }
  std::vector<double> half_weights() const { return gather(row_weights(), half_rows()); }

  const Sample& sample_;
  std::span<const std::uint8_t> labels_;
  const HalvedFold& fold_;
  const FamilyOptions& options_;
  RandomStream random_;
  double cap_;
  std::vector<PartFeatures> features_;  ///< of half 0, half 1 and the whole
};

/// What one family did on one fold.
struct FamilyRecord {
  double weight = 0, loss = 0, seconds = 0;
  bool dropped = false;          ///< by the race: `log_odds` come from fits on one half
  Config config;                 ///< of the learner with the greatest weight
  std::vector<Warning> notes;    ///< of the first learner
  std::vector<double> log_odds;  ///< [held-out rows]
};

struct FoldOutcome {
  std::vector<RowScores> rows;  ///< [held-out rows]
  std::vector<FamilyRecord> families;
};

FoldOutcome run_fold(const CrossFitProblem& problem, const HalvedFold& fold, const RandomStream& random,
                     ProgressCounter& progress) {
  FoldJob job(problem, fold, random);
  const std::vector<Entrant> entrants = job.run(problem.families, progress);
  FoldOutcome outcome;
  Learners kept;
  for (const Entrant& entrant : entrants) {
    FamilyRecord& record = outcome.families.emplace_back();
    record.seconds = entrant.seconds;
    record.config = entrant.learners[0].fitted;
    record.notes = entrant.learners[0].notes;
    record.loss = job.score_alone(entrant, record.log_odds);
    record.dropped = entrant.kept().empty();
    for (const Learner* learner : entrant.kept()) kept.push_back(learner);
  }
  const Stack stack = job.stack_of(kept);
  outcome.rows = job.score(stack, kept);
  std::size_t next = 0;
  for (std::size_t f = 0; f < entrants.size(); ++f) {
    double greatest = 0;
    for (const Learner* learner : entrants[f].kept()) {
      const double weight = stack.weights[next++];
      outcome.families[f].weight += weight;
      if (weight > greatest) greatest = weight, outcome.families[f].config = learner->fitted;
    }
  }
  return outcome;
}

/// The fold with at most `training_rows` rows of a class to learn from: on a sample of these and the held-out
/// rows alone, so that nothing is encoded or kept for rows that take no part.
FoldOutcome run_thinned_fold(const CrossFitProblem& problem, const HalvedFold& fold,
                             std::size_t training_rows, const RandomStream& random,
                             ProgressCounter& progress) {
  std::array<std::size_t, 2> counts{};
  for (const RowIndex row : fold.train) ++counts[problem.labels[row]];
  const double share =
      std::min(1.0, static_cast<double>(training_rows) / static_cast<double>(std::min(counts[0], counts[1])));
  const auto limit = static_cast<std::size_t>(share * static_cast<double>(fold.train.size()));
  const auto train = stratified_subsample(fold.train, problem.labels, limit, random.child("thin"));
  std::vector<RowIndex> rows;
  std::ranges::merge(train, fold.held_out, std::back_inserter(rows));
  const Sample part = subset(problem.sample, rows);
  const std::vector<ValueCodes> values = value_codes(part);
  const auto labels = gather(problem.labels, Rows(rows));
  const auto position = [&](RowIndex row) {
    return static_cast<RowIndex>(std::ranges::lower_bound(rows, row) - rows.begin());
  };
  HalvedFold local;
  for (const RowIndex row : train) local.train.push_back(position(row));
  for (const RowIndex row : fold.held_out) local.held_out.push_back(position(row));
  local.halves = stratified_halves(local.train, labels, part.groups, random.child("halves"));
  return run_fold({part, values, labels, problem.families, problem.features, problem.options}, local, random,
                  progress);
}

/// How many rows of a class the learners need: one fold is tried with the pilot's. What the last
/// doubling gained halves with each further one where the excess loss falls as one over the rows, so that the
/// rows follow at which it no longer exceeds the error of the estimate. None: all of them.
std::optional<std::size_t> rows_needed(const CrossFitProblem& problem, std::span<const HalvedFold> folds,
                                       const RandomStream& random) {
  if (smaller_class(problem.sample, problem.labels, folds[0].train) <= 2 * problem.pilot_rows)
    return std::nullopt;
  const ProgressFunction nobody;
  ProgressCounter silent(nobody, 1);
  const FoldOutcome pilot =
      run_thinned_fold(problem, folds[0], problem.pilot_rows, random.child("pilot"), silent);
  const auto labels = gather(problem.labels, Rows(folds[0].held_out));
  const auto weights = gather(std::span<const double>(problem.sample.weights), Rows(folds[0].held_out));
  const auto value = [&](const auto& of_row) {
    std::vector<double> log_odds;
    for (const RowScores& row : pilot.rows) log_odds.push_back(of_row(row));
    return divergence_with_error(jsd_terms(log_odds, labels), {labels, weights, {}});
  };
  const Measured whole = value([](const RowScores& row) { return row.full; });
  const double half = 0.5 * (value([](const RowScores& row) { return row.halves[0]; }).value +
                             value([](const RowScores& row) { return row.halves[1]; }).value);
  const double error = whole.standard_error / std::sqrt(static_cast<double>(folds.size()));
  const double enough = std::max(error, gain_of_no_interest);
  const double rows = static_cast<double>(problem.pilot_rows) * std::max(1.0, (whole.value - half) / enough);
  const std::size_t available = smaller_class(problem.sample, problem.labels, folds[0].train);
  if (rows >= static_cast<double>(available)) return std::nullopt;
  return static_cast<std::size_t>(rows);
}

}  // namespace

CrossFit cross_fit(const CrossFitProblem& problem, std::size_t folds, const RandomStream& random,
                   const ProgressFunction& progress) {
  const Sample& sample = problem.sample;
  const std::span<const Family* const> families = problem.families;
  const auto all_rows = row_range(0, sample.rows());
  const auto parts = halved_folds(all_rows, problem.labels, sample.groups, folds, random.child("folds"));

  CrossFit result;
  result.training_rows = rows_needed(problem, parts, random);
  result.rows.resize(sample.rows());
  result.folds = folds;
  result.smaller_training_class =
      result.training_rows.value_or(smaller_class(sample, problem.labels, parts[0].train));
  result.families.resize(families.size());
  for (std::size_t f = 0; f < families.size(); ++f) {
    result.families[f].name = families[f]->name();
    result.families[f].log_odds.resize(sample.rows());
  }
  std::vector<FoldOutcome> outcomes(folds);
  ProgressCounter counter(progress, 2 * folds * families.size());
  parallel_for(folds, [&](std::size_t k) {
    const RandomStream of_fold = random.child("fold").child(k);
    FoldOutcome& outcome = outcomes[k];
    outcome = result.training_rows
                  ? run_thinned_fold(problem, parts[k], *result.training_rows, of_fold, counter)
                  : run_fold(problem, parts[k], of_fold, counter);
    for (std::size_t i = 0; i < parts[k].held_out.size(); ++i) {
      const RowIndex row = parts[k].held_out[i];
      result.rows[row] = outcome.rows[i];
      result.rows[row].fold = static_cast<std::uint32_t>(k);
      for (std::size_t f = 0; f < families.size(); ++f) {
        result.families[f].log_odds[row] = outcome.families[f].log_odds[i];
      }
    }
    outcome.rows = {};
    for (FamilyRecord& record : outcome.families) record.log_odds = {};
  });

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
