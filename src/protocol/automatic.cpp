#include "protocol/automatic.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "encode/encoder.hpp"
#include "jsdiv/error.hpp"
#include "measure/divergences.hpp"
#include "measure/kernel_distances.hpp"
#include "measure/posteriors.hpp"
#include "protocol/crossfit.hpp"
#include "protocol/fit.hpp"
#include "protocol/record.hpp"
#include "support/exact_values.hpp"
#include "support/support.hpp"
#include "uncertainty/interval.hpp"
#include "uncertainty/learning_curve.hpp"
#include "uncertainty/lower_bound.hpp"
#include "uncertainty/permutation.hpp"

namespace jsdiv {
namespace {

/// A table with fewer rows has no fold with halves in it.
constexpr std::size_t fewest_rows = 4;
/// Below this many rows of the smaller table 10 folds train on more, above it 5 are cheaper and as good. The
/// draw of the folds then moves the estimate by up to a third of its standard error: the mean of several.
constexpr std::size_t few_rows = 500;
constexpr int repetitions_of_few_rows = 3;
/// A step to the limit of the learning curve beyond this is worth a warning.
constexpr double large_step = 0.03;

/// Rows of Q first, then those of P.
void exchange_tables(Sample& sample) {
  const auto rows_p = static_cast<std::ptrdiff_t>(sample.rows_p());
  const auto rotate = [rows_p](auto& values) {
    if (!values.empty()) std::rotate(values.begin(), values.begin() + rows_p, values.end());
  };
  for (Column& column : sample.columns) rotate(column.values);
  rotate(sample.groups);
  rotate(sample.weights);
  std::swap(sample.table_rows[0], sample.table_rows[1]);
}

/// Progress of a part of the work that begins and ends at these shares of the whole.
ProgressFunction part_of(const ProgressFunction& whole, double begin, double end) {
  if (!whole) return {};
  return [&whole, begin, end](double fraction, std::string_view what) {
    whole(begin + (end - begin) * fraction, what);
  };
}

/// All repetitions of the cross-fit, and what they say together.
struct Estimate {
  std::vector<CrossFit> fits;
  std::vector<double> log_odds;  ///< of the first repetition
  std::vector<std::uint32_t> folds;
  LearningCurve curve;
};

JsdTerms mean_terms(std::span<const JsdTerms> terms) {
  JsdTerms mean = terms[0];
  const double share = 1.0 / static_cast<double>(terms.size());
  for (std::size_t i = 0; i < mean.own.size(); ++i) {
    mean.own[i] = mean.swapped[i] = 0;
    for (const JsdTerms& each : terms) {
      mean.own[i] += share * each.own[i];
      mean.swapped[i] += share * each.swapped[i];
    }
  }
  return mean;
}

Estimate estimate_sample(const Sample& sample, std::span<const std::uint8_t> labels,
                         std::span<const SupportFinding> findings, std::span<const Family* const> families,
                         const EstimateOptions& options, const ProgressFunction& progress) {
  const auto exact_columns = exact_value_columns(sample, findings);
  Estimate result;
  std::vector<JsdTerms> full;
  std::array<std::vector<JsdTerms>, 2> halves;
  double stacking_cost = 0;
  const int repetitions = auto_repetitions(sample, options);
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    const RandomStream random =
        RandomStream(options.seed + static_cast<std::uint64_t>(repetition)).child("auto");
    result.fits.push_back(cross_fit(sample, labels, families, exact_columns, auto_fold_count(sample),
                                    options.family, random,
                                    part_of(progress, static_cast<double>(repetition) / repetitions,
                                            static_cast<double>(repetition + 1) / repetitions)));
    stacking_cost += result.fits.back().stacking_cost / repetitions;
    const auto column = [&](const auto& get) {
      std::vector<double> values;
      for (const RowScores& row : result.fits.back().rows) values.push_back(get(row));
      return values;
    };
    const auto log_odds = column([](const RowScores& row) { return row.full; });
    full.push_back(jsd_terms(log_odds, labels));
    for (std::size_t h = 0; h < 2; ++h) {
      halves[h].push_back(jsd_terms(column([h](const RowScores& row) { return row.halves[h]; }), labels));
    }
    if (repetition > 0) continue;
    result.log_odds = log_odds;
    for (const RowScores& row : result.fits[0].rows) result.folds.push_back(row.fold);
  }
  result.curve = extrapolate_learning_curve(mean_terms(full), {mean_terms(halves[0]), mean_terms(halves[1])},
                                            {labels, sample.weights, sample.groups},
                                            result.fits[0].smaller_training_class, stacking_cost);
  return result;
}

std::vector<double> negated(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = -value;
  return result;
}

FamilyResult family_result(const FamilyScores& scores, std::span<const std::uint8_t> labels,
                           const Sample& sample) {
  const JsdEstimate estimate = jsd_from_log_odds(scores.log_odds, labels, sample.weights);
  return {.name = scores.name,
          .jsd = std::clamp(estimate.raw, 0.0, 1.0),
          .raw = estimate.raw,
          .standard_error = estimate.standard_error,
          .sd = std::nullopt,
          .seconds = scores.seconds,
          .validation_log_loss = scores.held_out_loss,
          .auc = auc(scores.log_odds, labels, sample.weights),
          .weight = scores.weight,
          .calibration = "scaled on the complementary halves",
          .hyperparameters = {scores.config.values().begin(), scores.config.values().end()},
          .seeds = {}};
}

/// Symmetric divergences from the order of the arithmetic, directed ones from the user's.
DivergencesResult other_divergences(const Sample& sample, bool q_first, std::span<const double> log_odds,
                                    std::span<const std::uint8_t> labels, double cap,
                                    const RandomStream& random, std::vector<Warning>& warnings) {
  const HeldOutRows rows{labels, sample.weights, sample.groups};
  const Divergences symmetric = divergences_from_log_odds(log_odds, rows, cap);
  Divergences directed = symmetric;
  if (q_first) {
    std::vector<std::uint8_t> flipped(labels.begin(), labels.end());
    for (std::uint8_t& label : flipped) label = static_cast<std::uint8_t>(1 - label);
    directed = divergences_from_log_odds(negated(log_odds), {flipped, sample.weights, sample.groups}, cap);
  }
  warnings.insert(warnings.end(), directed.warnings.begin(), directed.warnings.end());

  std::vector<RowIndex> first;
  std::vector<RowIndex> second;
  for (RowIndex row = 0; row < labels.size(); ++row) (labels[row] == 1 ? first : second).push_back(row);
  std::vector<RowIndex> all = first;
  all.insert(all.end(), second.begin(), second.end());
  const Matrix features = Encoder::fit(sample, all, Encoding::native).transform(sample);
  KernelDistances distances;
  if (sample.weights.empty()) {
    distances = kernel_distances(features.view(), first, second, random);
  } else {
    warnings.push_back({"no_distances", "mmd2, energy and sliced_wasserstein have no weighted form here"});
  }
  return {.values = {{"kl_pq", directed.kl_pq},
                     {"kl_qp", directed.kl_qp},
                     {"total_variation", symmetric.total_variation},
                     {"hellinger", symmetric.hellinger},
                     {"chi2", directed.chi2},
                     {"auc", symmetric.auc},
                     {"accuracy", symmetric.accuracy},
                     {"pmse", symmetric.pmse},
                     {"mmd2", distances.mmd2},
                     {"energy", distances.energy},
                     {"sliced_wasserstein", distances.sliced_wasserstein}},
          // Rows of one group are not exchangeable with others.
          .mmd2_p_value = sample.groups.empty() ? distances.mmd2_p_value : std::nullopt,
          .distance_rows_p = q_first ? distances.rows_q : distances.rows_p,
          .distance_rows_q = q_first ? distances.rows_p : distances.rows_q};
}

bool has_grid(const SupportFinding& finding) {
  return finding.lattice.has_value() || !finding.atoms.empty();
}

std::string percent(double share) {
  return format("%.3g %%", 100 * share);
}

void warn_of_support(const std::vector<SupportMismatch>& mismatches, std::vector<Warning>& warnings) {
  std::vector<std::string> columns;
  double largest = 0;
  for (const SupportMismatch& mismatch : mismatches) {
    if (mismatch.column.empty()) {  // copies and duplicates: one sentence each says all of it
      warnings.push_back({"repeated_rows", mismatch.message});
      continue;
    }
    largest = std::max({largest, mismatch.share_p, mismatch.share_q});
    if (columns.empty() || columns.back() != mismatch.column) columns.push_back(mismatch.column);
  }
  if (columns.empty()) return;
  warnings.push_back(
      {"support_mismatch", "the tables cannot hold the same values in: " + quoted_list(columns) + "; up to " +
                               percent(largest) + " of a table's rows show it (see support in the JSON)"});
}

void warn(const Estimate& estimate, Result& result) {
  warn_of_support(result.support->mismatches, result.warnings);
  const std::size_t rows = estimate.fits[0].smaller_training_class;
  if (rows < fewest_training_rows) {
    result.warnings.push_back(
        {"few_rows", "the classifiers learn from " + std::to_string(rows) +
                         " rows of the smaller table, too few for a learning curve (" +
                         std::to_string(fewest_training_rows) +
                         "): the estimate is probably low, and the interval is wide because it is unknown by "
                         "how much"});
  }
  const double step = estimate.curve.raw - estimate.curve.held_out.value;
  if (estimate.curve.extrapolated && step > large_step) {
    result.warnings.push_back(
        {"needs_more_rows", "the classifiers are still learning: " + percent(step) +
                                " of a bit was added by extrapolation; more rows would settle it"});
  }
}

}  // namespace

