#include <gtest/gtest.h>

#include "plot/charts.hpp"
#include "plot/page.hpp"
#include "plot/scale.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

std::vector<double> values_of(const Scale& scale) {
  std::vector<double> values;
  for (const Scale::Tick& tick : scale.ticks()) values.push_back(tick.value);
  return values;
}

TEST(Scale, LinearEndsOnWholeSteps) {
  const Scale scale = Scale::linear(0.03, 0.94);
  EXPECT_EQ(values_of(scale).size(), 6U);
  EXPECT_DOUBLE_EQ(scale.low(), 0);
  EXPECT_DOUBLE_EQ(scale.high(), 1);
  EXPECT_DOUBLE_EQ(scale.position(0.25), 0.25);
  EXPECT_DOUBLE_EQ(scale.position(7), 1);
  EXPECT_EQ(scale.ticks()[1].label, "0.2");
}

TEST(Scale, LogarithmicHasPowersOfTen) {
  const Scale scale = Scale::logarithmic(0.02, 900);
  EXPECT_EQ(values_of(scale).size(), 6U);  // 0.01, 0.1, 1, 10, 100, 1000
  EXPECT_NEAR(scale.position(1), 0.4, 1e-12);
  EXPECT_DOUBLE_EQ(scale.position(0), 0);
}

TEST(Scale, CopesWithOneValueAndWithNone) {
  const double same[] = {5, 5};
  EXPECT_GT(Scale::covering(same, false).high(), Scale::covering(same, false).low());
  EXPECT_GT(Scale::covering(same, true).high(), 5);
  const double nothing_positive[] = {0, -1, nothing};
  EXPECT_NO_THROW(Scale::covering(nothing_positive, true));
  EXPECT_NO_THROW(Scale::covering({}, false));
}

TEST(Svg, EscapesWhatTheUserNames) {
  EXPECT_EQ(escape("<a href=\"x\">&'"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;");
  EXPECT_EQ(escape("a\x1b[1m\u202e\u009b\nb\xff"), "a\\x1b[1m\\u202e\\u009b\nb\\xff");
  HeatMap map{.title = "<script>", .rows = {"a&b"}, .columns = {"c"}, .values = {{1.5}}};
  const std::string svg = draw(map);
  EXPECT_EQ(svg.find("<script>"), std::string::npos);
  EXPECT_NE(svg.find("&lt;script&gt;"), std::string::npos);
  EXPECT_NE(svg.find("+1.5"), std::string::npos);
}

TEST(LineChart, LeavesGapsWhereThereIsNoValue) {
  LineChart chart;
  chart.series = {
      {.name = "s", .css = "c-rf", .x = {1, 2, 3, 4, 5}, .y = {1, 2, nothing, 4, 5}, .spread = {}}};
  const std::string svg = draw(chart);
  std::size_t lines = 0, dots = 0;
  for (auto at = svg.find("<polyline"); at != std::string::npos; at = svg.find("<polyline", at + 1)) ++lines;
  for (auto at = svg.find("<title>s:"); at != std::string::npos; at = svg.find("<title>s:", at + 1)) ++dots;
  EXPECT_EQ(lines, 2U);
  EXPECT_EQ(dots, 4U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
}

TEST(Page, AllowsNothingFromElsewhere) {
  const std::string page = html_page("t<", "i&", {{"figure", "note", {"<svg></svg>"}}},
                                     {{"table", {"a", "b"}, {{"x", "1"}, {"", "<2>"}}}});
  EXPECT_NE(page.find("default-src 'none'; style-src 'sha256-"), std::string::npos);
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("style=\""), std::string::npos);
  EXPECT_NE(page.find("t&lt;"), std::string::npos);
  EXPECT_NE(page.find("&lt;2&gt;"), std::string::npos);
  EXPECT_NE(page.find("<tr class=\"more\">"), std::string::npos);
}

TEST(BarChart, LegendNamesEveryColourOnce) {
  const BarChart chart{
      .groups = {{"a", {{"RF (paper)", "c-rf", 0.5, 0, true}, {"RF", "c-rf", 0.4, 0, false}}},
                 {"b", {{"TabPFN (paper)", "c-tabpfn", 0.9, 0, true}}}}};
  const std::string drawn = draw(chart);
  const auto named = [&](const std::string& name) {
    return drawn.find(">" + name + "</text>") != std::string::npos;
  };
  EXPECT_TRUE(named("RF"));
  EXPECT_FALSE(named("RF (paper)"));
  EXPECT_TRUE(named("TabPFN (paper)"));
}

TEST(Markdown, EscapesBars) {
  EXPECT_EQ(markdown({"t", {"a", "b", "c"}, {{"|Q|", "2", "3"}}}),
            "### t\n\n| a | b | c |\n|---|---|--:|\n| \\|Q\\| | 2 | 3 |\n");
}

}  // namespace
}  // namespace jsdiv::plot
