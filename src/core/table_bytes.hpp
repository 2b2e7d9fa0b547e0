#pragma once

#include <cstddef>

namespace jsdiv {

/// What it takes to hold tables as doubles, with a column that is being joined, and the two copies of a
/// column that each thread makes to sort and count its values.
inline double bytes_to_hold(double rows, double cells, std::size_t threads) {
  return sizeof(double) * (cells + rows * static_cast<double>(1 + 2 * threads));
}

}  // namespace jsdiv
