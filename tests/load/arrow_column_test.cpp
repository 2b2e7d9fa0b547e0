#include "load/arrow_column.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

/// A column "x" of one array that nobody releases.
struct Crafted {
  explicit Crafted(const char* format) {
    schema.format = format;
    schema.name = "x";
  }

  Column read(std::int64_t offset, std::int64_t length) {
    array.n_buffers = static_cast<std::int64_t>(buffers.size());
    array.buffers = buffers.data();
    ArrowColumn column(schema, 0);
    column.append(array, offset, length);
    return column.finish();
  }
  std::string refusal(std::int64_t offset, std::int64_t length) {
    try {
      read(offset, length);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  }

  ArrowSchema schema{};
  ArrowArray array{};
  std::vector<const void*> buffers{nullptr, nullptr};
};

TEST(ArrowColumn, RowsOutsideOfTheArrayAreRefused) {
  const std::int32_t cells[] = {1, 2, 3, 4};
  Crafted crafted("i");
  crafted.buffers[1] = cells;
  crafted.array.length = 3;
  crafted.array.offset = 1;
  EXPECT_EQ(crafted.read(1, 2).values, (std::vector<double>{3, 4}));
  const std::string outside =
      "column 'x' holds broken Arrow data (rows outside of the array); write or make it again";
  EXPECT_EQ(crafted.refusal(1, 3), outside);
  EXPECT_EQ(crafted.refusal(-1, 1), outside);
  EXPECT_EQ(crafted.refusal(0, -1), outside);
  EXPECT_EQ(crafted.refusal(INT64_MAX, 1), outside);
  crafted.array.offset = -1;
  EXPECT_EQ(crafted.refusal(0, 1), outside);
}

TEST(ArrowColumn, BuffersThatAreMissingAreRefused) {
  Crafted crafted("g");
  crafted.array.length = 1;
  const std::string missing =
      "column 'x' holds broken Arrow data (a buffer is missing); write or make it again";
  EXPECT_EQ(crafted.refusal(0, 1), missing);
  EXPECT_EQ(crafted.read(0, 0).values.size(), 0U);  // an empty array needs none
  const std::int32_t ends[] = {0, 1};
  crafted.schema.format = "u";
  crafted.buffers = {nullptr, ends};
  EXPECT_EQ(crafted.refusal(0, 1), missing);
  crafted.buffers = {nullptr, ends, nullptr};
  EXPECT_EQ(crafted.refusal(0, 1), missing);
}

TEST(ArrowColumn, TextsBeyondTheLastAreNotRead) {
  const std::int64_t ends[] = {0, std::int64_t{1} << 40, 1, 3};
  Crafted crafted("U");
  crafted.buffers = {nullptr, ends, "abc"};
  crafted.array.length = 3;
  EXPECT_EQ(crafted.refusal(0, 3),
            "column 'x' holds broken Arrow data (texts that end before they begin); write or make it again");
}

TEST(ArrowColumn, TextsThatRunBackwardsAreRefused) {
  std::int64_t ends[] = {0, 2, 1, 3};
  Crafted crafted("U");
  crafted.buffers = {nullptr, ends, "abc"};
  crafted.array.length = 3;
  const std::string backwards =
      "column 'x' holds broken Arrow data (texts that end before they begin); write or make it again";
  EXPECT_EQ(crafted.refusal(0, 3), backwards);
  const std::uint8_t second_is_null = 0b101;
  crafted.buffers[0] = &second_is_null;
  crafted.array.null_count = 1;
  EXPECT_EQ(crafted.refusal(0, 3), backwards);
  ends[2] = 2;
  EXPECT_EQ(crafted.read(0, 3).levels, (std::vector<std::string>{"ab", "c"}));
}

TEST(ArrowColumn, ViewsOutsideOfTheirBufferAreRefused) {
  const std::string text = "a text of 21 letters.";
  const auto size = static_cast<std::int64_t>(text.size());
  std::int32_t view[4] = {20, 0, 0, 1};  // length, first letters, buffer, place
  Crafted crafted("vu");
  crafted.buffers = {nullptr, view, text.data(), &size};
  crafted.array.length = 1;
  EXPECT_EQ(crafted.read(0, 1).levels, (std::vector<std::string>{text.substr(1)}));
  const std::string outside =
      "column 'x' holds broken Arrow data (a text outside of its buffer); write or make it again";
  view[0] = 21;
  EXPECT_EQ(crafted.refusal(0, 1), outside);
  view[0] = 20;
  view[2] = 1;
  EXPECT_EQ(crafted.refusal(0, 1), outside);
  view[2] = 0;
  view[3] = -1;
  EXPECT_EQ(crafted.refusal(0, 1), outside);
  view[0] = -1;
  EXPECT_EQ(crafted.refusal(0, 1),
            "column 'x' holds broken Arrow data (a text of negative length); write or make it again");
}

TEST(ArrowColumn, DictionariesAreCodedByWholeNumbersAndHoldValues) {
  Crafted crafted("f");
  ArrowSchema values{};
  values.format = "u";
  crafted.schema.dictionary = &values;
  EXPECT_NE(crafted.refusal(0, 0).find("has the Arrow type 'dictionary'"), std::string::npos);
  crafted.schema.format = "c";
  EXPECT_EQ(crafted.refusal(0, 0), "column 'x' lacks its dictionary");
  ArrowSchema deeper{};
  deeper.format = "u";
  values.format = "c";
  values.dictionary = &deeper;
  EXPECT_NE(crafted.refusal(0, 0).find("has the Arrow type 'dictionary'"), std::string::npos);
}

}  // namespace
}  // namespace jsdiv
