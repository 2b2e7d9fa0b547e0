#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "calibrate/isotonic.hpp"
#include "calibrate/sigmoid.hpp"

namespace jsdiv {

enum class Calibration { none, sigmoid, isotonic };

std::string_view to_string(Calibration method);

/// A map from scores to probabilities, fitted on rows that the classifier did not train on. Equal to
/// scikit-learn's CalibratedClassifierCV around a fitted classifier. Immutable: many threads may ask it at
/// once.
class Calibrator {
 public:
  /// `scores` are what the family is calibrated on (log-odds or probabilities), finite, one for each label;
  /// `labels` are 1 for rows of P and 0 for rows of Q; `weights` may be empty: every row counts 1. Throws
  /// InvalidInput if one of the classes has no weight. `none` learns nothing: its scores are log-odds.
  static Calibrator fit(Calibration method, std::span<const double> scores,
                        std::span<const std::uint8_t> labels, std::span<const double> weights = {});

  /// The calibrated probability of P, in [0, 1]; exact zeros and ones occur with `isotonic`.
  double operator()(double score) const;

 private:
  Calibration method_ = Calibration::none;
  SigmoidMap sigmoid_;    ///< used by its own method only
  IsotonicMap isotonic_;  ///< likewise
};

}  // namespace jsdiv
