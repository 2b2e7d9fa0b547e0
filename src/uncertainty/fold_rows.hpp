#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "measure/held_out.hpp"

namespace jsdiv {

/// The held-out rows of one fold, gathered.
struct FoldRows {
  std::vector<double> log_odds;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  std::vector<std::uint32_t> groups;

  HeldOutRows rows() const { return {labels, weights, groups}; }
};

/// One entry for each fold that has rows, by ascending fold number; rows keep their order.
std::vector<FoldRows> split_by_fold(std::span<const double> log_odds, const HeldOutRows& rows,
                                    std::span<const std::uint32_t> folds);

}  // namespace jsdiv
