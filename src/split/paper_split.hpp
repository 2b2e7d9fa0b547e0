#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The three parts of Algorithm 1. Indices ascend, so that P's rows come before Q's in each.
struct PaperSplit {
  std::vector<RowIndex> train;
  std::vector<RowIndex> test;
  std::vector<RowIndex> validation;
};

/// Algorithm 1 of the paper: each of the first two tables is shuffled by the seed; `train` rows (M) train,
/// the next `eval` rows (L) test, the next L validate, the rest is unused. M and L refer to the larger table,
/// of which they are half and a quarter by default; the other table is cut in the same proportions, rounded
/// down. Groups of the sample stay together in one part, so that the sizes are then as near as the groups
/// allow. Throws InvalidInput if M + 2L exceeds the larger table or a part of either table would be empty.
PaperSplit paper_split(const Sample& sample, std::optional<std::size_t> train,
                       std::optional<std::size_t> eval, std::uint64_t seed);

}  // namespace jsdiv
