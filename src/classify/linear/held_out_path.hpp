#pragma once

#include <functional>
#include <span>
#include <vector>

#include "classify/linear/path.hpp"

namespace jsdiv::linear {

/// The loss of log-odds [held-out rows].
using ScoreLoss = std::function<double(std::span<const double> scores)>;

/// The held-out loss at each C, and the coefficients where it is lowest first.
struct HeldOutPath {
  std::vector<double> losses;
  std::size_t best = 0;
  Coefficients best_coefficients;
};

/// The held-out loss at each C of a path fitted to `train`. The path ends when the loss has risen
/// `rising_steps` times in a row, because near-separable data make each further fit slower and the loss
/// higher; the last loss then stands for the rest. `held_out` is standardised as `train` is.
HeldOutPath held_out_path(const Design& train, const Target& target, const Design& held_out, Penalty penalty,
                          std::span<const double> path, int rising_steps, const ScoreLoss& loss);

}  // namespace jsdiv::linear
