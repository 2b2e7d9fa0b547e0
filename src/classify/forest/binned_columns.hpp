#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv::forest {

/// A bin index fits a byte, so that a column of thousands of rows stays in the first-level cache.
using Bin = std::uint8_t;
inline constexpr std::size_t max_bins = 256;

/// The bins of one column: bin b holds the values in (edge[b - 1], edge[b]]. With at most `max_bins` distinct
/// values every value has its own bin, so that a split on bins is the exact split.
struct ColumnBins {
  std::vector<float> edges;  ///< [bins - 1], increasing
  std::vector<float> low;    ///< [bins] smallest value seen in the bin
  std::vector<float> high;   ///< [bins] largest value seen in the bin

  std::size_t size() const { return low.size(); }
  Bin bin(float value) const;
};

/// Bins of about equal frequency for `values` (at least one, finite); a value that would fill a bin alone
/// gets one. Takes the values by value because it sorts them.
ColumnBins make_bins(std::vector<float> values);

/// A threshold t with low <= t < high, as near to the middle as float32 allows; needs low < high, both
/// finite.
float between(float low, float high);

/// Every column of `features` in bins made from `training_rows`; other rows have no bin.
class BinnedColumns {
 public:
  BinnedColumns(MatrixView features, Rows training_rows);

  std::size_t columns() const { return bins_.size(); }
  const ColumnBins& bins(std::size_t column) const { return bins_[column]; }
  /// [rows of the matrix] the bin of each training row.
  std::span<const Bin> column(std::size_t column) const { return {values_.data() + column * rows_, rows_}; }

 private:
  std::size_t rows_;
  std::vector<ColumnBins> bins_;
  std::vector<Bin> values_;
};

}  // namespace jsdiv::forest
