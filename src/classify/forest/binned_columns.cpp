#include "classify/forest/binned_columns.hpp"

#include <algorithm>

#include "core/assert.hpp"
#include "core/parallel.hpp"

namespace jsdiv::forest {
namespace {

// Quantiles of so many evenly spaced rows are as good as those of all rows, and sorting stays cheap.
constexpr std::size_t max_rows_for_edges = std::size_t{1} << 18;

struct Atom {
  float value;
  std::size_t count;
};

std::vector<Atom> count_distinct(std::vector<float>& values) {
  std::sort(values.begin(), values.end());
  std::vector<Atom> atoms;
  for (const float value : values) {
    if (atoms.empty() || atoms.back().value != value) {
      atoms.push_back({value, 1});
    } else {
      ++atoms.back().count;
    }
  }
  return atoms;
}

}  // namespace

float between(float low, float high) {
  const float middle = static_cast<float>(0.5 * (static_cast<double>(low) + static_cast<double>(high)));
  return middle < high ? middle : low;
}

Bin ColumnBins::bin(float value) const {
  // std::lower_bound without its unpredictable branches.
  const float* first = edges.data();
  std::size_t size = edges.size();
  while (size > 1) {
    const std::size_t half = size / 2;
    first += half * static_cast<std::size_t>(first[half - 1] < value);
    size -= half;
  }
  return static_cast<Bin>((first - edges.data()) + (size == 1 && *first < value));
}

ColumnBins make_bins(std::vector<float> values) {
  JSDIV_ASSERT(!values.empty());
  const std::vector<Atom> atoms = count_distinct(values);
  const bool one_bin_each = atoms.size() <= max_bins;
  ColumnBins bins;
  std::size_t rows_left = values.size();
  std::size_t in_bin = 0;
  double target = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const std::size_t bins_left = max_bins - bins.size();  // those not opened yet
    const std::size_t with_half_of_it = in_bin + atoms[i].count / 2;
    const bool full =
        one_bin_each || in_bin == 0 || (bins_left > 0 && static_cast<double>(with_half_of_it) >= target);
    if (full) {
      if (in_bin > 0) bins.edges.push_back(between(bins.high.back(), atoms[i].value));
      bins.low.push_back(atoms[i].value);
      bins.high.push_back(atoms[i].value);
      target = static_cast<double>(rows_left) / static_cast<double>(bins_left);
      in_bin = 0;
    }
    bins.high.back() = atoms[i].value;
    in_bin += atoms[i].count;
    rows_left -= atoms[i].count;
  }
  return bins;
}

BinnedColumns::BinnedColumns(MatrixView features, Rows training_rows)
    : rows_(features.rows), bins_(features.cols), values_(features.rows * features.cols) {
  const std::size_t stride = (training_rows.size() + max_rows_for_edges - 1) / max_rows_for_edges;
  parallel_for(features.cols, [&](std::size_t column) {
    const std::span<const float> values = features.column(column);
    std::vector<float> sample;
    sample.reserve(training_rows.size() / stride + 1);
    for (std::size_t i = 0; i < training_rows.size(); i += stride) sample.push_back(values[training_rows[i]]);
    bins_[column] = make_bins(std::move(sample));
    Bin* out = values_.data() + column * rows_;
    for (const RowIndex row : training_rows) out[row] = bins_[column].bin(values[row]);
  });
}

}  // namespace jsdiv::forest
