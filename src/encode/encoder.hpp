#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "encode/date_parts.hpp"
#include "encode/scaling.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

class IterativeImputer;

struct EncodeOptions {
  std::size_t one_hot_limit = 20;  ///< native: the most levels, missing included, that are encoded one by one
  bool keep_missing = false;       ///< paper: leave missing cells as NaN instead of imputing them
  /// native: for each column, the parts of its date-times that become features; empty: every part.
  std::span<const std::vector<DatePart>> date_parts = {};
};

/// What a feature is called and which column of the sample it was made from.
struct Feature {
  std::string name;
  std::size_t column = 0;
};

/// Sample -> Matrix by one of two rules.
///
/// paper: the encoding of the published experiments. Categories become ordinals (rank among the levels seen
/// in training, -1 for any other level), booleans 0 or 1; numbers, integers and date-times are brought to
/// mean 0 and standard deviation 1; missing cells are imputed by iterative Bayesian ridge. One feature a
/// column.
///
/// native: missing is information. Numbers, integers and date-times are centred at the median and divided by
/// the interquartile range over 1.349; beyond 10 such units they grow logarithmically, so that 1e300 stays
/// finite and does not drown the rest. A category of up to one_hot_limit levels becomes one 0/1 feature a
/// level (none set for a level that training did not see; missing is a level of its own); with more levels it
/// has no feature here (see features.hpp). Missing cells of the other types become the median, with a 0/1
/// feature "<name> is missing" if training had any. A date-time, and a column of numbers that are one, has
/// besides its parts as features: see date_parts.hpp.
///
/// In both, a column without a value in training carries nothing that could be learnt and becomes 0.
///
/// Everything is learnt from the training rows, never from labels; the rule found is then
/// applied to every row alike.
class Encoder {
 public:
  /// Throws InvalidInput if a column holds an infinite value or there is no training row.
  static Encoder fit(const Sample& sample, Rows training_rows, Encoding encoding,
                     const EncodeOptions& options = {});

  /// [sample.rows(), features().size()], finite but for the NaN of keep_missing. `sample` is the one that
  /// `fit` was given, or one with the same columns and levels and with missing cells in no other columns.
  Matrix transform(const Sample& sample) const;
  /// Into the first columns of `result`, which may have more where nothing is imputed.
  void transform(const Sample& sample, Matrix& result) const;

  /// True if the column is a category with more levels in training than are encoded one by one.
  bool has_many_levels(std::size_t column) const;

  const std::vector<Feature>& features() const { return features_; }

 private:
  /// How one feature is computed from one cell.
  struct Rule {
    enum class Kind { scale, scale_and_compress, look_up, is_missing, date_part };

    Kind kind = Kind::look_up;
    Scaling scaling;
    std::vector<float> by_code;  ///< look_up: the feature's value for each level, or for false and true
    float if_missing = 0;
    DateFeature date_part;  ///< date_part: scaled as `scaling` says
    TimeScale time;         ///< the same: what the cells are
  };

  void add(std::string name, std::size_t column, Rule rule);
  void add_paper_column(const Column& column, std::size_t index, Rows training_rows);
  void add_native_column(const Column& column, std::size_t index, Rows training_rows,
                         const EncodeOptions& options);
  void add_date_parts(const Column& column, std::size_t index, std::span<const double> observed,
                      const EncodeOptions& options);
  void add_native_category(const Column& column, std::size_t index, Rows training_rows,
                           const EncodeOptions& options);
  void apply_rules(const Sample& sample, Matrix& result) const;

  std::vector<Feature> features_;
  std::vector<Rule> rules_;
  std::vector<std::size_t> many_levels_;             ///< columns
  std::shared_ptr<const IterativeImputer> imputer_;  ///< none: nothing to impute
};

}  // namespace jsdiv
