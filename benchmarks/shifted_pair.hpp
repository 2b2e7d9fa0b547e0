#pragma once

#include <numeric>
#include <vector>

#include "jsdiv/family.hpp"

namespace jsdiv::bench {

/// As many standard normal rows of P as of Q, whose columns are shifted by 0.3 and correlated through a
/// common term.
struct ShiftedPair {
  ShiftedPair(std::size_t row_count, std::size_t columns)
      : features(row_count, columns), labels(row_count), rows(row_count) {
    std::iota(rows.begin(), rows.end(), RowIndex{0});
    RandomStream random(1);
    for (std::size_t i = 0; i < row_count; ++i) {
      labels[i] = i % 2;
      const double common = labels[i] == 0 ? 0.3 + random.normal() : 0;
      for (std::size_t j = 0; j < columns; ++j) {
        features.at(i, j) = static_cast<float>(random.normal() + (j % 2 == 0 ? common : 0.5 * common));
      }
    }
  }

  Problem problem() const { return {features.view(), labels, {}, rows}; }

  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;
};

}  // namespace jsdiv::bench
