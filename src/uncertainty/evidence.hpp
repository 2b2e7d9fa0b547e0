#pragma once

#include <cstdint>
#include <span>

#include "jsdiv/random.hpp"
#include "jsdiv/result.hpp"
#include "uncertainty/learning_curve.hpp"

namespace jsdiv {

/// A stack is broken where its held-out value is more than `broken_below` bits under 0 and more than three
/// standard errors. To guess at every row gives 0, and the stack's weights are drawn towards that; fitting
/// them to chance costs hundredths of a bit in the smallest tables. So much less means that what was learnt
/// does not hold for other rows, and says nothing about how far apart the tables are.
inline constexpr double broken_below = 0.05;
bool is_broken(const Measured& held_out);

/// What the held-out rows say about the divergence, put together so that its parts agree:
/// lower bounds <= jsd, interval.low <= jsd <= interval.high.
struct Evidence {
  double jsd = 0;             ///< the learning curve's limit, brought into [0, 1]
  double standard_error = 0;  ///< upwards; 1 for a broken stack, which leaves all of [0, 1] open
  Interval confidence_interval;
  double lower_bound = 0;
  Maybe finite_sample_bound;  ///< null under weights
  Maybe p_value;              ///< null under weights
  bool p_value_is_bound = false;
  bool broken = false;
};

/// Spans are [rows]; `log_odds` are those of one cross-fit, `folds` its folds.
Evidence evidence_of(const LearningCurve& curve, std::span<const double> log_odds, const HeldOutRows& rows,
                     std::span<const std::uint32_t> folds, double level, const RandomStream& random);

}  // namespace jsdiv
