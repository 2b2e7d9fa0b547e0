#include "core/safe_text.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

std::string line(std::string_view text) {
  return safe_text(text, Medium::line);
}

TEST(SafeText, LeavesOrdinaryTextAlone) {
  for (const char* text : {"", "age", "größer als 5 €", "名前", "emoji 👩\u200d🔬",
                           "\u2027\u202f\u205f\u2070\ufffc\U0001f600", "a 'b' \"c\" \\ d"})
    EXPECT_EQ(line(text), text);
}

TEST(SafeText, WritesOutWhatActs) {
  EXPECT_EQ(line("a\x1b]52;c;eA==\x07"), "a\\x1b]52;c;eA==\\x07");
  EXPECT_EQ(line("a\r\n\tb"), "a\\r\\n\\tb");
  EXPECT_EQ(line("\u009b31m"), "\\u009b31m");
  EXPECT_EQ(line("\u202egnp.\u2066x\u2028\ufeff"), "\\u202egnp.\\u2066x\\u2028\\ufeff");
  EXPECT_EQ(line(std::string_view("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(line("\U000e0041"), "\\ue0041");
  EXPECT_EQ(line("a\u00adb\u061c\u180e\u200b\u200e\u200f"), "a\\u00adb\\u061c\\u180e\\u200b\\u200e\\u200f");
  EXPECT_EQ(line("\ufff9\u2060\u206f"), "\\ufff9\\u2060\\u206f");
}

TEST(SafeText, WritesOutBytesThatAreNoCharacter) {
  EXPECT_EQ(line("\xff\xc3"), "\\xff\\xc3");           // never begins one, cut short
  EXPECT_EQ(line("\xc0\xaf"), "\\xc0\\xaf");           // not the shortest form
  EXPECT_EQ(line("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half of a surrogate pair
  EXPECT_EQ(line("\xe2\x82z"), "\\xe2\\x82z");         // broken off by another character
  EXPECT_EQ(line("\xe0\x80\xaf"), "\\xe0\\x80\\xaf");
  EXPECT_EQ(line("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(SafeText, ABlockKeepsItsLines) {
  EXPECT_EQ(safe_text("one\ntwo\r\x1b[2J\n", Medium::block), "one\ntwo\\r\\x1b[2J\n");
}

TEST(SafeText, MarkdownKeepsNoMarkup) {
  EXPECT_EQ(safe_text("<img src=x>|[a](b)\n", Medium::markdown), "\\<img src=x\\>\\|\\[a\\](b)\\n");
}

}  // namespace
}  // namespace jsdiv
