#include "simulate/mixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "simulate/reference.hpp"

namespace jsdiv::simulate_detail {
namespace {

GaussianMixture broad() {
  return {{0.7, 0.3},
          {{Eigen::Vector2d(1, 1), Eigen::Matrix2d{{1, 0.2}, {0.2, 1}}},
           {Eigen::Vector2d(-1, -1), Eigen::Matrix2d{{1, 0.2}, {0.2, 1}}}}};
}

// What a fit to two points along a diagonal gives: a ridge a thousandth as thick as it is long.
GaussianMixture with_thin_ridge() {
  return {{0.6, 0.4},
          {{Eigen::Vector2d(0.5, 0.8), Eigen::Matrix2d{{1.2, 0.3}, {0.3, 0.9}}},
           {Eigen::Vector2d(-1, 0), Eigen::Matrix2d{{0.5 + 1e-6, 0.7}, {0.7, 0.98 + 1e-6}}}}};
}

TEST(PlaneMixtureJsd, DoesNotChangeUnderRefinement) {
  for (const GaussianMixture& q : {broad(), with_thin_ridge()}) {
    const GaussianMixture p = {{1.0}, {{Eigen::Vector2d(0, 0), Eigen::Matrix2d::Identity()}}};
    const double jsd = plane_mixture_jsd(p, q);
    EXPECT_NEAR(jsd, plane_mixture_jsd(p, q, 3, 12), 1e-8);
    EXPECT_NEAR(jsd, plane_mixture_jsd(q, p), 1e-12);
  }
}

TEST(PlaneMixtureJsd, AgreesWithMonteCarlo) {
  const Reference sampled = monte_carlo_reference(broad(), with_thin_ridge(), 2, 5e-4);
  EXPECT_NEAR(plane_mixture_jsd(broad(), with_thin_ridge()), sampled.jsd, 5 * sampled.standard_error);
  EXPECT_NEAR(plane_mixture_jsd(broad(), broad()), 0, 1e-15);
}

TEST(GaussianMixture, DensityByHand) {
  const GaussianMixture mixture = {{0.25, 0.75},
                                   {{Eigen::Vector2d(0, 0), Eigen::Matrix2d::Identity()},
                                    {Eigen::Vector2d(2, 0), 4 * Eigen::Matrix2d::Identity()}}};
  RowBlock row(1, 2);
  row << 0, 0;
  double out = 0;
  mixture.log_density(row, {&out, 1});
  const double two_pi = 2 * 3.14159265358979323846;
  EXPECT_NEAR(out, std::log(0.25 / two_pi + 0.75 * std::exp(-0.5) / (4 * two_pi)), 1e-14);
}

TEST(FitGaussianMixture, AgreesWithScikitLearn) {
  std::ifstream file(JSDIV_GOLDEN_DIR "/simulate/gaussian_mixture.json");
  ASSERT_TRUE(file);
  const auto golden = nlohmann::json::parse(file);
  const auto values = golden["points"].get<std::vector<std::vector<double>>>();
  RowBlock points(static_cast<Eigen::Index>(values.size()), 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) << values[i][0], values[i][1];
  }
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const GaussianMixture fitted = fit_gaussian_mixture(points, 2, RandomStream(seed));
    const std::size_t first = fitted.weights()[0] > fitted.weights()[1] ? 0 : 1;
    for (std::size_t k = 0; k < 2; ++k) {
      const std::size_t ours = (first + k) % 2;
      EXPECT_NEAR(fitted.weights()[ours], golden["weights"][k].get<double>(), 1e-9);
      for (std::size_t a = 0; a < 2; ++a) {
        const auto row = static_cast<Eigen::Index>(a);
        EXPECT_NEAR(fitted.components()[ours].mean()[row], golden["means"][k][a].get<double>(), 1e-9);
        for (std::size_t b = 0; b < 2; ++b) {
          EXPECT_NEAR(fitted.components()[ours].covariance()(row, static_cast<Eigen::Index>(b)),
                      golden["covariances"][k][a][b].get<double>(), 1e-9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace jsdiv::simulate_detail
