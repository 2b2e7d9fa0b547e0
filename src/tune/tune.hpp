#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "jsdiv/family.hpp"
#include "jsdiv/hyperparameters.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

struct TuneOptions {
  int iterations = 50;          ///< configurations to look at; 0: no search
  int folds = default_folds;    ///< for the callers that make the folds
  bool early_rejection = true;  ///< stop a trial after its first folds if it is hopeless
};

/// One configuration of the parameters beside the path, and what came of it.
struct Trial {
  Config config;    ///< with the best path value, if there is a path
  double loss = 0;  ///< mean over folds; extrapolated if rejected; +inf if a fold gave no finite loss
  double standard_error = 0;  ///< of the mean over the folds that were scored
  int folds_scored = 0;
  bool rejected = false;  ///< not all folds were scored, because the first ones were hopeless
  std::string origin;     ///< "initial" or "model" (search), "exhaustive" (a small finite space)
};

struct TuneResult {
  Config best;       ///< empty if there was nothing to search or no trial had a finite loss
  double best_loss;  ///< +inf in that case
  std::vector<Trial> trials;
};

/// Bayesian search for the configuration with the lowest mean loss over the folds.
///
/// A trial fits one configuration of the parameters beside the path on every fold. With a path parameter each
/// fold gives one loss for each path value; they are averaged over folds value by value, and the best value
/// (the first of equals) completes the trial's configuration. A path of whole numbers enters the
/// configuration as integers.
///
/// Budget: `iterations` is the number of configurations of the whole space, path included, that the search
/// looks at, at least. What remains beside the path is often small and finite (logreg: penalty and class
/// weight): if it has no more than `iterations` configurations, each is tried once and the search ends.
/// Otherwise `iterations` trials run, and a trial with a whole path counts as one. No configuration is tried
/// twice.
///
/// Trials come one after the other; the folds of a trial run in parallel. With early rejection the folds are
/// scored in fixed batches (0, 1-2, 3-4, 5-9, ...), and between batches a trial is given up by its losses
/// alone (see tune/trial.hpp). `folds` holds one scorer for each fold, and each sees the trials in order.
TuneResult search(const SearchSpace& space, std::span<FoldScorer* const> folds, const TuneOptions& options,
                  RandomStream random);

/// Whatever keeps this contract can stand in for it, such as the baseline that it is measured against.
using SearchMethod = decltype(&search);

/// A fold of a search: the rows to fit on and the rows to score.
using TuneFold = std::pair<Rows, Rows>;

/// Searches for the best configuration of a prepared family; `best` is merged into `defaults` and so
/// complete. `fit` is what every fit is told; its random stream also drives the search.
TuneResult tune(const Trainer& trainer, const SearchSpace& space, const Config& defaults,
                std::span<const TuneFold> folds, const Fit& fit, const TuneOptions& options,
                SearchMethod method = search);

}  // namespace jsdiv
