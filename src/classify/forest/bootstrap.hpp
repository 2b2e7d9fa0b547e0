#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"

namespace jsdiv::forest {

/// xoshiro256++ (Blackman & Vigna, "Scrambled linear pseudorandom number generators", 2021), started from a
/// stream of the library. A tree of a few thousand rows draws as many numbers as it takes other steps, and
/// this generator costs a tenth of the counter-based one.
class TreeRandom {
 public:
  explicit TreeRandom(RandomStream stream)
      : state_{stream.next_u64(), stream.next_u64(), stream.next_u64(), stream.next_u64() | 1} {}

  std::uint64_t next_u64() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  std::uint32_t next_u32() { return static_cast<std::uint32_t>(next_u64() >> 32); }

  /// Uniform in {0, …, bound - 1} without bias (Lemire, "Fast random integer generation in an interval",
  /// 2019).
  std::uint32_t below(std::uint32_t bound) { return below(bound, next_u32()); }
  /// The same, with the first random word given.
  std::uint32_t below(std::uint32_t bound, std::uint32_t word) {
    std::uint64_t product = std::uint64_t{word} * bound;
    if (static_cast<std::uint32_t>(product) < bound) [[unlikely]] {
      const std::uint32_t rejected = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < rejected) product = std::uint64_t{next_u32()} * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

/// Draws rows with replacement, each with a probability proportional to its weight (Walker's alias method,
/// set up as by Vose, 1991); equal weights need no table.
class RowSampler {
 public:
  explicit RowSampler(std::size_t rows) : rows_(static_cast<std::uint32_t>(rows)) {}
  /// `weights` are positive.
  explicit RowSampler(std::span<const double> weights);

  /// counts[row] = how often `row` was drawn in `draws` draws. Takes the generator by value, which keeps it
  /// in registers, and returns it.
  template <typename Count>
  TreeRandom draw_counts(TreeRandom random, std::size_t draws, std::span<Count> counts) const {
    std::fill(counts.begin(), counts.end(), Count{0});
    if (table_.empty()) {
      for (std::size_t i = 0; i + 1 < draws; i += 2) {
        const std::uint64_t words = random.next_u64();
        ++counts[random.below(rows_, static_cast<std::uint32_t>(words))];
        ++counts[random.below(rows_, static_cast<std::uint32_t>(words >> 32))];
      }
      if (draws % 2 == 1) ++counts[random.below(rows_)];
    } else {
      for (std::size_t i = 0; i < draws; ++i) {
        const std::uint64_t words = random.next_u64();
        const std::uint32_t row = random.below(rows_, static_cast<std::uint32_t>(words));
        ++counts[static_cast<std::uint32_t>(words >> 32) < table_[row].keep ? row : table_[row].alias];
      }
    }
    return random;
  }

 private:
  struct Entry {
    std::uint32_t keep;  ///< the row itself is drawn with probability keep / 2^32, else its alias
    std::uint32_t alias;
  };
  std::uint32_t rows_;
  std::vector<Entry> table_;
};

}  // namespace jsdiv::forest
