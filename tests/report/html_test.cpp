#include "report/html.hpp"

#include <gtest/gtest.h>

#include "core/embedded_files.hpp"
#include "jsdiv/error.hpp"
#include "report/replay.hpp"

namespace jsdiv {
namespace {

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const auto from = text.find(begin) + begin.size();
  return text.substr(from, text.find(end, from) - from);
}

Json data_of(const std::string& page) {
  return Json::parse(between(page, R"(<script type="application/json" id="data">)", "</script>"));
}

Result small() {
  Result result;
  result.jsd = result.raw = 0.25;
  result.confidence_interval = Interval{0.95, 0.2, 0.3};
  result.marginal = MarginalResult{};
  return result;
}

TEST(Html, TextOfTheUsersCannotEndTheScript) {
  Result result = small();
  result.protocol.inputs = {{.path = "</script><script>alert(1)</script><!--", .sha256 = "", .rows = 1},
                            {.path = "\xff\"'&", .sha256 = "", .rows = 1}};
  const std::string page = to_html(result);
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  EXPECT_EQ(data_of(page)["result"]["protocol"]["inputs"][0]["path"],
            "</script><script>alert(1)</script><!--");
  std::size_t scripts = 0;
  for (auto at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 2U);
}

TEST(Html, CharactersThatActUnseenAreWrittenOut) {
  Result result = small();
  result.protocol.inputs = {{.path = "p\u202e\x1b]0;x\x07.csv", .sha256 = "", .rows = 1},
                            {.path = "q\u009b\xff.csv", .sha256 = "", .rows = 1}};
  const std::string page = to_html(result);
  const Json inputs = data_of(page)["result"]["protocol"]["inputs"];
  EXPECT_EQ(inputs[0]["path"], R"(p\u202e\x1b]0;x\x07.csv)");
  EXPECT_EQ(inputs[1]["path"], R"(q\u009b\xff.csv)");
  for (const char* acting : {"\u202e", "\u009b", "\x1b", "\x07"})
    EXPECT_EQ(page.find(acting), std::string::npos) << acting;
}

TEST(Html, ThePolicyAllowsNothingButItsOwnStyleAndScript) {
  const std::string page = to_html(small());
  const std::string policy = between(page, "Content-Security-Policy\" content=\"", "\"");
  EXPECT_EQ(policy.find("default-src 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"), 0U)
      << policy;
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_NE(page.find("<style>" + std::string(embedded_file("src/report/page/page.css")) + "</style>"),
            std::string::npos);
  EXPECT_NE(page.find("<script>" + std::string(embedded_file("src/report/page/page.js")) + "</script>"),
            std::string::npos);
  // Addresses of names are no requests; there are no others.
  for (auto at = page.find("://"); at != std::string::npos; at = page.find("://", at + 1)) {
    EXPECT_EQ(page.substr(at, 20), "://www.w3.org/2000/s");
  }
}

TEST(Html, ManyColumnsAndLongNamesStayWithinTheLimit) {
  Result result = small();
  result.support.emplace();
  for (int j = 0; j < 5000; ++j) {
    const std::string name = std::string(j < 3 ? 10'000 : 40, 'x') + std::to_string(j);
    result.protocol.columns.push_back({.name = name});
    result.marginal->columns.push_back(
        {.name = name, .syndat = 0.1234567890123, .synthcity = 1e-4 * j, .synthcity_upstream = 0.1});
    result.support->mismatches.push_back({name, "lattice", 0.123456789, 0, name + " lies on a grid"});
    if (j < 300) {
      result.column_charts.push_back({.name = name,
                                      .type = ColumnType::number,
                                      .edges = std::vector<std::string>(19, "12345.67"),
                                      .p = std::vector<double>(20, 0.05123456789),
                                      .q = std::vector<double>(20, 0.05123456789)});
    }
  }
  const std::string page = to_html(result);
  EXPECT_LE(page.size(), largest_page);
  const Json data = data_of(page);
  EXPECT_EQ(data["totals"]["used_columns"], 5000);
  EXPECT_EQ(data["totals"]["columns"], 5000);
  const Json& columns = data["result"]["marginal"]["columns"];
  EXPECT_GE(columns.size(), 400U);
  EXPECT_DOUBLE_EQ(columns[0]["synthcity"], 0.4999);  // those that differ most come first
}

TEST(Html, LongNamesWithOneBeginningStayApart) {
  Result result = small();
  for (const char end : {'a', 'b'})
    result.marginal->columns.push_back({.name = std::string(5000, 'n') + end});
  const Json data = data_of(to_html(result));
  const Json& columns = data["result"]["marginal"]["columns"];
  EXPECT_NE(columns[0]["name"], columns[1]["name"]);
  EXPECT_LT(columns[0]["name"].get<std::string>().size(), 310U);
}

TEST(Html, RefusesWhatIsNoResult) {
  EXPECT_THROW(
      html_page({.result = Json::parse(R"({"jsd": 0.5})"), .explain = {}, .compare = {}, .charts = {}}),
      InvalidInput);
}

TEST(Html, HasAPlainTextForReadersWithoutScripts) {
  const std::string page = to_html(small());
  EXPECT_NE(between(page, "<noscript>", "</noscript>").find("Jensen-Shannon divergence  0.250"),
            std::string::npos);
}

TEST(Replay, GivesTheCommandWithWhatDiffersFromTheDefaults) {
  Result result = small();
  result.protocol.inputs = {{.path = "it's real.csv", .sha256 = "", .rows = 1},
                            {.path = "-q.csv", .sha256 = "", .rows = 1}};
  result.protocol.families = {"rf", "mlp"};
  result.protocol.options.families = {"rf", "mlp"};
  result.protocol.options.protocol = Protocol::paper;
  result.protocol.options.seeds = 3;
  result.protocol.options.level = 0.9;
  result.protocol.options.paper.reweighting = false;
  result.protocol.options.load.ignore = {"customer id"};
  EXPECT_EQ(
      replay_command(result_json(result)),
      R"(jsdiv estimate 'it'\''s real.csv' ./-q.csv --ignore 'customer id' --protocol paper --families rf,mlp )"
      R"(--seeds 3 --level 0.9 --no-reweighting)");
}

TEST(Replay, IsEmptyWhereNoCommandCanRepeatIt) {
  Result result = small();
  result.protocol.inputs = {{.path = "p.csv"}, {.path = ""}};
  EXPECT_EQ(replay_command(result_json(result)), "");
  result.protocol.inputs[1].path = "q.csv";
  EXPECT_EQ(replay_command(result_json(result)), "jsdiv estimate p.csv q.csv");
  result.protocol.families = {"posteriors"};
  EXPECT_EQ(replay_command(result_json(result)), "");
}

TEST(Replay, RepeatsAnExplanationWithItsOwnOptions) {
  Result result = small();
  result.protocol.inputs = {{.path = "p.csv"}, {.path = "q.csv"}};
  Json explained = {
      {"schema", "jsdiv.explain/1"},
      {"options", {{"by", nullptr}, {"rung", nullptr}, {"show_rows", false}, {"telling_rows", 20}}},
      {"estimate", result_json(result)}};
  EXPECT_EQ(replay_command(explained), "jsdiv explain p.csv q.csv");
  explained["options"] = {{"by", "a b"}, {"rung", "content"}, {"show_rows", true}, {"telling_rows", 5}};
  EXPECT_EQ(replay_command(explained),
            "jsdiv explain p.csv q.csv --by 'a b' --rung content --show-rows --telling-rows 5");
  explained.erase("options");  // as the first versions wrote it
  EXPECT_EQ(replay_command(explained), "jsdiv explain p.csv q.csv");
  explained["estimate"]["protocol"]["inputs"][0]["path"] = "";
  EXPECT_EQ(replay_command(explained), "");
}

TEST(Replay, RepeatsAComparisonWithItsTablesAsGiven) {
  const auto candidate = [](const char* path, int position) {
    return Json{{"input", {{"path", path}}}, {"position", position}};
  };
  Json compared = {{"schema", "jsdiv.compare/1"},
                   {"reference", {{"input", {{"path", "real.csv"}}}}},
                   {"candidates", {candidate("near.csv", 2), candidate("far.csv", 1)}},
                   {"protocol", result_json(small()).at("protocol")},
                   {"over_time", false},
                   {"yardstick", {{"jsd", 0.0}}}};
  EXPECT_EQ(replay_command(compared), "jsdiv compare real.csv far.csv near.csv");
  compared["over_time"] = true;
  compared["yardstick"] = nullptr;
  EXPECT_EQ(replay_command(compared), "jsdiv compare real.csv far.csv near.csv --over-time --no-yardstick");
  compared["candidates"][0]["input"]["path"] = "";
  EXPECT_EQ(replay_command(compared), "");
}

}  // namespace
}  // namespace jsdiv
