#include "encode/encoder.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/parallel.hpp"
#include "encode/sample_builder.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

class EncoderTest : public testing::TestWithParam<Encoding> {};

INSTANTIATE_TEST_SUITE_P(Both, EncoderTest, testing::Values(Encoding::paper, Encoding::native),
                         [](const auto& test) { return test.param == Encoding::paper ? "paper" : "native"; });

Sample random_sample(std::size_t rows, double missing_share) {
  RandomStream random(11);
  std::vector<Column> columns;
  for (const ColumnType type : {ColumnType::number, ColumnType::integer, ColumnType::boolean,
                                ColumnType::category, ColumnType::datetime, ColumnType::number}) {
    Column column = make_column(std::string(1, char('u' + columns.size())), type, {});
    if (type == ColumnType::category) column.levels = {"a", "b", "c", "d", "e"};
    for (std::size_t row = 0; row < rows; ++row) {
      const double code = type == ColumnType::boolean ? 2 : 5;
      double value = type == ColumnType::number ? random.normal() : std::floor(code * random.uniform());
      if (type == ColumnType::datetime) value = 1.6e9 + 1e6 * random.normal();
      column.values.push_back(random.uniform() < missing_share ? missing : value);
    }
    columns.push_back(std::move(column));
  }
  return make_sample(std::move(columns));
}

TEST_P(EncoderTest, LearnsFromTrainingRowsOnly) {
  const Sample sample = random_sample(60, 0.15);
  const auto training = first_rows(40);
  const Matrix before = Encoder::fit(sample, training, GetParam()).transform(sample);
  for (const double intruder : {1e300, -3.0, missing}) {
    Sample changed = sample;
    for (Column& column : changed.columns) {
      const bool coded = column.type == ColumnType::category || column.type == ColumnType::boolean;
      column.values[50] = coded && !std::isnan(intruder) ? 1 : intruder;
    }
    const Matrix after = Encoder::fit(changed, training, GetParam()).transform(changed);
    ASSERT_EQ(after.cols(), before.cols());
    for (std::size_t column = 0; column < before.cols(); ++column) {
      for (std::size_t row = 0; row < 60; ++row) {
        if (row != 50) {
          ASSERT_EQ(after.at(row, column), before.at(row, column)) << row << ", " << column;
        }
      }
    }
  }
}

TEST_P(EncoderTest, IsFiniteForEveryDouble) {
  const std::vector<double> extremes = {1e300,  -1e300, 0,      1.7e308, -1.7e308, 5e-324,
                                        1e-300, 1,      -1e-10, 1e17,    missing,  -1};
  for (std::size_t training = 1; training <= extremes.size(); ++training) {
    std::vector<double> reversed(extremes.rbegin(), extremes.rend());
    std::vector<double> outlier(extremes.size(), 1.0);
    outlier.back() = 1.7e308;
    const Sample sample = make_sample({make_column("x", ColumnType::number, extremes),
                                       make_column("y", ColumnType::number, reversed),
                                       make_column("z", ColumnType::number, outlier)});
    const Encoder encoder = Encoder::fit(sample, first_rows(training), GetParam());
    const Matrix encoded = encoder.transform(sample);
    for (std::size_t column = 0; column < encoded.cols(); ++column) {
      for (const float value : encoded.column(column)) {
        ASSERT_TRUE(std::isfinite(value)) << encoder.features()[column].name << ", training on " << training;
        ASSERT_LT(std::abs(value), 1.1e9F);
      }
    }
  }
}

TEST_P(EncoderTest, TakesOneRow) {
  const Sample sample = random_sample(1, 0);
  const Matrix encoded = Encoder::fit(sample, first_rows(1), GetParam()).transform(sample);
  EXPECT_EQ(encoded.rows(), 1U);
  EXPECT_EQ(encoded.at(0, 0), 0);
}

TEST_P(EncoderTest, GivesTheSameForAnyThreadCount) {
  const Sample sample = random_sample(9000, 0.1);
  const auto training = first_rows(6000);
  std::vector<Matrix> encoded(2);
  with_threads(1, [&] { encoded[0] = Encoder::fit(sample, training, GetParam()).transform(sample); });
  with_threads(4, [&] { encoded[1] = Encoder::fit(sample, training, GetParam()).transform(sample); });
  for (std::size_t column = 0; column < encoded[0].cols(); ++column) {
    ASSERT_EQ(column_of(encoded[0], column), column_of(encoded[1], column));
  }
}

TEST_P(EncoderTest, NamesTheColumnWithAnInfiniteValue) {
  const Sample sample =
      make_sample({make_column("height", ColumnType::number, {1, std::numeric_limits<double>::infinity()})});
  try {
    Encoder::fit(sample, first_rows(1), GetParam());
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("column 'height'"), std::string::npos);
  }
  EXPECT_THROW(Encoder::fit(sample, {}, GetParam()), InvalidInput);
}

}  // namespace
}  // namespace jsdiv
