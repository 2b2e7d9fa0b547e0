#include "measure/kernel_distances.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/parallel.hpp"

namespace jsdiv {
namespace {

struct Pair {
  Matrix features;
  std::vector<RowIndex> p, q;
};

/// Standard normal rows; those of Q are shifted in every column.
Pair gaussians(std::size_t rows_p, std::size_t rows_q, std::size_t columns, double shift,
               std::uint64_t seed) {
  RandomStream random(seed);
  Pair pair;
  pair.features = Matrix(rows_p + rows_q, columns);
  for (std::size_t row = 0; row < rows_p + rows_q; ++row) {
    (row < rows_p ? pair.p : pair.q).push_back(static_cast<RowIndex>(row));
    for (std::size_t col = 0; col < columns; ++col) {
      pair.features.at(row, col) = static_cast<float>(random.normal() + (row < rows_p ? 0 : shift));
    }
  }
  return pair;
}

double distance(const Matrix& features, std::size_t a, std::size_t b) {
  double sum = 0;
  for (std::size_t col = 0; col < features.cols(); ++col) {
    sum += std::pow(static_cast<double>(features.at(a, col)) - features.at(b, col), 2);
  }
  return std::sqrt(sum);
}

/// Mean over pairs of two row sets, a row and itself left out.
template <typename Function>
double mean_over_pairs(const std::vector<RowIndex>& first, const std::vector<RowIndex>& second,
                       const Function& function) {
  double sum = 0;
  double count = 0;
  for (const RowIndex a : first) {
    for (const RowIndex b : second) {
      if (a == b) continue;
      sum += function(a, b);
      ++count;
    }
  }
  return sum / count;
}

/// The error of mean(P, P) + mean(Q, Q) - 2 mean(P, Q): a row of P moves it by 2 / |P| times how much its own
/// mean over P exceeds that over Q, compared with the other rows of P.
template <typename Function>
double error_over_pairs(const Pair& pair, const Function& function) {
  double variance = 0;
  for (const auto& [own, other] : {std::pair(pair.p, pair.q), std::pair(pair.q, pair.p)}) {
    std::vector<double> moves;
    for (const RowIndex row : own)
      moves.push_back(mean_over_pairs({row}, own, function) - mean_over_pairs({row}, other, function));
    const auto count = static_cast<double>(moves.size());
    const double mean = std::accumulate(moves.begin(), moves.end(), 0.0) / count;
    double squares = 0;
    for (const double move : moves) squares += std::pow(move - mean, 2);
    variance += 4 * squares / (count * (count - 1));
  }
  return std::sqrt(variance);
}

TEST(KernelDistances, EqualTheNaiveDoubleLoop) {
  const Pair pair = gaussians(50, 37, 4, 0.5, 1);
  std::vector<double> distances;
  for (std::size_t a = 0; a < 87; ++a) {
    for (std::size_t b = 0; b < a; ++b) distances.push_back(distance(pair.features, a, b));
  }
  std::ranges::sort(distances);
  const double median = distances[distances.size() / 2];
  const auto plain = [&](RowIndex a, RowIndex b) { return distance(pair.features, a, b); };
  const auto kernel = [&](RowIndex a, RowIndex b) {
    return std::exp(-0.5 * std::pow(plain(a, b) / median, 2));
  };
  const KernelDistances found = kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(1));
  EXPECT_NEAR(found.mmd2->value,
              mean_over_pairs(pair.p, pair.p, kernel) + mean_over_pairs(pair.q, pair.q, kernel) -
                  2 * mean_over_pairs(pair.p, pair.q, kernel),
              1e-6);
  EXPECT_NEAR(found.energy->value,
              2 * mean_over_pairs(pair.p, pair.q, plain) - mean_over_pairs(pair.p, pair.p, plain) -
                  mean_over_pairs(pair.q, pair.q, plain),
              1e-9);
  EXPECT_NEAR(found.mmd2->standard_error, error_over_pairs(pair, kernel), 1e-6);
  EXPECT_NEAR(found.energy->standard_error, error_over_pairs(pair, plain), 1e-9);
  EXPECT_EQ(found.rows_p, 50U);
  EXPECT_EQ(found.rows_q, 37U);
}

TEST(KernelDistances, AreTheSameInTilesAndForEveryThreadCount) {
  const Pair pair = gaussians(1100, 700, 3, 0.1, 2);
  std::vector<KernelDistances> found;
  for (const std::size_t threads : {1, 4}) {
    with_threads(threads, [&] {
      found.push_back(kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(1)));
    });
  }
  EXPECT_EQ(found[0].mmd2->value, found[1].mmd2->value);
  EXPECT_EQ(found[0].mmd2_p_value, found[1].mmd2_p_value);
  EXPECT_EQ(found[0].energy->value, found[1].energy->value);
  EXPECT_EQ(found[0].sliced_wasserstein->value, found[1].sliced_wasserstein->value);
  const auto plain = [&](RowIndex a, RowIndex b) { return distance(pair.features, a, b); };
  EXPECT_NEAR(found[0].energy->value,
              2 * mean_over_pairs(pair.p, pair.q, plain) - mean_over_pairs(pair.p, pair.p, plain) -
                  mean_over_pairs(pair.q, pair.q, plain),
              1e-9);
}

