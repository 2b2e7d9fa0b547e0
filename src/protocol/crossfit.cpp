#include "protocol/crossfit.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "encode/encoder.hpp"
#include "protocol/fit.hpp"
#include "protocol/progress.hpp"
#include "split/folds.hpp"
#include "stack/stack.hpp"
#include "support/exact_values.hpp"

namespace jsdiv {
namespace {

/// A weight in the stack below this cannot move the estimate.
constexpr double smallest_useful_weight = 0.02;

/// Columns of `a`, then of `b`, which has as many rows.
Matrix side_by_side(const Matrix& a, const Matrix& b) {
  Matrix joined(a.rows(), a.cols() + b.cols());
  for (std::size_t j = 0; j < a.cols(); ++j) std::ranges::copy(a.column(j), joined.column(j).begin());
  for (std::size_t j = 0; j < b.cols(); ++j)
    std::ranges::copy(b.column(j), joined.column(a.cols() + j).begin());
  return joined;
}

std::size_t smaller_class(std::span<const std::uint8_t> labels, Rows rows) {
  const auto in_p =
      static_cast<std::size_t>(std::ranges::count_if(rows, [&](RowIndex row) { return labels[row] == 1; }));
  return std::min(in_p, rows.size() - in_p);
}

/// One family on one fold.
struct Learner {
  const Family* family = nullptr;
  Config config;
  double seconds = 0;
  bool kept = true;
  std::array<std::vector<double>, 2> other_half;    ///< model of half h on the rows of half 1 - h
  std::array<std::vector<double>, 2> held_by_half;  ///< model of half h on the held-out rows
  std::vector<double> held_by_all;                  ///< model of the whole training part on the held-out rows
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
  FoldJob(const Sample& sample, std::span<const std::uint8_t> labels, const HalvedFold& fold,
          std::span<const std::size_t> exact_columns, const FamilyOptions& options,
          const RandomStream& random)
      : sample_(sample),
        labels_(labels),
        fold_(fold),
        options_(options),
        random_(random),
        cap_(std::log(static_cast<double>(std::max<std::size_t>(2, smaller_class(labels, fold.train))))),
        features_(Encoder::fit(sample, fold.train, Encoding::native).transform(sample)) {
    if (exact_columns.empty()) return;
    for (std::size_t part = 0; part < 3; ++part) {
      with_exact_values_.push_back(
          side_by_side(features_, exact_value_features(sample, labels, exact_columns, part_rows(part),
                                                       random.child("exact").child(part))));
    }
  }

  std::vector<Learner> run(std::span<const Family* const> families, ProgressCounter& progress) {
    std::vector<Learner> learners(families.size());
    parallel_for(families.size(), [&](std::size_t f) {
      learners[f] = first_half(*families[f]);
      progress.finished(std::string(families[f]->name()));
    });
    race(learners);
    parallel_for(families.size(), [&](std::size_t f) {
      if (learners[f].kept) remaining_fits(learners[f]);
      progress.finished(std::string(families[f]->name()));
    });
    return learners;
  }

  /// The stack of the kept learners applied to the held-out rows; the weights of the kept learners in their
  /// order.
  Stack score(std::span<const Learner* const> kept, std::span<RowScores> rows,
              std::uint32_t fold_number) const {
    const Stack stack = fit_stack(both_halves(kept), half_labels(), half_weights());
    const Eigen::VectorXd full = capped(stack(columns_of(
        kept, [](const Learner& l) -> auto& { return l.held_by_all; })));
    std::array<Eigen::VectorXd, 2> halves;
    for (std::size_t h = 0; h < 2; ++h) {
      halves[h] = capped(stack(columns_of(
          kept, [h](const Learner& l) -> auto& { return l.held_by_half[h]; })));
    }
    for (std::size_t i = 0; i < fold_.held_out.size(); ++i) {
      const auto k = static_cast<Eigen::Index>(i);
      rows[fold_.held_out[i]] = {
          .full = full[k], .halves = {halves[0][k], halves[1][k]}, .fold = fold_number};
    }
    return stack;
  }

