#include "report/summary.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "jsdiv/error.hpp"
#include "report/sentences.hpp"

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
  return result;
}

TEST(Summary, SaysTheNumberItsIntervalAndTheTest) {
  const std::string text = summary(measured());
  EXPECT_TRUE(holds(text, "Jensen-Shannon divergence  0.250   95 % interval 0.200 to 0.300\n")) << text;
  EXPECT_TRUE(holds(text, "p = 0.001.\n")) << text;
  Result at_the_floor = measured();
  at_the_floor.p_value_is_bound = true;
  EXPECT_TRUE(holds(summary(at_the_floor), "p ≤ 0.001.\n")) << summary(at_the_floor);
}

TEST(Summary, SaysInWordsWhetherTheTablesDiffer) {
  Result result = measured();
  EXPECT_TRUE(holds(summary(result), "The tables differ by more than chance explains: p = 0.001.\n"));
  result.p_value = 0.3;
  EXPECT_TRUE(holds(summary(result),
                    "Two samples of the same distribution can differ as much by chance: p = 0.3.\n"));
}

TEST(Summary, ALowerBoundOfZeroIsNotWorthASentence) {
  Result result = measured();
  result.lower_bound = 0.1;
  EXPECT_TRUE(holds(summary(result), "the divergence is at least 0.100 (95 % confidence)"));
  result.lower_bound = 0.00001;
  EXPECT_FALSE(holds(summary(result), "the divergence is at least"));
}

TEST(Summary, TellsWhatAPerfectClassifierCouldDo) {
  Result result = measured();
  result.divergences.emplace();
  result.divergences->values = {{"total_variation", Measured{0.514, 0.01}}};
  EXPECT_TRUE(holds(summary(result), "could identify the source of at least 51 % of the rows"));
  result.divergences->values = {{"total_variation", Measured{0.999, 0.01}}};
  EXPECT_TRUE(holds(summary(result), "practically every row")) << summary(result);
  result.jsd = 0;
  EXPECT_TRUE(holds(summary(result), "No difference between the two tables was found."));
  result.jsd = 0.02;
  result.p_value = 0.2;
  result.confidence_interval = Interval{0.95, 0, 0.04};
  EXPECT_TRUE(holds(summary(result), "No clear difference between the two tables was found."));
  EXPECT_FALSE(holds(summary(result), "perfect classifier"));
  EXPECT_FALSE(holds(summary(result), "may go unnoticed"));
  result.confidence_interval = Interval{0.95, 0, 0.14};
  EXPECT_TRUE(holds(summary(result), "The interval extends to 0.140 because differences")) << summary(result);
  result.held_out = Measured{-0.00003, 0.1};
  EXPECT_TRUE(holds(summary(result), "the classifiers found 0.000; the rest")) << summary(result);
  result.held_out = Measured{-4.6, 0.1};
  EXPECT_FALSE(holds(summary(result), "difference between"));
  EXPECT_TRUE(holds(summary(result), "the divergence is unknown"));
}

TEST(Summary, NoShareOfRowsIsBelowTheDivergenceItself) {
  Result result = measured();
  result.jsd = 0.3;  // extrapolated beyond what the classifiers found on held-out rows
  result.held_out = Measured{0.2, 0.01};
  result.divergences.emplace();
  result.divergences->values = {{"total_variation", Measured{0.22, 0.01}}};
  const std::string text = summary(result);
  EXPECT_TRUE(holds(text, "at least 30 % of the rows")) << text;
  EXPECT_TRUE(holds(
      text, "On held-out rows the classifiers found 0.200; the rest is an estimate of what they missed"))
      << text;
}

TEST(Summary, HeldOutBelowZeroIsNoBetterThanGuessing) {
  Result result = measured();
  result.jsd = 0;
  result.held_out = Measured{-0.002, 0.001};
  EXPECT_TRUE(holds(summary(result), "did no better than guessing (-0.0020)")) << summary(result);
}

