#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// What is known of the held-out rows besides their scores. Spans are [rows], or empty where stated.
struct HeldOutRows {
  std::span<const std::uint8_t> labels;  ///< 1 for rows of P, 0 for rows of Q
  std::span<const double> weights;       ///< empty: every row counts 1
  std::span<const std::uint32_t>
      groups;  ///< rows of a group are one draw; empty: every row is a draw of its own
};

/// The held-out rows cut into the independent draws they came in: groups, or else single rows.
struct Clusters {
  std::vector<std::uint32_t> of_row;        ///< [rows], numbered from 0 in the order of their first row
  std::size_t count = 0;                    ///< those with a weight above 0 are counted in `with_label`
  std::array<std::size_t, 2> with_label{};  ///< clusters that hold a row of Q, of P, with a weight above 0
};

Clusters clusters_of(const HeldOutRows& rows);

/// Each row's weight as a share of the weight of its table: the shares of P add up to 1, and so do those of
/// Q. Throws InvalidInput if the rows of one table have no weight.
std::vector<double> class_shares(const HeldOutRows& rows);

/// Standard error of a statistic from the influence of each row on it: what the row adds to the statistic's
/// linearisation, share included, with mean 0 over each table. The influences of a cluster are added before
/// they are squared, so that a cluster with rows of both tables counts as it should; each table's part is
/// multiplied by m / (m - 1), m being the number of its clusters. NaN if a table has fewer than two clusters.
double influence_standard_error(std::span<const double> influence, const HeldOutRows& rows);

/// Mean over P of `terms` + mean over Q of `terms`. Weighted means are ratio estimators, linearised about
/// themselves.
Measured sum_of_class_means(std::span<const double> terms, const HeldOutRows& rows);

}  // namespace jsdiv
