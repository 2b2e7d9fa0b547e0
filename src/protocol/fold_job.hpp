#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "protocol/crossfit.hpp"
#include "protocol/progress.hpp"
#include "split/folds.hpp"

namespace jsdiv {

/// Independent draws of the smaller class: its groups, or its rows where there are none.
std::size_t smaller_class(const Sample& sample, std::span<const std::uint8_t> labels, Rows rows);

/// What one family did on one fold.
struct FamilyRecord {
  double weight = 0, loss = 0, seconds = 0;
  bool dropped = false;          ///< by the race: `log_odds` come from fits on one half
  Config config;                 ///< of the learner with the greatest weight
  std::vector<Warning> notes;    ///< of the first learner
  std::vector<double> log_odds;  ///< [held-out rows of the fold]
};

struct FoldOutcome {
  std::vector<RowScores> rows;  ///< [held-out rows], or [further rows] where there are any
  std::vector<FamilyRecord> families;
};

/// Rows that are scored by the stack beside those of the problem: of another sample with the same columns.
struct FurtherRows {
  const Sample& sample;
  Rows rows;
};

/// All fits and stacks of one fold. With further rows the stack scores those instead of the fold's held-out
/// rows, from which then only what each family tells by itself comes.
FoldOutcome run_fold(const CrossFitProblem& problem, const HalvedFold& fold, const RandomStream& random,
                     ProgressCounter& progress, const std::optional<FurtherRows>& further = std::nullopt);

}  // namespace jsdiv
