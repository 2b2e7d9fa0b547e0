#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "jsdiv/random.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

/// Held-out rows of a cross-fit with five folds, ready for the functions under test.
struct Draw {
  std::vector<double> log_odds;
  std::vector<std::uint8_t> labels;
  std::vector<std::uint32_t> folds;
  std::vector<std::uint32_t> groups;

  HeldOutRows rows() const { return {labels, {}, groups}; }
};

/// N(0, 1) against N(shift, 1), with the true log-ratio, brought to what the rows can support.
inline Draw gaussian_oracle(std::size_t rows_p, std::size_t rows_q, double shift, RandomStream random) {
  Draw draw;
  const double cap = std::log(0.8 * static_cast<double>(std::min(rows_p, rows_q)));
  for (std::size_t row = 0; row < rows_p + rows_q; ++row) {
    const bool of_p = row < rows_p;
    const double x = random.normal() + (of_p ? 0 : shift);
    draw.log_odds.push_back(std::clamp(-shift * x + shift * shift / 2, -cap, cap));
    draw.labels.push_back(of_p ? 1 : 0);
    draw.folds.push_back(static_cast<std::uint32_t>(row % 5));
  }
  return draw;
}

}  // namespace jsdiv
