#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace jsdiv {

/// A stream of random numbers named by what it is for: the user's seed and a path of names and numbers, such
/// as
/// ("rf", fold 3, tree 17). Streams are independent of each other and of the order in which jobs run, which
/// is what keeps the thread count out of the results. Philox4x32-10 (Salmon et al., "Parallel random numbers:
/// as easy as 1, 2, 3", SC 2011); the distributions are our own, because those of the standard library differ
/// between vendors.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : key_(mix(0x6a73646976ULL, seed)) {}

  /// The stream of a part of this job. Does not depend on how much was drawn from this one.
  RandomStream child(std::string_view name) const;
  RandomStream child(std::uint64_t index) const {
    return RandomStream(Key{mix(key_, index ^ 0x9e3779b97f4a7c15ULL)});
  }

  std::uint32_t next_u32();
  std::uint64_t next_u64() { return (std::uint64_t{next_u32()} << 32) | next_u32(); }
  /// Uniform in [0, 1) with 53 bits.
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }
  /// Uniform in {0, …, bound - 1}, without modulo bias.
  std::uint64_t below(std::uint64_t bound);
  double normal();
  /// Gamma with the given shape and scale 1 (Marsaglia & Tsang, 2000).
  double gamma(double shape);

  template <typename T>
  void shuffle(std::span<T> values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[below(i)]);
  }

 private:
  struct Key {
    std::uint64_t value;
  };
  explicit RandomStream(Key key) : key_(key.value) {}
  static std::uint64_t mix(std::uint64_t key, std::uint64_t value);

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace jsdiv
