#include "protocol/posterior_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/numeric.hpp"
#include "core/rows.hpp"
#include "measure/posteriors.hpp"
#include "split/folds.hpp"
#include "tune/tune.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t isotonic_needs_more_than = 1000;

}  // namespace

FeatureSet feature_set_of(const Family& family) {
  if (family.accepts_missing()) return FeatureSet::missing_as_nan;
  return family.uses_exact_values() ? FeatureSet::exact_values : FeatureSet::plain;
}

PartFeatures::PartFeatures(const Sample& sample, std::span<const ValueCodes> values,
                           std::span<const std::uint8_t> labels, Rows training_rows,
                           std::span<const Family* const> families, const FeatureOptions& options,
                           const RandomStream& random)
    : features_(Features::learn(sample, values, labels, training_rows, options, random)) {
  for (const Family* family : families) {
    const FeatureSet set = made_set_of(*family);
    if (!matrices_.contains(set)) matrices_.emplace(set, features_.of_learnt(sample, set));
  }
}

MatrixView PartFeatures::of(const Family& family) const {
  return matrices_.at(made_set_of(family)).view();
}

FeatureSet PartFeatures::made_set_of(const Family& family) const {
  const FeatureSet set = feature_set_of(family);
  return set == FeatureSet::exact_values && !features_.tells_exact_values() ? FeatureSet::plain : set;
}

ConfigChoice choose_config(const Family& family, const Trainer& trainer, Rows rows,
                           std::span<const std::uint32_t> groups, const PaperOptions& options,
                           const RandomStream& random) {
  const SpaceContext context{.features = trainer.problem().features.cols, .reweighting = options.reweighting};
  const Config defaults = family.defaults(context);
  const SearchSpace space = family.search_space(context);
  if (space.empty() || options.iterations == 0) return {defaults, std::nullopt};
  const TuneOptions tuning{.iterations = options.iterations};
  const auto folds = stratified_folds(rows, trainer.problem().labels, groups,
                                      static_cast<std::size_t>(tuning.folds), random.child("folds"));
  std::vector<TuneFold> spans;
  spans.reserve(folds.size());
  for (const Fold& fold : folds) spans.emplace_back(fold.train, fold.held_out);
  TuneResult tuned =
      tune(trainer, space, defaults, spans, {.random = random.child("search"), .validation = {}}, tuning);
  const auto stopped = static_cast<std::size_t>(std::ranges::count_if(tuned.trials, &Trial::rejected));
  return {std::move(tuned.best), SearchCounts{.trials = tuned.trials.size(), .stopped_early = stopped}};
}

Calibration calibration_for(const Family& family, std::size_t calibration_rows) {
  if (!family.needs_calibration()) return Calibration::none;
  return calibration_rows > isotonic_needs_more_than ? Calibration::isotonic : Calibration::sigmoid;
}

std::vector<double> log_odds_of(const Model& model, const Problem& problem, Rows rows) {
  std::vector<double> scores(rows.size());
  model.log_odds(problem.features, rows, scores);
  return scores;
}

std::vector<double> calibration_scores(const Family& family, std::vector<double> log_odds) {
  const bool on_probabilities = family.needs_calibration() && !family.calibrates_on_log_odds();
  if (on_probabilities) std::ranges::transform(log_odds, log_odds.begin(), sigmoid);
  return log_odds;
}

Calibrator fit_calibrator(Calibration kind, const Problem& problem, std::span<const double> scores,
                          Rows rows) {
  return Calibrator::fit(kind, scores, gather(problem.labels, rows), gather(problem.weights, rows));
}

double prior_ratio(const Problem& problem, Rows rows) {
  return std::exp(-prior_log_odds(problem, rows));
}

bool is_corrected(const PaperOptions& options, double r) {
  switch (options.correction) {
    case Correction::on:
      return true;
    case Correction::off:
      return false;
    case Correction::automatic:
      return std::abs(r - 1) > options.threshold;
  }
  return false;
}

void correct_and_clip(std::span<double> posteriors, const PaperOptions& options, double r) {
  const bool corrected = is_corrected(options, r);
  for (double& posterior : posteriors) {
    if (corrected) posterior = correct_prior(posterior, r);
    posterior = clip_posterior(posterior, options.epsilon);
  }
}

Hyperparameters hyperparameters_of(const Model& model) {
  return {model.config().values().begin(), model.config().values().end()};
}

}  // namespace jsdiv
