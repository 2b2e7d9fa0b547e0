#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

struct PermutationOptions {
  std::size_t permutations = 999;
  /// Above this many rows, and without groups, the permutation distribution is taken as normal with its exact
  /// mean and variance (sampling without replacement): the central limit theorem is better there than 999
  /// draws.
  std::size_t normal_above_rows = 200'000;
};

struct PermutationTest {
  double p_value = 1;  ///< of P = Q; Cauchy combination over the folds
  /// No labelling reached the observed value in any fold: p is the smallest that so many permutations can
  /// show, and "at most" is all that can be said.
  bool p_value_is_bound = false;
  std::vector<double>
      fold_p_values;  ///< (1 + #{permuted value >= observed}) / (1 + permutations), by fold number
};

/// Tests P = Q without a refit: the labels of each fold's held-out rows are permuted while the log-odds of
/// its models stay. One p-value for each fold, because the folds' models share training rows and their pooled
/// statistic does not follow the pooled permutation law. A fold with one log-odds for all rows says nothing
/// and is left out of the combination; if all are such, p = 1.
///
/// Under groups, those with rows of one table exchange their labels as wholes, and one with rows of both
/// tables swaps them with probability 1/2. Where the groups are sets of equal rows, some of them in both
/// tables, the sets exchange how often P and Q hold them: rows that one table drew from the other would
/// otherwise have no other labels. Empty under weights: rows that count differently are not
/// exchangeable.
std::optional<PermutationTest> permutation_test(std::span<const double> log_odds, const HeldOutRows& rows,
                                                std::span<const std::uint32_t> folds,
                                                const RandomStream& random,
                                                const PermutationOptions& options = {});

/// Liu & Xie (JASA 2020): valid in the tail under any dependence. p-values above 0.99 count as 0.99, so that
/// one fold with a value near 1 cannot outweigh all others (Fang et al., Statistica Sinica 2023).
double cauchy_combination(std::span<const double> p_values);

}  // namespace jsdiv
