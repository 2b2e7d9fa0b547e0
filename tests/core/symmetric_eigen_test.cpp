#include "core/symmetric_eigen.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace jsdiv {
namespace {

TEST(SymmetricEigen, OfTwoByTwoByHand) {
  // 2 ± 1 along (1, 1) and (1, -1); the upper triangle is not read.
  const Eigen::MatrixXd lower{{2, 99}, {1, 2}};
  const SymmetricEigen axes = symmetric_eigen(lower);
  EXPECT_NEAR(axes.values[0], 1, 1e-15);
  EXPECT_NEAR(axes.values[1], 3, 1e-15);
  EXPECT_NEAR(axes.vectors(0, 0), -axes.vectors(1, 0), 1e-15);
  EXPECT_NEAR(axes.vectors(0, 1), axes.vectors(1, 1), 1e-15);
  EXPECT_NEAR(std::abs(axes.vectors(0, 1)), std::sqrt(0.5), 1e-15);
}

}  // namespace
}  // namespace jsdiv
