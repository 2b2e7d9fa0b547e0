#include "classify/forest/bootstrap.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "core/assert.hpp"

namespace jsdiv::forest {

RowSampler::RowSampler(std::span<const double> weights) : RowSampler(weights.size()) {
  if (std::all_of(weights.begin(), weights.end(), [&](double weight) { return weight == weights[0]; }))
    return;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  JSDIV_ASSERT(total > 0);
  std::vector<double> scaled(weights.size());
  std::vector<std::uint32_t> small;
  std::vector<std::uint32_t> large;
  for (std::uint32_t row = 0; row < rows_; ++row) {
    scaled[row] = weights[row] / total * static_cast<double>(rows_);
    (scaled[row] < 1 ? small : large).push_back(row);
  }
  // Rows that stay in `large` or `small` have a share of 1 but for rounding.
  constexpr auto always = std::numeric_limits<std::uint32_t>::max();
  table_.resize(rows_);
  for (std::uint32_t row = 0; row < rows_; ++row) table_[row] = {always, row};
  while (!small.empty() && !large.empty()) {
    const std::uint32_t row = small.back();
    const std::uint32_t alias = large.back();
    small.pop_back();
    table_[row] = {static_cast<std::uint32_t>(std::min(scaled[row] * 0x1.0p32, double{always})), alias};
    scaled[alias] -= 1 - scaled[row];
    if (scaled[alias] < 1) {
      large.pop_back();
      small.push_back(alias);
    }
  }
}

}  // namespace jsdiv::forest
