#include "protocol/score.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "load/source.hpp"
#include "protocol/check_options.hpp"
#include "protocol/fit.hpp"
#include "protocol/record.hpp"
#include "split/folds.hpp"

namespace jsdiv {
namespace {

/// A calibrator from scores that each training row got from models that had not seen it.
Calibrator cross_fitted_calibrator(const Family& family, const Trainer& trainer, Rows rows,
                                   std::span<const std::uint32_t> groups, const Config& config,
                                   const RandomStream& random) {
  constexpr int folds = 5;
  const Problem& problem = trainer.problem();
  if (!family.needs_calibration()) return fit_calibrator(Calibration::none, problem, {}, {});
  const auto parts = stratified_folds(rows, problem.labels, groups, folds, random.child("folds"));
  std::vector<std::vector<double>> scores(parts.size());
  parallel_for(parts.size(), [&](std::size_t k) {
    const auto model = trainer.fit(parts[k].train, config, {.random = random.child(k), .validation = {}});
    scores[k] = calibration_scores(family, log_odds_of(*model, problem, parts[k].held_out));
  });
  std::vector<double> pooled_scores;
  std::vector<RowIndex> pooled_rows;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    pooled_scores.insert(pooled_scores.end(), scores[k].begin(), scores[k].end());
    pooled_rows.insert(pooled_rows.end(), parts[k].held_out.begin(), parts[k].held_out.end());
  }
  return fit_calibrator(calibration_for(family, rows.size()), problem, pooled_scores, pooled_rows);
}

/// A bare output is left as it is unless the user asks for the correction.
PaperOptions correction_options(const Family& family, const Problem& problem, PaperOptions options) {
  if (family.gives_raw_output(problem.options) && options.correction == Correction::automatic) {
    options.correction = Correction::off;
  }
  return options;
}

}  // namespace

CalibratedModel::CalibratedModel(const Family& family, const Problem& problem, const Trainer& trainer,
                                 std::span<const std::uint32_t> groups, const Config& config,
                                 const PaperOptions& options, const RandomStream& random)
    : family_(family),
      options_(correction_options(family, problem, options)),
      model_(trainer.fit(problem.training_rows, config, {.random = random.child("fit"), .validation = {}})),
      calibrator_(cross_fitted_calibrator(family, trainer, problem.training_rows, groups, config,
                                          random.child("calibrate"))),
      r_(prior_ratio(problem, problem.training_rows)) {
}

std::vector<double> CalibratedModel::posteriors(MatrixView features, Rows rows) const {
  std::vector<double> log_odds(rows.size());
  model_->log_odds(features, rows, log_odds);
  std::vector<double> posteriors = calibration_scores(family_, std::move(log_odds));
  std::ranges::transform(posteriors, posteriors.begin(), calibrator_);
  correct_and_clip(posteriors, options_, r_);
  return posteriors;
}

Scores run_score(const Sample& sample, const EstimateOptions& options) {
  const auto chosen = choose_families(options);
  if (chosen.size() != 1) throw InvalidInput("score takes one family; name it with --families");
  const Family& family = *chosen[0];
  const std::size_t known = sample.rows_p() + sample.rows_q();
  const auto training_rows = row_range(0, known);
  const auto new_rows = row_range(known, sample.rows());
  const auto labels = sample.labels();
  const RandomStream random = RandomStream(options.seed).child("score").child(family.name());

  const PartFeatures features(sample, value_codes(sample), labels, training_rows, chosen,
                              {.encoding = options.paper.encoding}, random.child("features"));
  const Problem problem{.features = features.of(family),
                        .labels = labels,
                        .weights = sample.weights,
                        .training_rows = training_rows,
                        .options = options.family};
  const auto trainer = family.prepare(problem);
  const Config config =
      choose_config(family, *trainer, training_rows, sample.groups, options.paper, random.child("tune"))
          .config;
  const CalibratedModel model(family, problem, *trainer, sample.groups, config, options.paper, random);
  return {.posteriors = model.posteriors(problem.features, new_rows), .warnings = model.notes()};
}

namespace {

Scores score_from(const TableSource& load, const EstimateOptions& options) {
  check_options(options);
  Scores scores;
  with_threads(options.threads, [&] {
    std::vector<Warning> warnings;
    const Sample sample = pool_tables(load(warnings), options.load, warnings);
    scores = run_score(sample, options);
    scores.warnings.insert(scores.warnings.begin(), warnings.begin(), warnings.end());
  });
  return scores;
}

}  // namespace

Scores score(const std::string& path_p, const std::string& path_q, const std::string& path_x,
             const EstimateOptions& options) {
  return score_from(from_files({path_p, path_q, path_x}, options.load), options);
}

Scores score(Table p, Table q, Table x, const EstimateOptions& options) {
  return score_from(from_memory(table_list(std::move(p), std::move(q), std::move(x)), options.load), options);
}

}  // namespace jsdiv
