#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The rows of both tables in one, ready to be divided anew.
struct PooledRows {
  Table table;                            ///< with the group column, where there is one
  double share_p = 0.5;                   ///< of the rows that lay in the first table
  std::vector<std::uint32_t> same_value;  ///< [rows] the distinct row that each of them is
  std::uint32_t distinct = 0;             ///< how many there are
  std::vector<std::uint32_t>
      stay_together;  ///< [rows] rows of one number are drawn together; empty: each by itself
};

/// `group_column` names the groups of the user; empty: there are none.
PooledRows pool_rows(const Sample& sample, const std::string& group_column);

/// Rows that go to P with known probabilities, so that the divergence of the division is known:
/// σ(strength · g + offset) with an offset that gives P its share of the rows. g is constant over rows that
/// stay together, and over equal rows where none do.
struct Division {
  double strength = 0;  ///< of g as it was given
  double jsd = 0;       ///< over all rows, those with equal cells taken together
  std::vector<double> posteriors;
};

/// The division whose JSD is the wanted one; none if no strength reaches it.
std::optional<Division> divide(const PooledRows& rows, std::span<const double> log_ratio, double wanted);

/// The two tables of a division.
std::vector<Table> draw_division(const PooledRows& rows, const Division& division,
                                 const RandomStream& random);

}  // namespace jsdiv
