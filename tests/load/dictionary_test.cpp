#include "load/dictionary.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <ctime>
#include <functional>
#include <set>
#include <string>

namespace jsdiv {
namespace {

constexpr std::uint64_t multiplier = 0xc6a4a7935bd1e995;

std::uint64_t inverse_of(std::uint64_t odd) {
  std::uint64_t inverse = odd;  // Newton: each step doubles the bits that are right
  for (int i = 0; i < 6; ++i) inverse *= 2 - odd * inverse;
  return inverse;
}

std::uint64_t mixed(std::uint64_t value) {
  return value ^ (value >> 47);  // its own inverse
}

/// Texts of 16 bytes that have one hash under libstdc++'s MurmurHash64A: the second half takes back what the
/// first has done.
std::vector<std::string> colliding_texts(std::size_t count) {
  const std::uint64_t inverse = inverse_of(multiplier);
  const std::uint64_t start = 0xc70f6907 ^ (16 * multiplier);
  std::vector<std::string> texts;
  for (std::uint64_t first = 1; first <= count; ++first) {
    const std::uint64_t state = (start ^ (mixed(first * multiplier) * multiplier)) * multiplier;
    const std::uint64_t second = mixed((state ^ 12345) * inverse) * inverse;
    std::string text(16, '\0');
    std::memcpy(text.data(), &first, 8);
    std::memcpy(text.data() + 8, &second, 8);
    texts.push_back(text);
  }
  return texts;
}

TEST(Dictionary, NumbersTextsInTheOrderTheyCome) {
  Dictionary dictionary;
  EXPECT_EQ(dictionary.intern("b"), 0U);
  EXPECT_EQ(dictionary.intern("a"), 1U);
  EXPECT_EQ(dictionary.intern("b"), 0U);
  EXPECT_EQ(dictionary.intern_copy("c"), 2U);
  EXPECT_EQ(dictionary.texts().size(), 3U);
}

TEST(Dictionary, TextsThatAreMadeToCollideCostNoMoreThanOthers) {
  const std::vector<std::string> texts = colliding_texts(std::size_t{1} << 17);
  std::set<std::size_t> hashes;
  for (const std::string& text : texts) hashes.insert(std::hash<std::string_view>{}(text));
  if (hashes.size() > 1) GTEST_SKIP() << "another standard library, another hash";
  Dictionary dictionary;
  const std::clock_t begun = std::clock();
  for (std::uint32_t id = 0; id < texts.size(); ++id) ASSERT_EQ(dictionary.intern(texts[id]), id);
  for (std::uint32_t id = 0; id < texts.size(); ++id) ASSERT_EQ(dictionary.intern(texts[id]), id);
  // Searching them one after the other takes some 2^34 steps.
  EXPECT_LT(static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC, 5);
}

}  // namespace
}  // namespace jsdiv
