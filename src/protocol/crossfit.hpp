#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "encode/features.hpp"
#include "jsdiv/family.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// What the cross-fit found out about one row: log-odds at equal priors of models that have never seen it.
struct RowScores {
  double full = 0;                 ///< of models trained on the whole training part
  std::array<double, 2> halves{};  ///< of models trained on one half of it each
  std::uint32_t fold = 0;
  std::optional<double> rows_with_level;  ///< see Features::rows_with_level
};

/// How one family did, over all folds.
struct FamilyScores {
  std::string name;
  std::vector<double> log_odds;   ///< [told rows] at equal priors, by itself alone; held-out
  double weight = 0;              ///< mean weight in the stacks
  double held_out_loss = 0;       ///< of the half-size fits, class-balanced, nats
  std::size_t dropped_folds = 0;  ///< where the race dropped it: there it speaks by fits on one half
  double seconds = 0;
  Config config;               ///< with the greatest weight in the first fold, as the model records it
  std::vector<Warning> notes;  ///< of the first fold's model
};

struct CrossFit {
  std::vector<RowScores> rows;  ///< [rows of the sample]
  std::vector<FamilyScores> families;
  /// Rows that each family scored by itself, ascending: all, or some of a large table.
  std::vector<RowIndex> told_rows;
  std::size_t folds = 0;
  std::size_t smaller_training_class = 0;  ///< independent draws of the smaller class in a training part
  /// Rows of the smaller class that each training part was thinned to, where more would gain nothing; none:
  /// all.
  std::optional<std::size_t> training_rows;
};

inline constexpr std::size_t standard_pilot_rows = 10'000;

/// Whether training parts with that many independent draws of the smaller class are thinned whatever the
/// pilot says. Their folds count their own values, so that those of the whole sample need not be kept.
bool surely_thins(std::size_t training_draws);

/// What is cross-fitted: the rows, by whom, and what of them may be seen.
struct CrossFitProblem {
  const Sample& sample;
  std::span<const ValueCodes> values;  ///< of the sample's columns; empty: made where they are needed
  std::span<const std::uint8_t> labels;
  std::span<const Family* const> families;
  FeatureOptions features;
  FamilyOptions options;
  /// Rows of a class that the pilot of a large table learns from; large is more than twice as many.
  std::size_t pilot_rows = standard_pilot_rows;
  std::size_t folds_at_once = 0;  ///< to save memory; 0: all. Never changes a result
};

/// One cross-fit over K folds with every given family. For fold k nothing is learnt from fold k: its training
/// part is split into two complementary halves, and what is learnt of a half, features included, comes from
/// that half; every configuration of a family's shortlist is a learner, its path parameter chosen by a fit on
/// one half scored on the other; the stack's weights come from the half-fits' scores of each other's half;
/// learners that do not help the stack after their first half-fit are not fitted further there. Then the
/// stack of the fits on the whole training part scores fold k, and so do the stacks of the half-fits, for the
/// learning curve. Of a large table the training parts are thinned where a pilot says that more rows gain
/// nothing; the stacks still score every row, the families by themselves some of them.
CrossFit cross_fit(const CrossFitProblem& problem, std::size_t folds, const RandomStream& random,
                   const ProgressFunction& progress);

}  // namespace jsdiv
