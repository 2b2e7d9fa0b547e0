#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// What causes a divergence. JSD is the mutual information between a row and its table, so columns,
/// slices and rows have shares in bits that add up to the held-out value.

/// What is asked of an explanation, beside the estimate's own options.
struct ExplainChoices {
  std::string by;                     ///< a column to break the bits down by; empty: none
  std::string rung;                   ///< rung of the ladder; empty: chosen automatically
  bool show_rows = false;             ///< include the cells of the most revealing rows
  std::size_t telling_rows = 20;      ///< of each table
  std::size_t most_pairs = 200;       ///< that the result lists
  std::size_t heat_map_columns = 60;  ///< the most columns of the matrix of pairs
};

struct ExplainOptions : ExplainChoices {
  EstimateOptions estimate;  ///< protocol `auto`
};

/// A number of bits with its uncertainty.
struct Bits {
  double value = 0;
  double standard_error = 0;
  Interval confidence_interval;
};

/// One way in which a column differs.
struct ColumnDifference {
  /// "shift", "scale", "shape" for numbers, "category" for a level and "range" for a range of values that is
  /// over- or under-represented, "date_part" (the hour, weekday, … on its own), "missing", "format" (which
  /// values a table can have).
  std::string kind;
  Maybe bits;           ///< of the column's `alone`; the parts of shift, scale and shape add up
  std::string value;    ///< category: the level; range: the range; else empty
  Maybe p;              ///< shift: the median of P; scale: its spread; otherwise P's share of rows
  Maybe q;              ///< the same for Q
  std::string message;  ///< one readable sentence
};

/// Shares of the rows of each table, for charts that overlay P and Q.
struct ColumnHistogram {
  std::vector<double> edges;        ///< numbers and date-times: bins [edge, next edge), the last one closed
  std::vector<std::string> levels;  ///< categories and booleans: the most frequent ones, then "other"
  std::vector<double> p;  ///< of all rows of P; with `below`, `above` and `missing` they add up to 1
  std::vector<double> q;
  std::array<double, 2> below{};  ///< share below the first edge, of P and of Q
  std::array<double, 2> above{};  ///< share above the last edge
  std::array<double, 2> missing{};
};

struct ExplainedColumn {
  std::string name;
  ColumnType type = ColumnType::number;
  Bits share;                         ///< Shapley value of the held-out information, scaled to add up
  Bits alone;                         ///< divergence of the column alone, corrected for bias
  double alone_p_value = 1;           ///< of equal distributions of the column
  std::optional<Bits> only_here;      ///< what is lost without it; null: not refitted
  std::vector<ColumnDifference> how;  ///< most important first
  ColumnHistogram histogram;
};

struct ExplainedPair {
  std::array<std::string, 2> columns;
  Bits beyond_columns;   ///< divergence of the pair with the distribution of each column repaired
  double together = 0;   ///< divergence of the pair as it is
  double p_value = 1;    ///< of equal dependence
  bool evident = false;  ///< p_value below 0.05 even after Holm's correction for all pairs examined
};

/// `beyond_columns` of every pair of some columns.
struct PairMatrix {
  std::vector<std::string> columns;
  std::vector<double> values;  ///< [columns, columns], symmetric; 0 on the diagonal
};

/// Bits gained by repairing only this column's distribution.
struct Repair {
  std::string column;
  Bits gain;
};

/// Margins and dependence.
struct Margins {
  Bits if_margins_repaired;     ///< what would remain with every column's distribution repaired
  Bits if_dependence_repaired;  ///< what would remain with only the dependence repaired
  double marginal_part = 0;     ///< held_out - if_margins_repaired
  double dependence_part = 0;   ///< if_margins_repaired
};

/// A leaf of the tree of slices, or a value of the column given by `by`.
struct Slice {
  std::string rule;                     ///< "age < 25 and region = North"
  std::vector<std::string> conditions;  ///< its parts
  double share_p = 0;                   ///< of P's rows
  double share_q = 0;
  std::size_t rows_p = 0;
  std::size_t rows_q = 0;
  double bits = 0;  ///< of held_out; they add up
  double standard_error = 0;
};

/// A row that clearly belongs to its table.
struct TellingRow {
  char table = 'Q';
  std::size_t row = 0;                                      ///< within its table, from 1
  double posterior = 0.5;                                   ///< D(x): probability of P at equal priors
  double bits = 0;                                          ///< the row's part of held_out
  std::vector<std::pair<std::string, std::string>> values;  ///< with show_rows: column and cell
};

/// The model behind shares, refits and repairs: one family, because the whole stack would have to be
/// evaluated millions of times.
struct Explainer {
  std::string family;
  double held_out = 0;  ///< bits that it finds on its own on the rows it explains
  std::size_t folds = 0;
  std::size_t rows = 0;         ///< rows whose loss the permutations were drawn for
  std::size_t orders = 0;       ///< orders of the columns drawn for each of these rows
  std::size_t background = 0;   ///< rows that provide the values of a column left out
  Measured sum_before_scaling;  ///< of the shares; held_out of the explainer within its error
  double scale = 1;             ///< held_out of the stack over that sum
};

struct ExplainResult {
  ExplainChoices choices;
  Result estimate;   ///< of the same tables, with its own interval and protocol
  std::string rung;  ///< of the ladder that is explained: "as_stored", "common_grids" or "content"
  std::string rung_reason;
  Measured held_out;  ///< what the shares add up to
  Explainer explainer;
  std::vector<ExplainedColumn> columns;  ///< by share, largest first
  std::vector<ExplainedPair> pairs;      ///< by beyond_columns, largest first
  std::size_t pairs_examined = 0;
  PairMatrix pair_matrix;
  std::optional<Margins> margins;  ///< null with a single column
  std::vector<Repair> repairs;     ///< by gain, largest first
  std::vector<Slice> slices;       ///< by bits, largest first
  std::string by_column;
  std::vector<Slice> by;         ///< in the order of the column's values; empty without `by`
  std::vector<TellingRow> rows;  ///< of Q, most revealing first, then of P
  std::vector<Warning> warnings;
  Runtime runtime;
};

/// Throws InvalidInput if the tables cannot be compared.
ExplainResult explain(Table p, Table q, const ExplainOptions& options = {});
ExplainResult explain(const std::string& path_p, const std::string& path_q,
                      const ExplainOptions& options = {});

/// As JSON, schema jsdiv.explain/1.
std::string to_json(const ExplainResult& result);

/// A readable summary.
std::string summary(const ExplainResult& result);

}  // namespace jsdiv
