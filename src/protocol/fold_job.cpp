#include "protocol/fold_job.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/stop.hpp"
#include "core/stopwatch.hpp"
#include "protocol/posterior_steps.hpp"
#include "split/subset.hpp"
#include "stack/stack.hpp"

namespace jsdiv {
namespace {

/// Rows that are described and scored at a time, where a fold's held-out rows are too many to be kept.
constexpr std::size_t block_rows = 16'384;

/// By how much a learner must lower the loss of the stack on this many rows to be worth its fits, in nats:
/// more than a weight fitted to chance lowers it (half of one part in `rows` on average), and more than a
/// hundredth of the estimate's standard error.
double race_tolerance(std::size_t rows) {
  const auto count = static_cast<double>(rows);
  return std::max(1 / count, 0.01 / std::sqrt(count));
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
  /// Model of the whole training part on the held-out rows; zeros where no stack gives it a weight.
  std::vector<double> held_by_all;
  /// Of half 0, half 1 and the whole training part; kept where further rows are to be scored.
  std::array<std::shared_ptr<const Model>, 3> models;
};
using Learners = std::vector<const Learner*>;

/// What a family brings to a fold: its shortlist, and what prepares it for half 0, half 1 and the whole.
struct Entrant {
  std::vector<Learner> learners;
  std::array<std::shared_ptr<const Trainer>, 3> trainers;
  Stack own;  ///< of the kept learners
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
  FoldJob(const CrossFitProblem& problem, const HalvedFold& fold, const RandomStream& random,
          bool keep_models)
      : problem_(problem),
        sample_(problem.sample),
        labels_(problem.labels),
        fold_(fold),
        random_(random),
        keep_models_(keep_models),
        cap_(std::log(
            static_cast<double>(std::max<std::size_t>(2, smaller_class(sample_, labels_, fold.train))))) {}

  /// The fits that the stack of all learners and each family's own need. A part's features, and what a family
  /// makes of them, are made when the first fit asks for them: a family that has lost the race never does.
  std::vector<Entrant> run(ProgressCounter& progress) {
    const std::span<const Family* const> families = problem_.families;
    std::vector<Entrant> entrants(families.size());
    learn_features(0, families);
    parallel_for(families.size(), [&](std::size_t f) {
      entrants[f] = first_half(*families[f]);
      progress.finished(std::string(families[f]->name()));
    });
    race(entrants);
    for (Entrant& entrant : entrants) release_dropped(entrant);
    std::vector<const Family*> still_in;
    for (std::size_t f = 0; f < families.size(); ++f) {
      if (!entrants[f].kept().empty()) still_in.push_back(families[f]);
    }
    learn_features(1, still_in);
    parallel_for(families.size(), [&](std::size_t f) { remaining_halves(entrants[f]); });
    if (!keep_models_) features_[0].reset(), features_[1].reset();
    learn_features(2, still_in);
    Learners kept;
    for (const Entrant& entrant : entrants) std::ranges::copy(entrant.kept(), std::back_inserter(kept));
    stack_ = stack_of(kept);
    std::vector<std::size_t> first_weight;
    std::size_t weights = 0;
    for (const Entrant& entrant : entrants) {
      first_weight.push_back(weights);
      weights += entrant.kept().size();
    }
    parallel_for(families.size(), [&](std::size_t f) {
      whole_fits(entrants[f], std::span<const double>(stack_.weights).subspan(first_weight[f]));
      progress.finished(std::string(families[f]->name()));
    });
    return entrants;
  }

