#include "self_check/recovery.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

SelfCheckRefit refit(const char* source, double known, double jsd, Maybe strength = std::nullopt) {
  return {.source = source,
          .log_ratio = "",
          .strength = strength,
          .known = known,
          .jsd = jsd,
          .held_out = jsd,
          .confidence_interval = {0.95, jsd - 0.05, jsd + 0.05}};
}

TEST(WantedDivergence, LiesAtTheEstimateThenAtBothEndsThenBetween) {
  EXPECT_DOUBLE_EQ(wanted_divergence(0, 0.3, 0.6), 0.3);
  EXPECT_DOUBLE_EQ(wanted_divergence(1, 0.3, 0.6), 0);
  EXPECT_DOUBLE_EQ(wanted_divergence(2, 0.3, 0.6), 0.6);
  EXPECT_DOUBLE_EQ(wanted_divergence(3, 0.3, 0.6),
                   0.225);  // 1/2 of the way is 3/4 of the way to the estimate
  EXPECT_DOUBLE_EQ(wanted_divergence(4, 0.3, 0.6), 0.1125);
  EXPECT_DOUBLE_EQ(wanted_divergence(5, 0.3, 0.6), 0.375);
}

TEST(WantedDivergence, StaysBelowOneAndClearOfZero) {
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_LE(wanted_divergence(i, 1, 1), 0.97);
    EXPECT_GE(wanted_divergence(i, 0, 0), 0);
  }
  EXPECT_DOUBLE_EQ(wanted_divergence(2, 1, 1), 0.97);
  EXPECT_DOUBLE_EQ(wanted_divergence(0, 0, 0.3), 0.1);
  EXPECT_DOUBLE_EQ(wanted_divergence(2, 0, 0), 0.01);
}

TEST(SummariseRefits, CountsAndAverages) {
  const auto sources = summarise_refits(
      {refit("stack", 0.2, 0.1, 0.5), refit("stack", 0.4, 0.38, 1), refit("random", 0.4, 0.5)}, 0.24);
  ASSERT_EQ(sources.size(), 2);
  EXPECT_EQ(sources[0].source, "stack");
  EXPECT_EQ(sources[0].refits, 2);
  EXPECT_EQ(sources[0].covered, 1);
  EXPECT_NEAR(sources[0].bias, -0.06, 1e-12);
  EXPECT_NEAR(sources[0].mean_absolute_error, 0.06, 1e-12);
  // Half of the way from 0.1 to 0.38.
  EXPECT_NEAR(sources[0].implied_jsd.value(), 0.3, 1e-12);
  EXPECT_NEAR(sources[0].implied_strength.value(), 0.75, 1e-12);
  EXPECT_EQ(sources[1].covered, 0);
  EXPECT_FALSE(sources[1].implied_jsd);
  EXPECT_FALSE(sources[1].implied_strength);
}

TEST(SummariseRefits, MakesTheCurveRise) {
  // 0.30 and 0.26 are out of order and count as 0.28 each.
  const std::vector<SelfCheckRefit> refits = {refit("stack", 0, 0, 0), refit("stack", 0.2, 0.30, 1),
                                              refit("stack", 0.4, 0.26, 2), refit("stack", 0.6, 0.56, 3)};
  EXPECT_NEAR(summarise_refits(refits, 0.28)[0].implied_jsd.value(), 0.3, 1e-12);
  EXPECT_NEAR(summarise_refits(refits, 0.42)[0].implied_jsd.value(), 0.5, 1e-12);
  EXPECT_NEAR(summarise_refits(refits, 0)[0].implied_jsd.value(), 0, 1e-12);
  EXPECT_FALSE(summarise_refits(refits, 0.6)[0].implied_jsd);
}

TEST(WarnOfMisses, AllowsForChance) {
  const auto warned = [](std::size_t covered, std::size_t count) {
    std::vector<SelfCheckRefit> refits;
    for (std::size_t i = 0; i < count; ++i) refits.push_back(refit("stack", i < covered ? 0.3 : 0.9, 0.3));
    std::vector<Warning> warnings;
    warn_of_misses(refits, warnings);
    return !warnings.empty();
  };
  // At 95 %: one of two misses with probability 0.0975, both with 0.0025; of 12, two or more with 0.118,
  // three or more with 0.0196, four or more with 0.0022.
  EXPECT_FALSE(warned(1, 2));
  EXPECT_TRUE(warned(0, 2));
  EXPECT_FALSE(warned(12, 12));
  EXPECT_FALSE(warned(9, 12));
  EXPECT_TRUE(warned(8, 12));
}

}  // namespace
}  // namespace jsdiv
