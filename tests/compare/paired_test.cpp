#include "compare/paired.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace jsdiv {
namespace {

TEST(Paired, CovarianceByHand) {
  const std::vector<CandidateError> candidates = {
      {.reference_influence = {1, -1}, .own_variance = 3, .unlearnt = 2},
      {.reference_influence = {2, -2}, .own_variance = 5, .unlearnt = 1}};
  const Eigen::MatrixXd covariance = estimate_covariance(candidates, {});
  // Two rows: the correction is 2 / (2 - 1).
  EXPECT_DOUBLE_EQ(covariance(0, 0), 2 * 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(covariance(1, 1), 2 * 8 + 5 + 1);
  EXPECT_DOUBLE_EQ(covariance(0, 1), 2 * 4 + 2);
  EXPECT_DOUBLE_EQ(contrast_standard_error(covariance, {0, 1}), std::sqrt(11.0 + 22 - 2 * 10));
}

TEST(Paired, RowsOfAClusterAreAddedBeforeTheyAreSquared) {
  const std::vector<CandidateError> candidates = {{.reference_influence = {1, 1, -2}}};
  const std::vector<std::uint32_t> clusters = {0, 0, 1};
  EXPECT_DOUBLE_EQ(estimate_covariance(candidates, clusters)(0, 0), 2 * (4 + 4));
}

TEST(Paired, ThreeIndependentEstimatesGiveTheStudentisedRange) {
  const Eigen::MatrixXd covariance = Eigen::MatrixXd::Identity(3, 3);
  const std::vector<Contrast> all = {{0, 1}, {0, 2}, {1, 2}};
  // 3.3145 / sqrt 2 with infinitely many degrees of freedom; 20,000 draws err by about 0.015.
  EXPECT_NEAR(simultaneous_quantile(covariance, all, 0.95, RandomStream(4)), 2.3437, 0.05);
  EXPECT_NEAR(simultaneous_quantile(covariance, {all.data(), 1}, 0.95, RandomStream(4)), 1.959964, 1e-5);
}

TEST(Paired, RejectionsAllowForTheNumberOfTests) {
  // Thresholds 0.0125, 0.025, 0.0375, 0.05: the second does not pass its own, but the third does.
  EXPECT_EQ(rejected(std::vector<double>{0.03, 0.001, 0.6, 0.028}, 0.05),
            (std::vector<bool>{true, true, false, true}));
  EXPECT_EQ(rejected(std::vector<double>{0.04, 0.3}, 0.05), (std::vector<bool>{false, false}));
  EXPECT_EQ(rejected(std::vector<double>{std::nan(""), 0.04}, 0.05), (std::vector<bool>{false, true}));
  EXPECT_TRUE(rejected({}, 0.05).empty());
}

}  // namespace
}  // namespace jsdiv
