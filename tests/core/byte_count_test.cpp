#include "core/byte_count.hpp"

#include <gtest/gtest.h>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr double giga = 1024.0 * 1024 * 1024;

TEST(ByteCount, ReadsWhatPeopleWrite) {
  EXPECT_EQ(parse_bytes("4096"), 4096U);
  EXPECT_EQ(parse_bytes("2G"), 2U << 30);
  EXPECT_EQ(parse_bytes("1.5k"), 1536U);
  EXPECT_EQ(parse_bytes("3MB"), 3U << 20);
  for (const char* bad : {"", "G", "2X", "-1G", "0", "2GG", "nan", "inf", "1e30", "2 G"}) {
    EXPECT_THROW(parse_bytes(bad), InvalidInput) << bad;
  }
}

TEST(ByteCount, WritesWhatPeopleRead) {
  EXPECT_EQ(format_bytes(1.5 * giga), "1.5 GB");
  EXPECT_EQ(format_bytes(1024 * 1024), "1 MB");
  EXPECT_EQ(format_bytes(1000), "1000 bytes");
  for (const double bytes : {5e8, 3.3e9, 5e10}) {
    const auto allowed = static_cast<double>(parse_bytes(bytes_to_allow(bytes)));
    EXPECT_GE(allowed, bytes);
    EXPECT_LT(allowed, 1.1 * bytes);
  }
}

TEST(ByteCount, AllowsNoLessThanIsNeeded) {
  EXPECT_EQ(bytes_to_allow(1), "1M");
  EXPECT_EQ(bytes_to_allow(1.5 * giga), "1536M");
  EXPECT_EQ(bytes_to_allow(10 * giga), "10G");
  EXPECT_EQ(bytes_to_allow(10 * giga + 1), "11G");
}

}  // namespace
}  // namespace jsdiv
