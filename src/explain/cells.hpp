#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

/// A column cut into cells, for divergences that are counted rather than learnt.

/// A column of numbers as rows with recurring values and rows without.
struct ValueKinds {
  std::vector<double> atoms;  ///< ascending; every value that at least this share of all rows hold
  std::vector<std::uint32_t> atom_of_row;  ///< [rows] index into `atoms`, or one of the two below
  static constexpr std::uint32_t none = 0xffffffff;
  static constexpr std::uint32_t missing = 0xfffffffe;
};

/// `least_share` of all rows make a value an atom; with at most 1 / least_share distinct values all are.
ValueKinds value_kinds(const Column& column, double least_share);

/// Each row's rank among the rows of its table without an atom there: (rows with a smaller value + half of
/// those with the same) / rows, in (0, 1); NaN for the others. `by_table` false: among those of both tables.
std::vector<double> ranks_between_atoms(const Column& column, const ValueKinds& kinds,
                                        std::span<const std::uint8_t> labels, bool by_table);

enum class Bins {
  common,  ///< the same range of values in both tables
  by_rank  ///< the same ranks within each table: the bins of one table have the masses of the other's
};

/// [rows] the cell of each row, and how many there are. Levels and recurring values have cells of their own,
/// the rarest levels beyond `cells` share one, values between share bins with about the same number of rows,
/// missing cells are one cell. At most 255 cells.
struct Cells {
  std::vector<std::uint8_t> of_row;
  std::size_t count = 0;
};
Cells cut_into_cells(const Column& column, std::span<const std::uint8_t> labels, std::size_t cells,
                     Bins bins);

/// Shares of the rows of each table, [label][cell].
using CellShares = std::array<std::vector<double>, 2>;
CellShares cell_shares(const Cells& cells, std::span<const std::uint8_t> labels,
                       std::span<const double> class_shares);

/// Jensen-Shannon divergence in bits of two tables' shares.
double plug_in_divergence(const CellShares& shares);

/// What the plug-in divergence is too high by on average, to second order, for samples of these sizes.
double plug_in_bias(const CellShares& shares, const std::array<double, 2>& rows);

/// The unit of the plug-in divergence's law under equal distributions: the divergence over it is chi-squared.
double null_unit(const std::array<double, 2>& rows);

/// Probability that a chi-squared variable exceeds `value` (Wilson & Hilferty, 1931).
double chi_squared_tail(double value, double degrees_of_freedom);

struct CountedDivergence {
  Measured corrected;  ///< for bias; may be a little below 0
  double p_value = 1;  ///< of equal distributions
};

/// The divergence of a column's cells, with its error from the rows (clusters) and from the counting.
CountedDivergence counted_divergence(const Cells& cells, const HeldOutRows& rows);

}  // namespace jsdiv
