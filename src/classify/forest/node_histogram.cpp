#include "classify/forest/node_histogram.hpp"

#include <bit>
#include <limits>

#include "core/simd.hpp"

namespace jsdiv::forest {
namespace {

template <typename Packed>
void improve_one_by_one(const Packed* sums, std::size_t first, std::size_t last, const GiniGain& gini_gain,
                        Cut& best) {
  for (std::size_t bin = first; bin <= last; ++bin) {
    const NodeCounts left = unpack(sums[bin]);
    double gain = 0;
    gini_gain(double(left.p), double(left.q), gain);
    if (gain > best.gain) best = {bin, gain};
  }
}

constexpr std::size_t lanes = 4;
using Integers = std::uint64_t __attribute__((vector_size(lanes * sizeof(std::uint64_t))));
using Doubles = double __attribute__((vector_size(lanes * sizeof(double))));
using Unaligned =
    std::uint64_t __attribute__((vector_size(lanes * sizeof(std::uint64_t)), aligned(8), may_alias));

}  // namespace

JSDIV_SIMD_CLONES
Cut best_cut(const NarrowRecord* sums, std::size_t first, std::size_t last, const NodeCounts& node,
             const ClassWeights& weights) {
  using Fields = RecordFields<NarrowRecord>;
  // An integer below 2^52 or'ed into the mantissa of 2^52 is the double 2^52 + integer.
  constexpr double two_to_52 = 0x1.0p52;
  constexpr auto exponent = std::bit_cast<std::uint64_t>(two_to_52);
  const GiniGain gini_gain{double(node.p), double(node.q), weights};
  Doubles best_gain = {-1, -1, -1, -1};
  Doubles best_bin = {0, 0, 0, 0};
  Doubles bins = {0, 1, 2, 3};
  bins += static_cast<double>(first);
  std::size_t bin = first;
  for (; bin + lanes <= last + 1; bin += lanes) {
    const Integers sum = *reinterpret_cast<const Unaligned*>(sums + bin);
    const Integers bits_p = ((sum >> Fields::bits) & Fields::mask) | exponent;
    const Integers bits_q = ((sum >> (2 * Fields::bits)) & Fields::mask) | exponent;
    const Doubles left_p = reinterpret_cast<Doubles>(bits_p) - two_to_52;
    const Doubles left_q = reinterpret_cast<Doubles>(bits_q) - two_to_52;
    Doubles gain;
    gini_gain(left_p, left_q, gain);
    const auto better = gain > best_gain;
    best_gain = better ? gain : best_gain;
    best_bin = better ? bins : best_bin;
    bins += static_cast<double>(lanes);
  }
  Cut best;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto lane_bin = static_cast<std::size_t>(best_bin[lane]);
    if (best_gain[lane] > best.gain || (best_gain[lane] == best.gain && lane_bin < best.bin)) {
      best = {lane_bin, best_gain[lane]};
    }
  }
  improve_one_by_one(sums, bin, last, gini_gain, best);
  return best;
}

Cut best_cut(const WideRecord* sums, std::size_t first, std::size_t last, const NodeCounts& node,
             const ClassWeights& weights) {
  Cut best;
  improve_one_by_one(sums, first, last, GiniGain{double(node.p), double(node.q), weights}, best);
  return best;
}

}  // namespace jsdiv::forest
