#include "support/exact_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "tables.hpp"

namespace jsdiv {
namespace {

std::vector<RowIndex> all_rows(const Sample& sample) {
  std::vector<RowIndex> rows(sample.rows());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  return rows;
}

float feature(double share) {
  return static_cast<float>(std::log1p(1e4 * share));
}

const std::vector<std::size_t> first_column{0};

TEST(ExactValueFeatures, OtherRowsGetTheSharesOfAllTrainingRows) {
  // Training: the first four rows of P and of Q; the fifth of each is scored.
  const Sample sample = pair_of({1, 1, 2, missing, 1}, {2, 2, 3, missing, 3});
  const std::vector<RowIndex> training{0, 1, 2, 3, 5, 6, 7, 8};
  const Matrix features =
      exact_value_features(sample, sample.labels(), first_column, training, RandomStream(1));
  ASSERT_EQ(features.rows(), 10U);
  ASSERT_EQ(features.cols(), 2U);
  EXPECT_FLOAT_EQ(features.at(4, 0), feature(0.5));
  EXPECT_FLOAT_EQ(features.at(4, 1), 0);
  EXPECT_FLOAT_EQ(features.at(9, 0), 0);
  EXPECT_FLOAT_EQ(features.at(9, 1), feature(0.25));
}

TEST(ExactValueFeatures, TrainingRowsDoNotCountThemselves) {
  // Four rows a class make four folds of one row each.
  const Sample sample = pair_of({1, 2, 3, 4}, {5, 6, 7, 7});
  const Matrix features =
      exact_value_features(sample, sample.labels(), first_column, all_rows(sample), RandomStream(2));
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(features.at(row, 0), 0);
    EXPECT_EQ(features.at(row, 1), 0);
  }
  for (std::size_t row = 6; row < 8; ++row) EXPECT_FLOAT_EQ(features.at(row, 1), feature(1.0 / 3));
}

TEST(ExactValueFeatures, WeightsCount) {
  Sample sample = pair_of({1, 1, 2}, {1, 3, 1});
  sample.weights = {1, 2, 5, 1, 3, 9};
  const std::vector<RowIndex> training{0, 1, 3, 4};
  const Matrix features =
      exact_value_features(sample, sample.labels(), first_column, training, RandomStream(3));
  EXPECT_FLOAT_EQ(features.at(5, 0), feature(1));
  EXPECT_FLOAT_EQ(features.at(5, 1), feature(0.25));
}

TEST(ExactValueFeatures, MissingIsAValue) {
  const Sample sample = pair_of({missing, missing, 1, missing}, {1, 2, 3, missing});
  const std::vector<RowIndex> training{0, 1, 2, 4, 5, 6};
  const Matrix features =
      exact_value_features(sample, sample.labels(), first_column, training, RandomStream(4));
  EXPECT_FLOAT_EQ(features.at(3, 0), feature(2.0 / 3));
  EXPECT_FLOAT_EQ(features.at(7, 1), 0);
}

TEST(ExactValueFeatures, RowsOfAGroupDoNotInformEachOther) {
  // Every group has a value of its own, so that no other fold can hold it.
  std::vector<double> p, q;
  Sample sample;
  for (int i = 0; i < 60; ++i) {
    p.push_back(i / 5);
    q.push_back(100 + i / 5);
  }
  sample = pair_of(p, q);
  for (const double value : sample.columns[0].values)
    sample.groups.push_back(static_cast<std::uint32_t>(value));
  const Matrix features =
      exact_value_features(sample, sample.labels(), first_column, all_rows(sample), RandomStream(5));
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    EXPECT_EQ(features.at(row, 0), 0);
    EXPECT_EQ(features.at(row, 1), 0);
  }
}

TEST(ExactValueFeatures, OneTrainingRowOfAClassIsTooFew) {
  const Sample sample = pair_of({1, 2}, {3, 4});
  const std::vector<RowIndex> training{0, 2, 3};
  EXPECT_THROW(exact_value_features(sample, sample.labels(), first_column, training, RandomStream(6)),
               InvalidInput);
}

