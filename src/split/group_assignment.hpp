#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

/// Rows of each class, [0] Q and [1] P.
using ClassCounts = std::array<std::size_t, 2>;

/// Distributes whole groups over parts so that the rows of each class come as near as possible to `targets`;
/// returns the part of each row of `rows`. Greedy, as scikit-learn's StratifiedGroupKFold: the largest groups
/// first, each into the part where it lowers the squared distance from the targets (in shares of the class)
/// most. Groups of equal size are visited in random order.
std::vector<std::size_t> assign_groups(Rows rows, std::span<const std::uint8_t> labels,
                                       std::span<const std::uint32_t> groups,
                                       std::span<const std::array<double, 2>> targets, RandomStream random);

}  // namespace jsdiv