TEST(Summary, KeepsRepeatedRowsApartFromValuesThatOneTableCannotHold) {
  Result result = measured();
  result.support.emplace();
  result.support->mismatches = {{"", "copies", 0.5, 0, "half of P is copied"}};
  std::string text = summary(result);
  EXPECT_FALSE(holds(text, "Values or relations found in only one table")) << text;
  EXPECT_TRUE(holds(text, "Rows that occur more than once:\n  - half of P is copied\n")) << text;

  for (int i = 0; i < 8; ++i) {
    const std::string column = "c" + std::to_string(i);
    result.support->mismatches.insert(result.support->mismatches.begin() + i,
                                      {column, "lattice", 1, 0, column + " lies on a grid"});
  }
  result.support->harmonised_jsd = 0.1;
  text = summary(result);
  EXPECT_TRUE(holds(text,
                    "  - c5 lies on a grid\n  - and 2 more (the JSON lists them all)\n"
                    "With both tables on common grids, the divergence is 0.100.\n"))
      << text;
  EXPECT_TRUE(holds(text, "  - half of P is copied\n")) << text;
}

Json with_ladder(double as_stored, double content) {
  Result result = measured();
  result.jsd = as_stored;
  result.support.emplace();
  result.support->mismatches = {{"age", "lattice", 1, 0, "age lies on a grid"},
                                {"job", "one_sided_categories", 0.1, 0, "job has levels"},
                                {"fnlwgt", "atoms", 1, 0, "fnlwgt repeats values"}};
  Json json = result_json(result);
  const auto rung = [](const char* name, double jsd) {
    return Json{{"rung", name},
                {"jsd", jsd},
                {"confidence_interval", {{"level", 0.95}, {"low", jsd - 0.02}, {"high", jsd + 0.02}}}};
  };
  json["ladder"] =
      Json::array({rung("as_stored", as_stored), rung("common_grids", 0.3), rung("content", content)});
  return json;
}

TEST(Summary, FormatsAndContentAreToldApartWhereTheyDiffer) {
  EXPECT_EQ(
      meaning_sentences(with_ladder(1, 0.26))[0],
      "The number formats differ ('age', 'fnlwgt'), so the tables are fully distinguishable; apart from "
      "format the divergence is 0.260 (0.240 to 0.280).");
  EXPECT_EQ(
      meaning_sentences(with_ladder(0.5, 0.26))[0],
      "The number formats differ ('age', 'fnlwgt'), so the divergence of the tables as stored is 0.500; "
      "apart from format the divergence is 0.260 (0.240 to 0.280).");
  EXPECT_FALSE(holds(meaning_sentences(with_ladder(0.262, 0.26))[0], "formats differ"));
  EXPECT_TRUE(holds(meaning_sentences(with_ladder(0.98, 0.95))[0],
                    "The number formats differ ('age', 'fnlwgt'), but this explains little; apart from"));
}

Result with_families() {
  Result result = measured();
  result.families = {{.name = "rf", .jsd = 0.2, .raw = 0.2, .weight = 0.7},
                     {.name = "logreg", .jsd = 0.0, .raw = 0.0, .weight = 0.0}};
  result.protocol.inputs = {{.path = "real.csv", .sha256 = "", .rows = 1200},
                            {.path = "synthetic.csv", .sha256 = "", .rows = 900}};
  result.protocol.columns = {{"a"}, {"b"}};
  result.runtime.seconds = 3.21;
  result.runtime.threads = 2;
  result.marginal = MarginalResult{};
  result.marginal->columns = {{.name = "a", .syndat = 0.1, .synthcity = 0.02},
                              {.name = "b", .syndat = 0.1, .synthcity = 0.04}};
  return result;
}

TEST(Summary, MarksFamiliesThatAddNothing) {
  const std::string text = summary(with_families());
  EXPECT_TRUE(holds(text, "\n  rf ")) << text;
  EXPECT_TRUE(holds(text, "\n  logreg *")) << text;
  EXPECT_TRUE(holds(text, "  * adds nothing to the combination")) << text;
}

TEST(Summary, ShowsSizesTimeAndTheColumnsThatDifferMost) {
  const std::string text = summary(with_families());
  EXPECT_TRUE(holds(text, "P: real.csv, 1200 rows × 2 columns\nQ: synthetic.csv, 900 rows × 2 columns\n"))
      << text;
  EXPECT_TRUE(holds(text, "Time: 3.2 s on 2 threads\n")) << text;
  EXPECT_TRUE(holds(text, "  b   0.040   ████████████████████\n  a   0.020   ██████████\n")) << text;
}

