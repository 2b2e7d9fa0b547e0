#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "jsdiv/marginal.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// A number that may not have been computed; null in JSON.
using Maybe = std::optional<double>;

using Hyperparameters = std::map<std::string, std::variant<std::int64_t, double, std::string>, std::less<>>;

/// How a family's hyper-parameters were chosen.
struct SearchCounts {
  std::size_t trials = 0;
  std::size_t stopped_early = 0;  ///< trials that were stopped before all folds were scored
};

struct SeedResult {
  std::uint64_t seed = 0;
  double jsd = 0;
  double raw = 0;
  double standard_error = 0;  ///< from the per-row terms of this seed's test rows
  Maybe validation_log_loss;
  double auc = 0;
  double seconds = 0;
  std::string calibration;
  Hyperparameters hyperparameters;
  std::optional<SearchCounts> search;  ///< none if nothing was searched
};

struct FamilyResult {
  std::string name;
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;
  Maybe sd;
  double seconds = 0;
  Maybe validation_log_loss;
  Maybe auc;
  Maybe weight;
  /// auto: "whole" if its own numbers come from fits on whole training parts, "half" if it was dropped
  /// early in every fold and they come from fits on half of the rows, "mixed" if in some
  std::string fitted_on;
  std::string calibration;
  Hyperparameters hyperparameters;
  std::vector<SeedResult> seeds;
};

struct Interval {
  double level = 0;
  double low = 0;
  double high = 0;
};

/// A number with its standard error.
struct Measured {
  double value = 0;
  double standard_error = 0;
  bool at_least = false;  ///< the rows do not show the tail: a lower bound without an error
};

/// The lowest and highest estimate among the families; `ratio` is null if the lowest is not above 0.
struct Disagreement {
  double min = 0;
  double max = 0;
  Maybe ratio;
};

/// One way in which P and Q cannot have the same values.
struct SupportMismatch {
  std::string column;  ///< empty for whole rows
  std::string kind;
  double share_p = 0;  ///< share of P's rows that it separates
  double share_q = 0;
  std::string message;
};

/// The part of a column's dates that differs most: hour of the day, weekday, day of the month or month.
struct DatePartResult {
  std::string column;
  std::string part;
  double jsd = 0;  ///< of that part on its own
  std::string message;
};

struct SupportResult {
  std::vector<SupportMismatch> mismatches;
  std::vector<DatePartResult> date_parts;
  Maybe harmonised_jsd;  ///< with both tables on common grids;
                         ///< null if there are no grids
};

/// The divergence of one reading of the tables: as stored, in common number formats, or without detail that
/// the rows cannot resolve. Each reading is a function of the previous one, so the divergence cannot rise.
struct Rung {
  std::string rung;  ///< as_stored, common_grids or content
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;
  std::optional<Interval> confidence_interval;
  std::optional<Measured> held_out;
  Maybe lower_bound;
  Maybe finite_sample_bound;
  Maybe p_value;
  bool p_value_is_bound = false;
};

/// The divergence at a share of the training rows.
struct CurvePoint {
  double fraction = 1;
  double jsd = 0;
};

/// Other divergences, from the same posteriors, and distances that need no classifier. Null if undefined.
struct DivergencesResult {
  std::vector<std::pair<std::string, std::optional<Measured>>> values;  ///< by name, in the order of the JSON
  Maybe mmd2_p_value;
  std::size_t distance_rows_p = 0;  ///< rows that mmd2, energy and sliced_wasserstein were computed from
  std::size_t distance_rows_q = 0;
};

/// An input: enough to find the data again and to check that it is the same.
struct InputRecord {
  std::string path;
  std::string sha256;
  std::size_t rows = 0;
};

struct ColumnRecord {
  std::string name;
  ColumnType type = ColumnType::number;
};

/// Everything that determines the number.
struct ProtocolRecord {
  EstimateOptions options;
  std::vector<std::string> families;  ///< those that ran, in order
  int seeds = 0;
  std::string split;
  std::string calibration;
  Maybe r;                 ///< |Q train| / |P train|
  bool corrected = false;  ///< whether the prior correction was applied
  std::string uncertainty;
  std::vector<InputRecord> inputs;
  std::vector<ColumnRecord> columns;
  std::vector<std::string> left_out_columns;  ///< identifiers: they do not describe a row
  std::optional<std::size_t> rows_used;       ///< at most this many per table, if not all were used
  /// Rows of the smaller table in training, if large training parts were thinned.
  std::optional<std::size_t> training_rows;
  bool equal_rows_are_groups = false;  ///< copies of a row stay together in every split
  std::vector<Warning> notes;          ///< how columns in unusual formats were read
};

/// The share of P among held-out rows with similar D(x); for a calibrated classifier the two agree on
/// average.
struct ReliabilityBin {
  double predicted = 0;  ///< mean D(x), with equal weight for both tables
  double observed = 0;   ///< share of P, with equal weight for both tables
  double standard_error = 0;
  std::size_t rows = 0;
};

