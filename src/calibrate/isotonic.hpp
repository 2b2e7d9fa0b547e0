#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace jsdiv {

/// A non-decreasing function: linear between its thresholds, constant beyond the first and the last.
struct IsotonicMap {
  std::vector<double> scores;         ///< increasing, at least one
  std::vector<double> probabilities;  ///< non-decreasing, one for each score

  double operator()(double score) const;
};

/// Weighted least-squares isotonic regression of the labels on the score (pool adjacent violators; Best &
/// Chakravarti, "Active set algorithms for isotonic regression", 1990). Rows of equal score count as one row
/// of their mean label. At least one row must have weight; `weights` is [rows] or empty.
IsotonicMap fit_isotonic(std::span<const double> scores, std::span<const std::uint8_t> labels,
                         std::span<const double> weights);

}  // namespace jsdiv
