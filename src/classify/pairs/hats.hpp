#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv::pairs {

/// The values of a feature in increasing order, each with its weight.
struct WeightedValues {
  WeightedValues(std::span<const float> column, Rows rows, std::span<const double> row_weights);

  /// The smallest value that has at least this share of the weight at or below it.
  float quantile(double level) const;

  std::vector<float> values;
  std::vector<double> weight_up_to;  ///< running sum; empty: every row counts 1
};

/// Piecewise linear functions of one feature: at each knot one of them is 1 and the others are 0. Knots are
/// quantiles of the training rows; a feature of few values has a knot at each.
class Hats {
 public:
  /// At most `most` knots, at least 2. `values` are not empty.
  Hats(const WeightedValues& values, std::size_t most);

  std::size_t size() const { return knots_.size(); }
  /// Nothing to see in a feature of one value.
  bool constant() const { return knots_.size() < 2; }

  /// The value lies between knot `below` and the next: the functions there are 1 - share and share. Values
  /// outside count as the outermost knot.
  struct Place {
    std::uint16_t below;
    float share;
  };
  Place place(float value) const;

 private:
  std::vector<float> knots_;  ///< strictly increasing
};

/// Where the rows lie among the knots of a feature, ready for sweeps.
struct Places {
  std::vector<std::uint16_t> below;  ///< [rows]
  /// [rows]; empty if every row lies on a knot (categories, small integers), which is then `below` itself and
  /// may be the last.
  std::vector<float> share;

  bool on_knots() const { return share.empty(); }
};

/// One for each feature; that of a constant feature is empty.
std::vector<Places> places_of(std::span<const Hats> hats, MatrixView features, Rows rows);

}  // namespace jsdiv::pairs
