#include "explain/refits.hpp"

#include <algorithm>
#include <cmath>

#include "classify/subsample.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "explain/repair.hpp"
#include "split/subset.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Rows of both tables that the refits learn from and are judged on.
constexpr std::size_t most_rows = 10'000;
/// Shares of a fit that does not stand this many errors above 0 cannot be scaled.
constexpr double clear_of_error = 2;

/// Fewer where there are many rows: the fits are many.
std::size_t folds_for(const Sample& sample) {
  const std::size_t smaller = smaller_table_draws(sample);
  return smaller <= 1000 ? std::clamp<std::size_t>(smaller / 2, 2, 5) : smaller <= 2500 ? 3 : 2;
}

/// Held-out terms of one fit, with what each row counts.
struct Judged {
  std::vector<double> terms;  ///< [rows] halved: the two tables' means add up to the divergence
  std::vector<double> shares;
  Measured divergence;
};

Judged judge(const Sample& sample, std::span<const std::uint8_t> labels, const ExplainerFit& fit) {
  const HeldOutRows rows{labels, sample.weights, sample.groups};
  const JsdTerms terms = jsd_terms(fit.log_odds, labels);
  Judged result{terms.own, class_shares(rows), divergence_with_error(terms, rows)};
  for (double& term : result.terms) term *= 0.5;
  return result;
}

/// before - after on the same rows, whose weights may differ.
Measured paired_difference(const Judged& before, const Judged& after, const HeldOutRows& rows) {
  std::vector<double> influence(rows.labels.size());
  for (const auto& [judged, sign] : {std::pair{&before, 1.0}, std::pair{&after, -1.0}}) {
    std::array<double, 2> mean{};
    for (std::size_t row = 0; row < influence.size(); ++row) {
      mean[rows.labels[row]] += judged->shares[row] * judged->terms[row];
    }
    for (std::size_t row = 0; row < influence.size(); ++row) {
      influence[row] += sign * judged->shares[row] * (judged->terms[row] - mean[rows.labels[row]]);
    }
  }
  return {before.divergence.value - after.divergence.value, influence_standard_error(influence, rows)};
}

Measured times(double factor, const Measured& measured) {
  return {factor * measured.value, factor * measured.standard_error};
}

}  // namespace

Refits refit_explainer(const ExplainedTables& tables, const ExplainerFamily& family,
                       const FeatureOptions& features, const RefitPlan& plan, const RandomStream& random) {
  const std::vector<RowIndex> chosen = stratified_subsample(row_range(0, tables.labels.size()), tables.labels,
                                                            most_rows, random.child("rows"));
  const Sample sample = subset(tables.sample, chosen);
  const std::vector<std::uint8_t> labels = sample.labels();
  const std::size_t columns = sample.columns.size();
  const std::size_t folds = folds_for(sample);
  const RandomStream fits = random.child("fits");
  const auto fit = [&](const Sample& of, std::span<const std::uint8_t> its_labels,
                       std::optional<std::size_t> without) {
    const std::vector<ValueCodes> values = value_codes(of);
    const ExplainerTask task{of, values, its_labels, family, features, std::min(folds, folds_for(of))};
    return judge(of, its_labels, fit_explainer(task, fits, without));
  };
  const Judged whole = fit(sample, labels, std::nullopt);
  const HeldOutRows rows{labels, sample.weights, sample.groups};
  const bool clear =
      whole.divergence.value > clear_of_error * whole.divergence.standard_error && plan.held_out > 0;
  const double factor = clear ? plan.held_out / whole.divergence.value : 1;

  Refits result;
  result.only_here.resize(columns);
  result.gains.resize(plan.repair.size());
  if (columns == 1) {
    if (!plan.without.empty()) result.only_here[0] = times(factor, whole.divergence);
    if (!plan.repair.empty()) result.gains[0] = {0, times(factor, whole.divergence)};
    return result;
  }
  const std::size_t ways = plan.without.size() + plan.repair.size() + 3;
  std::array<Measured, 3> margins;  // all margins repaired; the dependence of either table in both
  parallel_for(ways, [&](std::size_t i) {
    if (i < plan.without.size()) {
      const std::size_t column = plan.without[i];
      const Judged after = fit(sample, labels, column);
      result.only_here[column] = times(factor, paired_difference(whole, after, rows));
      return;
    }
    i -= plan.without.size();
    if (i < plan.repair.size()) {
      const std::size_t column = plan.repair[i];
      const Sample repaired =
          with_margins_repaired(sample, labels, std::span(&column, 1), random.child("repair"));
      const Judged after = fit(repaired, labels, std::nullopt);
      result.gains[i] = {column, times(factor, paired_difference(whole, after, rows))};
      return;
    }
    i -= plan.repair.size();
    if (i == 0) {
      std::vector<std::size_t> all(columns);
      for (std::size_t j = 0; j < columns; ++j) all[j] = j;
      const Sample repaired = with_margins_repaired(sample, labels, all, random.child("repair"));
      margins[0] = fit(repaired, labels, std::nullopt).divergence;
    } else {
      const Sample repaired = with_dependence_repaired(sample, labels, static_cast<std::uint8_t>(i - 1),
                                                       random.child("dependence"));
      margins[i] = fit(repaired, repaired.labels(), std::nullopt).divergence;
    }
  });
  result.margins_repaired = times(factor, margins[0]);
  result.dependence_repaired =
      times(0.5 * factor, {margins[1].value + margins[2].value,
                           std::hypot(margins[1].standard_error, margins[2].standard_error)});
  return result;
}

}  // namespace jsdiv