TEST(KernelDistances, OfOneColumnIsTheMeanGapOfSortedRows) {
  const Pair pair = gaussians(60, 60, 1, 0.7, 3);
  std::vector<float> p(pair.features.column(0).begin(), pair.features.column(0).begin() + 60);
  std::vector<float> q(pair.features.column(0).begin() + 60, pair.features.column(0).end());
  std::ranges::sort(p);
  std::ranges::sort(q);
  double expected = 0;
  for (std::size_t i = 0; i < 60; ++i) expected += std::abs(static_cast<double>(p[i]) - q[i]) / 60;
  const KernelDistances found = kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(1));
  EXPECT_NEAR(found.sliced_wasserstein->value, expected, 1e-9);
}

TEST(KernelDistances, OfUnequalSizesIntegrateTheDifferenceOfTheDistributions) {
  // P: 0, 1; Q: 0, 1, 3. F - G: 1/6 on [0, 1), 1/3 on [1, 3).
  Matrix features(5, 1);
  const std::array<float, 5> values = {0, 1, 0, 1, 3};
  std::ranges::copy(values, features.column(0).begin());
  const std::vector<RowIndex> p = {0, 1};
  const std::vector<RowIndex> q = {2, 3, 4};
  const KernelDistances found = kernel_distances(features.view(), p, q, RandomStream(1));
  EXPECT_NEAR(found.sliced_wasserstein->value, 1 / 6.0 + 2 / 3.0, 1e-12);
  // Potential: up by 1 over [0, 1), by 2 over [1, 3): P 0, 1; Q 0, 1, 3. Variances of the means: 1/4 and 7/9.
  EXPECT_NEAR(found.sliced_wasserstein->standard_error, std::sqrt(1 / 4.0 + 7 / 9.0), 1e-12);
}

TEST(KernelDistances, RejectEqualTablesAboutAsOftenAsTheySay) {
  int rejected = 0;
  double mmd = 0, energy = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    const Pair pair = gaussians(40, 60, 2, 0, 100 + run);
    const KernelDistances found =
        kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(run), {5000, 199, 1});
    rejected += *found.mmd2_p_value <= 0.05 ? 1 : 0;
    mmd += found.mmd2->value / 300;
    energy += found.energy->value / 300;
  }
  EXPECT_LE(rejected, 27);  // 5 % of 300 and three standard errors
  EXPECT_GE(rejected, 4);
  EXPECT_NEAR(mmd, 0, 0.002);
  EXPECT_NEAR(energy, 0, 0.01);
}

TEST(KernelDistances, ReportHowFarTheirValuesSpread) {
  constexpr int replications = 200;
  std::array<double, 3> sum{}, squares{}, error{};
  for (int replication = 0; replication < replications; ++replication) {
    const Pair pair = gaussians(60, 90, 2, 0.8, 500 + static_cast<std::uint64_t>(replication));
    const KernelDistances found =
        kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(1), {5000, 0, 20});
    const std::array<Measured, 3> measured = {*found.mmd2, *found.energy, *found.sliced_wasserstein};
    EXPECT_FALSE(found.mmd2_p_value);
    for (std::size_t k = 0; k < 3; ++k) {
      sum[k] += measured[k].value;
      squares[k] += measured[k].value * measured[k].value;
      error[k] += measured[k].standard_error / replications;
    }
  }
  for (std::size_t k = 0; k < 3; ++k) {
    const double spread = std::sqrt((squares[k] - sum[k] * sum[k] / replications) / (replications - 1));
    EXPECT_NEAR(error[k] / spread, 1, 0.2) << k;  // the spread of 200 values is known to 5 %
  }
}

TEST(KernelDistances, FindADifferenceAndSampleLargeTables) {
  const Pair pair = gaussians(900, 400, 5, 0.3, 4);
  const KernelDistances found =
      kernel_distances(pair.features.view(), pair.p, pair.q, RandomStream(1), {300, 99, 10});
  EXPECT_EQ(found.rows_p, 300U);
  EXPECT_EQ(found.rows_q, 300U);
  EXPECT_EQ(*found.mmd2_p_value, 0.01);
  EXPECT_GT(found.energy->value, 2.5 * found.energy->standard_error);
}

TEST(KernelDistances, OfIdenticalRowsAreZeroAndOfTooFewMissing) {
  const Matrix constant(6, 2);
  const std::vector<RowIndex> p = {0, 1, 2};
  const std::vector<RowIndex> q = {3, 4, 5};
  const KernelDistances found = kernel_distances(constant.view(), p, q, RandomStream(1));
  EXPECT_NEAR(found.mmd2->value, 0, 1e-12);
  EXPECT_EQ(found.energy->value, 0);
  EXPECT_EQ(found.sliced_wasserstein->value, 0);
  EXPECT_EQ(*found.mmd2_p_value, 1);
  const std::vector<RowIndex> one = {3};
  const KernelDistances too_few = kernel_distances(constant.view(), p, one, RandomStream(1));
  EXPECT_FALSE(too_few.mmd2 || too_few.energy || too_few.sliced_wasserstein || too_few.mmd2_p_value);
}

}  // namespace
}  // namespace jsdiv
