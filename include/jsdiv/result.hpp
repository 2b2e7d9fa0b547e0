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
  std::size_t stopped_early = 0;  ///< trials that looked hopeless before all folds were scored
};

struct SeedResult {
  std::uint64_t seed = 0;
  double jsd = 0;
  double raw = 0;
  double standard_error = 0;  ///< from the terms of the test rows of this seed
  Maybe validation_log_loss;
  double auc = 0;
  double seconds = 0;
  std::string calibration;
  Hyperparameters hyperparameters;
  std::optional<SearchCounts> search;  ///< none where nothing was searched
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
};

/// The lowest and highest estimate among the families; `ratio` is null where the lowest is not above 0.
struct Disagreement {
  double min = 0;
  double max = 0;
  Maybe ratio;
};

/// One way in which P and Q cannot hold the same values.
struct SupportMismatch {
  std::string column;  ///< empty for whole rows
  std::string kind;
  double share_p = 0;  ///< share of P's rows that it separates
  double share_q = 0;
  std::string message;
};

struct SupportResult {
  std::vector<SupportMismatch> mismatches;
  Maybe harmonised_jsd;  ///< after both tables were put on the same grids; null if there are none to put them
                         ///< on
};

/// The divergence of one reading of the tables: as they are stored, on common number formats, or without what
/// their rows do not resolve. Each reading is a map of the one before it, so that the divergence cannot rise.
struct Rung {
  std::string rung;  ///< as_stored, common_grids or content
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;
  std::optional<Interval> confidence_interval;
  std::optional<Measured> held_out;
  Maybe lower_bound;
  Maybe p_value;
};

/// The divergence at a share of the training rows.
struct CurvePoint {
  double fraction = 1;
  double jsd = 0;
};

/// Other divergences, from the same posteriors, and distances that need no classifier. Null where undefined.
struct DivergencesResult {
  std::vector<std::pair<std::string, std::optional<Measured>>> values;  ///< by name, in the order of the JSON
  Maybe mmd2_p_value;
  std::size_t distance_rows_p = 0;  ///< rows that mmd2, energy and sliced_wasserstein were computed from
  std::size_t distance_rows_q = 0;
};

/// What went in: enough to find the data again and to know that it is the same.
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
  std::vector<std::string> left_out_columns;  ///< identifiers, which name a row and do not describe it
  std::optional<std::size_t>
      training_rows;                   ///< of the smaller table, where large training parts were thinned
  bool equal_rows_are_groups = false;  ///< copies of a row stay together in every split
};

/// One row's part in the estimate: the parts of all rows add up to `raw`.
struct RowRecord {
  std::uint64_t seed = 0;
  char table = 'P';
  std::size_t row = 0;  ///< within its table, from 1
  double posterior = 0;
  double share = 0;  ///< in bits
  Maybe held_out;    ///< auto: its part of `held_out`, in bits; these add up as well
};

struct Runtime {
  double seconds = 0;
  double cpu_seconds = 0;
  std::size_t threads = 0;
  std::size_t peak_bytes = 0;
  Maybe time_budget;  ///< what was asked for; the options in the protocol are the plan that came of it
  std::vector<std::pair<std::string, double>> stages;
};

struct Result {
  double jsd = 0;
  double raw = 0;
  Maybe standard_error;
  std::optional<Interval> confidence_interval;
  std::optional<Measured> held_out;  ///< without extrapolation
  Maybe lower_bound;                 ///< holds at the level of the interval, whatever the classifier
  Maybe p_value;                     ///< of P = Q
  Maybe noise_floor;                 ///< 95 % quantile of what would be found if P = Q
  std::string selected_family;
  std::optional<Disagreement> disagreement;
  std::vector<FamilyResult> families;
  std::optional<MarginalResult> marginal;
  std::optional<DivergencesResult> divergences;
  std::optional<SupportResult> support;
  std::vector<Rung> ladder;  ///< one rung where the formats agree
  std::vector<CurvePoint> learning_curve;
  ProtocolRecord protocol;
  std::vector<Warning> warnings;
  Runtime runtime;
  std::vector<RowRecord> rows;  ///< not part of the JSON; see --rows

  /// The Jensen-Shannon distance, the square root of the divergence.
  double distance() const;
};

/// The result as JSON, schema jsdiv.result/1.
std::string to_json(const Result& result);

}  // namespace jsdiv
