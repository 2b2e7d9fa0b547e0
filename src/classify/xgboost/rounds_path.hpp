#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace jsdiv::gradient_boosting {

constexpr int min_rounds = 100;
constexpr int max_rounds = 600;
constexpr int rounds_step = 10;  ///< losses are looked at this many rounds apart

/// The held-out loss of one growing ensemble, looked at every `rounds_step` rounds, and the decision to stop.
/// It looks at losses only, so that the same losses always give the same decision.
class RoundsPath {
 public:
  /// `rival` is the lowest loss that another configuration has reached on the same rows (infinity: none yet);
  /// `margin` is the difference that chance can explain.
  RoundsPath(double rival, double margin) : threshold_(rival + margin), tolerance_(0.1 * margin) {}

  /// Records the loss after the next `rounds_step` rounds; false: more rounds would be wasted. That is so
  /// - when the loss has not fallen by a tenth of the margin for a while and the path's first value is known,
  /// or
  /// - when the loss cannot come down to the rival's within `max_rounds`: the curve is convex until it turns
  /// upwards,
  ///   so that it lies above its own recent slope drawn out.
  bool add(double loss);

  /// The loss at min_rounds, min_rounds + rounds_step, …, max_rounds. Beyond the stop the last loss is
  /// repeated; only a curve that was given up while falling goes on, by steps in geometric progression, so
  /// that a search sees how far it would have come.
  std::vector<double> losses() const;

 private:
  bool out_of_reach() const;

  double threshold_;
  double tolerance_;
  std::vector<double> curve_;  ///< curve_[k]: after (k + 1) * rounds_step rounds
  double best_ = std::numeric_limits<double>::infinity();
  std::size_t best_step_ = 0;
  bool rejected_ = false;
};

}  // namespace jsdiv::gradient_boosting