TEST(ExactValueFeatures, DoNotDependOnThreads) {
  const auto integers = [](RandomStream& r) { return static_cast<double>(r.below(300)); };
  Sample sample = sample_of(500, 500, {});
  for (std::size_t j = 0; j < 6; ++j) {
    sample.columns.push_back(
        joined(std::to_string(j), drawn(500, 2 * j, integers), drawn(500, 2 * j + 1, integers)));
  }
  const std::vector<std::size_t> columns{0, 2, 3, 5};
  std::array<Matrix, 2> features;
  for (const std::size_t i : {0, 1}) {
    with_threads(1 + 3 * i, [&] {
      features[i] = exact_value_features(sample, sample.labels(), columns, all_rows(sample), RandomStream(7));
    });
  }
  for (std::size_t j = 0; j < 8; ++j) {
    EXPECT_TRUE(std::ranges::equal(features[0].column(j), features[1].column(j)));
  }
}

/// Mean over P's rows less mean over Q's of (P's feature - Q's feature), and its standard error.
std::array<double, 2> difference_between_tables(const Matrix& features, std::size_t rows_p) {
  std::array<double, 2> sum{}, squares{}, n{};
  for (std::size_t row = 0; row < features.rows(); ++row) {
    const std::size_t side = row < rows_p ? 0 : 1;
    const double difference = features.at(row, 0) - features.at(row, 1);
    ++n[side];
    sum[side] += difference;
    squares[side] += difference * difference;
  }
  double variance = 0;
  for (const std::size_t side : {0, 1}) {
    const double mean = sum[side] / n[side];
    variance += (squares[side] / n[side] - mean * mean) / n[side];
  }
  return {sum[0] / n[0] - sum[1] / n[1], std::sqrt(variance)};
}

/// What the features would be if every row counted itself.
Matrix naive_features(const Sample& sample) {
  Matrix features(sample.rows(), 2);
  const std::vector<double>& values = sample.columns[0].values;
  for (std::size_t row = 0; row < values.size(); ++row) {
    std::array<double, 2> same{};
    for (std::size_t that = 0; that < values.size(); ++that) {
      same[that < sample.rows_p() ? 0 : 1] += values[that] == values[row];
    }
    features.at(row, 0) = feature(same[0] / static_cast<double>(sample.rows_p()));
    features.at(row, 1) = feature(same[1] / static_cast<double>(sample.rows_q()));
  }
  return features;
}

TEST(ExactValueFeatures, DoNotGiveTheLabelAwayWhereTheTablesAreAlike) {
  const auto integers = [](RandomStream& r) { return static_cast<double>(r.below(800)); };
  double sum = 0, variance = 0, naive_sum = 0, naive_variance = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Sample sample =
        pair_of(drawn(1000, 2 * seed + 100, integers), drawn(1000, 2 * seed + 101, integers));
    const Matrix features =
        exact_value_features(sample, sample.labels(), first_column, all_rows(sample), RandomStream(seed));
    const auto [difference, error] = difference_between_tables(features, 1000);
    sum += difference;
    variance += error * error;
    const auto [naive_difference, naive_error] = difference_between_tables(naive_features(sample), 1000);
    naive_sum += naive_difference;
    naive_variance += naive_error * naive_error;
  }
  // Rows that share a value share its feature, which widens the error that independent rows would have.
  EXPECT_LT(std::abs(sum), 6 * std::sqrt(variance));
  EXPECT_GT(naive_sum, 30 * std::sqrt(naive_variance));
}

TEST(ExactValueColumns, AreThoseWhereRecurringValuesDiffer) {
  const auto below = [](std::uint64_t bound) {
    return [bound](RandomStream& r) { return static_cast<double>(r.below(bound)); };
  };
  const auto pair = [&](const std::string& name, const std::vector<double>& p, const std::vector<double>& q) {
    return joined(name, p, q);
  };
  const std::size_t n = 2000;
  const Sample sample = sample_of(
      n, n,
      {pair("continuous", normal_values(n, 1), drawn(n, 2, [](RandomStream& r) { return 1 + r.normal(); })),
       pair("same integers", drawn(n, 3, below(40)), drawn(n, 4, below(40))),
       pair("other frequencies", drawn(n, 5, below(40)),
            drawn(n, 6, [](RandomStream& r) { return std::floor(40 * r.uniform() * r.uniform()); })),
       pair("grid", drawn(n, 7, [](RandomStream& r) { return rounded(r.normal(), 0.05); }),
            normal_values(n, 8)),
       pair("binary", drawn(n, 9, [](RandomStream& r) { return r.uniform() < 0.2; }),
            drawn(n, 10, below(2)))});
  EXPECT_EQ(exact_value_columns(sample, find_support_mismatches(sample)), (std::vector<std::size_t>{2, 3}));
}

}  // namespace
}  // namespace jsdiv
