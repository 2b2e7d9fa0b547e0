#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Index of P and of Q in pairs of counts.
enum Side : std::size_t { side_p = 0, side_q = 1 };

inline Side other(Side side) {
  return side == side_p ? side_q : side_p;
}

inline char name_of(Side side) {
  return side == side_p ? 'P' : 'Q';
}

/// Rows of P and of Q.
using RowsOfTables = std::array<std::vector<RowIndex>, 2>;

/// How a number is written: the shortest decimal text that gives the same double back.
struct NumberFormat {
  std::int16_t digits = 0;    ///< significant ones; 0 for 0
  std::int16_t decimals = 0;  ///< behind the point; 0 for whole numbers, -2 for whole hundreds
};

/// Of a finite number.
NumberFormat number_format(double value);

/// The exact values of one column: made once, then counted for any rows in linear time.
struct ValueCodes {
  std::vector<double> values;         ///< ascending, no duplicates, no NaN; 0 and -0 are one value
  std::vector<std::uint32_t> codes;   ///< [rows] index into `values`; values.size() for a missing cell
  std::vector<NumberFormat> formats;  ///< [values] of numbers; empty for categories and where nobody asked

  std::uint32_t missing() const { return static_cast<std::uint32_t>(values.size()); }
};

ValueCodes value_codes(const Column& column);

/// One for each column, with the formats of its numbers: each is written once, however many parts of the
/// sample are counted.
std::vector<ValueCodes> value_codes(const Sample& sample);

/// How often each table holds one exact value.
struct ValueCount {
  double value = 0;
  std::array<std::uint32_t, 2> rows{};

  std::uint32_t total() const { return rows[side_p] + rows[side_q]; }
};

/// One column of both tables as counts.
struct ValueCounts {
  std::vector<ValueCount> values;     ///< ascending, no duplicates, no NaN
  std::vector<NumberFormat> formats;  ///< [values], or empty if not known
  std::array<std::size_t, 2> present{};
  std::array<std::size_t, 2> missing{};

  std::size_t rows(Side side) const { return present[side] + missing[side]; }
  /// Share of the rows with a value that lie in that table: the probability that one of them would, if the
  /// tables were alike.
  double prior(Side side) const;
  std::size_t distinct(Side side) const;
};

/// The probability that a row at one value lies in P, if near this value the tables are alike.
struct LocalPrior {
  double of_p = 0;
  double neighbours = INFINITY;  ///< rows that it was counted from; infinite where it is not in doubt

  double of(Side side) const { return side == side_p ? of_p : 1 - of_p; }
  /// log P(all of that many rows lie in the table).
  double log_all_in(Side side, double rows) const;
};

/// [values] From the rows at neighbouring values, without those at the value itself: a shift or another
/// spread changes how frequent a value is, but it changes that of its neighbours just as much. Values without
/// an order, and numbers of which there are too few to have neighbours, have all rows' prior.
std::vector<LocalPrior> local_priors(const ValueCounts& counts, bool ordered);

ValueCounts count_values(const ValueCodes& column, const RowsOfTables& rows);

}  // namespace jsdiv
