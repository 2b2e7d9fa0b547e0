#include "explain/explain_summary.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace jsdiv {
namespace {

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Bits bits(double value, double low) {
  Bits each;
  each.value = value;
  each.confidence_interval = {0.95, low, 2 * value};
  return each;
}

ExplainResult explained() {
  ExplainResult result;
  result.rung = "as_stored";
  result.held_out = {0.3, 0.01};
  for (const char* name : {"age", "a name that takes most of a narrow line", "line\nbreak"}) {
    ExplainedColumn column;
    column.name = name;
    column.share = bits(0.1, 0.05);
    result.columns.push_back(column);
  }
  result.columns[0].how = {
      {.kind = "shift", .message = "its values are higher in Q, with medians of 40 and 45"}};
  ExplainedPair pair;
  pair.columns = {"age", result.columns[1].name};
  pair.beyond_columns = bits(0.2, 0.1);
  pair.evident = true;
  result.pairs = {pair};
  result.pairs_examined = 3;
  result.margins.emplace();
  result.margins->if_margins_repaired = bits(0.28, 0.2);
  Slice slice;
  slice.rule = "age < 25 and " + std::string(10000, 'n') + " = North";
  result.slices = {slice};
  result.estimate.protocol.inputs = {{.path = "p.csv", .sha256 = "", .rows = 1200},
                                     {.path = "q.csv", .sha256 = "", .rows = 900}};
  return result;
}

TEST(ExplainSummary, SaysWhatToRepair) {
  ExplainResult result = explained();
  EXPECT_TRUE(holds(summary(result), "repair how the columns depend on each other, first age with a name"))
      << summary(result);
  EXPECT_TRUE(holds(summary(result), "bits of divergence. They come from:\n"));
  result.warnings = {{"nothing_to_explain", "this divergence could be due to chance alone"}};
  EXPECT_FALSE(holds(summary(result), "No column needs repair"));
  EXPECT_TRUE(holds(summary(result), "bits of divergence, which chance alone can explain"))
      << summary(result);
  EXPECT_FALSE(holds(summary(result), "repaired")) << summary(result);
  result.warnings.clear();
  result.repairs = {{.column = "age", .gain = bits(0.05, -0.01)}};
  EXPECT_TRUE(holds(summary(result), "Repairing a single column does not help"));
  result.repairs = {{.column = "age", .gain = bits(0.05, 0.01)}};
  EXPECT_TRUE(holds(summary(result), "Repair first: age (gains 0.0500 bits)\n"));
}

TEST(ExplainSummary, TellsWhichRungIsExplained) {
  ExplainResult result = explained();
  EXPECT_FALSE(holds(summary(result), "rung"));
  Rung stored;
  stored.rung = "as_stored";
  stored.jsd = 0.9;
  Rung content;
  content.rung = "content";
  content.jsd = 0.34;
  result.estimate.ladder = {stored, content};
  result.rung_reason = "formats differ";
  EXPECT_TRUE(
      holds(summary(result), "\nThe rung explained is as_stored (estimate 0.900): formats differ.\n"));
  result.rung = "content";
  EXPECT_TRUE(holds(summary(result),
                    "\nThe rung explained is content (estimate 0.340; as stored 0.900): formats differ.\n"));
}

TEST(ExplainSummary, OfALongNameTheBeginningIsKept) {
  ExplainResult result = explained();
  result.columns[0].name = "price / unit in euros, without taxes, of the last year";
  EXPECT_TRUE(holds(summary(result), "\n  price / unit in euros, with… ")) << summary(result);
}

TEST(ExplainSummary, NamesStayOnTheirLine) {
  const std::string text = summary(explained());
  EXPECT_TRUE(holds(text, "\n  line\\nbreak ")) << text;
  EXPECT_LT(text.size(), 3000U);
}

TEST(ExplainSummary, FitsNarrowTerminals) {
  ExplainResult result = explained();
  result.slices[0].rule = "age < 25 and region = North";
  for (const std::size_t width : {40U, 60U, 80U}) {
    std::istringstream lines(summary(result, {.width = width, .colour = true}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
}

}  // namespace
}  // namespace jsdiv
