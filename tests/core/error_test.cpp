#include "jsdiv/error.hpp"

#include <gtest/gtest.h>

#include <type_traits>

#include "core/message.hpp"

namespace jsdiv {
namespace {

std::string flag(const OptionMention& option) {
  return "--" + option.name + (option.value.empty() ? "" : " " + option.value);
}

TEST(InvalidInput, IsWordedByEachSurface) {
  const std::string column = "age";
  const InvalidInput error("column '" + column + "': leave it out with " + mention("ignore", column) +
                               ", not " + mention("columns"),
                           {.option = "ignore", .column = column});
  EXPECT_STREQ(error.what(), "column 'age': leave it out with ignore = \"age\", not columns");
  EXPECT_EQ(error.message().worded(flag), "column 'age': leave it out with --ignore age, not --columns");
  EXPECT_EQ(error.subject().option, "ignore");
  EXPECT_EQ(error.subject().column, "age");
  EXPECT_EQ(error.message().parts().size(), 4U);
}

TEST(InvalidInput, NumbersNeedNoQuotes) {
  EXPECT_STREQ(InvalidInput(mention("train", 60) + " is too many").what(), "train = 60 is too many");
}

TEST(InvalidInput, TakesPlainTextAndKeepsItsPartsWhenItIsWrapped) {
  const InvalidInput plain("nothing to compare");
  EXPECT_STREQ(plain.what(), "nothing to compare");
  EXPECT_TRUE(plain.subject().option.empty());
  const InvalidInput inner(mention("seeds") + " is 0", {.option = "seeds"});
  const InvalidInput outer("job 3: " + inner.message(), inner.subject());
  EXPECT_EQ(outer.message().worded(flag), "job 3: --seeds is 0");
  EXPECT_EQ(outer.subject().option, "seeds");
  static_assert(std::is_nothrow_copy_constructible_v<InvalidInput>);
}

TEST(Message, IsEmptyWithoutText) {
  EXPECT_TRUE(Message().empty());
  EXPECT_TRUE(Message("").empty());
  EXPECT_FALSE(Message(mention("seeds")).empty());
}

TEST(UnknownName, SuggestsTheNearestOrListsAll) {
  const std::vector<std::string> known = {"logreg", "xgboost", "rf"};
  EXPECT_EQ(unknown_name("family", "xgbost", known), "unknown family 'xgbost'; did you mean 'xgboost'?");
  EXPECT_EQ(unknown_name("family", "perceptron", known),
            "unknown family 'perceptron'; choose from: logreg, xgboost, rf");
}

TEST(UnknownName, ComparesWithoutRegardToCaseAndSkipsLongNames) {
  const std::vector<std::string> known = {"Age", std::string(300, 'a')};
  EXPECT_EQ(did_you_mean("aGe", known), "; did you mean 'Age'?");
  EXPECT_EQ(did_you_mean("ages", known), "; did you mean 'Age'?");
  EXPECT_EQ(did_you_mean("income", known), "");
  EXPECT_EQ(did_you_mean(std::string(300, 'a'), known), "");
}

TEST(Quoted, CutsLongTextBetweenCharacters) {
  EXPECT_EQ(jsdiv::quoted(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
  EXPECT_EQ(jsdiv::quoted(std::string(61, 'a')), "'" + std::string(60, 'a') + "…'");
  // The second byte of the letter would be the 61st: the letter is left out.
  EXPECT_EQ(jsdiv::quoted(std::string(59, 'a') + "äb"), "'" + std::string(59, 'a') + "…'");
  EXPECT_EQ(jsdiv::quoted("a\nb"), "'a\\nb'");
}

TEST(Quoted, ListsTheFirstForty) {
  EXPECT_EQ(quoted_list(std::vector<std::string>{}), "");
  EXPECT_EQ(quoted_list(std::vector<std::string>{"a", "b"}), "'a', 'b'");
  const std::string all = quoted_list(std::vector<std::string>(43, "x"));
  EXPECT_EQ(all.substr(all.size() - 16), ", 'x' and 3 more");
}

}  // namespace
}  // namespace jsdiv
