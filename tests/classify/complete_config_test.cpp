#include "classify/complete_config.hpp"

#include <gtest/gtest.h>

#include "classify/registry.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "jsdiv/simulate.hpp"

namespace jsdiv {
namespace {

std::string refused(std::string_view name, const Hyperparameters& given) {
  try {
    complete_config(family(name), {.features = 3}, given);
  } catch (const InvalidInput& error) {
    return error.what();
  }
  return "";
}

TEST(CompleteConfig, MissingSettingsAreTheDefaults) {
  for (const Family* candidate : families()) {
    EXPECT_EQ(complete_config(*candidate, {.features = 3}, {}), candidate->defaults({.features = 3}))
        << candidate->name();
  }
  const Config config = complete_config(family("rf"), {.features = 3}, {{"max_depth", std::int64_t{4}}});
  EXPECT_EQ(config.integer("max_depth"), 4);
  EXPECT_EQ(config.choice("max_features"), "sqrt");
}

TEST(CompleteConfig, NamesThatTheFamilyDoesNotKnowAreRefused) {
  EXPECT_EQ(refused("rf", {{"max_dept", std::int64_t{4}}}),
            "'rf': unknown hyperparameter 'max_dept'; did you mean 'max_depth'?");
  EXPECT_EQ(refused("gaussian", {{"C", 1.0}}), "'gaussian' has no hyperparameters, but 'C' was given");
  EXPECT_EQ(refused("gaussian", {{"pooling", 0.5}}), "");  // recorded by its models
  EXPECT_EQ(refused("mlp", {{"best_epoch", std::int64_t{3}}}), "");
}

TEST(Config, ValuesOfTheWrongKindOrOutOfRangeAreTheUsersMistake) {
  const Simulation pair = simulate("dependence", {.n = 60, .rho = 0.8});
  const auto refusal = [&](const char* family, const Hyperparameters& given) -> std::string {
    try {
      const Classifier classifier(pair.p, pair.q, family, given);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(refusal("rf", {{"max_depth", std::int64_t{0}}}),
            "the hyperparameter 'max_depth' is 0; give a whole number from 1 to 2147483647");
  EXPECT_EQ(refusal("rf", {{"max_depth", std::string("deep")}}),
            "the hyperparameter 'max_depth' is 'deep'; give a whole number");
  EXPECT_EQ(refusal("rf", {{"max_depth", 2.5}}),
            "the hyperparameter 'max_depth' is 2.5; give a whole number");
  EXPECT_EQ(refusal("rf", {{"max_features", std::string("all")}}),
            "the hyperparameter 'max_features' is 'all'; give one of: sqrt, log2");
  EXPECT_EQ(refusal("xgboost", {{"eta", 0.0}}),
            "the hyperparameter 'eta' is 0; give a number from 1e-06 to 1");
  EXPECT_EQ(refusal("mlp", {{"max_epochs", std::int64_t{-1}}}),
            "the hyperparameter 'max_epochs' is -1; give a whole number from 1 to 1000000000");
  EXPECT_EQ(refusal("logreg", {{"C", -1.0}}),
            "the hyperparameter 'C' is -1; give a number from 1e-12 to 1e+12");
  EXPECT_EQ(refusal("rf", {}), "");
}

}  // namespace
}  // namespace jsdiv
