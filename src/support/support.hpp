#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "support/lattice.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// The stage that asks, before anything is learnt, whether P and Q can hold the same values at all:
///
///     Sample --find_support_mismatches--> findings --harmonise--> Sample on common grids
///
/// Where their supports differ the divergence is large for a reason that most classifiers cannot see.

/// One way in which the supports of P and Q differ.
struct SupportFinding {
  std::string column;  ///< empty for whole rows
  /// "lattice"               one table lies on a grid a + k h, the other does not
  /// "precision"             one table's numbers have fewer significant digits, or are floats of 32 bits; or
  ///                         more of them have few decimals than of the other's
  /// "atoms"                 values that recur in one table and that the other does not have
  /// "one_sided_categories"  the same for categories and booleans
  /// "one_sided_range"       one table reaches beyond the other's smallest or largest value
  /// "constant"              one table holds a single value, the other does not
  /// "missing"               only one table has missing cells
  /// "relation"              a column that others determine in one table and not in the other
  /// "copies"                rows of one table that are verbatim rows of the other
  /// "duplicates"            rows repeated within a table
  std::string kind;
  /// Shares of P's and of Q's rows whose value cannot come from the other table, as far as chance does not
  /// explain them; for copies and duplicates, the shares of rows that are one.
  double share_p = 0;
  double share_q = 0;
  std::string message;  ///< one sentence for people

  char table = '\0';  ///< 'P' or 'Q': the table on the grid, with the atoms, constant, …; '\0': both
  std::optional<Lattice> lattice;  ///< what harmonise() puts the column on
  std::vector<double> atoms;       ///< the same, where the values of `table` are no lattice; ascending
  std::optional<int> digits;       ///< the same, where `table` is rounded to significant digits
  bool single = false;             ///< the same, where `table` holds floats of 32 bits
  bool of_a_part = false;          ///< only a part of the numbers of `table` is such

  std::vector<std::size_t> related;  ///< of a relation: all its columns

  /// True if harmonise() can put both tables on one grid.
  bool has_grid() const { return lattice.has_value() || !atoms.empty() || digits || single; }
};

/// What messages call the first table and the second: the tables may have changed places in the arithmetic.
struct Naming {
  bool exchanged = false;

  std::string name(Side side) const { return {name_of(exchanged ? other(side) : side)}; }
};

/// Every way in which the given rows of P and Q differ in one column, beyond chance. `not_copied`: those rows
/// that are not copies, if some are.
std::vector<SupportFinding> find_in_column(const Column& column, const ValueCounts& counts,
                                           double log_significance, Naming naming = {},
                                           const ValueCounts* not_copied = nullptr);

struct Supports {
  std::vector<SupportFinding> findings;  ///< column by column, those of whole rows last
  /// [rows] a number that equal rows share, where rows are repeated that cannot be equal by chance; else
  /// empty.
  std::vector<std::uint32_t> equal_rows;
};

/// Every difference between the supports of the first two tables that chance does not explain: under equal
/// distributions the rows are exchangeable between the tables, and the probability of a false finding
/// anywhere in the sample is below 1e-4. With groups, one row of each group and table is looked at, because
/// rows of a group may repeat each other; a repeated row counts once. `values` are those of the sample.
Supports find_supports(const Sample& sample, std::span<const ValueCodes> values, Naming naming = {});

/// The findings alone.
std::vector<SupportFinding> find_support_mismatches(const Sample& sample);

/// The sample with both tables on the same grid: in every column with a lattice finding each value moves to
/// the nearest grid point, also beyond the range of the table that has the grid; in a column with atoms that
/// the other table surrounds, each value of the other tables moves to the nearest atom; a column that one
/// table gives to fewer significant digits, or to 32 bits, is rounded to these. Everything else stays as it
/// is. Values closer to their grid point than the rounding of floats become equal to it.
Sample harmonise(const Sample& sample, std::span<const SupportFinding> findings);

}  // namespace jsdiv
