#include "explain/explainer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"
#include "split/folds.hpp"

namespace jsdiv {
namespace {

/// Those whose models answer for a row in a few microseconds.
constexpr std::array<std::string_view, 5> fast_families = {"logreg", "lr-pol", "gaussian", "pairs",
                                                           "xgboost"};

ColumnFeatures features_of(const ExplainerTask& task, Rows train, const RandomStream& random,
                           std::optional<std::size_t> without) {
  const FeatureSet set = feature_set_of(*task.family.family);
  FeatureOptions options = task.features;
  options.unrelated = without;
  const Features features = Features::learn(task.sample, task.values, task.labels, train, options, random);
  ColumnFeatures result{features.of_learnt(task.sample, set), features.columns_of(set)};
  JSDIV_ASSERT(result.column_of.size() == result.values.cols());
  if (!without) return result;
  ColumnFeatures rest;
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < result.column_of.size(); ++j) {
    if (result.column_of[j] == *without) continue;
    kept.push_back(j);
    rest.column_of.push_back(result.column_of[j]);
  }
  rest.values = Matrix(task.sample.rows(), kept.size());
  for (std::size_t j = 0; j < kept.size(); ++j) {
    std::ranges::copy(result.values.column(kept[j]), rest.values.column(j).begin());
  }
  return rest;
}

std::unique_ptr<ExplainerFold> fit_fold(const ExplainerTask& task, Fold fold, const RandomStream& random,
                                        std::optional<std::size_t> without) {
  auto result = std::make_unique<ExplainerFold>();
  result->train = std::move(fold.train);
  result->held_out = std::move(fold.held_out);
  result->features = features_of(task, result->train, random.child("features"), without);
  const auto of_first = static_cast<std::size_t>(
      std::ranges::count_if(result->train, [&](RowIndex row) { return task.labels[row] == 1; }));
  const std::size_t smaller = std::min(of_first, result->train.size() - of_first);
  result->cap = std::log(static_cast<double>(std::max<std::size_t>(2, smaller)));
  const Problem problem{.features = result->features.values.view(),
                        .labels = task.labels,
                        .weights = task.sample.weights,
                        .training_rows = result->train,
                        .options = task.family.options};
  result->trainer = task.family.family->prepare(problem);
  result->model =
      result->trainer->fit(result->train, task.family.config,
                           {.random = random.child("fit"), .validation = {}, .loss = Loss::balanced});
  result->calibration = {.intercept = 0, .weights = {1}};
  return result;
}

}  // namespace

ExplainerFamily choose_explainer(const EstimateOptions& options, std::span<const FamilyResult> families) {
  JSDIV_ASSERT(!families.empty());
  const auto is_fast = [](const FamilyResult& family) {
    return std::ranges::count(fast_families, family.name) > 0;
  };
  const bool any_fast = std::ranges::any_of(families, is_fast);
  const FamilyResult* best = nullptr;
  for (const FamilyResult& family : families) {
    if (any_fast && !is_fast(family)) continue;
    if (best == nullptr || family.raw > best->raw) best = &family;
  }
  ExplainerFamily result;
  for (const Family* family : choose_families(options)) {
    if (family->name() == best->name) result.family = family;
  }
  JSDIV_ASSERT(result.family != nullptr);
  for (const auto& [name, value] : best->hyperparameters) result.config.set(name, value);
  result.options = options.family;
  return result;
}

std::vector<double> ExplainerFold::calibrated(MatrixView values, Rows rows) const {
  std::vector<double> result(rows.size());
  model->log_odds(values, rows, result);
  for (double& value : result) {
    const double own = std::clamp(value - model->prior_log_odds(), -cap, cap);
    value = std::clamp(calibration.intercept + calibration.weights[0] * own, -cap, cap);
  }
  return result;
}

std::vector<double> ExplainerFold::log_odds(MatrixView rows) const {
  return calibrated(rows, row_range(0, rows.rows));
}

std::vector<double> ExplainerFold::held_out_log_odds() const {
  return calibrated(features.values.view(), held_out);
}

std::size_t smaller_table_draws(const Sample& sample) {
  const ClassCounts draws = independent_draws(sample, sample.labels(), row_range(0, sample.rows()));
  return std::min(draws[0], draws[1]);
}

ExplainerFit fit_explainer(const ExplainerTask& task, const RandomStream& random,
                           std::optional<std::size_t> without) {
  const std::vector<RowIndex> all = row_range(0, task.sample.rows());
  std::vector<Fold> folds =
      stratified_folds(all, task.labels, task.sample.groups, task.folds, random.child("folds"));
  ExplainerFit result;
  result.log_odds.resize(all.size());
  result.folds.resize(folds.size());
  parallel_for(folds.size(), [&](std::size_t k) {
    result.folds[k] = fit_fold(task, std::move(folds[k]), random.child("fold").child(k), without);
    const std::vector<double> scores = result.folds[k]->held_out_log_odds();
    for (std::size_t i = 0; i < scores.size(); ++i) result.log_odds[result.folds[k]->held_out[i]] = scores[i];
  });
  const std::vector<double> raw = result.log_odds;
  parallel_for(folds.size(), [&](std::size_t k) {
    ExplainerFold& fold = *result.folds[k];
    Eigen::MatrixXd scores(static_cast<Eigen::Index>(fold.train.size()), 1);
    for (std::size_t i = 0; i < fold.train.size(); ++i) {
      scores(static_cast<Eigen::Index>(i), 0) = raw[fold.train[i]];
    }
    fold.calibration = fit_stack(scores, gather(task.labels, Rows(fold.train)),
                                 gather(std::span(task.sample.weights), Rows(fold.train)));
    const std::vector<double> held_out = fold.held_out_log_odds();
    for (std::size_t i = 0; i < held_out.size(); ++i) result.log_odds[fold.held_out[i]] = held_out[i];
  });
  return result;
}

}  // namespace jsdiv
