#include "load/decimal.hpp"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>

#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

// The naive version: the standard library reads each cell.
double reference(std::string_view text) {
  double value = NAN;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class Decimals : public testing::TestWithParam<ReadDecimals> {
 protected:
  /// Reads `cell` as the only one of its run; what follows it is a line end and then whatever may be.
  static DecimalRun read(const std::string& cell, double& value) {
    const std::string text = cell + "\n" + std::string(64, '7');
    double* const out = &value;
    DecimalRun run = GetParam()(text.data(), text.data() + text.size(), ',', &out, 0, 1);
    if (run.cells == 1) {
      EXPECT_EQ(run.position - text.data(), static_cast<std::ptrdiff_t>(cell.size())) << cell;
    }
    return run;
  }
};

TEST_P(Decimals, AgreeWithTheStandardLibraryToTheLastBit) {
  RandomStream random(1);
  std::array<char, 64> buffer;
  for (int trial = 0; trial < 200'000; ++trial) {
    const double magnitude = std::pow(10.0, 12 * random.uniform() - 6);
    const double drawn = random.normal() * magnitude;
    const int digits = static_cast<int>(random.below(12));
    const auto written = trial % 2 == 0 ? std::to_chars(buffer.data(), buffer.data() + buffer.size(), drawn,
                                                        std::chars_format::fixed)
                                        : std::to_chars(buffer.data(), buffer.data() + buffer.size(), drawn,
                                                        std::chars_format::fixed, digits);
    const std::string cell(buffer.data(), written.ptr);
    double value = NAN;
    if (read(cell, value).cells == 0) {
      EXPECT_GT(cell.size(), 19U) << cell << " is a plain decimal";
      continue;
    }
    ASSERT_EQ(value, reference(cell)) << cell;
    ASSERT_EQ(std::signbit(value), std::signbit(reference(cell))) << cell;
  }
}

TEST_P(Decimals, EdgesOfTheFormat) {
  for (const char* cell :
       {"0", "-0", "-0.0", "7", "9007199254740992", "9007199254740993", "9223372036854775808",
        "9999999999999999999", "0.1", "0.1234567890123456", "0.12345678901234567", "0.123456789012345678",
        "1.0000000000000002", "12345678.12345678", "5.", "00012.50"}) {
    double value = NAN;
    ASSERT_EQ(read(cell, value).cells, 1U) << cell;
    EXPECT_EQ(value, reference(cell)) << cell;
    EXPECT_EQ(std::signbit(value), std::signbit(reference(cell))) << cell;
  }
  for (const char* cell : {"", "-", ".5", "+1", "1e5", "1.5E3", "1.2.3", "inf", "NA", " 1", "\"1\"",
                           "12345678901234567890", "0.1234567890123456789012", "18446744073709551616"}) {
    double value = NAN;
    EXPECT_EQ(read(cell, value).cells, 0U) << cell;
  }
}

TEST_P(Decimals, StopBeforeTheCellThatIsNotOne) {
  const std::string text = "1,-2.5,NA,4\n" + std::string(64, ' ');
  std::array<double, 4> values{};
  const std::array<double*, 4> out = {&values[0], &values[1], &values[2], &values[3]};
  const DecimalRun run = GetParam()(text.data(), text.data() + text.size(), ',', out.data(), 0, 4);
  EXPECT_EQ(run.cells, 2U);
  EXPECT_EQ(std::string_view(run.position, 2), "NA");
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], -2.5);
}

TEST_P(Decimals, NeverReadBeyondTheEnd) {
  const std::string text = "1,2,3";  // the sanitizer build sees a byte too many
  std::array<double, 3> values{};
  const std::array<double*, 3> out = {&values[0], &values[1], &values[2]};
  EXPECT_EQ(GetParam()(text.data(), text.data() + text.size(), ',', out.data(), 0, 3).cells, 0U);
}

INSTANTIATE_TEST_SUITE_P(Versions, Decimals,
                         testing::Values(&read_decimals_portable, read_decimals_function()));

}  // namespace
}  // namespace jsdiv