/// The distribution of D(x), the probability of P at equal priors, over the held-out rows.
struct PosteriorSummary {
  std::vector<double> p;  ///< share of P's rows in each of equally wide bins from 0 to 1
  std::vector<double> q;
  std::vector<ReliabilityBin> reliability;  ///< by increasing D(x); bins of about equal weight
};

/// The distribution of one column in each table, coarse enough to be shared: no bin edge is the value
/// of a row, and rare categories are pooled.
struct ColumnChart {
  std::string name;
  ColumnType type = ColumnType::number;
  /// A name for each bin; empty where `edges` are given.
  std::vector<std::string> labels;
  /// The bins lie before, between and after these values, written as text.
  std::vector<std::string> edges;
  std::vector<double> p;  ///< share of P's rows in each bin
  std::vector<double> q;
  double missing_p = 0;  ///< share of P's rows without a value
  double missing_q = 0;
};

/// The information of one row, and its share of the estimate.
struct RowRecord {
  std::uint64_t seed = 0;
  char table = 'P';
  std::size_t row = 0;     ///< within its table, from 1
  double posterior = 0;    ///< D(x)
  double information = 0;  ///< log2 2D(x) for a row of P, log2 2(1 - D(x)) for a row of Q, in bits
  /// Half of `information` times the row's share of its table's weight, over the number of seeds. All rows'
  /// shares add up to `held_out` under auto, to `raw` under paper.
  double share = 0;
  double weight = 1;  ///< as given by the user
};

/// One estimate of the self-check: the same rows, re-split into P and Q by known posteriors.
struct SelfCheckRefit {
  std::string source;     ///< "stack": the fitted log-odds; "random": a function of the population
  std::string log_ratio;  ///< the kind of function; empty for the stack
  Maybe strength;         ///< of the stack's log-odds, 1 as they were fitted
  double known = 0;       ///< the true divergence of this re-split
  double jsd = 0;         ///< its estimate
  Maybe held_out;
  Interval confidence_interval;

  bool covered() const { return confidence_interval.low <= known && known <= confidence_interval.high; }
};

/// The refits of one source together.
struct SelfCheckSource {
  std::string source;
  std::size_t refits = 0;
  std::size_t covered = 0;  ///< whose interval contains the known divergence
  double bias = 0;          ///< mean of estimate minus known
  double mean_absolute_error = 0;
  Maybe implied_jsd;  ///< the known divergence that would give the observed estimate; none beyond the refits
  Maybe implied_strength;  ///< of the stack's log-odds there
};

/// How accurate the estimator is on re-splits of the user's rows with a known divergence.
struct SelfCheck {
  std::string rung;     ///< whose rows and log-odds were used
  double observed = 0;  ///< the estimate of that rung
  std::vector<SelfCheckSource> sources;
  std::vector<SelfCheckRefit> refits;
};

/// One stage of the work.
struct StageRecord {
  std::string name;
  double seconds = 0;
  std::size_t peak_bytes = 0;  ///< peak memory of the process up to the end of the stage
};

struct Runtime {
  double seconds = 0;
  double cpu_seconds = 0;
  std::size_t threads = 0;
  std::size_t peak_bytes = 0;
  Maybe time_budget;                ///< as requested; the options in the protocol are the resulting plan
  std::vector<StageRecord> stages;  ///< in the order in which they started
};

struct Result {
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;        ///< towards higher values
  Maybe standard_error_below;  ///< towards lower values
  Maybe interval_reach;        ///< the least upper end of the interval at any level; null: none
  std::optional<Interval> confidence_interval;
  std::optional<Measured> held_out;  ///< without extrapolation
  /// A lower bound on the divergence, at the level of the interval, for any classifier; at most `jsd`.
  Maybe lower_bound;
  Maybe finite_sample_bound;      ///< the same without a normal approximation; null with weights
  Maybe p_value;                  ///< of P = Q
  bool p_value_is_bound = false;  ///< the permutations cannot give a smaller one
  std::string selected_family;
  std::optional<Disagreement> disagreement;
  std::vector<FamilyResult> families;
  std::optional<MarginalResult> marginal;
  std::optional<DivergencesResult> divergences;
  std::optional<SupportResult> support;
  std::vector<Rung> ladder;  ///< a single rung if the formats agree
  std::vector<CurvePoint> learning_curve;
  std::optional<PosteriorSummary> posteriors;
  std::optional<SelfCheck> self_check;  ///< see jsdiv/self_check.hpp
  ProtocolRecord protocol;
  std::vector<Warning> warnings;
  Runtime runtime;
  std::vector<RowRecord> rows;  ///< not part of the JSON; see --rows
  std::vector<ColumnChart>
      column_charts;  ///< of the columns that differ most; not part of the JSON; see --html

  /// The Jensen-Shannon distance, the square root of the divergence.
  double distance() const;
  /// The interval at the given level; none if the result has no interval.
  std::optional<Interval> interval(double level) const;
};

/// The result as JSON, schema jsdiv.result/1.
std::string to_json(const Result& result);

/// The result as a report: one self-contained HTML page.
std::string to_html(const Result& result);

}  // namespace jsdiv
