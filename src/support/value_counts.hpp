#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/matrix.hpp"
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

/// How often each table holds one exact value.
struct ValueCount {
  double value = 0;
  std::array<std::uint32_t, 2> rows{};

  std::uint32_t total() const { return rows[side_p] + rows[side_q]; }
};

/// One column of both tables as counts.
struct ValueCounts {
  std::vector<ValueCount> values;  ///< ascending, no duplicates, no NaN
  std::array<std::size_t, 2> present{};
  std::array<std::size_t, 2> missing{};

  std::size_t rows(Side side) const { return present[side] + missing[side]; }
  /// Share of the rows with a value that lie in that table: the probability that one of them would, if the
  /// tables were alike.
  double prior(Side side) const;
  std::size_t distinct(Side side) const;
};

/// Counts the values of `column` in the given rows of P and of Q; 0 and -0 are one value.
ValueCounts count_values(const Column& column, const std::array<std::vector<RowIndex>, 2>& rows);

}  // namespace jsdiv