TEST(Summary, MarksColumnsThatWereLeftOut) {
  Result result = with_families();
  result.protocol.left_out_columns = {"b"};
  const std::string text = summary(result);
  EXPECT_TRUE(holds(text, "real.csv, 1200 rows × 2 columns (1 left out)\n")) << text;
  EXPECT_TRUE(holds(text, "\n  b (left out)   0.040 ")) << text;
  EXPECT_TRUE(holds(text, "\n  a              0.020 ")) << text;
}

TEST(Summary, FindsNoDifferenceOnlyInWhatWasCompared) {
  Result result = measured();
  result.jsd = 0;
  result.protocol.left_out_columns = {"b"};
  const std::string where = "in the columns compared; 'b' was left out (see the warnings).";
  EXPECT_TRUE(holds(summary(result), "No difference between the two tables was found " + where))
      << summary(result);
  result.jsd = 0.02;
  result.p_value = 0.2;
  result.protocol.left_out_columns = {"b", "c"};
  EXPECT_TRUE(holds(summary(result), "compared; 'b', 'c' were left out (see the warnings)."))
      << summary(result);
  result.p_value = 0.001;
  EXPECT_FALSE(holds(summary(result), "columns compared")) << summary(result);
}

TEST(Summary, FitsNarrowTerminals) {
  for (const std::size_t width : {34U, 40U, 60U, 80U}) {
    std::istringstream lines(summary(with_families(), {.width = width, .colour = false}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(text_width(line), width) << line;
  }
}

TEST(Summary, ColourIsOnlyWhereItIsAskedForAndChangesNoWord) {
  std::string coloured = summary(with_families(), {.width = 80, .colour = true});
  const std::string plain = summary(with_families(), {.width = 80, .colour = false});
  EXPECT_FALSE(holds(plain, "\033"));
  EXPECT_TRUE(holds(coloured, "\033[1m0.250\033[0m"));
  for (const std::string code : {"\033[1m", "\033[0m"}) {
    for (auto at = coloured.find(code); at != std::string::npos; at = coloured.find(code))
      coloured.erase(at, code.size());
  }
  EXPECT_EQ(coloured, plain);
}

TEST(Summary, IsTheSameFromTheJson) {
  EXPECT_EQ(summary(Json::parse(to_json(with_families()))), summary(with_families()));
  EXPECT_THROW(summary(Json::parse(R"({"schema": "jsdiv.result/1"})")), InvalidInput);
  EXPECT_THROW(summary(Json(3)), InvalidInput);
}

TEST(TextLayout, BarsAreExactToAnEighth) {
  EXPECT_EQ(text_bar(1, 3), "███");
  EXPECT_EQ(text_bar(0.5, 3), "█▌");
  EXPECT_EQ(text_bar(0, 3), "");
  EXPECT_EQ(text_bar(7, 2), "██");
}

TEST(TextLayout, FittedTextHoldsWholeCharactersAndNoControls) {
  EXPECT_EQ(fitted("größer", 4), "grö…");
  EXPECT_EQ(fitted("a\033[31mb\n", 20), "a [31mb ");
  EXPECT_EQ(fitted("abc", 3), "abc");
}

TEST(TextLayout, WrapsBetweenWords) {
  EXPECT_EQ(wrapped("one two three", {.width = 8, .colour = false}, "  "), "one two\n  three\n");
  EXPECT_EQ(wrapped("  - one two", {.width = 8, .colour = false}, "    "), "  - one\n    two\n");
  EXPECT_EQ(wrapped("one two three", {}), "one two three\n");
  EXPECT_EQ(wrapped("unbreakable", {.width = 4, .colour = false}), "unbreakable\n");
}

TEST(TextLayout, BoldPrintTakesNoRoom) {
  const TextStyle style{.width = 8, .colour = true};
  EXPECT_EQ(text_width(bold("größe", style)), 5U);
  EXPECT_EQ(wrapped("one " + bold("two", style) + " three", style),
            "one " + bold("two", style) + "\nthree\n");
}

TEST(TextLayout, OfALongPathTheEndIsKept) {
  EXPECT_EQ(path_label("some/folder/of/größen.csv", 12), "…/größen.csv");
  EXPECT_EQ(label("a name without folders", 8), "a name …");
  EXPECT_EQ(label("a\n\033[31m", 20), "a\\n\\x1b[31m");
  EXPECT_EQ(path_label("short/name", 10), "short/name");
}

}  // namespace
}  // namespace jsdiv
