#include "core/vector_exp.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace jsdiv {
namespace {

TEST(VectorExp, AgreesWithTheStandardLibrary) {
  double bias = 0;
  int count = 0;
  for (double x = -700; x <= 0; x += 0.0137) {
    EXPECT_NEAR(exp_of_negative(x) / std::exp(x), 1, 1e-15) << x;
  }
  for (float x = -87; x <= 0; x += 0.00137F) {
    const double ratio = exp_of_negative(x) / std::exp(static_cast<double>(x));
    EXPECT_NEAR(ratio, 1, 1.5e-7) << x;
    bias += ratio - 1;
    ++count;
  }
  EXPECT_NEAR(bias / count, 0, 5e-9);  // sums of many are exact to more than a float's digits
  EXPECT_EQ(exp_of_negative(0.0), 1);
  EXPECT_EQ(exp_of_negative(0.0F), 1);
}

}  // namespace
}  // namespace jsdiv