  /// Of all kept learners.
  const Stack& stack() const { return stack_; }

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
           .rows_with_level = features_[2]->features().rows_with_level(sample_, fold_.held_out[i])});
    }
    return rows;
  }

  /// The same for any rows of a sample with the same columns, block by block: nothing is kept of a block but
  /// its scores.
  std::vector<RowScores> score(const Stack& stack, std::span<const Learner* const> kept, const Sample& sample,
                               Rows rows) const {
    std::vector<RowScores> result(rows.size());
    parallel_for((rows.size() + block_rows - 1) / block_rows, [&](std::size_t block) {
      throw_if_interrupted();
      const std::size_t first = block * block_rows;
      const Rows of_block = rows.subspan(first, std::min(block_rows, rows.size() - first));
      const Sample part = subset(sample, of_block);
      const auto all = row_range(0, of_block.size());
      std::array<Eigen::VectorXd, 3> stacked;
      for (std::size_t fitted = 0; fitted < 3; ++fitted) {
        std::map<FeatureSet, Matrix> features;
        Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(all.size()),
                                                        static_cast<Eigen::Index>(kept.size()));
        for (std::size_t j = 0; j < kept.size(); ++j) {
          if (stack.weights[j] == 0) continue;
          const FeatureSet set = feature_set_of(*kept[j]->family);
          if (!features.contains(set))
            features.emplace(set, features_[fitted]->features().of_others(part, set));
          const std::vector<double> column =
              scores(*kept[j]->models[fitted], {.features = features.at(set).view()}, all);
          std::ranges::copy(column, columns.col(static_cast<Eigen::Index>(j)).data());
        }
        stacked[fitted] = capped(stack(columns));
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        result[first + i] = {.full = stacked[2][k],
                             .halves = {stacked[0][k], stacked[1][k]},
                             .rows_with_level = features_[2]->features().rows_with_level(part, all[i])};
      }
    });
    return result;
  }

  /// One family by itself, its learners stacked by the same means: its log-odds of the held-out rows, in
  /// their order, and its half-fits' loss. A family that was dropped speaks by its fits on one half.
  double score_alone(const Entrant& entrant, std::vector<double>& log_odds) const {
    const bool kept = !entrant.kept().empty();
    const Learners learners = kept ? entrant.kept() : entrant.all();
    const Eigen::MatrixXd training = kept ? both_halves(learners) : first_scores(learners);
    const auto labels = kept ? half_labels() : gather(labels_, Rows(fold_.halves[1]));
    const auto weights = kept ? half_weights() : gather(row_weights(), Rows(fold_.halves[1]));
    const Stack stack = kept ? entrant.own : fit_stack(training, labels, weights);
    const Eigen::VectorXd held = capped(stack(columns_of(
        learners, [](const Learner& l) -> auto& { return l.kept ? l.held_by_all : l.held_by_half[0]; })));
    log_odds.assign(held.data(), held.data() + held.size());
    return balanced_log_loss(stack(training), labels, weights);
  }

 private:
  Rows part_rows(std::size_t part) const { return part < 2 ? Rows(fold_.halves[part]) : Rows(fold_.train); }
  std::span<const double> row_weights() const { return sample_.weights; }

  void learn_features(std::size_t part, std::span<const Family* const> families) {
    features_[part].emplace(sample_, problem_.values, labels_, part_rows(part), families, problem_.features,
                            random_.child("features").child(part));
  }

  std::shared_ptr<const Trainer> trainer(const Family& family, std::size_t part) const {
    return family.prepare({.features = features_[part]->of(family),
                           .labels = labels_,
                           .weights = sample_.weights,
                           .training_rows = part_rows(part),
                           .options = problem_.options});
  }

  Stack stack_of(std::span<const Learner* const> kept) const {
    return fit_stack(both_halves(kept), half_labels(), half_weights());
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
    entrant.trainers[0] = this->trainer(family, 0);
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
        record_half(learner, 0, std::move(preview), trainer.problem());
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
    auto model = trainer.fit(
        fold_.halves[half], learner.config,
        {.random = random_of(learner).child("half").child(half), .validation = {}, .loss = Loss::balanced});
    record_half(learner, half, std::move(model), trainer.problem());
  }

  void record_half(Learner& learner, std::size_t half, std::shared_ptr<const Model> model,
                   const Problem& problem) const {
    learner.other_half[half] = scores(*model, problem, fold_.halves[1 - half]);
    learner.held_by_half[half] = scores(*model, problem, fold_.held_out);
    record_model(learner, half, std::move(model));
  }

  void record_model(Learner& learner, std::size_t part, std::shared_ptr<const Model> model) const {
    learner.fitted = model->config();
    learner.notes = model->notes();
    if (keep_models_) learner.models[part] = std::move(model);
  }

  void remaining_halves(Entrant& entrant) const {
    if (!entrant.kept().empty()) fit_halves(entrant);
    if (!keep_models_) entrant.trainers = {};  // models may look at what they were trained on
  }

  void fit_halves(Entrant& entrant) const {
    const Stopwatch watch;
    entrant.trainers[1] = trainer(*entrant.learners[0].family, 1);
    for (Learner& learner : entrant.learners) {
      if (!learner.kept) continue;
      if (learner.previewed) fit_half(learner, 0, *entrant.trainers[0]);
      fit_half(learner, 1, *entrant.trainers[1]);
    }
    entrant.own = stack_of(entrant.kept());
    entrant.seconds += watch.seconds();
  }

  /// True if the model of the whole part would go nowhere: both stacks have found that the learner adds
  /// nothing, and the record of the family does not quote it.
  static bool is_idle(const Learner& learner, double weight, double own_weight) {
    const bool quoted =
        learner.number == 0 && !(learner.family->outcome_names().empty() && learner.notes.empty());
    return weight == 0 && own_weight == 0 && !quoted;
  }

  /// `weights` begin with those of the entrant's kept learners.
  void whole_fits(Entrant& entrant, std::span<const double> weights) const {
    if (entrant.kept().empty()) return;
    const Stopwatch watch;
    entrant.trainers[2] = trainer(*entrant.learners[0].family, 2);
    const Trainer& whole = *entrant.trainers[2];
    std::size_t next = 0;
    for (Learner& learner : entrant.learners) {
      if (!learner.kept) continue;
      const std::size_t place = next++;
      if (is_idle(learner, weights[place], entrant.own.weights[place])) {
        learner.held_by_all.assign(fold_.held_out.size(), 0.0);
        continue;
      }
      std::shared_ptr<const Model> model =
          whole.fit(fold_.train, learner.config,
                    {.random = random_of(learner).child("whole"), .validation = {}, .loss = Loss::balanced});
      learner.held_by_all = scores(*model, whole.problem(), fold_.held_out);
      record_model(learner, 2, std::move(model));
    }
    if (!keep_models_) entrant.trainers = {};
    entrant.seconds += watch.seconds();
  }

  /// Of a dropped learner its scores are all that is still needed; forests of a large part take much memory.
  static void release_dropped(Entrant& entrant) {
    for (Learner& learner : entrant.learners) {
      if (!learner.kept) learner.models = {};
    }
    if (entrant.kept().empty()) entrant.trainers = {};
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

  const CrossFitProblem& problem_;
  const Sample& sample_;
  std::span<const std::uint8_t> labels_;
  const HalvedFold& fold_;
  RandomStream random_;
  bool keep_models_;
  double cap_;
  std::array<std::optional<PartFeatures>, 3> features_;  ///< of half 0, half 1 and the whole
  Stack stack_;
};

}  // namespace

std::size_t smaller_class(const Sample& sample, std::span<const std::uint8_t> labels, Rows rows) {
  const auto draws = independent_draws(sample, labels, rows);
  return std::min(draws[0], draws[1]);
}

FoldOutcome run_fold(const CrossFitProblem& problem, const HalvedFold& fold, const RandomStream& random,
                     ProgressCounter& progress, const std::optional<FurtherRows>& further) {
  FoldJob job(problem, fold, random, further.has_value());
  const std::vector<Entrant> entrants = job.run(progress);
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
  const Stack& stack = job.stack();
  outcome.rows = further ? job.score(stack, kept, further->sample, further->rows) : job.score(stack, kept);
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

}  // namespace jsdiv
