#include "encode/features.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "../support/tables.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

std::vector<RowIndex> all_rows(const Sample& sample) {
  std::vector<RowIndex> rows(sample.rows());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  return rows;
}

float share_feature(double share) {
  return static_cast<float>(std::log1p(1e4 * share));
}

/// The evidence of the sample's one column.
ValueEvidence evidence_of(const Sample& sample, Rows training, const InnerFolds& folds) {
  return {sample, value_codes(sample.columns[0]), sample.labels(), training, folds};
}

InnerFolds folds_of(const Sample& sample, Rows training, std::uint64_t seed) {
  return inner_folds(sample, sample.labels(), training, RandomStream(seed));
}

std::array<float, 2> shares_of(const Sample& sample, const ValueEvidence& evidence, const InnerFolds& folds,
                               std::size_t row) {
  const std::uint8_t fold = folds.fold_of_row[row];
  return ValueEvidence::shares(evidence.held(sample.columns[0].values[row], fold), evidence.total(fold));
}

TEST(ValueEvidence, OtherRowsGetTheSharesOfAllTrainingRows) {
  // Training: the first four rows of P and of Q; the fifth of each is scored.
  const Sample sample = pair_of({1, 1, 2, missing, 1}, {2, 2, 3, missing, 3});
  const std::vector<RowIndex> training{0, 1, 2, 3, 5, 6, 7, 8};
  const InnerFolds folds = folds_of(sample, training, 1);
  const ValueEvidence evidence = evidence_of(sample, training, folds);
  EXPECT_EQ(folds.fold_of_row[4], InnerFolds::not_training);
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 4)[0], share_feature(0.5));
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 4)[1], 0);
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 9)[0], 0);
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 9)[1], share_feature(0.25));
}

TEST(ValueEvidence, TrainingRowsDoNotCountThemselves) {
  // Four rows a class make four folds of one row each.
  const Sample sample = pair_of({1, 2, 3, 4}, {5, 6, 7, 7});
  const InnerFolds folds = folds_of(sample, all_rows(sample), 2);
  const ValueEvidence evidence = evidence_of(sample, all_rows(sample), folds);
  for (std::size_t row = 0; row < 6; ++row) {
    EXPECT_EQ(shares_of(sample, evidence, folds, row), (std::array<float, 2>{0, 0}));
  }
  for (std::size_t row = 6; row < 8; ++row) {
    EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, row)[1], share_feature(1.0 / 3));
  }
}

TEST(ValueEvidence, WeightsCount) {
  Sample sample = pair_of({1, 1, 2}, {1, 3, 1});
  sample.weights = {1, 2, 5, 1, 3, 9};
  const std::vector<RowIndex> training{0, 1, 3, 4};
  const InnerFolds folds = folds_of(sample, training, 3);
  const ValueEvidence evidence = evidence_of(sample, training, folds);
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 5)[0], share_feature(1));
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 5)[1], share_feature(0.25));
}

TEST(ValueEvidence, MissingIsAValue) {
  const Sample sample = pair_of({missing, missing, 1, missing}, {1, 2, 3, missing});
  const std::vector<RowIndex> training{0, 1, 2, 4, 5, 6};
  const InnerFolds folds = folds_of(sample, training, 4);
  const ValueEvidence evidence = evidence_of(sample, training, folds);
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 3)[0], share_feature(2.0 / 3));
  EXPECT_FLOAT_EQ(shares_of(sample, evidence, folds, 7)[1], 0);
}

TEST(ValueEvidence, RowsOfAGroupDoNotInformEachOther) {
  // Every group has a value of its own, so that no other fold can hold it.
  std::vector<double> p, q;
  for (int i = 0; i < 60; ++i) {
    p.push_back(i / 5);
    q.push_back(100 + i / 5);
  }
  Sample sample = pair_of(p, q);
  for (const double value : sample.columns[0].values)
    sample.groups.push_back(static_cast<std::uint32_t>(value));
  const InnerFolds folds = folds_of(sample, all_rows(sample), 5);
  const ValueEvidence evidence = evidence_of(sample, all_rows(sample), folds);
  for (std::size_t row = 0; row < sample.rows(); ++row) {
    EXPECT_EQ(shares_of(sample, evidence, folds, row), (std::array<float, 2>{0, 0}));
  }
}

TEST(ValueEvidence, OneTrainingRowOfAClassIsTooFew) {
  const Sample sample = pair_of({1, 2}, {3, 4});
  EXPECT_THROW(folds_of(sample, std::vector<RowIndex>{0, 2, 3}, 6), InvalidInput);
}

