#include "protocol/paper.hpp"

#include <algorithm>
#include <memory>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/marginal.hpp"
#include "measure/posteriors.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/progress.hpp"
#include "protocol/record.hpp"
#include "split/folds.hpp"
#include "split/paper_split.hpp"

namespace jsdiv {
namespace {

/// One seed's split with its encoded rows: what all families share.
struct SeedData {
  std::uint64_t seed = 0;
  PaperSplit split;
  std::unique_ptr<const PartFeatures> features;
};

/// What one family gives on one seed's test rows.
struct Evaluation {
  SeedResult result;
  std::vector<double> posteriors;  ///< corrected and clipped
  std::vector<double> terms;       ///< in bits
  std::vector<Warning> notes;
};

/// Log-loss of the calibrated posterior on the validation rows, each row calibrated by the others: the
/// calibrator that is used on the test rows has seen every validation row and would judge itself too kindly.
double cross_fitted_log_loss(Calibration kind, std::span<const double> scores,
                             std::span<const std::uint8_t> labels, std::span<const double> weights,
                             double epsilon, const RandomStream& random) {
  const auto positions = row_range(0, scores.size());
  const Problem problem{.features = {}, .labels = labels, .weights = weights, .training_rows = positions};
  std::vector<double> posteriors(scores.size());
  for (const Fold& fold : stratified_folds(positions, labels, {}, default_folds, random)) {
    const Calibrator calibrator = fit_calibrator(kind, problem, gather(scores, fold.train), fold.train);
    for (const RowIndex i : fold.held_out) posteriors[i] = calibrator(scores[i]);
  }
  for (double& posterior : posteriors) posterior = clip_posterior(posterior, epsilon);
  return log_loss(posteriors, labels, weights);
}

/// Lines 3 to 12 of Algorithm 1 for one family on one split.
Evaluation evaluate(const Family& family, const Sample& sample, std::span<const std::uint8_t> labels,
                    const SeedData& data, const EstimateOptions& options) {
  const Stopwatch watch;
  const RandomStream random = RandomStream(data.seed).child("paper").child(family.name());
  const PaperSplit& split = data.split;
  const Problem problem{.features = data.features->of(family),
                        .labels = labels,
                        .weights = sample.weights,
                        .training_rows = split.train,
                        .options = options.family};
  const auto trainer = family.prepare(problem);
  const auto [config, search] =
      choose_config(family, *trainer, split.train, sample.groups, options.paper, random);
  const auto model =
      trainer->fit(split.train, config, {.random = random.child("fit"), .validation = split.validation});

  const Calibration calibration = calibration_for(family, split.validation.size());
  auto posteriors = calibration_scores(family, log_odds_of(*model, problem, split.test));
  auto validation = calibration_scores(family, log_odds_of(*model, problem, split.validation));
  const Calibrator calibrator = fit_calibrator(calibration, problem, validation, split.validation);
  std::ranges::transform(posteriors, posteriors.begin(), calibrator);
  correct_and_clip(posteriors, options.paper, prior_ratio(problem, split.train));

  const auto test_labels = gather(labels, split.test);
  const auto test_weights = gather(problem.weights, split.test);
  JsdEstimate estimate = jsd_from_posteriors(posteriors, test_labels, test_weights);
  Evaluation evaluation;
  evaluation.result = {
      .seed = data.seed,
      .jsd = std::clamp(estimate.raw, 0.0, 1.0),
      .raw = estimate.raw,
      .standard_error = estimate.standard_error,
      .validation_log_loss = cross_fitted_log_loss(calibration, validation, gather(labels, split.validation),
                                                   gather(problem.weights, split.validation),
                                                   options.paper.epsilon, random.child("validation")),
      .auc = auc(posteriors, test_labels, test_weights),
      .seconds = watch.seconds(),
      .calibration = std::string(to_string(calibration)),
      .hyperparameters = hyperparameters_of(*model),
      .search = search};
  evaluation.posteriors = std::move(posteriors);
  evaluation.terms = std::move(estimate.terms);
  evaluation.notes = model->notes();
  return evaluation;
}

/// The baselines on the training part, as the paper computes them.
MarginalResult marginals_of(const Sample& sample, Rows training_rows) {
  const auto first_of_q = std::ranges::lower_bound(training_rows, static_cast<RowIndex>(sample.rows_p()));
  const auto rows_p = static_cast<std::size_t>(first_of_q - training_rows.begin());
  return marginal_baselines(sample, training_rows.first(rows_p), training_rows.subspan(rows_p));
}

void describe_protocol(const Sample& sample, const PaperSplit& split, std::span<const std::uint8_t> labels,
                       Result& result) {
  const Problem problem{
      .features = {}, .labels = labels, .weights = sample.weights, .training_rows = split.train};
  const double r = prior_ratio(problem, split.train);
  result.protocol.r = r;
  result.protocol.corrected = is_corrected(result.protocol.options.paper, r);
  result.protocol.split = "train " + describe_sizes(sample, split.train) + ", test " +
                          describe_sizes(sample, split.test) + ", validation " +
                          describe_sizes(sample, split.validation);
}

}  // namespace

void run_paper(const Sample& sample, const EstimateOptions& options, Result& result) {
  const auto chosen = choose_families(options);
  const auto seed_count = static_cast<std::size_t>(options.seeds.value_or(PaperOptions::default_seeds));
  const auto labels = sample.labels();
  // The paper's encoding asks nothing about exact values.
  const std::vector<ValueCodes> values =
      options.paper.encoding == Encoding::paper ? std::vector<ValueCodes>() : value_codes(sample);

  std::vector<SeedData> seeds(seed_count);
  std::vector<std::vector<Evaluation>> evaluations(chosen.size(), std::vector<Evaluation>(seed_count));
  ProgressCounter progress(options.progress, seed_count * chosen.size());
  parallel_for(seed_count, [&](std::size_t s) {
    SeedData& data = seeds[s];
    data.seed = options.seed + s;
    data.split = paper_split(sample, options.paper.train, options.paper.eval, data.seed);
    data.features = std::make_unique<const PartFeatures>(
        sample, values, labels, data.split.train, chosen, FeatureOptions{.encoding = options.paper.encoding},
        RandomStream(data.seed).child("paper").child("features"));
    parallel_for(chosen.size(), [&](std::size_t f) {
      evaluations[f][s] = evaluate(*chosen[f], sample, labels, data, options);
      progress.finished(std::string(chosen[f]->name()) + ", seed " + std::to_string(data.seed));
    });
    data.features.reset();
  });

  for (std::size_t f = 0; f < chosen.size(); ++f) {
    FamilyResult family{.name = std::string(chosen[f]->name())};
    for (const Evaluation& evaluation : evaluations[f]) family.seeds.push_back(evaluation.result);
    for (const Warning& note : evaluations[f][0].notes) result.warnings.push_back(note);
    summarise_seeds(family);
    result.families.push_back(std::move(family));
  }
  const std::size_t selected = select_family(result.families);
  for (std::size_t s = 0; s < seed_count; ++s) {
    append_rows(sample, seeds[s].split.test, seeds[s].seed, evaluations[selected][s].posteriors,
                evaluations[selected][s].terms, 1.0 / static_cast<double>(seed_count), result.rows);
  }
  result.marginal = marginals_of(sample, seeds[0].split.train);
  result.protocol.seeds = static_cast<int>(seed_count);
  describe_protocol(sample, seeds[0].split, labels, result);
  copy_selected(result, selected);
}

}  // namespace jsdiv
