#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv {

/// A monotone map of one feature to standard normal scores, by its empirical quantiles. A density ratio does
/// not change under such a map, but skewed and heavy-tailed features become ones that a Gaussian can
/// describe.
class NormalScores {
 public:
  /// From `values`, in any order and not empty. Equal values get the mean of their scores.
  explicit NormalScores(std::vector<float> values);

  /// Linear between the quantiles, constant beyond the smallest and the largest value.
  double operator()(float value) const;

 private:
  std::size_t cell_of(float value) const;

  std::vector<float> knots_;    ///< strictly increasing
  std::vector<double> scores_;  ///< of the same size
  float cells_per_unit_ = 0;
  std::vector<std::uint16_t> first_in_cell_;  ///< knot; of one cell more than there are
};

}  // namespace jsdiv
