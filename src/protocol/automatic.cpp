#include "protocol/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/format.hpp"
#include "core/message.hpp"
#include "core/number_text.hpp"
#include "core/numeric.hpp"
#include "core/rows.hpp"
#include "core/stage_clock.hpp"
#include "encode/date_parts.hpp"
#include "encode/encoder.hpp"
#include "jsdiv/error.hpp"
#include "measure/divergences.hpp"
#include "measure/kernel_distances.hpp"
#include "measure/posteriors.hpp"
#include "protocol/auto_plan.hpp"
#include "protocol/crossfit.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"
#include "protocol/rung.hpp"
#include "split/subset.hpp"
#include "support/content.hpp"
#include "support/support.hpp"
#include "uncertainty/evidence.hpp"
#include "uncertainty/learning_curve.hpp"
#include "uncertainty/population_estimate.hpp"

namespace jsdiv {
namespace {

/// A settled interval reaches no farther above the estimate.
constexpr double settled = 0.05;
/// More than this added to what the classifiers found is worth a warning.
constexpr double large_step = 0.03;
/// A stack that errs this little leaves no learner anything to add.
constexpr double told_apart = 0.985;
/// A level with fewer training rows is not known. Of what its rows could tell at most, one part in 1 + the
/// rows that were seen is taken to be unknown still: all of it for a level that was never seen.
constexpr double rows_to_know_a_level = 5;
/// Rows that nothing is known of are worth a warning from this share on.
constexpr double worth_telling = 0.02;

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
  double unseen_share = 0;               ///< of the rows with a level that the training part does not have
  std::optional<double> if_levels_told;  ///< the held-out value if rows with rare levels told what they may
};

JsdTerms mean_terms(std::vector<JsdTerms> terms) {
  const double share = 1.0 / static_cast<double>(terms.size());
  for (std::size_t i = 0; i < terms[0].own.size(); ++i) {
    double own = 0, swapped = 0;
    for (const JsdTerms& each : terms) {
      own += share * each.own[i];
      swapped += share * each.swapped[i];
    }
    terms[0].own[i] = own;
    terms[0].swapped[i] = swapped;
  }
  return std::move(terms[0]);
}

/// The held-out value of the fit if rows whose level training hardly knows told what they may, and the share
/// of rows whose level it has never seen.
struct IfLevelsTold {
  std::optional<double> value;
  double unseen_share = 0;
};

IfLevelsTold if_levels_told(const CrossFit& fit, const JsdTerms& terms, const HeldOutRows& held_out) {
  const auto is_rare = [](const RowScores& row) {
    return row.rows_with_level && *row.rows_with_level < rows_to_know_a_level;
  };
  IfLevelsTold result;
  if (std::ranges::none_of(fit.rows, is_rare)) return result;
  JsdTerms told = terms;
  for (std::size_t row = 0; row < fit.rows.size(); ++row) {
    if (!is_rare(fit.rows[row])) continue;
    const double known = *fit.rows[row].rows_with_level;
    told.own[row] += std::max(0.0, 1 - told.own[row]) / (1 + known);
    if (known <= 0) result.unseen_share += 1 / static_cast<double>(fit.rows.size());
  }
  result.value = divergence_with_error(told, held_out).value;
  return result;
}

/// One reading of the tables.
struct Reading {
  std::string rung;
  const Sample& sample;
  std::span<const ValueCodes> values;
  FeatureOptions features;
};

Estimate estimate_with(const Reading& reading, std::span<const std::uint8_t> labels,
                       std::span<const Family* const> families, const AutoPlan& plan,
                       const EstimateOptions& options, const ProgressFunction& progress) {
  const Sample& sample = reading.sample;
  const HeldOutRows held_out{labels, sample.weights, sample.groups};
  Estimate result;
  std::vector<JsdTerms> full;
  std::array<std::vector<JsdTerms>, 2> halves;
  for (int repetition = 0; repetition < plan.repetitions; ++repetition) {
    const RandomStream random =
        RandomStream(options.seed + static_cast<std::uint64_t>(repetition)).child("auto");
    result.fits.push_back(cross_fit({.sample = sample,
                                     .values = reading.values,
                                     .labels = labels,
                                     .families = families,
                                     .features = reading.features,
                                     .options = options.family,
                                     .folds_at_once = plan.folds_at_once},
                                    plan.folds, random,
                                    part_of(progress, static_cast<double>(repetition) / plan.repetitions,
                                            static_cast<double>(repetition + 1) / plan.repetitions)));
    CrossFit& fit = result.fits.back();
    const auto column = [&](const auto& get) {
      std::vector<double> values;
      values.reserve(fit.rows.size());
      for (const RowScores& row : fit.rows) values.push_back(get(row));
      return values;
    };
    std::vector<double> log_odds = column([](const RowScores& row) { return row.full; });
    full.push_back(jsd_terms(log_odds, labels));
    for (std::size_t h = 0; h < 2; ++h) {
      halves[h].push_back(jsd_terms(column([h](const RowScores& row) { return row.halves[h]; }), labels));
    }
    if (repetition == 0) {
      result.log_odds = std::move(log_odds);
      result.folds.reserve(fit.rows.size());
      for (const RowScores& row : fit.rows) result.folds.push_back(row.fold);
      const IfLevelsTold told = if_levels_told(fit, full[0], held_out);
      result.if_levels_told = told.value;
      result.unseen_share = told.unseen_share;
    }
    fit.rows = {};  // of a large table they take more memory than the rest of the estimate
  }
  result.curve = follow_learning_curve(
      mean_terms(std::move(full)), {mean_terms(std::move(halves[0])), mean_terms(std::move(halves[1]))},
      held_out, result.fits[0].smaller_training_class, sample.columns.size());
  return result;
}

/// Where a format may tell the tables apart by itself, the families that see it are tried alone: when they
/// leave next to nothing to learn, no other family can add to them.
Estimate estimate_reading(const Reading& reading, std::span<const std::uint8_t> labels, const AutoPlan& plan,
                          bool may_be_told_apart, const EstimateOptions& options,
                          const ProgressFunction& progress) {
  if (may_be_told_apart) {
    const auto quick = quick_families(plan);
    Estimate estimate = estimate_with(reading, labels, quick, plan, options, part_of(progress, 0, 0.3));
    if (estimate.curve.held_out.value >= told_apart) return estimate;
  }
  return estimate_with(reading, labels, plan.families, plan, options,
                       part_of(progress, may_be_told_apart ? 0.3 : 0, 1));
}

/// Levels that training hardly knows may all tell the tables apart.
Maybe interval_reach(const Estimate& estimate) {
  if (!estimate.if_levels_told) return std::nullopt;
  return std::clamp(*estimate.if_levels_told, 0.0, 1.0);
}

Rung rung_of(const std::string& name, const Estimate& estimate, const HeldOutRows& rows,
             const EstimateOptions& options, const RandomStream& random) {
  const Evidence evidence = evidence_of(estimate.curve, estimate.log_odds, rows, estimate.folds,
                                        options.level, random.child("permutations"));
  return rung_from(name, estimate.curve, evidence, interval_reach(estimate));
}

/// Each rung is a map of the one before it, so that its divergence cannot be larger: an estimate above is the
/// noise of the two, or else a sign that the earlier one has missed something.
void keep_from_rising(std::vector<Rung>& ladder, std::vector<Warning>& warnings) {
  for (std::size_t i = 1; i < ladder.size(); ++i) {
    const Rung& before = ladder[i - 1];
    Rung& rung = ladder[i];
    if (rung.jsd <= before.jsd) continue;
    const double noise = std::hypot(before.standard_error.value_or(0), rung.standard_error.value_or(0));
    if (rung.jsd - before.jsd > 2 * noise) {
      warnings.push_back(
          {"ladder_rises", format("the estimate for %s (%.3f) is above that for %s (%.3f), which cannot be "
                                  "true: the tables differ by at least the larger one",
                                  rung.rung.c_str(), rung.jsd, before.rung.c_str(), before.jsd)});
      continue;
    }
    rung.jsd = before.jsd;
    rung.confidence_interval->low = std::min(rung.confidence_interval->low, rung.jsd);
    rung.lower_bound = std::min(*rung.lower_bound, rung.jsd);
    if (rung.finite_sample_bound) rung.finite_sample_bound = std::min(*rung.finite_sample_bound, rung.jsd);
  }
}

std::vector<double> negated(std::span<const double> values) {
  std::vector<double> result(values.begin(), values.end());
  for (double& value : result) value = -value;
  return result;
}

std::string fitted_on(const FamilyScores& scores, std::size_t folds) {
  if (scores.dropped_folds == 0) return "whole";
  return scores.dropped_folds == folds ? "half" : "mixed";
}

FamilyResult family_result(const FamilyScores& scores, const CrossFit& fit,
                           std::span<const std::uint8_t> all_labels, const Sample& sample) {
  const auto labels = gather(all_labels, Rows(fit.told_rows));
  const auto weights = gather(std::span<const double>(sample.weights), Rows(fit.told_rows));
  const auto groups = gather(std::span<const std::uint32_t>(sample.groups), Rows(fit.told_rows));
  const Measured estimate =
      divergence_with_error(jsd_terms(scores.log_odds, labels), {labels, weights, groups});
  return {.name = scores.name,
          .jsd = std::clamp(estimate.value, 0.0, 1.0),
          .raw = estimate.value,
          .standard_error = estimate.standard_error,
          .sd = std::nullopt,
          .seconds = scores.seconds,
          .validation_log_loss = scores.held_out_loss,
          .auc = auc(scores.log_odds, labels, weights),
          .weight = scores.weight,
          .fitted_on = fitted_on(scores, fit.folds),
          .calibration = "scaled on the complementary halves",
          .hyperparameters = {scores.config.values().begin(), scores.config.values().end()},
          .seeds = {}};
}

ScoredReading scored_reading(const Reading& reading, const Estimate& estimate,
                             std::span<const std::uint8_t> labels) {
  ScoredReading scored{reading.rung, reading.sample, reading.features, estimate.log_odds, estimate.curve, {}};
  for (const FamilyScores& scores : estimate.fits[0].families) {
    scored.families.push_back(family_result(scores, estimate.fits[0], labels, reading.sample));
  }
  return scored;
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
  KernelDistances distances;
  if (sample.weights.empty()) {
    // Scaled by all rows, but made only for those that are compared.
    const Encoder encoder = Encoder::fit(sample, all, Encoding::native);
    first = distance_rows(first, 'P', random);
    second = distance_rows(second, 'Q', random);
    std::vector<RowIndex> compared = first;
    compared.insert(compared.end(), second.begin(), second.end());
    const Matrix features = encoder.transform(subset(sample, compared));
    distances = kernel_distances(features.view(), row_range(0, first.size()),
                                 row_range(first.size(), compared.size()), random);
  } else {
    warnings.push_back(
        {"no_distances", "mmd2, energy and sliced_wasserstein are not computed for weighted rows"});
  }
  if (!sample.groups.empty()) {  // their errors count rows, not groups
    for (std::optional<Measured>* each : {&distances.mmd2, &distances.energy, &distances.sliced_wasserstein})
      if (*each) (*each)->standard_error = std::numeric_limits<double>::quiet_NaN();
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

/// What differs in the columns of dates, in the order in which the user gave the tables.
std::vector<DatePartResult> date_parts(const Sample& sample, bool q_first) {
  std::vector<DatePartResult> found;
  for (const Column& column : sample.columns) {
    const std::optional<TimeScale> time = time_scale(column.type, column.values);
    if (!time) continue;
    std::vector<double> seconds;
    for (const double value : column.values) seconds.push_back(time->seconds(value));
    const std::span<const double> all(seconds);
    const auto first = all.first(sample.rows_p());
    const auto second = all.subspan(sample.rows_p(), sample.rows_q());
    const auto part = q_first ? most_different_part(second, first) : most_different_part(first, second);
    if (part) found.push_back({column.name, DateFeature{part->part}.name(), part->divergence, part->words});
  }
  return found;
}

void warn_of_support(const std::vector<SupportMismatch>& mismatches, std::vector<Warning>& warnings) {
  std::vector<std::string> columns;
  double largest = 0;
  for (const SupportMismatch& mismatch : mismatches) {
    if (mismatch.column.empty()) {  // copies and duplicates: one sentence each says all of it
      warnings.push_back({"repeated_rows", mismatch.message});
      continue;
    }
    // Rows beyond the other table's are what any shift brings; it does not keep that table from having some.
    if (mismatch.kind == "one_sided_range") continue;
    largest = std::max({largest, mismatch.share_p, mismatch.share_q});
    if (columns.empty() || columns.back() != mismatch.column) columns.push_back(mismatch.column);
  }
  if (columns.empty()) return;
  warnings.push_back(
      {"support_mismatch", "one table has values or relations that the other cannot have, in " +
                               quoted_list(columns) + "; this affects up to " + percent(largest) +
                               " of a table's rows"});
}

/// Row numbers within the tables as they were given, where rows were thinned. `first_rows` is the number of
/// rows of the first table in the arithmetic.
void number_as_given(const PlannedSample& planned, std::size_t first_rows, bool q_first,
                     std::vector<RowRecord>& records) {
  for (RowRecord& record : records) {
    const bool in_first = (record.table == 'P') != q_first;
    const std::size_t row = record.row - 1 + (in_first ? 0 : planned.sample.rows_p());
    record.row = planned.rows[row] - (in_first ? 0 : first_rows) + 1;
  }
}

/// What more rows would do: how many of them, in two digits, would settle the interval. A number that the
/// smaller table has already would help nobody.
std::string rows_that_settle(const Estimate& estimate, const AutoPlan& plan, std::size_t columns,
                             double level) {
  const double training_rows = rows_to_settle(
      {.held_out = estimate.curve.limit.value,
       .half = estimate.curve.limit.value - estimate.curve.held_out.value + estimate.curve.half,
       .row_error = estimate.curve.held_out.standard_error,
       .training_rows = static_cast<double>(estimate.fits[0].smaller_training_class),
       .columns = static_cast<double>(columns)},
      settled, level);
  constexpr double as_good_as_now = 1.05;
  if (training_rows <= as_good_as_now * static_cast<double>(estimate.fits[0].smaller_training_class))
    return "more rows of each table would narrow the interval";
  const double rows = training_rows / (1 - 1 / static_cast<double>(plan.folds));
  const double digits = std::pow(10, std::floor(std::log10(std::max(rows, 10.0))) - 1);
  return format(
      "about %.0f rows of each table would bring the interval's upper end within 0.05 of the estimate",
      digits * std::ceil(rows / digits));
}

void warn(const Estimate& estimate, const AutoPlan& plan, std::size_t columns, Result& result) {
  warn_of_support(result.support->mismatches, result.warnings);
  const std::size_t rows = estimate.fits[0].smaller_training_class;
  const std::string more = rows_that_settle(estimate, plan, columns, result.confidence_interval->level);
  const double added = estimate.curve.limit.value - estimate.curve.held_out.value;
  if (rows < rows_to_learn_a_curve) {
    result.warnings.push_back(
        {"few_rows", "the classifiers can learn from only " + std::to_string(rows) +
                         " rows of the smaller table: what they cannot learn from so few is estimated from "
                         "similar pairs of tables with a known divergence, and the interval is wide; " +
                         more});
  } else if (added > large_step) {
    result.warnings.push_back({"needs_more_rows", "the classifiers are still learning: the estimate is " +
                                                      format("%.3f", added) +
                                                      " above what they found on held-out rows; " + more});
  }
  if (estimate.unseen_share > worth_telling) {
    result.warnings.push_back(
        {"unseen_levels", percent(estimate.unseen_share) +
                              " of the rows have a level that occurs in no training row, so nothing can be "
                              "learnt about them; the interval allows for all of them being distinguishable; "
                              "merge rare levels, or provide more rows"});
  }
}

}  // namespace

void run_auto(Sample sample, bool q_first, const EstimateOptions& options, Result& result,
              std::vector<ScoredReading>* scored) {
  StageClock clock(result.runtime.stages);
  result.marginal = marginal_baselines(sample);
  clock.end("marginal");
  if (q_first) exchange_tables(sample);
  const std::size_t rows_given = sample.rows_p();
  PlannedSample planned = plan_auto(std::move(sample), options, Naming{q_first});
  const AutoPlan& plan = planned.plan;
  const bool keeps_values = !surely_thins(plan.training_draws);
  if (!keeps_values) planned.values = {};
  result.warnings.insert(result.warnings.end(), plan.warnings.begin(), plan.warnings.end());
  // The plan says it with what became of them.
  if (!plan.identifiers.empty()) {
    std::erase_if(result.warnings, [](const Warning& warning) { return warning.code == "identifier_like"; });
  }
  const auto labels = planned.sample.labels();
  const HeldOutRows rows{labels, planned.sample.weights, planned.sample.groups};
  const RandomStream random = RandomStream(options.seed).child("auto");

  const bool grids = plan.grids_differ;
  const bool harmonise_first = options.support == Support::harmonise;
  const double training_share = 1 - 1 / static_cast<double>(plan.folds);
  // Each made when its turn comes: of a large table no more than two are to be held at a time.
  Sample on_grids, content;
  std::vector<ValueCodes> grid_values, content_values;
  const auto make_reading = [&](const std::string& rung) -> Reading {
    if (rung == "as_stored") return {rung, planned.sample, planned.values, {}};
    if (rung == "common_grids") {
      on_grids = harmonise(planned.sample, plan.findings);
      if (keeps_values) grid_values = value_codes(on_grids);
      return {rung, on_grids, grid_values, {}};
    }
    if (!keeps_values) grid_values = value_codes(on_grids);
    content = merge_fine_cells(on_grids, grid_values, training_share, plan.findings);
    if (!harmonise_first) on_grids = {};
    grid_values = {};
    if (keeps_values) content_values = value_codes(content);
    return {rung, content, content_values, {.exact = false}};
  };
  std::vector<std::string> rungs;
  if (!grids || !harmonise_first) rungs.push_back("as_stored");
  if (grids) rungs.insert(rungs.end(), {"common_grids", "content"});
  clock.end("plan");
  std::optional<Estimate> first;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    const double count = static_cast<double>(rungs.size());
    const Reading reading = make_reading(rungs[i]);
    clock.end("plan");
    Estimate estimate = estimate_reading(
        reading, labels, plan, reading.rung == "as_stored" && plan.may_be_told_apart, options,
        part_of(options.progress, static_cast<double>(i) / count, static_cast<double>(i + 1) / count));
    clock.end("cross_fit");
    result.ladder.push_back(rung_of(reading.rung, estimate, rows, options, random));
    clock.end("uncertainty");
    if (scored != nullptr) scored->push_back(scored_reading(reading, estimate, labels));
    if (!first) first = std::move(estimate);
  }
  keep_from_rising(result.ladder, result.warnings);
  const Estimate& estimate = *first;

  result.support.emplace();
  for (const SupportFinding& finding : plan.findings) {
    result.support->mismatches.push_back({finding.column, finding.kind,
                                          q_first ? finding.share_q : finding.share_p,
                                          q_first ? finding.share_p : finding.share_q, finding.message});
  }
  result.support->date_parts = date_parts(planned.sample, q_first);
  for (const Rung& rung : result.ladder) {
    if (rung.rung == "common_grids") result.support->harmonised_jsd = rung.jsd;
  }
  take_first_rung(result, estimate.curve, interval_reach(estimate));
  if (!result.p_value) {
    result.warnings.push_back({"no_p_value", "no permutation test: weighted rows are not exchangeable"});
  }
  for (const FamilyScores& scores : estimate.fits[0].families) {
    result.families.push_back(family_result(scores, estimate.fits[0], labels, planned.sample));
    result.warnings.insert(result.warnings.end(), scores.notes.begin(), scores.notes.end());
  }
  const double cap = std::log(static_cast<double>(estimate.fits[0].smaller_training_class));
  result.divergences =
      other_divergences(rungs.front() == "as_stored" ? planned.sample : on_grids, q_first, estimate.log_odds,
                        labels, cap, random.child("distances"), result.warnings);
  clock.end("divergences");
  append_auto_rows(planned.sample, q_first, options.seed, estimate.curve.held_out_terms, result.rows);
  if (!planned.rows.empty()) number_as_given(planned, rows_given, q_first, result.rows);
  result.protocol.rows_used = plan.rows_used;
  result.protocol.training_rows = estimate.fits[0].training_rows;
  describe_auto(plan, result);
  warn(estimate, plan, planned.sample.columns.size(), result);
  clock.end("record");
}

}  // namespace jsdiv