TEST(ValueEvidence, LogRatioIsZeroForAValueNotSeenAndSignedOtherwise) {
  // Every value belongs to one table alone, so that the counts ask for little shrinkage.
  std::vector<double> p, q;
  for (int i = 0; i < 200; ++i) {
    p.push_back(i % 10);
    q.push_back(100 + i % 10);
  }
  const Sample sample = pair_of(p, q);
  const InnerFolds folds = folds_of(sample, all_rows(sample), 7);
  const ValueEvidence evidence = evidence_of(sample, all_rows(sample), folds);
  const auto total = evidence.total(InnerFolds::not_training);
  const auto of = [&](double value) {
    return evidence.log_ratio(evidence.held(value, InnerFolds::not_training), total);
  };
  EXPECT_EQ(of(55), (std::array<float, 2>{0, 0}));
  // 20 rows and 0.05 of prior evidence for either table: log(20.05 / 0.05).
  EXPECT_NEAR(of(3)[0], std::log(20.05 / 0.05), 1e-5);
  EXPECT_FLOAT_EQ(of(3)[0], -of(103)[0]);
  EXPECT_FLOAT_EQ(of(3)[1], std::log(21.0F));
}

TEST(ValueEvidence, LogRatioIsShrunkWhereValuesTellNothing) {
  const auto levels = [](RandomStream& r) { return static_cast<double>(r.below(300)); };
  const Sample sample = pair_of(drawn(1000, 1, levels), drawn(1000, 2, levels));
  const InnerFolds folds = folds_of(sample, all_rows(sample), 8);
  const ValueEvidence evidence = evidence_of(sample, all_rows(sample), folds);
  for (double value = 0; value < 300; ++value) {
    const auto pair = evidence.log_ratio(evidence.held(value, InnerFolds::not_training),
                                         evidence.total(InnerFolds::not_training));
    EXPECT_LT(std::abs(pair[0]), 0.3) << value;
  }
}

