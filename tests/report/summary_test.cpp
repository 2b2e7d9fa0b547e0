#include "report/summary.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Result measured() {
  Result result;
  result.jsd = 0.25;
  result.confidence_interval = Interval{0.95, 0.2, 0.3};
  result.p_value = 0.001;
  result.noise_floor = 0.0042;
  return result;
}

TEST(Summary, SaysTheNumberItsIntervalAndWhatChanceWouldGive) {
  const std::string text = summary(measured());
  EXPECT_TRUE(holds(text, "Jensen-Shannon divergence  0.250   95 % interval 0.200 to 0.300\n")) << text;
  EXPECT_TRUE(holds(text, "95 % of such estimates would be at most 0.0042; p = 0.001.\n")) << text;
}

TEST(Summary, TellsWhatAJudgeCouldDo) {
  Result result = measured();
  result.divergences.emplace();
  result.divergences->values = {{"total_variation", Measured{0.514, 0.01}}};
  EXPECT_TRUE(holds(summary(result), "would tell of 51 % of the rows"));
  result.divergences->values = {{"total_variation", Measured{0.999, 0.01}}};
  EXPECT_TRUE(holds(summary(result), "would tell of any row")) << summary(result);
  result.jsd = 0;
  EXPECT_TRUE(holds(summary(result), "Nothing was found"));
}

TEST(Summary, KeepsRepeatedRowsApartFromValuesThatOneTableCannotHold) {
  Result result = measured();
  result.support.emplace();
  result.support->mismatches = {{"", "copies", 0.5, 0, "half of P is copied"}};
  std::string text = summary(result);
  EXPECT_FALSE(holds(text, "cannot hold the same values")) << text;
  EXPECT_TRUE(holds(text, "Rows that occur more than once:\n  - half of P is copied\n")) << text;

  for (int i = 0; i < 8; ++i) {
    const std::string column = "c" + std::to_string(i);
    result.support->mismatches.insert(result.support->mismatches.begin() + i,
                                      {column, "lattice", 1, 0, column + " lies on a grid"});
  }
  result.support->harmonised_jsd = 0.1;
  text = summary(result);
  EXPECT_TRUE(holds(text,
                    "  - c5 lies on a grid\n  - and 2 more (--json lists them all)\n"
                    "With both tables on the same grids the divergence is 0.100.\n"))
      << text;
  EXPECT_TRUE(holds(text, "  - half of P is copied\n")) << text;
}

}  // namespace
}  // namespace jsdiv
