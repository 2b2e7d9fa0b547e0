#include "classify/pairs/hats.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"

namespace jsdiv::pairs {

WeightedValues::WeightedValues(std::span<const float> column, Rows rows,
                               std::span<const double> row_weights) {
  values.reserve(rows.size());
  if (row_weights.empty()) {
    for (const RowIndex row : rows) values.push_back(column[row]);
    std::ranges::sort(values);
    return;
  }
  std::vector<RowIndex> order(rows.begin(), rows.end());
  std::ranges::stable_sort(order, {}, [&](RowIndex row) { return column[row]; });
  weight_up_to.reserve(rows.size());
  double sum = 0;
  for (const RowIndex row : order) {
    sum += row_weights[row];
    values.push_back(column[row]);
    weight_up_to.push_back(sum);
  }
}

float WeightedValues::quantile(double level) const {
  if (weight_up_to.empty()) {
    const auto count = static_cast<double>(values.size());
    return values[static_cast<std::size_t>(std::clamp(std::ceil(level * count), 1.0, count)) - 1];
  }
  const auto found = std::ranges::lower_bound(weight_up_to, level * weight_up_to.back());
  return values[static_cast<std::size_t>(std::min(found, weight_up_to.end() - 1) - weight_up_to.begin())];
}

Hats::Hats(const WeightedValues& weighted, std::size_t most) {
  const std::vector<float>& values = weighted.values;
  JSDIV_ASSERT(!values.empty() && most >= 2);
  for (std::size_t i = 0; i < values.size() && knots_.size() <= most; ++i) {
    if (knots_.empty() || values[i] > knots_.back()) knots_.push_back(values[i]);
  }
  if (knots_.size() <= most) return;
  knots_.clear();
  for (std::size_t k = 0; k < most; ++k) {
    const float value = weighted.quantile(static_cast<double>(k) / static_cast<double>(most - 1));
    if (knots_.empty() || value > knots_.back()) knots_.push_back(value);
  }
}

Hats::Place Hats::place(float value) const {
  JSDIV_ASSERT(!constant());
  const auto above = std::ranges::upper_bound(knots_, value);
  if (above == knots_.begin()) return {0, 0.0F};
  const auto below = std::min(static_cast<std::size_t>(above - knots_.begin()) - 1, knots_.size() - 2);
  const float low = knots_[below];
  const float high = knots_[below + 1];
  const float share = value >= high ? 1.0F : (value - low) / (high - low);
  return {static_cast<std::uint16_t>(below), share};
}

std::vector<Places> places_of(std::span<const Hats> hats, MatrixView features, Rows rows) {
  JSDIV_ASSERT(hats.size() == features.cols);
  std::vector<Places> result(hats.size());
  for (std::size_t j = 0; j < hats.size(); ++j) {
    if (hats[j].constant()) continue;
    Places& places = result[j];
    const auto column = features.column(j);
    places.below.resize(rows.size());
    places.share.resize(rows.size());
    bool between_knots = false;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto [below, share] = hats[j].place(column[rows[i]]);
      places.below[i] = below;
      places.share[i] = share;
      between_knots = between_knots || (share > 0 && share < 1);
    }
    if (between_knots) continue;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (places.share[i] == 1) ++places.below[i];
    }
    places.share = {};
  }
  return result;
}

}  // namespace jsdiv::pairs
