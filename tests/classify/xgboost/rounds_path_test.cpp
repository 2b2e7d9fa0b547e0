#include "classify/xgboost/rounds_path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace jsdiv::gradient_boosting {
namespace {

constexpr double none = std::numeric_limits<double>::infinity();

/// Feeds loss(round) until the path stops; returns the round of the stop.
template <typename Curve>
int run(RoundsPath& path, const Curve& loss) {
  int round = rounds_step;
  while (path.add(loss(round))) round += rounds_step;
  return round;
}

TEST(RoundsPath, KeepsEveryLossOfACurveThatFalls) {
  RoundsPath path(none, 0.01);
  const auto loss = [](int round) { return 0.6 - 0.0005 * round; };
  EXPECT_EQ(run(path, loss), 600);
  const auto losses = path.losses();
  ASSERT_EQ(losses.size(), 51U);
  EXPECT_DOUBLE_EQ(losses.front(), loss(100));
  EXPECT_DOUBLE_EQ(losses[1], loss(110));
  EXPECT_DOUBLE_EQ(losses.back(), loss(600));
}

TEST(RoundsPath, StopsFourStepsAfterTheMinimumAndRepeatsTheLastLoss) {
  RoundsPath path(none, 0.01);
  const auto loss = [](int round) { return 0.5 + 1e-5 * std::pow(round - 200, 2); };
  EXPECT_EQ(run(path, loss), 230);  // 190 is the last to beat its predecessors by the tolerance of 0.001
  const auto losses = path.losses();
  ASSERT_EQ(losses.size(), 51U);
  EXPECT_DOUBLE_EQ(losses[10], loss(200));
  EXPECT_DOUBLE_EQ(losses[13], loss(230));
  EXPECT_DOUBLE_EQ(losses[14], loss(230));
  EXPECT_DOUBLE_EQ(losses.back(), loss(230));
}

TEST(RoundsPath, WithoutARivalReachesTheFirstValueOfThePath) {
  RoundsPath path(none, 0.01);
  EXPECT_EQ(run(path, [](int round) { return 0.5 + 0.001 * round; }), 100);
}

TEST(RoundsPath, GivesUpEarlyWhenTheLossRisesAboveTheRival) {
  RoundsPath path(0.4, 0.01);
  EXPECT_EQ(run(path, [](int round) { return 0.5 + 0.001 * round; }), 50);
  EXPECT_DOUBLE_EQ(path.losses().front(), 0.55);
}

TEST(RoundsPath, GivesUpWhatCannotReachTheRivalAndSaysHowFarItWouldHaveCome) {
  const auto loss = [](int round) { return 0.5 + 0.19 * std::exp(-round / 300.0); };
  RoundsPath path(0.3, 0.01);
  EXPECT_EQ(run(path, loss), 50);
  const auto losses = path.losses();
  ASSERT_EQ(losses.size(), 51U);
  EXPECT_NEAR(losses.front(), loss(100), 1e-9);
  EXPECT_NEAR(losses.back(), loss(600), 1e-9);
}

TEST(RoundsPath, FollowsAFallingCurveThatMayStillWin) {
  RoundsPath path(0.3, 0.01);
  EXPECT_EQ(run(path, [](int round) { return 0.25 + 0.44 * std::exp(-round / 200.0); }), 600);
}

}  // namespace
}  // namespace jsdiv::gradient_boosting
