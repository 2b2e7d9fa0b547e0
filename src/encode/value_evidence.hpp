#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// A division of the training rows, so that what a value tells is never read off the row that it is told of.
/// A count that includes the row itself, or that leaves just the row itself out, gives its label away.
struct InnerFolds {
  static constexpr std::size_t most = 8;
  static constexpr std::uint8_t not_training = 255;

  std::vector<std::uint8_t> fold_of_row;  ///< [rows of the sample]; not_training outside the training rows
};

/// Stratified; grouped where the sample has groups. Throws InvalidInput if a class has fewer than two
/// training rows.
InnerFolds inner_folds(const Sample& sample, std::span<const std::uint8_t> labels, Rows training_rows,
                       const RandomStream& random);

/// What the exact values of one column say about a row's table: the weight that P's and Q's training rows
/// have at each value. Missing is a value of its own.
class ValueEvidence {
 public:
  /// Weights of Q's rows and of P's.
  using ClassWeights = std::array<double, 2>;
  using WeightsByFold = std::array<ClassWeights, InnerFolds::most>;

  ValueEvidence(const Sample& sample, const ValueCodes& values, std::span<const std::uint8_t> labels,
                Rows training_rows, const InnerFolds& folds);

  /// What is known of one value, or of all, without the rows of `left_out` (not_training: with all rows).
  ClassWeights held(double value, std::uint8_t left_out) const;
  ClassWeights total(std::uint8_t left_out) const;

  /// log(1 + 1e4 s) of the share s that the value has of P's and of Q's weight: features that trees can
  /// split.
  static std::array<float, 2> shares(const ClassWeights& held, const ClassWeights& total);

  /// The logarithm of the ratio of these shares, shrunk towards 0 as the values of this column ask for; and
  /// the logarithm of 1 + the rows that it rests on. Both are 0 for a value that training has not seen.
  std::array<float, 2> log_ratio(const ClassWeights& held, const ClassWeights& total) const;

 private:
  /// Chooses how many rows of prior evidence fit the column best: the likelihood of the counts at each value
  /// when its share in P varies by a beta distribution around P's share of all (empirical Bayes).
  void fit_shrinkage();

  std::vector<double> values_;  ///< seen in training, ascending; NaN, if seen, last
  std::vector<WeightsByFold> weights_;
  WeightsByFold of_fold_{};
  double prior_rows_ = 1;
};

}  // namespace jsdiv
