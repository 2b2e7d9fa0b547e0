#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Family `rf`: the random forest of scikit-learn (RandomForestClassifier 1.9, criterion gini) on binned
/// columns.
///
/// Configuration: trees, max_depth, min_samples_leaf, min_samples_split (integers), max_features (sqrt,
/// log2), max_samples (real), class_weight (none, balanced, balanced_subsample). As in scikit-learn,
/// min_samples_* count distinct rows, row weights and class_weight balanced are the probabilities with which
/// the bootstrap draws, and balanced_subsample weights the classes of each bootstrap sample. Unlike there, a
/// bootstrap sample has max_samples * rows draws whatever the scale of the weights.
const Family& random_forest_family();

}  // namespace jsdiv
