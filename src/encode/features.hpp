#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encode/encoder.hpp"
#include "encode/level_relations.hpp"
#include "encode/value_evidence.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"
#include "support/lattice.hpp"
#include "support/number_format.hpp"
#include "support/relations.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// What a family sees of a row.
enum class FeatureSet {
  plain,          ///< every column encoded, what its levels tell alone and together with other columns,
                  ///< whether its numbers are on a grid, and what it deviates from what other columns
                  ///< determine
  exact_values,   ///< the same, and how frequent exact values are in either table: for trees
  missing_as_nan  ///< one feature a column, numbers scaled, levels as ordinals, NaN where a cell is missing
};

struct FeatureOptions {
  Encoding encoding = Encoding::native;
  /// False: only what values mean, and not how they are written or how often exactly this one occurs.
  bool exact = true;
  /// A column that takes part in no relation.
  std::optional<std::size_t> unrelated = {};
};

/// The features of a training part. Everything is learnt from its rows and their labels alone: categories,
/// scales, grids, the columns whose exact values matter, and what these tell, which for the training rows
/// themselves comes from the other folds of a division of them. Any other row, of this sample or of another
/// with the same columns and levels, is described by what all training rows say.
class Features {
 public:
  /// `values` are those of the sample; both, and `labels`, are looked at during the call only.
  static Features learn(const Sample& sample, std::span<const ValueCodes> values,
                        std::span<const std::uint8_t> labels, Rows training_rows,
                        const FeatureOptions& options, const RandomStream& random);

  /// [rows, features] of the sample that was learnt from.
  Matrix of_learnt(const Sample& sample, FeatureSet set) const;
  /// Of rows that were not.
  Matrix of_others(const Sample& sample, FeatureSet set) const;

  /// Training weight at the row's level, in the category with many levels where it is least; none without
  /// such a category.
  std::optional<double> rows_with_level(const Sample& sample, RowIndex row) const;

  /// The column of the sample that each feature of the set is made from; of a relation, its target.
  std::vector<std::size_t> columns_of(FeatureSet set) const;

  /// Number of features in FeatureSet::plain.
  std::size_t count() const {
    return encoder_.features().size() + formats_.size() + 2 * relations_.size() +
           within_levels_.numbers.size() + 2 * within_levels_.pairs.size() + 2 * levels_.size();
  }

  /// False: FeatureSet::exact_values is the same as FeatureSet::plain.
  bool tells_exact_values() const { return !exact_.empty(); }

  /// Names of columns that have features of their format or exact values, for the record.
  std::vector<std::string> exact_columns() const { return exact_columns_; }

 private:
  /// A feature of how a number is written.
  struct Format {
    std::size_t column = 0;
    std::optional<Lattice> lattice;  ///< 1 on it, 0 off it
    double unit = 0;                 ///< of rounding, for the lattice
    FormatLimit limit;               ///< without a lattice: 1 beyond it

    float operator()(double value) const;
  };
  struct Evidence {
    std::size_t column = 0;
    std::shared_ptr<const ValueEvidence> values;
  };
  /// What one column brings.
  struct OfColumn;

  Matrix apply(const Sample& sample, FeatureSet set, std::span<const std::uint8_t> fold_of_row) const;

  Encoder encoder_;
  Encoder with_missing_;
  std::vector<Format> formats_;
  std::vector<Relation> relations_;
  LevelRelations within_levels_;
  std::vector<Evidence> levels_;  ///< categories with many levels
  std::vector<Evidence> exact_;   ///< columns whose exact values matter
  InnerFolds folds_;
  std::vector<std::string> exact_columns_;
};

}  // namespace jsdiv
