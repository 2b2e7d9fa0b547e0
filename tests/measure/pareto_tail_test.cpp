#include "measure/pareto_tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

std::vector<double> pareto(double shape, double scale, std::size_t count, std::uint64_t seed) {
  RandomStream random(seed);
  std::vector<double> values(count);
  for (double& value : values) {
    const double u = 1 - random.uniform();
    value = scale * (shape == 0 ? -std::log(u) : std::expm1(-shape * std::log(u)) / shape);
  }
  std::ranges::sort(values);
  return values;
}

TEST(ParetoTail, FindsTheShapeAndScaleOfItsOwnDraws) {
  // Fisher information: a standard error of (1 + shape) / sqrt(n) for the shape, about 0.02 to 0.03 here.
  for (const double shape : {-0.3, 0.0, 0.5, 0.9}) {
    const GeneralisedPareto fit = fit_generalised_pareto(pareto(shape, 3, 4000, 7));
    EXPECT_NEAR(fit.shape, shape, 0.1) << shape;
    EXPECT_NEAR(fit.scale / 3, 1, 0.12) << shape;
  }
  // Values in another unit have the same shape.
  std::vector<double> values = pareto(0.4, 1, 300, 2);
  const double shape = fit_generalised_pareto(values).shape;
  for (double& value : values) value *= 1e6;
  EXPECT_NEAR(fit_generalised_pareto(values).shape, shape, 1e-9);
}

TEST(ParetoTail, EqualsTheFormulasOfZhangAndStephens) {
  // Technometrics 51 (2009), 316-325, with 32 points, evaluated apart from this code.
  const GeneralisedPareto fit =
      fit_generalised_pareto(std::vector<double>{0.1, 0.2, 0.4, 0.7, 1.1, 1.6, 2.5, 4.5});
  EXPECT_NEAR(fit.shape, 0.43070290228462, 1e-12);
  EXPECT_NEAR(fit.scale, 0.930187342220726, 1e-12);
}

TEST(ParetoTail, ShapeIsThatOfTheLargestValuesDrawnTowardsOneHalf) {
  // Of 100 values the 20 largest, above the 80th; 10 more as if of shape 1/2.
  std::vector<double> values = pareto(0.7, 1, 100, 3);
  std::vector<double> exceedances(values.end() - 20, values.end());
  for (double& value : exceedances) value -= values[79];
  const double expected = (20 * fit_generalised_pareto(exceedances).shape + 5) / 30;
  std::ranges::reverse(values);
  EXPECT_NEAR(tail_shape(values), expected, 1e-12);
}

TEST(ParetoTail, KnowsWhenThereIsNothingToSee) {
  EXPECT_EQ(tail_shape(std::vector<double>(20, 1)), std::numeric_limits<double>::infinity());  // 4 of 20
  EXPECT_EQ(tail_shape(std::vector<double>(1000, 1)), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(tail_shape({}), std::numeric_limits<double>::infinity());
}

TEST(ParetoTail, TrustsLessOfFewerValues) {
  EXPECT_NEAR(largest_trusted_shape(100), 0.5, 1e-12);
  EXPECT_NEAR(largest_trusted_shape(1000), 2 / 3.0, 1e-12);
  EXPECT_NEAR(largest_trusted_shape(1'000'000), 0.7, 1e-12);
}

}  // namespace
}  // namespace jsdiv
