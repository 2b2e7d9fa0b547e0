#include "classify/gaussian/normal_scores.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/quantiles.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t max_knots = 512;
/// Equal parts of the range of the knots, to begin the search for a value's neighbours in. Heavy tails leave
/// many knots in one part.
constexpr std::size_t cells = 1024;

/// Normal quantiles at the levels (k + ½) / max_knots.
const std::vector<double>& score_table() {
  static const std::vector<double> table = [] {
    std::vector<double> scores(max_knots);
    for (std::size_t k = 0; k < max_knots; ++k) {
      scores[k] = normal_quantile((static_cast<double>(k) + 0.5) / max_knots);
    }
    return scores;
  }();
  return table;
}

/// The score at any level, from the table.
double score_at(double level) {
  const auto& table = score_table();
  const double position = std::clamp(level * max_knots - 0.5, 0.0, static_cast<double>(max_knots - 1));
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= max_knots) return table.back();
  const double share = position - static_cast<double>(below);
  return table[below] + share * (table[below + 1] - table[below]);
}

}  // namespace

NormalScores::NormalScores(std::vector<float> values) {
  JSDIV_ASSERT(!values.empty());
  std::ranges::sort(values);
  const std::size_t count = values.size();
  const std::size_t knots = std::min(count, max_knots);
  for (std::size_t k = 0; k < knots; ++k) {
    const double level = (static_cast<double>(k) + 0.5) / static_cast<double>(knots);
    const auto index = std::min(count - 1, static_cast<std::size_t>(level * static_cast<double>(count)));
    const float value = values[index];
    if (!knots_.empty() && knots_.back() == value) continue;
    // The middle of the ranks that share this value.
    const auto [first, last] = std::equal_range(values.begin(), values.end(), value);
    const double rank = 0.5 * static_cast<double>((first - values.begin()) + (last - values.begin()));
    knots_.push_back(value);
    scores_.push_back(score_at(rank / static_cast<double>(count)));
  }
  cells_per_unit_ = static_cast<float>(cells) / (knots_.back() - knots_.front());
  if (!std::isfinite(cells_per_unit_)) cells_per_unit_ = 0;
  for (std::size_t k = 0; k < knots_.size(); ++k) {
    const std::size_t cell = cell_of(knots_[k]);
    while (first_in_cell_.size() <= cell) first_in_cell_.push_back(static_cast<std::uint16_t>(k));
  }
  first_in_cell_.resize(cells + 1, static_cast<std::uint16_t>(knots_.size()));
}

/// Never decreases with the value, rounded or not: knots of earlier cells are smaller, those of later ones
/// larger.
std::size_t NormalScores::cell_of(float value) const {
  const float position = (value - knots_.front()) * cells_per_unit_;
  if (!(position > 0)) return 0;
  return position < static_cast<float>(cells - 1) ? static_cast<std::size_t>(position) : cells - 1;
}

double NormalScores::operator()(float value) const {
  const std::size_t cell = cell_of(value);
  const auto above = std::upper_bound(knots_.begin() + first_in_cell_[cell],
                                      knots_.begin() + first_in_cell_[cell + 1], value);
  const auto index = static_cast<std::size_t>(above - knots_.begin());
  if (index == 0) return scores_.front();
  if (index == knots_.size()) return scores_.back();
  const double low = knots_[index - 1];
  const double share = (value - low) / (static_cast<double>(knots_[index]) - low);
  return scores_[index - 1] + share * (scores_[index] - scores_[index - 1]);
}

}  // namespace jsdiv
