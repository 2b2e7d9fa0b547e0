#include "classify/tabpfn/kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "classify/tabpfn/reference.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv::tabpfn {
namespace {

std::vector<float> normals(std::size_t count, std::uint64_t seed, double scale = 1) {
  RandomStream random(seed);
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(scale * random.normal());
  return out;
}

TEST(Exp2, IsWithinTwoUlp) {
  std::vector<float> x;
  for (int i = -125 * 64; i <= 20 * 64; ++i) x.push_back(static_cast<float>(i) / 64 + 0.001F);
  std::vector<float> y = x;
  exp2_inplace(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = std::exp2(static_cast<double>(x[i]));
    const double ulp = std::nextafter(static_cast<float>(exact), INFINITY) - static_cast<float>(exact);
    ASSERT_LE(std::abs(y[i] - exact), 2 * ulp) << x[i];
  }
}

TEST(Exp2, TakesWhatIsFarBelowAsNearlyNothing) {
  std::vector<float> x = {-1e30F, -200, 0};
  exp2_inplace(x.data(), x.size());
  EXPECT_LE(x[0], 2e-38F);
  EXPECT_GE(x[0], 0);
  EXPECT_LE(x[1], 2e-38F);
  EXPECT_FLOAT_EQ(x[2], 1);
}

TEST(Gelu, IsTheExactOne) {
  std::vector<float> x;
  for (int i = -8000; i <= 8000; ++i) x.push_back(static_cast<float>(i) / 500);
  std::vector<float> y = x;
  gelu_inplace(y.data(), y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = reference::gelu(x[i]);
    ASSERT_NEAR(y[i], exact, 2e-7 * std::max(1.0, std::abs(exact))) << x[i];
  }
}

TEST(AddAndNormalise, EqualsItsFormula) {
  for (const std::size_t width : {4, 8, 13, 192}) {
    const std::size_t rows = 3, stride = width + 5;
    auto state = normals(rows * stride, width, 3);
    const auto before = state;
    const auto change = normals(rows * width, width + 1);
    add_and_normalise(state.data(), stride, change.data(), rows, width);
    for (std::size_t row = 0; row < rows; ++row) {
      const auto expected =
          reference::add_and_normalise(before.data() + row * stride, change.data() + row * width, width);
      for (std::size_t i = 0; i < width; ++i) EXPECT_NEAR(state[row * stride + i], expected[i], 2e-6);
      for (std::size_t i = width; i < stride; ++i)
        EXPECT_EQ(state[row * stride + i], before[row * stride + i]);
    }
  }
}

// Key counts around the block sizes 16 and 512, query counts around the group size 6 and the tile size 48.
TEST(Attend, EqualsTheNaiveOne) {
  for (const std::size_t head : {16, 32, 64}) {
    for (const std::size_t keys : {1, 2, 15, 16, 17, 511, 512, 513, 1100}) {
      for (const std::size_t queries : {1, 5, 6, 7, 48, 49}) {
        const auto q = normals(queries * head, keys, 1.5);
        const auto k = normals(keys * head, queries);
        const auto v = normals(keys * head, keys + 1);
        std::vector<float> packed(packed_key_floats(keys, head)), out(queries * head);
        pack_keys(k.data(), head, keys, head, packed.data());
        attend(q.data(), head, queries, head, {packed.data(), v.data(), head, keys}, out.data(), head);
        for (const std::size_t i : {std::size_t{0}, queries - 1}) {
          const auto expected = reference::attend(q.data() + i * head, k, v, keys, head);
          for (std::size_t d = 0; d < head; ++d) {
            ASSERT_NEAR(out[i * head + d], expected[d], 1e-5) << head << " " << keys << " " << queries;
          }
        }
      }
    }
  }
}

TEST(Attend, SurvivesScoresThatWouldOverflow) {
  const std::vector<float> q(16, 100);
  std::vector<float> k(2 * 16, 1), v(2 * 16, 0), packed(packed_key_floats(2, 16)), out(16);
  std::fill(k.begin() + 16, k.end(), 1.5F);
  std::fill(v.begin() + 16, v.end(), 7.0F);
  pack_keys(k.data(), 16, 2, 16, packed.data());
  attend(q.data(), 16, 1, 16, {packed.data(), v.data(), 16, 2}, out.data(), 16);
  for (const float x : out) EXPECT_FLOAT_EQ(x, 7);
}

}  // namespace
}  // namespace jsdiv::tabpfn
