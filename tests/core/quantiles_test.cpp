#include "core/quantiles.hpp"

#include <gtest/gtest.h>

namespace jsdiv {
namespace {

// Values of scipy.stats.norm.ppf and scipy.stats.t.ppf.
TEST(Quantiles, MatchScipy) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-12);
  EXPECT_NEAR(normal_quantile(0.05), -1.6448536269514722, 1e-12);
  EXPECT_NEAR(normal_quantile(0.5), 0, 1e-12);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.7764451051977987, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706204736174698, 1e-9);
  EXPECT_NEAR(student_t_quantile(0.9, 30), 1.3104150253913945, 1e-11);
  EXPECT_NEAR(student_t_quantile(0.01, 2.5), -5.353111173030874, 1e-10);
}

}  // namespace
}  // namespace jsdiv
