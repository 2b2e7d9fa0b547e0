#include "encode/value_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "split/folds.hpp"
#include "split/group_assignment.hpp"

namespace jsdiv {
namespace {

/// Added up anew each time: what a subtraction leaves of rounding would tell a fold that holds a value from
/// one that does not.
ValueEvidence::ClassWeights sum_without(const ValueEvidence::WeightsByFold& by_fold, std::uint8_t left_out) {
  ValueEvidence::ClassWeights sum{};
  for (std::size_t fold = 0; fold < by_fold.size(); ++fold) {
    if (fold == left_out) continue;
    for (const std::size_t label : {0, 1}) sum[label] += by_fold[fold][label];
  }
  return sum;
}

float log_share(double weight, double total) {
  return total > 0 ? static_cast<float>(std::log1p(1e4 * weight / total)) : 0.0F;
}

/// log of the beta function.
double log_beta(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

InnerFolds inner_folds(const Sample& sample, std::span<const std::uint8_t> labels, Rows training_rows,
                       const RandomStream& random) {
  ClassCounts counts{};
  for (const RowIndex row : training_rows) ++counts[labels[row]];
  const std::size_t folds = std::clamp(std::min(counts[0], counts[1]), std::size_t{2}, InnerFolds::most);
  InnerFolds inner{std::vector<std::uint8_t>(labels.size(), InnerFolds::not_training)};
  if (sample.groups.empty()) {
    const std::vector<Fold> parts = stratified_folds(training_rows, labels, {}, folds, random);
    for (std::size_t fold = 0; fold < folds; ++fold) {
      for (const RowIndex row : parts[fold].held_out)
        inner.fold_of_row[row] = static_cast<std::uint8_t>(fold);
    }
    return inner;
  }
  // A fold without a row of one class does no harm here, so that any grouping will do.
  const double share = 1.0 / static_cast<double>(folds);
  const std::vector<std::array<double, 2>> targets(
      folds, {share * static_cast<double>(counts[0]), share * static_cast<double>(counts[1])});
  const std::vector<std::size_t> parts = assign_groups(training_rows, labels, sample.groups, targets, random);
  for (std::size_t i = 0; i < training_rows.size(); ++i) {
    inner.fold_of_row[training_rows[i]] = static_cast<std::uint8_t>(parts[i]);
  }
  return inner;
}

ValueEvidence::ValueEvidence(const Sample& sample, const ValueCodes& values,
                             std::span<const std::uint8_t> labels, Rows training_rows,
                             const InnerFolds& folds) {
  constexpr auto unseen = static_cast<std::uint32_t>(-1);
  std::vector<std::uint32_t> index_of_code(values.values.size() + 1, unseen);
  for (const RowIndex row : training_rows) index_of_code[values.codes[row]] = 0;
  for (std::size_t code = 0; code < index_of_code.size(); ++code) {
    if (index_of_code[code] == unseen) continue;
    index_of_code[code] = static_cast<std::uint32_t>(values_.size());
    values_.push_back(code < values.values.size() ? values.values[code] : NAN);
  }
  weights_.resize(values_.size());
  for (const RowIndex row : training_rows) {
    const std::uint8_t fold = folds.fold_of_row[row];
    JSDIV_ASSERT(fold != InnerFolds::not_training);
    const double weight = sample.weights.empty() ? 1.0 : sample.weights[row];
    weights_[index_of_code[values.codes[row]]][fold][labels[row]] += weight;
    of_fold_[fold][labels[row]] += weight;
  }
  fit_shrinkage();
}

ValueEvidence::ClassWeights ValueEvidence::held(double value, std::uint8_t left_out) const {
  const bool has_missing = !values_.empty() && std::isnan(values_.back());
  if (std::isnan(value)) return has_missing ? sum_without(weights_.back(), left_out) : ClassWeights{};
  const std::span<const double> present(values_.data(), values_.size() - (has_missing ? 1 : 0));
  const auto found = std::ranges::lower_bound(present, value);
  if (found == present.end() || *found != value) return {};
  return sum_without(weights_[static_cast<std::size_t>(found - present.begin())], left_out);
}

ValueEvidence::ClassWeights ValueEvidence::total(std::uint8_t left_out) const {
  return sum_without(of_fold_, left_out);
}

std::array<float, 2> ValueEvidence::shares(const ClassWeights& held, const ClassWeights& total) {
  return {log_share(held[1], total[1]), log_share(held[0], total[0])};
}

std::array<float, 2> ValueEvidence::log_ratio(const ClassWeights& held, const ClassWeights& total) const {
  const double all = total[0] + total[1];
  const double rows = held[0] + held[1];
  if (rows <= 0 || total[0] <= 0 || total[1] <= 0) return {0, 0};
  const auto shrunk = [&](std::size_t label) {
    return (held[label] + prior_rows_ * total[label] / all) / total[label];
  };
  return {static_cast<float>(std::log(shrunk(1) / shrunk(0))), static_cast<float>(std::log1p(rows))};
}

void ValueEvidence::fit_shrinkage() {
  const ClassWeights all = total(InnerFolds::not_training);
  const double share = all[1] / (all[0] + all[1]);
  if (!(share > 0 && share < 1)) return;
  double best = -INFINITY;
  for (const double prior_rows : {0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0}) {
    const double a = prior_rows * share, b = prior_rows * (1 - share);
    double likelihood = 0;
    for (const WeightsByFold& by_fold : weights_) {
      const ClassWeights rows = sum_without(by_fold, InnerFolds::not_training);
      likelihood += log_beta(a + rows[1], b + rows[0]) - log_beta(a, b);
    }
    if (likelihood > best) best = likelihood, prior_rows_ = prior_rows;
  }
}

}  // namespace jsdiv
