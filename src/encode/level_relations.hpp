#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "encode/scaling.hpp"
#include "encode/value_evidence.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// What the level of a category with many levels says of another column of the same row. With few levels
/// learners find this themselves; with many, each level has too few rows for a split or a weight of its own.

/// A number less its mean at the row's level, in units of what the means leave: sales of a shop beside those
/// that this shop usually has. Nothing about labels is used.
class NumberWithinLevel {
 public:
  /// Nothing unless the levels explain a tenth of the number's variance in rows that their means were not
  /// taken from.
  static std::optional<NumberWithinLevel> learn(const Sample& sample, std::size_t category,
                                                std::size_t number, Rows training_rows,
                                                const InnerFolds& folds);

  std::size_t number() const { return number_; }
  /// Share of the number's variance.
  double explained() const { return explained_; }
  /// 0 where the number is missing or the level unknown. `left_out`: as in ValueEvidence.
  float of_row(const Sample& sample, RowIndex row, std::uint8_t left_out) const;

 private:
  struct Sum {
    double weight = 0;
    double of_numbers = 0;
  };
  using SumsByFold = std::array<Sum, InnerFolds::most>;

  NumberWithinLevel(const Sample& sample, std::size_t category, std::size_t number, Rows training_rows,
                    const InnerFolds& folds);
  /// NaN where the number is missing.
  double scaled(const Sample& sample, RowIndex row) const;
  /// Of the rows at this row's level but those of `left_out`; nothing where none is left.
  std::optional<double> mean_at_level(const Sample& sample, RowIndex row, std::uint8_t left_out) const;

  std::size_t category_ = 0;
  std::size_t number_ = 0;
  Scaling scaling_;
  std::vector<SumsByFold> sums_;  ///< [levels, then missing]
  double scale_ = 1;
  double explained_ = 0;
};

/// What two categories together say of a row's table: how often their combination occurs in P and in Q. It
/// shows a level that no longer goes with the levels that it used to go with: a city in another state.
class LevelPair {
 public:
  /// Nothing unless the combination tells more than either category and more than both as if independent, in
  /// rows that it was not counted from and beyond chance.
  static std::optional<LevelPair> learn(const Sample& sample, std::size_t first, std::size_t second,
                                        std::span<const std::uint8_t> labels, Rows training_rows,
                                        const InnerFolds& folds);

  std::size_t second() const { return second_; }
  /// In nats a row.
  double gain() const { return gain_; }
  /// As ValueEvidence::log_ratio().
  std::array<float, 2> of_row(const Sample& sample, RowIndex row, std::uint8_t left_out) const;

 private:
  LevelPair(const Sample& sample, std::size_t first, std::size_t second, std::span<const std::uint8_t> labels,
            Rows training_rows, const InnerFolds& folds);

  std::size_t first_ = 0;
  std::size_t second_ = 0;
  ValueEvidence evidence_;
  double gain_ = 0;
};

struct LevelRelations {
  std::vector<NumberWithinLevel> numbers;
  std::vector<LevelPair> pairs;
};

/// The best of each kind, at most 8. `many_levels`: whether each column is a category with many levels.
/// `without`: a column that takes no part.
LevelRelations find_level_relations(const Sample& sample, const std::vector<bool>& many_levels,
                                    std::span<const std::uint8_t> labels, Rows training_rows,
                                    const InnerFolds& folds, std::optional<std::size_t> without = {});

}  // namespace jsdiv