std::size_t auto_fold_count(const Sample& sample) {
  const std::size_t smaller = std::min(sample.rows_p(), sample.rows_q());
  if (smaller < fewest_rows) {
    throw InvalidInput("a table has " + std::to_string(smaller) + " rows; auto needs at least " +
                       std::to_string(fewest_rows) + " of each");
  }
  return std::clamp<std::size_t>(smaller / 2, 2, smaller < few_rows ? 10 : 5);
}

int auto_repetitions(const Sample& sample, const EstimateOptions& options) {
  const bool few = std::min(sample.rows_p(), sample.rows_q()) < few_rows;
  return options.seeds.value_or(few ? repetitions_of_few_rows : 1);
}

void run_auto(Sample sample, bool q_first, const EstimateOptions& options, Result& result) {
  const auto families = choose_stack(options, sample, result.warnings);
  const auto findings_for_people = find_support_mismatches(sample);
  result.marginal = marginal_baselines(sample);
  if (q_first) exchange_tables(sample);
  const auto labels = sample.labels();
  auto findings = find_support_mismatches(sample);
  const bool can_harmonise = std::ranges::any_of(findings, has_grid);
  const Sample harmonised = can_harmonise ? harmonise(sample, findings) : Sample{};
  if (can_harmonise && options.support == Support::harmonise) {
    sample = harmonised;
    findings = find_support_mismatches(sample);
  }

  const bool harmonised_too = can_harmonise && options.support == Support::keep;
  const Estimate estimate = estimate_sample(sample, labels, findings, families, options,
                                            part_of(options.progress, 0, harmonised_too ? 0.5 : 1));
  result.support.emplace();
  for (const SupportFinding& finding : findings_for_people) {
    result.support->mismatches.push_back(
        {finding.column, finding.kind, finding.share_p, finding.share_q, finding.message});
  }
  if (can_harmonise && options.support == Support::harmonise) {
    result.support->harmonised_jsd = std::clamp(estimate.curve.limit.value, 0.0, 1.0);
  } else if (harmonised_too) {
    const auto again = find_support_mismatches(harmonised);
    result.support->harmonised_jsd = std::clamp(
        estimate_sample(harmonised, labels, again, families, options, part_of(options.progress, 0.5, 1))
            .curve.limit.value,
        0.0, 1.0);
  }

  const HeldOutRows rows{labels, sample.weights, sample.groups};
  const RandomStream random = RandomStream(options.seed).child("auto");
  const auto test = permutation_test(estimate.log_odds, rows, estimate.folds, random.child("permutations"));
  result.raw = estimate.curve.raw;
  result.jsd = std::clamp(estimate.curve.limit.value, 0.0, 1.0);
  result.standard_error = estimate.curve.limit.standard_error;
  result.held_out = estimate.curve.held_out;
  result.learning_curve = {{0.5, estimate.curve.half}, {1, estimate.curve.held_out.value}};
  if (test) {
    result.p_value = test->p_value;
    result.noise_floor = test->noise_floor;
  } else {
    result.warnings.push_back({"no_p_value", "rows with weights are not exchangeable: no permutation test"});
  }
  result.confidence_interval =
      divergence_interval(result.jsd, {estimate.curve.standard_error_below, *result.standard_error},
                          options.level, result.p_value);
  result.lower_bound = divergence_lower_bound(estimate.log_odds, rows, estimate.folds, options.level);
  for (const FamilyScores& scores : estimate.fits[0].families) {
    result.families.push_back(family_result(scores, labels, sample));
    result.warnings.insert(result.warnings.end(), scores.notes.begin(), scores.notes.end());
  }
  const double cap = std::log(static_cast<double>(estimate.fits[0].smaller_training_class));
  result.divergences = other_divergences(sample, q_first, estimate.log_odds, labels, cap,
                                         random.child("distances"), result.warnings);
  append_auto_rows(sample, q_first, options.seed, estimate.log_odds, estimate.curve, result.rows);
  describe_auto(estimate.fits[0].folds, auto_repetitions(sample, options), result);
  warn(estimate, result);
}

}  // namespace jsdiv
