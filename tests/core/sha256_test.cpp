#include "core/sha256.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

std::string digest(std::string_view text) {
  Sha256 hash;
  hash.update(text.data(), text.size());
  return hash.finish();
}

// The examples of FIPS 180-4.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(digest(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1'000'000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnThePieces) {
  const std::string text(1000, 'x');
  for (const std::size_t piece : {1, 7, 63, 64, 65, 500}) {
    Sha256 hash;
    for (std::size_t start = 0; start < text.size(); start += piece) {
      hash.update(text.data() + start, std::min(piece, text.size() - start));
    }
    EXPECT_EQ(hash.finish(), digest(text)) << piece;
  }
}

TEST(Sha256, IsTheSameWithoutShaInstructions) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * i % 251);
  for (std::size_t length = 0; length <= text.size(); length += 37) {
    Sha256 hash = Sha256::portable();
    hash.update(text.data(), length);
    EXPECT_EQ(hash.finish(), digest(text.substr(0, length))) << length;
  }
}

}  // namespace
}  // namespace jsdiv
