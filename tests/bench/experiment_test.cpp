#include "bench/experiment.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bench/plan.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::bench {
namespace {

constexpr const char* small_experiment = R"({
  "schema": "jsdiv.experiment/1", "name": "mine", "title": "Mine", "families": ["rf", "auto"], "seeds": 2,
  "base": {"scenario": "imbalance", "train": 100, "eval": 50, "iterations": "published"},
  "grids": [
    {"axes": {"gap": [0.5, 1], "ratio": [0.2], "correction": ["on"]}},
    {"axes": {"gap": [1], "correction": ["off"]}, "families": ["rf"]}
  ],
  "plots": [{"kind": "error", "title": "t", "x": "gap"}]
})";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_refused(const std::string& text, const std::string& says) {
  try {
    parse_experiment(text, "mine.json");
    FAIL() << "accepted: " << text;
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("mine.json"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find(says), std::string::npos) << error.what();
  }
}

TEST(Experiment, WritesOutItsSettings) {
  const Experiment experiment = parse_experiment(small_experiment, "mine.json");
  ASSERT_EQ(experiment.settings.size(), 3U);
  const Setting& first = experiment.settings[0];
  EXPECT_EQ(first.label, "gap=0.5 ratio=0.2 correction=on");
  EXPECT_EQ(first.scenario, "imbalance");
  EXPECT_EQ(first.draw.n, 200U);  // M + 2L
  EXPECT_EQ(first.draw.gap, 0.5);
  EXPECT_EQ(first.draw.ratio, 0.2);
  EXPECT_EQ(first.paper.correction, Correction::on);
  EXPECT_TRUE(first.published_iterations);
  EXPECT_EQ(experiment.settings[2].label, "gap=1 correction=off");
  EXPECT_EQ(experiment.settings[2].families, std::vector<std::string>{"rf"});
}

TEST(Experiment, NamesTheKeyThatIsWrong) {
  const std::string text = small_experiment;
  expect_refused(replaced(text, "\"seeds\"", "\"seedz\""), "unknown key 'seedz'");
  expect_refused(replaced(text, "\"train\"", "\"trian\""), "unknown key 'trian'");
  expect_refused(replaced(text, "\"axes\": {\"gap\": [1]", "\"axes\": {\"gpa\": [1]"), "unknown key 'gpa'");
  expect_refused(replaced(text, "\"correction\": [\"on\"]", "\"correction\": [\"yes\"]"),
                 "must be one of: on, off, auto");
  expect_refused(replaced(text, "\"rf\", \"auto\"", "\"rff\""), "unknown family 'rff'");
  expect_refused(replaced(text, "[0.5, 1]", "0.5"), "must be a list");
  expect_refused(replaced(text, "[0.5, 1]", "[0.5, \"x\"]"), "must be a number");
  expect_refused(replaced(text, "experiment/1", "experiment/9"), "schema");
  expect_refused(replaced(text, "\"imbalance\"", "\"imbalanced\""), "unknown scenario 'imbalanced'");
  expect_refused(replaced(text, "\"kind\": \"error\"", "\"kind\": \"pie\""), "unknown kind 'pie'");
  expect_refused(replaced(text, "[0.5, 1]", "[1, 1]"), "appears twice");
  expect_refused(replaced(text, "\"scenario\": \"imbalance\", ", ""),
                 "needs either a scenario or both p and q");
  expect_refused("{", "is not JSON");
  expect_refused("[]", "must be an object");
}

TEST(Experiment, EveryBuiltInOneIsValid) {
  const auto names = built_in_experiments();
  EXPECT_EQ(names, (std::vector<std::string>{"dependence", "imbalance", "dimension", "finite", "sample-size",
                                             "real-high", "real-low", "short"}));
  for (const std::string& name : names) EXPECT_EQ(find_experiment(name).name, name);
  EXPECT_EQ(find_experiment("imbalance").settings.size(), 15U);
  EXPECT_EQ(find_experiment("real-low").settings[1].path_p, "adult/ctgan/real_data.csv");
  EXPECT_EQ(find_experiment("real-low").settings[1].draw.n, 950U);
  EXPECT_THROW(find_experiment("no-such-experiment"), InvalidInput);
}

TEST(Plan, HasAJobForEachSettingFamilyAndSeed) {
  const Plan plan = make_plan(parse_experiment(small_experiment, "mine.json"), {});
  ASSERT_EQ(plan.jobs.size(), (2U * 2 + 1) * 2);
  EXPECT_EQ(plan.describe(plan.jobs[0]), "gap=0.5 ratio=0.2 correction=on, rf, seed 0");
  EXPECT_EQ(plan.describe(plan.jobs[9]), "gap=1 correction=off, rf, seed 1");
  std::set<std::string> names;
  for (const Job& job : plan.jobs) names.insert(job.name);
  EXPECT_EQ(names.size(), plan.jobs.size());
}

TEST(Plan, NamesDependOnTheInputsAlone) {
  const Plan plan = make_plan(parse_experiment(small_experiment, "mine.json"), {});
  PlanOptions options;
  options.families = {"rf"};
  options.seeds = 1;
  const Plan fewer = make_plan(parse_experiment(small_experiment, "mine.json"), options);
  ASSERT_EQ(fewer.jobs.size(), 3U);
  EXPECT_EQ(fewer.jobs[0].name, plan.jobs[0].name);
  const Plan other = make_plan(
      parse_experiment(replaced(small_experiment, "\"train\": 100", "\"train\": 101"), "mine.json"), options);
  EXPECT_NE(other.jobs[0].name, plan.jobs[0].name);
}

TEST(Plan, ComesBackFromItsJson) {
  const Plan plan = make_plan(parse_experiment(small_experiment, "mine.json"), {});
  const Plan again = plan_from_json(plan_json(plan), "plan.json");
  ASSERT_EQ(again.jobs.size(), plan.jobs.size());
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) EXPECT_EQ(again.jobs[i].name, plan.jobs[i].name);
}

TEST(Plan, RefusesWhatCannotRun) {
  PlanOptions options;
  options.families = {"nobody"};
  EXPECT_THROW(make_plan(parse_experiment(small_experiment, "mine.json"), options), InvalidInput);
  options.families = {"rf"};
  options.seeds = 0;
  EXPECT_THROW(make_plan(parse_experiment(small_experiment, "mine.json"), options), InvalidInput);
  EXPECT_THROW(make_plan(find_experiment("real-low"), {}), InvalidInput);
  options.seeds = 1;
  options.data = "no-such-directory";
  try {
    make_plan(find_experiment("real-low"), options);
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("no-such-directory/adult/vae/real_data.csv"), std::string::npos);
  }
}

}  // namespace
}  // namespace jsdiv::bench
