#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/held_out.hpp"

namespace jsdiv {

/// The per-row terms of a divergence that is 1/2 mean over P + 1/2 mean over Q. Both vectors are [rows].
struct JsdTerms {
  std::vector<double> own;      ///< log2(2D) for a row of P, log2(2(1 - D)) for a row of Q
  std::vector<double> swapped;  ///< the term that the row would have under the other label
};

/// From log-odds at equal priors.
JsdTerms jsd_terms(std::span<const double> log_odds, std::span<const std::uint8_t> labels);

/// The divergence and its standard error by influence functions (see influence_standard_error: ratio
/// estimators under weights, cluster sums under groups), with a floor for each table's variance.
///
/// The floor is the variance of a count of one misclassified cluster: the mean square, over the rows of the
/// other table, of (their swapped term - this table's mean), times the mean squared share of this table's
/// clusters (1 / n² without weights and groups). At complete separation it is what one row at the wrong cap
/// would add, while the error from the rows is 0; where z is near 0 it vanishes, because a misclassified row
/// costs next to nothing there.
Measured divergence_with_error(const JsdTerms& terms, const HeldOutRows& rows);

/// Sums over the rows of one table, which may be added up over its parts.
struct TermSums {
  double rows = 0;
  double own = 0, own_squares = 0;          ///< of JsdTerms::own and of their squares
  double swapped = 0, swapped_squares = 0;  ///< of JsdTerms::swapped
};

/// The same without weights and groups, from sums: for tables whose rows are not in one place.
Measured divergence_with_error(const TermSums& p, const TermSums& q);

}  // namespace jsdiv
