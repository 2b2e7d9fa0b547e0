#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "classify/forest/binned_columns.hpp"

namespace jsdiv::forest {

/// A bootstrap row in one integer of four equal fields, lowest first: 1 (distinct rows), copies of a row of
/// P, copies of a row of Q, row number. Adding records up counts all three at once; the row numbers run off
/// the upper end. Four 16-bit fields serve up to 65,535 rows and draws, four 32-bit fields any number.
template <typename Packed>
struct RecordFields {
  static constexpr int bits = static_cast<int>(sizeof(Packed)) * 2;
  static constexpr Packed mask = (Packed{1} << bits) - 1;

  /// One copy of a row of Q (0) and of P (1).
  static constexpr std::array<Packed, 2> copy_of = {Packed{1} << (2 * bits), Packed{1} << bits};

  static Packed make(std::size_t row, std::uint8_t label, Packed copies) {
    return (Packed{row} << (3 * bits)) + copies * copy_of[label] + 1;
  }
  static std::uint32_t row(Packed record) { return static_cast<std::uint32_t>(record >> (3 * bits)); }
  static std::uint32_t distinct(Packed sum) { return static_cast<std::uint32_t>(sum & mask); }
  static std::uint32_t copies_p(Packed sum) { return static_cast<std::uint32_t>((sum >> bits) & mask); }
  static std::uint32_t copies_q(Packed sum) { return static_cast<std::uint32_t>((sum >> (2 * bits)) & mask); }
};

using NarrowRecord = std::uint64_t;
__extension__ using WideRecord = unsigned __int128;

/// Rows of a node: distinct ones, and the copies of each class that the bootstrap drew.
struct NodeCounts {
  std::uint32_t distinct = 0;
  std::uint32_t p = 0;
  std::uint32_t q = 0;
};

template <typename Packed>
NodeCounts unpack(Packed sum) {
  using Fields = RecordFields<Packed>;
  return {Fields::distinct(sum), Fields::copies_p(sum), Fields::copies_q(sum)};
}

inline NodeCounts operator-(const NodeCounts& a, const NodeCounts& b) {
  return {a.distinct - b.distinct, a.p - b.p, a.q - b.q};
}

/// What one copy of a row counts, by class.
struct ClassWeights {
  double p = 1;
  double q = 1;
};

/// The decrease of the Gini impurity by a split, up to a factor that is the same for all splits of a node.
/// With W = w.p * p + w.q * q for the node's copies p, q and their weights w, W_left for the left side and
/// W_right = W - W_left, the decrease is (p_left * q - q_left * p)^2 / (W_left * W_right) times 2 * (w.p *
/// w.q / W)^2: one division, and the difference is one of whole numbers. `Real` is a double or a vector of
/// doubles.
struct GiniGain {
  double p;
  double q;
  ClassWeights weights;
  double total_weight = weights.p * p + weights.q * q;

  template <typename Real>
  void operator()(const Real& left_p, const Real& left_q, Real& gain) const {
    const Real imbalance = left_p * q - left_q * p;
    const Real left_weight = left_p * weights.p + left_q * weights.q;
    gain = imbalance * imbalance / (left_weight * (total_weight - left_weight));
  }
};

/// A cut after bin `bin`; none where gain < 0.
struct Cut {
  std::size_t bin = 0;
  double gain = -1;
};

/// The first best cut after one of the bins first … last of a histogram's running sums, all of which leave
/// rows on both sides. `sums[bin]` counts the rows in bins up to `bin`; the node holds `node`.
Cut best_cut(const NarrowRecord* sums, std::size_t first, std::size_t last, const NodeCounts& node,
             const ClassWeights& weights);
Cut best_cut(const WideRecord* sums, std::size_t first, std::size_t last, const NodeCounts& node,
             const ClassWeights& weights);

}  // namespace jsdiv::forest
