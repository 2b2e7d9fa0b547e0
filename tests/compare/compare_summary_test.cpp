#include "compare/compare_summary.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace jsdiv {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Candidate candidate(const std::string& name, double jsd, bool differs) {
  Candidate each{.name = name, .position = 1, .rank = 1, .differs = differs, .estimate = {}};
  each.estimate.jsd = jsd;
  each.estimate.confidence_interval = Interval{0.95, jsd / 2, 2 * jsd};
  each.estimate.p_value = differs ? 0.001 : 0.4;
  each.estimate.p_value_is_bound = differs;
  each.estimate.protocol.inputs = {{.path = "real.csv", .sha256 = "", .rows = 1200},
                                   {.path = name, .sha256 = "", .rows = 900}};
  return each;
}

CompareResult compared() {
  const std::string folder = "a/very/long/folder/that/all/of/the/tables/share/";
  CompareResult result;
  result.reference = folder + "real.csv";
  result.candidates = {candidate(folder + "vae/gen.csv", 0.01, false),
                       candidate(folder + "ctgan/gen.csv", 0.2, true)};
  PairedDifference difference;
  difference.closer = result.candidates[0].name;
  difference.farther = result.candidates[1].name;
  difference.value = 0.19;
  difference.confidence_interval = {0.95, 0.1, 0.28};
  difference.supported = true;
  result.differences = {difference};
  result.columns = {"x", "y"};
  return result;
}

TEST(CompareSummary, NamesTablesByWhatTellsThemApart) {
  const std::string text = summary(compared());
  EXPECT_TRUE(holds(text, "\n  vae/gen.csv     0.010   0.0050 to 0.020   0.4")) << text;
  EXPECT_TRUE(holds(text, "\n  ctgan/gen.csv   0.200   0.100 to 0.400    ≤ 0.001   █")) << text;
  EXPECT_TRUE(holds(text, "  vae/gen.csv is closer than ctgan/gen.csv, by 0.190 (0.100 to 0.280)\n")) << text;
}

TEST(CompareSummary, ASingleTableKeepsItsName) {
  CompareResult result = compared();
  result.candidates = {candidate("folder/day1.csv", 0.1, true)};
  result.differences.clear();
  EXPECT_TRUE(holds(summary(result), "\n  folder/day1.csv   0.100 ")) << summary(result);
}

TEST(CompareSummary, OverTimeItSaysWhichTablesHaveDrifted) {
  CompareResult result = compared();
  result.over_time = true;
  result.reference = "base.csv";
  result.differences[0].supported = false;
  std::string text = summary(result);
  EXPECT_TRUE(holds(text, "1 of 2 tables differ from base.csv by more than chance explains: ctgan/gen.csv\n"))
      << text;
  EXPECT_TRUE(holds(text, "No single step from one table to the next")) << text;
  result.candidates[0].differs = true;
  result.differences[0].supported = true;
  text = summary(result);
  EXPECT_TRUE(holds(text, "Every table differs from base.csv")) << text;
  EXPECT_TRUE(holds(text, "  from vae/gen.csv to ctgan/gen.csv: farther away by 0.190\n")) << text;
  for (Candidate& each : result.candidates) each.differs = false;
  EXPECT_TRUE(holds(summary(result), "No table differs from base.csv by more than chance explains.\n"));
}

TEST(CompareSummary, WhereFormatsDifferItSaysWhatIsLeftWithoutThem) {
  CompareResult result = compared();
  EXPECT_FALSE(holds(summary(result), "formats"));
  result.candidates[1].estimate.ladder = {
      {.rung = "as_stored", .jsd = 1, .raw = 1},
      {.rung = "content", .jsd = 0.31, .raw = 0.31, .confidence_interval = Interval{0.95, 0.26, 0.47}}};
  EXPECT_TRUE(holds(summary(result), "\n  ctgan/gen.csv   0.310   0.260 to 0.470\n")) << summary(result);
}

TEST(CompareSummary, FitsNarrowTerminals) {
  CompareResult result = compared();
  result.reference = "real.csv";
  for (const bool over_time : {false, true}) {
    result.over_time = over_time;
    for (const std::size_t width : {40U, 60U, 80U}) {
      std::istringstream lines(summary(result, {.width = width, .colour = true}));
      for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
    }
  }
}

}  // namespace
}  // namespace jsdiv
