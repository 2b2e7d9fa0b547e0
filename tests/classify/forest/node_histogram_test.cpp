#include "classify/forest/node_histogram.hpp"

#include <gtest/gtest.h>

#include "jsdiv/random.hpp"

namespace jsdiv::forest {
namespace {

TEST(Records, AddUpWithoutTouchingEachOther) {
  const auto check = []<typename Packed>(Packed) {
    using Fields = RecordFields<Packed>;
    const Packed p = Fields::make(65'534, 1, 3);
    const Packed q = Fields::make(65'533, 0, 2);
    EXPECT_EQ(Fields::row(p), 65'534U);
    EXPECT_EQ(Fields::row(q), 65'533U);
    const NodeCounts sum = unpack<Packed>(p + q + p);
    EXPECT_EQ(sum.distinct, 3U);
    EXPECT_EQ(sum.p, 6U);
    EXPECT_EQ(sum.q, 2U);
  };
  check(NarrowRecord{});
  check(WideRecord{});
}

double impurity(double p, double q) {
  return 1 - (p * p + q * q) / ((p + q) * (p + q));
}

TEST(GiniGain, IsTheDecreaseOfTheImpurityUpToAFactor) {
  const ClassWeights weights{0.3, 1.7};
  const double p = 30;
  const double q = 20;
  const double wp = weights.p * p;
  const double wq = weights.q * q;
  const double total = wp + wq;
  const GiniGain gini_gain{p, q, weights};
  for (const auto& [left_p, left_q] : {std::pair{10.0, 2.0}, {1.0, 19.0}, {15.0, 10.0}}) {
    const double lp = weights.p * left_p;
    const double lq = weights.q * left_q;
    const double share = (lp + lq) / total;
    const double decrease =
        impurity(wp, wq) - share * impurity(lp, lq) - (1 - share) * impurity(wp - lp, wq - lq);
    double gain = 0;
    gini_gain(left_p, left_q, gain);
    const double scale = weights.p * weights.q / total;
    EXPECT_NEAR(2 * scale * scale * gain, decrease, 1e-12);
  }
}

/// The naive search that both kernels must agree with.
Cut reference_cut(const std::vector<NodeCounts>& left, std::size_t first, std::size_t last,
                  const NodeCounts& node, const ClassWeights& weights) {
  Cut best;
  const GiniGain gini_gain{double(node.p), double(node.q), weights};
  for (std::size_t bin = first; bin <= last; ++bin) {
    double gain = 0;
    gini_gain(double(left[bin].p), double(left[bin].q), gain);
    if (gain > best.gain) best = {bin, gain};
  }
  return best;
}

TEST(BestCut, IsTheFirstBestOfAllAllowed) {
  RandomStream random(4);
  for (int repetition = 0; repetition < 200; ++repetition) {
    const std::size_t bins = 3 + random.below(60);
    std::vector<NarrowRecord> narrow(bins);
    std::vector<WideRecord> wide(bins);
    std::vector<NodeCounts> left(bins);
    NodeCounts sum;
    for (std::size_t bin = 0; bin < bins; ++bin) {
      // Few rows a bin, so that equal gains are common.
      sum.distinct += 1;
      sum.p += 1 + static_cast<std::uint32_t>(random.below(2));
      sum.q += 1 + static_cast<std::uint32_t>(random.below(2));
      left[bin] = sum;
      narrow[bin] =
          sum.distinct | NarrowRecord{sum.p} << 16 | NarrowRecord{sum.q} << 32 | NarrowRecord{77} << 48;
      wide[bin] = sum.distinct | WideRecord{sum.p} << 32 | WideRecord{sum.q} << 64 | WideRecord{77} << 96;
    }
    const std::size_t first = random.below(bins - 1);
    const std::size_t last = first + random.below(bins - 1 - first);
    const ClassWeights weights{1, repetition % 2 == 0 ? 1 : 0.37};
    const Cut expected = reference_cut(left, first, last, sum, weights);
    const Cut from_narrow = best_cut(narrow.data(), first, last, sum, weights);
    const Cut from_wide = best_cut(wide.data(), first, last, sum, weights);
    EXPECT_EQ(from_narrow.bin, expected.bin);
    EXPECT_DOUBLE_EQ(from_narrow.gain, expected.gain);
    EXPECT_EQ(from_wide.bin, expected.bin);
    EXPECT_DOUBLE_EQ(from_wide.gain, expected.gain);
  }
}

}  // namespace
}  // namespace jsdiv::forest
