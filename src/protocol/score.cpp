#include "protocol/score.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <compare>

#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "load/source.hpp"
#include "protocol/check_options.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"
#include "split/folds.hpp"

namespace jsdiv {
namespace {

/// Of the scores of a table that the model is trained on.
constexpr std::size_t folds_of_scores = 5;
/// Rounded tables share some rows by chance; more than this share of X does not happen so.
constexpr double largest_chance_share = 0.05;

/// A calibrator from scores that each training row got from models that had not seen it.
Calibrator cross_fitted_calibrator(const Family& family, const Trainer& trainer, Rows rows,
                                   std::span<const std::uint32_t> groups, const Config& config,
                                   const RandomStream& random) {
  const Problem& problem = trainer.problem();
  if (!family.needs_calibration()) return fit_calibrator(Calibration::none, problem, {}, {});
  const auto parts = stratified_folds(rows, problem.labels, groups, default_folds, random.child("folds"));
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

namespace {

/// D(x) of `new_rows` from the family's model of `training_rows`.
Scores scores_from(const Sample& sample, const Family& family, Rows training_rows, Rows new_rows,
                   const EstimateOptions& options, const RandomStream& random) {
  const auto labels = sample.labels();
  const std::array<const Family*, 1> families = {&family};
  const PartFeatures features(sample, value_codes(sample), labels, training_rows, families,
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

/// Each of the `count` rows that begin at `begin`, by a model that has not seen it: nothing about a fold, the
/// configuration included, is learnt from its rows.
Scores out_of_fold_scores(const Sample& sample, const Family& family, Rows training_rows, std::size_t begin,
                          std::size_t count, const EstimateOptions& options, const RandomStream& random) {
  const auto labels = sample.labels();
  const auto parts =
      stratified_folds(training_rows, labels, sample.groups, folds_of_scores, random.child("folds"));
  Scores result;
  result.posteriors.resize(count);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<RowIndex> rows = parts[k].held_out;
    std::erase_if(rows, [&](RowIndex row) { return row < begin || row >= begin + count; });
    Scores scores = scores_from(sample, family, parts[k].train, rows, options, random.child(k));
    for (std::size_t i = 0; i < rows.size(); ++i) result.posteriors[rows[i] - begin] = scores.posteriors[i];
    if (k == 0) result.warnings = std::move(scores.warnings);
  }
  return result;
}

bool same_cell(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

/// Whether the rows that begin at `a` and at `b` hold the same cells.
bool same_rows(const Sample& sample, std::size_t a, std::size_t b, std::size_t count) {
  return std::ranges::all_of(sample.columns, [&](const Column& column) {
    const auto first = column.values.begin() + static_cast<std::ptrdiff_t>(a);
    return std::equal(first, first + static_cast<std::ptrdiff_t>(count),
                      column.values.begin() + static_cast<std::ptrdiff_t>(b), same_cell);
  });
}

/// Rows of X that are surely rows of P or Q: their cells occur once in X and once in P and Q together.
std::size_t known_rows(const Sample& sample, std::size_t known) {
  std::vector<RowIndex> order = row_range(0, sample.rows());
  const auto cell_order = [](double a, double b) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
    return a < b   ? std::strong_ordering::less
           : b < a ? std::strong_ordering::greater
                   : std::strong_ordering::equal;
  };
  const auto compare = [&](RowIndex a, RowIndex b) {
    for (const Column& column : sample.columns) {
      const auto order_of_cells = cell_order(column.values[a], column.values[b]);
      if (order_of_cells != 0) return order_of_cells;
    }
    return std::strong_ordering::equal;
  };
  std::ranges::sort(order, [&](RowIndex a, RowIndex b) { return compare(a, b) < 0; });
  std::size_t found = 0;
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && compare(order[begin], order[end]) == 0) ++end;
    if (end - begin != 2) continue;
    if ((order[begin] < known) != (order[begin + 1] < known)) ++found;
  }
  return found;
}

void warn_of_known_rows(const Sample& sample, std::size_t known, std::vector<Warning>& warnings) {
  const std::size_t count = sample.rows() - known;
  const std::size_t found = known_rows(sample, known);
  if (static_cast<double>(found) <= largest_chance_share * static_cast<double>(count)) return;
  warnings.push_back({"training_rows", std::to_string(found) + " of the " + std::to_string(count) +
                                           " rows of X are also rows of P or Q: the model was trained on "
                                           "them and separates them better than it would new rows"});
}

}  // namespace

Scores run_score(const Sample& sample, const EstimateOptions& options) {
  const auto chosen = choose_families(options);
  if (chosen.size() != 1)
    throw InvalidInput("score takes one family; name it with " + mention("families"), {.option = "families"});
  const Family& family = *chosen[0];
  const std::size_t known = sample.rows_p() + sample.rows_q();
  const std::size_t count = sample.rows() - known;
  const auto training_rows = row_range(0, known);
  const RandomStream random = RandomStream(options.seed).child("score").child(family.name());
  for (const std::size_t table : {1, 0}) {
    const std::size_t begin = table == 0 ? 0 : sample.rows_p();
    if (sample.table_rows[table] != count || !same_rows(sample, begin, known, count)) continue;
    Scores scores = out_of_fold_scores(sample, family, training_rows, begin, count, options, random);
    scores.warnings.push_back(
        {"out_of_fold", std::string("X is the same table as ") + "PQ"[table] +
                            ": each row is scored by a model that was not trained on it"});
    return scores;
  }
  Scores scores =
      scores_from(sample, family, training_rows, row_range(known, sample.rows()), options, random);
  warn_of_known_rows(sample, known, scores.warnings);
  return scores;
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
