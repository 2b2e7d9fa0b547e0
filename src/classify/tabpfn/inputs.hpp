#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/tabpfn/weights.hpp"
#include "jsdiv/matrix.hpp"

namespace jsdiv::tabpfn {

/// Standard normal numbers as torch draws them on a CPU (float32) from a fresh generator: the model's
/// positional embeddings are made from these, so other numbers are another model.
std::vector<float> torch_normals(std::size_t count, std::uint32_t seed);

/// How the columns of the training rows are brought to the model: standardised, missing values marked.
///
/// Two deliberate differences from the package. Which columns are constant is decided by the training rows
/// alone, so that a prediction does not depend on the other rows it is asked for; only a column whose
/// training values are all equal or missing can tell. Sums are taken in double, so that a large offset costs
/// no accuracy.
class FeatureScaling {
 public:
  /// features: [*, F], NaN where missing. Columns constant over `rows` are dropped, as the package does first
  /// of all.
  FeatureScaling(MatrixView features, Rows rows, std::size_t features_per_group);

  std::size_t groups() const { return groups_; }
  /// out: [rows, groups, 2n]: for each group n values, then n missing-value marks.
  void apply(MatrixView features, Rows rows, float* out) const;

 private:
  struct Column {
    std::size_t source;
    double mean;  ///< also replaces what is missing
    double deviation;
    float scale;  ///< 0 for a column that is constant once its missing values are replaced
  };

  std::vector<Column> columns_;
  std::size_t features_per_group_;
  std::size_t groups_;
};

/// [value, mark] of the target token: a training row's dense class index, or what stands for "unknown".
class TargetScaling {
 public:
  explicit TargetScaling(std::span<const std::uint8_t> labels);

  float known(std::uint8_t label) const;  ///< its mark is 0
  float unknown() const { return unknown_; }
  static constexpr float unknown_mark = -2;
  std::size_t classes() const { return distinct_.size(); }

 private:
  std::vector<std::uint8_t> distinct_;
  float unknown_;
};

/// [groups, E]: what is added to the tokens of each group.
std::vector<float> positional_embeddings(const Weights& weights, std::size_t groups);

}  // namespace jsdiv::tabpfn
