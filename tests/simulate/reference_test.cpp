#include "simulate/reference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "simulate/gaussian.hpp"
#include "simulate/mixtures.hpp"

namespace jsdiv::simulate_detail {
namespace {

GaussianMixture one_component(const Gaussian& gaussian) {
  return {{1.0}, {gaussian}};
}

TEST(Reference, BitsAtALogRatioByHand) {
  EXPECT_EQ(bits_at_log_ratio(0), 0);
  // Odds of 3 to 1: 1 − H(1/4) = 1 − (2 − 3/4 log2 3).
  EXPECT_NEAR(bits_at_log_ratio(std::log(3.0)), 0.75 * std::log2(3.0) - 1, 1e-15);
  EXPECT_EQ(bits_at_log_ratio(-2.5), bits_at_log_ratio(2.5));
  EXPECT_EQ(bits_at_log_ratio(std::numeric_limits<double>::infinity()), 1);
}

TEST(Reference, JsdOfMassesByHand) {
  EXPECT_EQ(jsd_of_masses(0.4, 0), 0.2);
  EXPECT_EQ(jsd_of_masses(0.3, 0.3), 0);
  const double by_definition = 0.5 * 0.6 * std::log2(2 * 0.6 / 0.8) + 0.5 * 0.2 * std::log2(2 * 0.2 / 0.8);
  EXPECT_NEAR(jsd_of_masses(0.6, 0.2), by_definition, 1e-15);
}

TEST(Reference, MomentsMergeToThoseOfTheWhole) {
  Moments whole, left, right;
  for (int i = 0; i < 10; ++i) {
    whole.add(i * i);
    (i < 3 ? left : right).add(i * i);
  }
  left.merge(right);
  EXPECT_DOUBLE_EQ(whole.mean, 28.5);
  EXPECT_DOUBLE_EQ(left.mean, 28.5);
  EXPECT_NEAR(whole.squares, 15333 - 10 * 28.5 * 28.5, 1e-9);
  EXPECT_NEAR(left.squares, whole.squares, 1e-9);
  EXPECT_NEAR(whole.variance_of_mean(), whole.squares / 90, 1e-12);
}

TEST(Reference, GaussLegendreIsExactForPolynomialsBelowTwiceItsOrder) {
  double integral = 0;
  for (const Node& node : composite_gauss_legendre({2, -1, 0.5}, 4))
    integral += node.weight * std::pow(node.x, 7);
  EXPECT_NEAR(integral, (256 - 1) / 8.0, 1e-12);
}

TEST(Reference, AffinityGivesTheJsdOfATableOfThreeCells) {
  const double p[] = {0.7, 0.2, 0.1}, q[] = {0.1, 0.3, 0.6};
  BlockAffinity affinity;
  double jsd = 0;
  for (int i = 0; i < 3; ++i) affinity.add(p[i], q[i]), jsd += jsd_of_masses(p[i], q[i]);
  EXPECT_NEAR(jsd_from_affinity(affinity), jsd, 1e-13);
}

TEST(Reference, AffinityMultipliesOverIndependentBlocks) {
  const double p[] = {0.9, 0.1}, q[] = {0.4, 0.6};
  BlockAffinity affinity;
  for (int i = 0; i < 2; ++i) affinity.add(p[i], q[i]);
  double jsd = 0;
  for (int i = 0; i < 8; ++i) {
    const int a = i & 1, b = (i >> 1) & 1, c = i >> 2;
    jsd += jsd_of_masses(p[a] * p[b] * p[c], q[a] * q[b] * q[c]);
  }
  EXPECT_NEAR(jsd_from_affinity([&](double t) { return std::pow(affinity(t), 3); }), jsd, 1e-13);
}

// What only one table has adds nothing to the affinity and its mass to the divergence.
TEST(Reference, AffinityOfPartlyDisjointTables) {
  BlockAffinity affinity;
  affinity.add(0.5, 0.25);
  affinity.add(0.5, 0);
  affinity.add(0, 0.75);
  EXPECT_NEAR(jsd_from_affinity(affinity), jsd_of_masses(0.5, 0.25) + 0.25 + 0.375, 1e-13);
}

TEST(GaussianJsd, IsZeroForEqualOnesAndOneForDistantOnes) {
  const Gaussian p(Eigen::Vector2d(1, 2), Eigen::Matrix2d{{2, 0.3}, {0.3, 1}});
  const Gaussian far(Eigen::Vector2d(60, 2), Eigen::Matrix2d{{2, 0.3}, {0.3, 1}});
  EXPECT_NEAR(gaussian_jsd(p, p), 0, 1e-13);
  EXPECT_NEAR(gaussian_jsd(p, far), 1, 1e-13);
}

TEST(GaussianJsd, IsSymmetricAndAgreesWithTheQuadratureOverThePlane) {
  for (const double rho : {0.1, 0.6, 0.9, 0.999}) {
    const Gaussian p(Eigen::Vector2d(0, 0), Eigen::Matrix2d::Identity());
    const Gaussian q(Eigen::Vector2d(0.4, -1), Eigen::Matrix2d{{1.3, rho}, {rho, 1}});
    EXPECT_NEAR(gaussian_jsd(p, q), gaussian_jsd(q, p), 1e-13) << rho;
    EXPECT_NEAR(gaussian_jsd(p, q), plane_mixture_jsd(one_component(p), one_component(q)), 1e-8) << rho;
  }
}

// One dimension by brute force: N(0, 1) against N(1.5, 2²).
TEST(GaussianJsd, AgreesWithABruteForceSum) {
  double jsd = 0;
  constexpr double step = 1e-3;
  for (double x = -20; x < 20; x += step) {
    const double p = std::exp(-x * x / 2), q = std::exp(-(x - 1.5) * (x - 1.5) / 8) / 2;
    jsd += jsd_of_masses(p * step, q * step) / std::sqrt(2 * std::numbers::pi);
  }
  using One = Eigen::Matrix<double, 1, 1>;
  EXPECT_NEAR(gaussian_jsd({One(0), One(1)}, {One(1.5), One(4)}), jsd, 1e-10);
}

TEST(GaussianJsd, AgreesWithMonteCarloInTenDimensions) {
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(10, 10);
  for (int j = 0; j < 9; ++j) covariance(j, j + 1) = covariance(j + 1, j) = 0.3;
  const Gaussian p(Eigen::VectorXd::Constant(10, 0.3), covariance);
  const Gaussian q(Eigen::VectorXd::Zero(10), Eigen::MatrixXd::Identity(10, 10) * 1.2);
  const Reference sampled = monte_carlo_reference(p, q, 10, 1e-3);
  EXPECT_LE(sampled.standard_error, 1e-3);
  EXPECT_GT(sampled.standard_error, 1e-5);
  EXPECT_NEAR(gaussian_jsd(p, q), sampled.jsd, 5 * sampled.standard_error);
}

}  // namespace
}  // namespace jsdiv::simulate_detail
