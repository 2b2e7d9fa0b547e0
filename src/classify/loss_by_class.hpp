#pragma once

#include <cstdint>

#include "core/numeric.hpp"

namespace jsdiv {

/// Log-losses in nats, summed by class.
struct LossByClass {
  double sum[2] = {0, 0};
  double weight[2] = {0, 0};

  void add(std::uint8_t label, double log_odds, double row_weight) {
    sum[label] += row_weight * log1p_exp(label == 1 ? -log_odds : log_odds);
    weight[label] += row_weight;
  }

  double plain() const { return (sum[0] + sum[1]) / (weight[0] + weight[1]); }

  /// Both classes count one half; one without rows loses nothing.
  double balanced() const {
    return 0.5 * ((weight[0] > 0 ? sum[0] / weight[0] : 0) + (weight[1] > 0 ? sum[1] / weight[1] : 0));
  }
};

}  // namespace jsdiv
