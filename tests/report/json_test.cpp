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
  for (const char* key : {"schema",
                          "jsd",
                          "raw",
                          "distance",
                          "standard_error",
                          "confidence_interval",
                          "held_out",
                          "lower_bound",
                          "p_value",
                          "p_value_is_bound",
                          "noise_floor",
                          "selected_family",
                          "disagreement",
                          "families",
                          "marginal",
                          "divergences",
                          "support",
                          "learning_curve",
                          "posteriors",
                          "protocol",
                          "warnings",
                          "runtime"}) {
    EXPECT_TRUE(json.contains(key)) << key;
  }
}

TEST(Json, BoundsStandSideBySideAndThePValueSaysWhetherItIsOne) {
  Result result;
  result.protocol.options.level = 0.9;
  result.lower_bound = 0.25;
  result.p_value = 0.001;
  result.p_value_is_bound = true;
  Json json = result_json(result);
  EXPECT_EQ(json["lower_bound"], (Json{{"level", 0.9}, {"value", 0.25}, {"finite_sample", nullptr}}));
  EXPECT_EQ(json["p_value_is_bound"], true);
  result.finite_sample_bound = 0.125;
  result.p_value = {};
  json = result_json(result);
  EXPECT_EQ(json["lower_bound"]["finite_sample"], 0.125);
  EXPECT_TRUE(json["p_value_is_bound"].is_null());
}

TEST(Json, BrokenTextCannotBreakTheDocument) {
  Result result;
  result.warnings.push_back({"code", "bad byte \xff and \"quotes\""});
  EXPECT_FALSE(Json::parse(to_json(result), nullptr, false).is_discarded());
}

}  // namespace
}  // namespace jsdiv
