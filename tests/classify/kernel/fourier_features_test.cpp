#include "classify/kernel/fourier_features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace jsdiv::kernel {
namespace {

/// Columns of different location and scale, all rows of weight 1.
struct Table {
  Table(std::size_t count, std::size_t columns) : features(count, columns), rows(count), weights(count, 1.0) {
    std::iota(rows.begin(), rows.end(), RowIndex{0});
    RandomStream random(3);
    for (std::size_t j = 0; j < columns; ++j) {
      for (float& value : features.column(j)) {
        value = static_cast<float>((random.normal() + 2) * std::pow(10.0, static_cast<double>(j) - 1));
      }
    }
  }

  FourierFeatures map(std::size_t components, double bandwidth, std::uint64_t seed = 1) const {
    return {features.view(), rows, weights, components, bandwidth, RandomStream(seed)};
  }

  Matrix features;
  std::vector<RowIndex> rows;
  std::vector<double> weights;
};

TEST(FourierFeatures, CosineOfTurns) {
  std::vector<float> turns, values(4001);
  for (int i = -2000; i <= 2000; ++i) turns.push_back(static_cast<float>(i) / 64);
  for (const float phase : {0.0F, 0.25F}) {
    scaled_cosine(turns.data(), turns.size(), phase, 2, values.data());
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const double angle = 2 * std::numbers::pi * (static_cast<double>(turns[i]) - phase);
      EXPECT_NEAR(values[i], 2 * std::cos(angle), 1e-6) << turns[i];
    }
  }
}

// A product of features is the mean over frequencies w of cos(w·(x - y)), whose standard deviation is
// (1 - k²)/√2 (Sutherland & Schneider, 2015).
TEST(FourierFeatures, ProductsApproachTheGaussianKernel) {
  constexpr std::size_t components = 4000, columns = 3;
  const Table table(40, columns);
  for (const double bandwidth : {0.4, 1.0, 2.5}) {
    const Matrix z = table.map(components, bandwidth)(table.features.view(), table.rows);
    ASSERT_EQ(z.cols(), components + columns);
    for (std::size_t a = 0; a < table.rows.size(); ++a) {
      for (std::size_t b = 0; b <= a; ++b) {
        double product = 0, squared_distance = 0;
        for (std::size_t k = 0; k < components; ++k) product += static_cast<double>(z.at(a, k)) * z.at(b, k);
        for (std::size_t j = components; j < z.cols(); ++j) {
          squared_distance += std::pow(static_cast<double>(z.at(a, j)) - z.at(b, j), 2) * columns;
        }
        const double kernel = std::exp(-squared_distance / (2 * bandwidth * bandwidth * columns));
        const double deviation = (1 - kernel * kernel) / std::sqrt(components);
        EXPECT_NEAR(product, kernel, 5 * deviation + 1e-5) << a << ' ' << b;
      }
    }
  }
}

TEST(FourierFeatures, TheColumnsThemselvesFollowStandardised) {
  const Table table(500, 2);
  const Matrix z = table.map(10, 1)(table.features.view(), table.rows);
  for (std::size_t j = 10; j < 12; ++j) {
    double sum = 0, squares = 0;
    for (const float value : z.column(j)) sum += value, squares += value * value;
    EXPECT_NEAR(sum / 500, 0, 1e-6);
    EXPECT_NEAR(squares / 500, 0.5, 1e-5);  // 1/d
  }
}

TEST(FourierFeatures, AWeightIsARowRepeated) {
  Table once(30, 2), twice(30, 2);
  once.weights[4] = 2;
  twice.rows.push_back(4);
  twice.weights.push_back(1);
  const Matrix a = once.map(20, 1)(once.features.view(), once.rows);
  const Matrix b = twice.map(20, 1)(twice.features.view(), once.rows);
  for (std::size_t k = 0; k < a.cols(); ++k) {
    for (std::size_t i = 0; i < a.rows(); ++i) EXPECT_NEAR(a.at(i, k), b.at(i, k), 1e-6);
  }
}

TEST(FourierFeatures, LeavesConstantColumnsOut) {
  Table table(20, 3);
  std::ranges::fill(table.features.column(2), 7.0F);
  EXPECT_EQ(table.map(8, 1)(table.features.view(), table.rows).cols(), 8U + 2U);
  std::ranges::fill(table.features.column(0), 0.0F);
  std::ranges::fill(table.features.column(1), -1e30F);
  EXPECT_EQ(table.map(8, 1)(table.features.view(), table.rows).cols(), 0U);
}

}  // namespace
}  // namespace jsdiv::kernel
