#include "report/json.hpp"

#include <gtest/gtest.h>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

TEST(Json, OptionsSurviveTheRoundTrip) {
  EstimateOptions options;
  options.load.columns = {"a", "b,c"};
  options.load.group = "person";
  options.families = {"rf"};
  options.seeds = 3;
  options.seed = 123456789012345ULL;
  options.level = 0.9;
  options.paper.correction = Correction::off;
  options.paper.train = 100;
  options.paper.encoding = Encoding::native;
  options.paper.reweighting = false;
  const Json json = options_json(options);
  EXPECT_EQ(options_json(options_from_json(json, "x.json")), json);
  EXPECT_EQ(json["correction"], "off");
  EXPECT_TRUE(json["eval"].is_null());
}

TEST(Json, NamesTheOptionThatDoesNotFit) {
  Json json = options_json({});
  json["exclude_families"] = 3;
  try {
    options_from_json(json, "x.json");
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("x.json: protocol.options.exclude_families"), std::string::npos);
  }
}

TEST(Json, EveryKeyIsThereAlsoForAnEmptyResult) {
  const Json json = result_json({});
  for (const char* key :
       {"schema",   "jsd",         "raw",         "distance",    "standard_error",  "confidence_interval",
        "held_out", "lower_bound", "p_value",     "noise_floor", "selected_family", "disagreement",
        "families", "marginal",    "divergences", "support",     "learning_curve",  "protocol",
        "warnings", "runtime"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(Json, BrokenTextCannotBreakTheDocument) {
  Result result;
  result.warnings.push_back({"code", "bad byte \xff and \"quotes\""});
  EXPECT_FALSE(Json::parse(to_json(result), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace jsdiv
