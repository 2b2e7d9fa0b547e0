#include "tune/unit_space.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

Config::Value text(const char* value) {
  return std::string(value);
}

SearchSpace every_kind() {
  Parameter depth = Parameter::integer("depth", 3, 10);
  depth.condition_name = "model";
  depth.condition_values = {text("tree")};
  Parameter split = Parameter::choice("split", {text("exact"), text("binned")});
  split.condition_name = "model";
  split.condition_values = {text("tree")};
  Parameter bins = Parameter::integer("bins", 2, 255);
  bins.condition_name = "split";
  bins.condition_values = {text("binned")};
  // Children before their parents: the order of the declaration must not matter.
  return {.parameters = {bins, depth, split, Parameter::choice("model", {text("line"), text("tree")}),
                         Parameter::real("share", 0.5, 1), Parameter::log_real("eta", 1e-3, 0.3)}};
}

TEST(UnitSpace, CornersAreTheBounds) {
  const UnitSpace space(every_kind());
  UnitPoint low(6, 0.0), high(6, 1.0);
  low[3] = 1;
  low[2] = 1;
  space.canonicalise(low);
  space.canonicalise(high);
  const Config at_low = space.decode(low), at_high = space.decode(high);
  EXPECT_EQ(at_low.integer("bins"), 2);
  EXPECT_EQ(at_high.integer("bins"), 255);
  EXPECT_EQ(at_low.integer("depth"), 3);
  EXPECT_EQ(at_high.integer("depth"), 10);
  EXPECT_EQ(at_low.real("share"), 0.5);
  EXPECT_EQ(at_high.real("share"), 1.0);
  EXPECT_EQ(at_low.real("eta"), 1e-3);
  EXPECT_EQ(at_high.real("eta"), 0.3);
}

TEST(UnitSpace, TheMiddleOfALogScaleIsTheGeometricMean) {
  const UnitSpace space({.parameters = {Parameter::log_real("C", 1e-4, 1e2)}});
  EXPECT_NEAR(space.decode(UnitPoint{0.5}).real("C"), 0.1, 1e-12);
}

TEST(UnitSpace, DrawsStayInBoundsAndLeaveInactiveParametersOut) {
  const UnitSpace space(every_kind());
  RandomStream random(1);
  std::set<std::int64_t> depths;
  int binned = 0;
  for (int i = 0; i < 2000; ++i) {
    const Config config = space.decode(space.draw(random));
    const bool tree = config.choice("model") == "tree";
    EXPECT_EQ(config.has("depth"), tree);
    EXPECT_EQ(config.has("split"), tree);
    EXPECT_EQ(config.has("bins"), tree && config.choice("split") == "binned");
    if (tree) depths.insert(config.integer("depth"));
    binned += config.has("bins");
    EXPECT_GE(config.real("eta"), 1e-3);
    EXPECT_LE(config.real("eta"), 0.3);
    EXPECT_GE(config.real("share"), 0.5);
    EXPECT_LE(config.real("share"), 1.0);
  }
  EXPECT_EQ(depths, (std::set<std::int64_t>{3, 4, 5, 6, 7, 8, 9, 10}));
  EXPECT_NEAR(binned, 500, 5 * std::sqrt(2000 * 0.25 * 0.75));
}

TEST(UnitSpace, PointsAreEqualIfAndOnlyIfConfigurationsAre) {
  SearchSpace small = every_kind();
  small.parameters.resize(4);
  const UnitSpace space(small);
  RandomStream random(2);
  std::vector<UnitPoint> points;
  for (int i = 0; i < 200; ++i) points.push_back(space.draw(random));
  for (const UnitPoint& a : points) {
    for (const UnitPoint& b : points) EXPECT_EQ(a == b, space.decode(a) == space.decode(b));
    UnitPoint again = a;
    space.canonicalise(again);
    EXPECT_EQ(again, a);
  }
}

TEST(UnitSpace, EnumeratesEveryConfigurationOnce) {
  Parameter interactions = Parameter::choice("interactions", {text("all"), text("only")});
  interactions.condition_name = "penalty";
  interactions.condition_values = {text("l2")};
  const UnitSpace space({.parameters = {Parameter::choice("penalty", {text("l1"), text("l2")}), interactions,
                                        Parameter::integer("degree", 1, 3)}});
  const auto all = space.enumerate(9);
  ASSERT_TRUE(all);
  EXPECT_EQ(all->size(), 9U);  // l1: 3 degrees; l2: 2 x 3
  EXPECT_EQ(std::set<UnitPoint>(all->begin(), all->end()).size(), 9U);
  EXPECT_EQ(space.decode(all->front()).integer("degree"), 1);
  EXPECT_EQ(space.decode((*all)[1]).integer("degree"), 2);
  EXPECT_FALSE(space.enumerate(8));
  EXPECT_FALSE(UnitSpace({.parameters = {Parameter::real("x", 0, 1)}}).enumerate(1000));
  EXPECT_EQ(UnitSpace({.parameters = {Parameter::real("x", 1, 1)}}).enumerate(10)->size(), 1U);
  EXPECT_EQ(UnitSpace(SearchSpace{}).enumerate(10)->size(), 1U);
}

TEST(UnitSpace, AConditionWithoutItsChoiceIsOurBug) {
  Parameter orphan = Parameter::real("x", 0, 1);
  orphan.condition_name = "nowhere";
  EXPECT_THROW(UnitSpace({.parameters = {orphan}}), InternalError);
  EXPECT_THROW(UnitSpace({.parameters = {Parameter::real("x", 1, 0)}}), InternalError);
  EXPECT_THROW(UnitSpace({.parameters = {Parameter::log_real("x", 0, 1)}}), InternalError);
}

}  // namespace
}  // namespace jsdiv
