#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tune/tune.hpp"

namespace jsdiv {

/// The folds after which a trial may be given up, as ends of batches: 1, 3, 5, 10, 20, ... up to `folds`, or
/// one batch of all without early rejection. They depend on nothing else, so that the thread count cannot
/// decide.
std::vector<std::size_t> fold_batches(std::size_t folds, bool early_rejection);

/// True if a trial need not be continued. `differences` are its losses minus the best trial's on the same
/// folds; `usual_spread` is the standard deviation of such differences within earlier trials. The mean
/// difference must exceed three standard errors (six after one fold), by the larger of the two spreads: one
/// fold, or two that happen to agree, prove nothing by themselves.
bool hopeless(std::span<const double> differences, double usual_spread);

/// Runs the trials of one search and keeps their trace.
class TrialRunner {
 public:
  TrialRunner(const SearchSpace& space, std::span<FoldScorer* const> folds, bool early_rejection);

  /// Scores `config`, which leaves the path out, on the folds.
  const Trial& run(Config config, std::string origin);

  const std::vector<Trial>& trials() const { return result_.trials; }
  TuneResult take_result() && { return std::move(result_); }

 private:
  /// What the folds scored so far say about a trial.
  struct Standing {
    std::size_t path_idx = 0;
    double mean = 0;
    std::vector<double> losses;  ///< [folds scored] at the best path value
  };

  void score_folds(const Config& config, std::size_t first, std::size_t last);
  Standing standing(std::size_t folds_scored) const;
  std::vector<double> differences_to_best(std::span<const double> losses) const;
  double usual_spread() const;

  const SearchSpace& space_;
  std::span<FoldScorer* const> folds_;
  bool whole_path_;
  std::vector<std::size_t> batches_;
  std::vector<std::vector<double>> fold_losses_;  ///< [folds][path] of the running trial
  std::vector<double> best_fold_losses_;          ///< [folds]; empty before the first complete trial
  std::vector<double> spreads_;                   ///< of the differences, one for each earlier trial
  TuneResult result_;
};

}  // namespace jsdiv
