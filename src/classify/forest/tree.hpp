#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "classify/forest/binned_columns.hpp"
#include "classify/forest/bootstrap.hpp"
#include "jsdiv/matrix.hpp"

namespace jsdiv::forest {

/// A row goes to child left + (value > threshold). A leaf has an infinite threshold and is its own left
/// child, so that a row that has arrived stays while others of its block go on.
struct TreeNode {
  float threshold = std::numeric_limits<float>::infinity();
  std::uint32_t feature = 0;
  std::uint32_t left = 0;

  bool operator==(const TreeNode&) const = default;
};

struct Tree {
  std::vector<TreeNode> nodes;  ///< the root first; the two children of a node are neighbours
  std::vector<double> share_p;  ///< [nodes] P's share of a leaf's weight; 0 elsewhere
  std::size_t depth = 0;        ///< edges on the longest path
};

enum class ClassWeighting { none, balanced, balanced_subsample };

/// scikit-learn's names and meanings.
struct ForestParameters {
  std::size_t trees = 100;
  std::size_t max_depth = 10;
  std::uint32_t min_samples_leaf = 1;
  std::uint32_t min_samples_split = 2;
  std::size_t max_features = 1;
  double max_samples = 1;
  ClassWeighting class_weighting = ClassWeighting::none;
};

/// The rows of one fit, numbered from 0.
struct TrainingSet {
  std::size_t rows = 0;
  std::vector<Bin> bins;                   ///< [features][rows]
  std::vector<const ColumnBins*> columns;  ///< [features]
  std::vector<std::uint8_t> labels;        ///< [rows]
  RowSampler sampler;
  std::size_t draws;  ///< rows of a bootstrap sample, repetitions counted

  const Bin* column(std::size_t feature) const { return bins.data() + feature * rows; }
};

/// Grows trees number first … first + count - 1 of a forest, each from the stream's child of that number.
std::vector<Tree> grow_trees(const TrainingSet& set, const ForestParameters& parameters,
                             const RandomStream& stream, std::size_t first, std::size_t count);

/// The same with records of the given width, whatever the number of rows: for tests.
template <typename Packed>
std::vector<Tree> grow_trees_with(const TrainingSet& set, const ForestParameters& parameters,
                                  const RandomStream& stream, std::size_t first, std::size_t count);

/// sums[i] += share of P in the leaf that row i reaches; `values` is [rows of the block][features],
/// row-major.
void add_shares(const Tree& tree, const float* values, std::size_t features, std::size_t rows, double* sums);

}  // namespace jsdiv::forest
