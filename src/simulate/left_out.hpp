#pragma once

#include <array>
#include <string_view>

namespace jsdiv::simulate_detail {

/// Kinds of pairs that no choice of the estimator may rest on: they are drawn by `random --kinds left-out`
/// alone, and only to report how the estimator does on what it was never adapted to. A pair of these has both
/// its base table and its log-ratio from here.
inline constexpr std::array<std::string_view, 3> left_out_bases = {"rings", "survey", "sensor"};
inline constexpr std::array<std::string_view, 5> left_out_log_ratios = {"network", "cells", "order", "ridge",
                                                                        "closeness"};

}  // namespace jsdiv::simulate_detail
