#include "core/text_hash.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace jsdiv {
namespace {

TEST(TextHash, IsAFunctionOfTheWholeText) {
  std::set<std::size_t> seen;
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string text(length, 'a');
    EXPECT_EQ(TextHash{}(text), TextHash{}(std::string(length, 'a')));
    seen.insert(TextHash{}(text));
    for (std::size_t i = 0; i < length; ++i) {
      std::string other = text;
      other[i] = 'b';
      seen.insert(TextHash{}(other));
    }
  }
  EXPECT_EQ(seen.size(), 40U + 40U * 39U / 2U);
}

}  // namespace
}  // namespace jsdiv