/// Mean over P's rows less mean over Q's of (P's feature - Q's feature), and its standard error.
std::array<double, 2> difference_between_tables(const std::vector<std::array<float, 2>>& features,
                                                std::size_t rows_p) {
  std::array<double, 2> sum{}, squares{}, n{};
  for (std::size_t row = 0; row < features.size(); ++row) {
    const std::size_t side = row < rows_p ? 0 : 1;
    const double difference = features[row][0] - features[row][1];
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

TEST(ValueEvidence, DoesNotGiveTheLabelAwayWhereTheTablesAreAlike) {
  const auto integers = [](RandomStream& r) { return static_cast<double>(r.below(800)); };
  double sum = 0, variance = 0, naive_sum = 0, naive_variance = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Sample sample =
        pair_of(drawn(1000, 2 * seed + 100, integers), drawn(1000, 2 * seed + 101, integers));
    const InnerFolds folds = folds_of(sample, all_rows(sample), seed);
    const ValueEvidence evidence = evidence_of(sample, all_rows(sample), folds);
    std::vector<std::array<float, 2>> honest, naive;  // naive: every row counts itself
    for (std::size_t row = 0; row < sample.rows(); ++row) {
      honest.push_back(shares_of(sample, evidence, folds, row));
      naive.push_back(
          ValueEvidence::shares(evidence.held(sample.columns[0].values[row], InnerFolds::not_training),
                                evidence.total(InnerFolds::not_training)));
    }
    const auto [difference, error] = difference_between_tables(honest, 1000);
    sum += difference;
    variance += error * error;
    const auto [naive_difference, naive_error] = difference_between_tables(naive, 1000);
    naive_sum += naive_difference;
    naive_variance += naive_error * naive_error;
  }
  // Rows that share a value share its feature, which widens the error that independent rows would have.
  EXPECT_LT(std::abs(sum), 6 * std::sqrt(variance));
  EXPECT_GT(naive_sum, 30 * std::sqrt(naive_variance));
}

Features learnt(const Sample& sample, Rows training, FeatureOptions options = {}) {
  return Features::learn(sample, value_codes(sample), sample.labels(), training, options, RandomStream(1));
}

TEST(Features, ExactColumnsAreThoseWhereRecurringValuesOrFormatsDiffer) {
  const auto below = [](std::uint64_t bound) {
    return [bound](RandomStream& r) { return static_cast<double>(r.below(bound)); };
  };
  const std::size_t n = 2000;
  const Sample sample = sample_of(
      n, n,
      {joined("continuous", normal_values(n, 1), drawn(n, 2, [](RandomStream& r) { return 1 + r.normal(); })),
       joined("same integers", drawn(n, 3, below(40)), drawn(n, 4, below(40))),
       joined("other frequencies", drawn(n, 5, below(40)),
              drawn(n, 6, [](RandomStream& r) { return std::floor(40 * r.uniform() * r.uniform()); })),
       joined("grid", drawn(n, 7, [](RandomStream& r) { return rounded(r.normal(), 0.05); }),
              normal_values(n, 8)),
       joined("binary", drawn(n, 9, [](RandomStream& r) { return r.uniform() < 0.2; }),
              drawn(n, 10, below(2)))});
  EXPECT_EQ(learnt(sample, all_rows(sample)).exact_columns(),
            (std::vector<std::string>{"other frequencies", "grid"}));
  EXPECT_TRUE(learnt(sample, all_rows(sample), {.exact = false}).exact_columns().empty());
}

TEST(Features, OneFeatureTellsARoundedColumnApart) {
  for (const double step : {1e-1, 1e-3, 1e-5}) {
    const auto decimals = static_cast<int>(std::round(-std::log10(step)));
    const double scale = std::pow(10.0, decimals);
    const Sample sample =
        pair_of(drawn(60, 1, [&](RandomStream& r) { return std::round(r.normal() * scale) / scale; }),
                normal_values(60, 2));
    const Features features = learnt(sample, all_rows(sample));
    const Matrix matrix = features.of_learnt(sample, FeatureSet::plain);
    bool separates = false;
    for (std::size_t j = 0; j < matrix.cols(); ++j) {
      const auto column = matrix.column(j);
      const auto [p_low, p_high] = std::ranges::minmax(column.first(60));
      const auto [q_low, q_high] = std::ranges::minmax(column.last(60));
      separates |= p_high < q_low || q_high < p_low;
    }
    EXPECT_TRUE(separates) << "step " << step;
  }
}

TEST(Features, LearnFromTheTrainingRowsAlone) {
  // Rows outside the training part change: nothing about the others may.
  Sample sample = sample_of(300, 300, {});
  sample.columns.push_back(joined(
      "x", drawn(300, 1, [](RandomStream& r) { return rounded(r.normal(), 0.1); }), normal_values(300, 2)));
  Column levels{"level", ColumnType::category, {}, {}};
  RandomStream random(3);
  for (std::size_t i = 0; i < 600; ++i) levels.values.push_back(static_cast<double>(random.below(60)));
  for (int i = 0; i < 80; ++i) levels.levels.push_back("l" + std::to_string(100 + i));
  sample.columns.push_back(levels);
  std::vector<RowIndex> training;
  for (RowIndex row = 0; row < 600; ++row) {
    if (row % 3 != 0) training.push_back(row);
  }
  Sample changed = sample;
  for (std::size_t row = 0; row < 600; row += 3) {
    changed.columns[0].values[row] = 1e6 + static_cast<double>(row);
    changed.columns[1].values[row] = 70;
  }
  for (const FeatureSet set : {FeatureSet::plain, FeatureSet::exact_values, FeatureSet::missing_as_nan}) {
    const Matrix before = learnt(sample, training).of_learnt(sample, set);
    const Matrix after = learnt(changed, training).of_learnt(changed, set);
    ASSERT_EQ(before.cols(), after.cols());
    for (const RowIndex row : training) {
      for (std::size_t j = 0; j < before.cols(); ++j) ASSERT_EQ(before.at(row, j), after.at(row, j));
    }
  }
}

TEST(Features, OfOthersAgreesWithRowsOutsideTheTrainingPart) {
  Sample sample =
      sample_of(200, 200,
                {joined("x", drawn(200, 1, [](RandomStream& r) { return rounded(r.normal(), 0.5); }),
                        normal_values(200, 2))});
  std::vector<RowIndex> training, held;
  for (RowIndex row = 0; row < 400; ++row) (row % 4 == 0 ? held : training).push_back(row);
  const Features features = learnt(sample, training);
  const Matrix learnt_rows = features.of_learnt(sample, FeatureSet::exact_values);
  const Matrix other_rows = features.of_others(sample, FeatureSet::exact_values);
  for (const RowIndex row : held) {
    for (std::size_t j = 0; j < learnt_rows.cols(); ++j)
      EXPECT_EQ(learnt_rows.at(row, j), other_rows.at(row, j));
  }
}

TEST(Features, DoNotDependOnThreads) {
  const auto integers = [](RandomStream& r) { return static_cast<double>(r.below(300)); };
  const auto fives = [](RandomStream& r) { return 5.0 * static_cast<double>(r.below(60)); };
  Sample sample = sample_of(500, 500, {});
  for (std::size_t j = 0; j < 6; ++j) {
    sample.columns.push_back(
        joined(std::to_string(j), drawn(500, 2 * j, integers), drawn(500, 2 * j + 1, fives)));
  }
  std::array<Matrix, 2> matrices;
  for (const std::size_t i : {0, 1}) {
    with_threads(1 + 3 * i, [&] {
      matrices[i] = learnt(sample, all_rows(sample)).of_learnt(sample, FeatureSet::exact_values);
    });
  }
  ASSERT_EQ(matrices[0].cols(), matrices[1].cols());
  ASSERT_GT(matrices[0].cols(), 6U) << "some exact values";
  for (std::size_t j = 0; j < matrices[0].cols(); ++j) {
    EXPECT_TRUE(std::ranges::equal(matrices[0].column(j), matrices[1].column(j)));
  }
}

}  // namespace
}  // namespace jsdiv
