#pragma once

#include <set>

#include "tune/trial.hpp"
#include "tune/tune.hpp"
#include "tune/unit_space.hpp"

namespace jsdiv {

/// The contract of `search` with configurations drawn at random: the baseline that it is measured against.
inline TuneResult random_search(const SearchSpace& space, std::span<FoldScorer* const> folds,
                                const TuneOptions& options, RandomStream random) {
  TrialRunner runner(space, folds, options.early_rejection);
  if (space.empty() || options.iterations == 0) return std::move(runner).take_result();
  const UnitSpace unit(space);
  const auto count = static_cast<std::size_t>(options.iterations);
  if (const auto all = unit.enumerate(count)) {
    for (const UnitPoint& point : *all) runner.run(unit.decode(point), "exhaustive");
    return std::move(runner).take_result();
  }
  std::set<UnitPoint> seen;
  while (seen.size() < count) {
    const UnitPoint point = unit.draw(random);
    if (seen.insert(point).second) runner.run(unit.decode(point), "random");
  }
  return std::move(runner).take_result();
}

}  // namespace jsdiv