  /// One family by itself, scaled by the same means: its log-odds of the held-out rows and its half-fits'
  /// loss. A family that was dropped speaks by its one half-fit.
  double score_alone(const Learner& learner, std::vector<double>& log_odds) const {
    const Learner* const only[] = {&learner};
    const Eigen::MatrixXd training = learner.kept ? both_halves(only) : first_scores(only);
    const auto labels = learner.kept ? half_labels() : gather(labels_, Rows(fold_.halves[1]));
    const auto weights = learner.kept ? half_weights() : gather(row_weights(), Rows(fold_.halves[1]));
    const Stack scale = fit_stack(training, labels, weights);
    const Eigen::VectorXd held = capped(scale(columns_of(
        only, [](const Learner& l) -> auto& { return l.kept ? l.held_by_all : l.held_by_half[0]; })));
    for (std::size_t i = 0; i < fold_.held_out.size(); ++i) {
      log_odds[fold_.held_out[i]] = held[static_cast<Eigen::Index>(i)];
    }
    return balanced_log_loss(scale(training), labels, weights);
  }

 private:
  Rows part_rows(std::size_t part) const { return part < 2 ? Rows(fold_.halves[part]) : Rows(fold_.train); }
  std::span<const double> row_weights() const { return sample_.weights; }

  std::unique_ptr<Trainer> trainer(const Family& family, std::size_t part) const {
    const bool exact = family.uses_exact_values() && !with_exact_values_.empty();
    const Matrix& matrix = exact ? with_exact_values_[part] : features_;
    return family.prepare({.features = matrix.view(),
                           .labels = labels_,
                           .weights = sample_.weights,
                           .training_rows = part_rows(exact ? part : 2),
                           .options = options_});
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

  /// The configuration of the shortlist, and the value of its path, with the lowest loss of half 0's fit on
  /// half 1.
  Config choose(const Family& family, const Trainer& trainer, const RandomStream& random) const {
    const SpaceContext context{.features = trainer.problem().features.cols, .reweighting = false};
    const auto shortlist = family.shortlist(context);
    const SearchSpace space = family.search_space(context);
    if (shortlist.size() == 1 && space.path_name.empty()) return shortlist[0];
    const auto scorer = trainer.fold(fold_.halves[0], fold_.halves[1],
                                     {.random = random, .validation = {}, .loss = Loss::balanced});
    Config best;
    double lowest = std::numeric_limits<double>::infinity();
    for (const Config& candidate : shortlist) {
      const std::vector<double> losses = scorer->losses(candidate);
      for (std::size_t step = 0; step < losses.size(); ++step) {
        if (losses[step] >= lowest) continue;
        lowest = losses[step];
        best = candidate;
        if (!space.path_name.empty()) best.set(space.path_name, space.path_values[step]);
      }
    }
    return best;
  }

  Learner first_half(const Family& family) const {
    const auto start = std::chrono::steady_clock::now();
    const RandomStream random = random_.child(family.name());
    Learner learner;
    learner.family = &family;
    const auto half_trainer = trainer(family, 0);
    learner.config = choose(family, *half_trainer, random.child("choose"));
    fit_half(learner, 0, *half_trainer);
    learner.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return learner;
  }

  void fit_half(Learner& learner, std::size_t half, const Trainer& trainer) const {
    const RandomStream random = random_.child(learner.family->name()).child("half").child(half);
    const auto model = trainer.fit(fold_.halves[half], learner.config,
                                   {.random = random, .validation = {}, .loss = Loss::balanced});
    learner.other_half[half] = scores(*model, trainer.problem(), fold_.halves[1 - half]);
    learner.held_by_half[half] = scores(*model, trainer.problem(), fold_.held_out);
  }

  void remaining_fits(Learner& learner) const {
    const auto start = std::chrono::steady_clock::now();
    fit_half(learner, 1, *trainer(*learner.family, 1));
    const auto whole = trainer(*learner.family, 2);
    const RandomStream random = random_.child(learner.family->name()).child("whole");
    const auto model =
        whole->fit(fold_.train, learner.config, {.random = random, .validation = {}, .loss = Loss::balanced});
    learner.held_by_all = scores(*model, whole->problem(), fold_.held_out);
    learner.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  /// Drops the learners that the stack of the first half-fits has no use for; the best single one stays.
  void race(std::span<Learner> learners) const {
    std::vector<const Learner*> all;
    for (const Learner& learner : learners) all.push_back(&learner);
    const Eigen::MatrixXd first = first_scores(all);
    const auto labels = gather(labels_, Rows(fold_.halves[1]));
    const auto weights = gather(row_weights(), Rows(fold_.halves[1]));
    const Stack stack = fit_stack(first, labels, weights);
    std::size_t best = 0;
    double lowest = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < learners.size(); ++j) {
      learners[j].kept = stack.weights[j] >= smallest_useful_weight;
      const double loss = balanced_log_loss(first.col(static_cast<Eigen::Index>(j)), labels, weights);
      if (loss < lowest) lowest = loss, best = j;
    }
    learners[best].kept = true;
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
  Matrix features_;
  std::vector<Matrix> with_exact_values_;  ///< for half 0, half 1 and the whole; empty: no such columns
};

}  // namespace

CrossFit cross_fit(const Sample& sample, std::span<const std::uint8_t> labels,
                   std::span<const Family* const> families, std::span<const std::size_t> exact_columns,
                   std::size_t folds, const FamilyOptions& options, const RandomStream& random,
                   const ProgressFunction& progress) {
  std::vector<RowIndex> all_rows(sample.rows());
  for (std::size_t i = 0; i < all_rows.size(); ++i) all_rows[i] = static_cast<RowIndex>(i);
  const auto parts = halved_folds(all_rows, labels, sample.groups, folds, random.child("folds"));

  CrossFit result;
  result.rows.resize(sample.rows());
  result.folds = folds;
  result.smaller_training_class = smaller_class(labels, parts[0].train);
  result.families.resize(families.size());
  for (std::size_t f = 0; f < families.size(); ++f) {
    result.families[f].name = families[f]->name();
    result.families[f].log_odds.resize(sample.rows());
  }
  struct FoldRecord {
    std::vector<double> weights, losses, seconds;
    std::vector<bool> kept;
    std::vector<Config> configs;
  };
  std::vector<FoldRecord> records(folds);
  ProgressCounter counter(progress, 2 * folds * families.size());
  parallel_for(folds, [&](std::size_t k) {
    FoldJob job(sample, labels, parts[k], exact_columns, options, random.child("fold").child(k));
    const std::vector<Learner> learners = job.run(families, counter);
    std::vector<const Learner*> kept;
    FoldRecord& record = records[k];
    for (const Learner& learner : learners) {
      record.kept.push_back(learner.kept);
      record.seconds.push_back(learner.seconds);
      record.configs.push_back(learner.config);
      record.losses.push_back(job.score_alone(learner, result.families[record.losses.size()].log_odds));
      if (learner.kept) kept.push_back(&learner);
    }
    const Stack stack = job.score(kept, result.rows, static_cast<std::uint32_t>(k));
    std::size_t next = 0;
    for (const bool used : record.kept) record.weights.push_back(used ? stack.weights[next++] : 0.0);
  });

  for (std::size_t f = 0; f < families.size(); ++f) {
    FamilyScores& family = result.families[f];
    for (const FoldRecord& record : records) {
      family.weight += record.weights[f] / static_cast<double>(folds);
      family.held_out_loss += record.losses[f] / static_cast<double>(folds);
      family.seconds += record.seconds[f];
    }
    family.config = records[0].configs[f];
  }
  return result;
}

}  // namespace jsdiv
