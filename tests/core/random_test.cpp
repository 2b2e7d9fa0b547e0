#include "jsdiv/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace jsdiv {
namespace {

TEST(RandomStream, IsReproducibleAndNamed) {
  RandomStream a = RandomStream(7).child("rf").child(3);
  RandomStream b = RandomStream(7).child("rf").child(3);
  std::set<std::uint64_t> first_draws;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(a.next_u64(), b.next_u64());
  for (std::uint64_t i = 0; i < 1000; ++i)
    first_draws.insert(RandomStream(7).child("rf").child(i).next_u64());
  for (std::uint64_t i = 0; i < 1000; ++i)
    first_draws.insert(RandomStream(7).child("mlp").child(i).next_u64());
  for (std::uint64_t i = 0; i < 1000; ++i) first_draws.insert(RandomStream(i).next_u64());
  EXPECT_EQ(first_draws.size(), 3000U);
}

TEST(RandomStream, AChildDoesNotDependOnWhatWasDrawn) {
  RandomStream drawn(1);
  drawn.next_u64();
  EXPECT_EQ(drawn.child(5).next_u64(), RandomStream(1).child(5).next_u64());
}

// Bounds are five standard errors of the mean of n draws.
TEST(RandomStream, MomentsOfTheDistributions) {
  constexpr int n = 200'000;
  RandomStream stream(11);
  double uniform = 0, normal = 0, square = 0, fourth = 0, gamma = 0, small_gamma = 0;
  for (int i = 0; i < n; ++i) {
    uniform += stream.uniform();
    const double z = stream.normal();
    normal += z, square += z * z, fourth += z * z * z * z;
    gamma += stream.gamma(2.5);
    small_gamma += stream.gamma(0.5);
  }
  const double root = std::sqrt(double{n});
  EXPECT_NEAR(uniform / n, 0.5, 5 * std::sqrt(1.0 / 12) / root);
  EXPECT_NEAR(normal / n, 0, 5 / root);
  EXPECT_NEAR(square / n, 1, 5 * std::sqrt(2.0) / root);
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0) / root);
  EXPECT_NEAR(gamma / n, 2.5, 5 * std::sqrt(2.5) / root);
  EXPECT_NEAR(small_gamma / n, 0.5, 5 * std::sqrt(0.5) / root);
}

TEST(RandomStream, BelowIsUniform) {
  RandomStream stream(3);
  std::vector<int> counts(7);
  for (int i = 0; i < 70'000; ++i) ++counts[stream.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10'000, 5 * std::sqrt(70'000.0 * 6 / 49));
}

TEST(RandomStream, ShuffleKeepsTheElements) {
  std::vector<int> values(100);
  std::iota(values.begin(), values.end(), 0);
  auto shuffled = values;
  RandomStream(5).shuffle(std::span<int>(shuffled));
  EXPECT_NE(shuffled, values);
  std::ranges::sort(shuffled);
  EXPECT_EQ(shuffled, values);
}

}  // namespace
}  // namespace jsdiv
