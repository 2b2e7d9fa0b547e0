#include <gtest/gtest.h>

#include <algorithm>

#include <cmath>

#include "encode/encoder.hpp"
#include "encode/sample_builder.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

TEST(NativeEncoding, CentresAtTheMedianAndFlagsMissing) {
  // Training: -1, 0, 1, 3, 7 and one missing; quartiles 0 and 3, median 1.
  const Sample sample =
      make_sample({make_column("x", ColumnType::number, {7, -1, 0, missing, 1, 3, missing, 1000})});
  const Encoder encoder = Encoder::fit(sample, first_rows(6), Encoding::native);
  const Matrix encoded = encoder.transform(sample);
  ASSERT_EQ(encoded.cols(), 2U);
  EXPECT_EQ(encoder.features()[1].name, "x is missing");
  EXPECT_EQ(encoder.features()[1].column, 0U);
  const float unit = 3 / 1.349F;
  EXPECT_FLOAT_EQ(encoded.at(0, 0), 6 / unit);
  EXPECT_FLOAT_EQ(encoded.at(1, 0), -2 / unit);
  EXPECT_EQ(encoded.at(3, 0), 0);
  EXPECT_FLOAT_EQ(encoded.at(7, 0), 10 + 10 * std::log(999 / unit / 10));
  EXPECT_EQ(column_of(encoded, 1), (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 0}));
}

TEST(NativeEncoding, HasNoIndicatorWhereTrainingIsComplete) {
  const Sample sample = make_sample({make_column("x", ColumnType::integer, {1, 2, 3, missing}),
                                     make_column("b", ColumnType::boolean, {1, 1, 0, missing})});
  const Encoder encoder = Encoder::fit(sample, first_rows(3), Encoding::native);
  const Matrix encoded = encoder.transform(sample);
  ASSERT_EQ(encoded.cols(), 2U);
  EXPECT_EQ(encoded.at(3, 0), 0);
  EXPECT_EQ(column_of(encoded, 1), (std::vector<float>{1, 1, 0, 1})) << "the more frequent value";
}

TEST(NativeEncoding, FallsBackToTheStandardDeviationWhereTheQuartilesCoincide) {
  std::vector<double> values(16, 0.0);
  values[15] = 8;  // variance 4 - 0.25
  const Sample sample = make_sample({make_column("x", ColumnType::number, values)});
  const Matrix encoded = Encoder::fit(sample, first_rows(16), Encoding::native).transform(sample);
  EXPECT_EQ(encoded.at(0, 0), 0);
  EXPECT_FLOAT_EQ(encoded.at(15, 0), 8 / std::sqrt(3.75F));
}

TEST(NativeEncoding, EncodesFewLevelsOneByOne) {
  const Sample sample =
      make_sample({make_column("c", ColumnType::category, {0, 2, missing, 0, 1, missing}, {"a", "b", "c"})});
  const Encoder encoder = Encoder::fit(sample, first_rows(4), Encoding::native);
  const Matrix encoded = encoder.transform(sample);
  ASSERT_EQ(encoded.cols(), 3U);
  EXPECT_EQ(encoder.features()[0].name, "c=a");
  EXPECT_EQ(encoder.features()[1].name, "c=c");
  EXPECT_EQ(encoder.features()[2].name, "c is missing");
  EXPECT_EQ(column_of(encoded, 0), (std::vector<float>{1, 0, 0, 1, 0, 0}));
  EXPECT_EQ(column_of(encoded, 1), (std::vector<float>{0, 1, 0, 0, 0, 0}));
  EXPECT_EQ(column_of(encoded, 2), (std::vector<float>{0, 0, 1, 0, 0, 1}));
}

TEST(NativeEncoding, LeavesManyLevelsToTheFeaturesThatLabelsTeach) {
  const Sample sample =
      make_sample({make_column("c", ColumnType::category, {1, 1, 1, 0, 0, missing, 2, 1}, {"a", "b", "c"})});
  EncodeOptions options;
  options.one_hot_limit = 2;
  const Encoder encoder = Encoder::fit(sample, first_rows(6), Encoding::native, options);
  EXPECT_TRUE(encoder.has_many_levels(0));
  EXPECT_TRUE(encoder.features().empty());
}

TEST(NativeEncoding, GivesADateTimeItsParts) {
  // Midnight and noon of 1970-01-01, a Thursday, and midnight two days later.
  const Sample sample = make_sample({make_column("t", ColumnType::datetime, {0, 43200, 172800, missing})});
  const Encoder encoder = Encoder::fit(sample, first_rows(3), Encoding::native);
  std::vector<std::string> names;
  for (const Feature& feature : encoder.features()) names.push_back(feature.name);
  EXPECT_NE(std::ranges::find(names, "t"), names.end());
  const auto hour = std::ranges::find(names, "t: hour");
  ASSERT_NE(hour, names.end());
  EXPECT_EQ(std::ranges::find(names, "t: month"), names.end()) << "one month only";
  const auto column = column_of(encoder.transform(sample), static_cast<std::size_t>(hour - names.begin()));
  EXPECT_FLOAT_EQ(column[0], column[2]);
  EXPECT_FLOAT_EQ(column[1] - column[0], 12 / std::sqrt(32.0F));  // 0, 12, 0: variance 32
  EXPECT_EQ(column[3], 0);

  const std::vector<std::vector<DatePart>> none(1);
  EXPECT_EQ(Encoder::fit(sample, first_rows(3), Encoding::native, {.date_parts = none}).features().size(),
            1U);
}

TEST(NativeEncoding, MakesColumnsWithoutATrainingValueZero) {
  const Sample sample = make_sample({make_column("x", ColumnType::number, {missing, missing, 5}),
                                     make_column("b", ColumnType::boolean, {missing, missing, 1}),
                                     make_column("c", ColumnType::category, {missing, missing, 0}, {"a"})});
  const Encoder encoder = Encoder::fit(sample, first_rows(2), Encoding::native);
  const Matrix encoded = encoder.transform(sample);
  ASSERT_EQ(encoded.cols(), 5U);
  EXPECT_EQ(column_of(encoded, 0), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(column_of(encoded, 1), (std::vector<float>{1, 1, 0}));
  EXPECT_EQ(column_of(encoded, 2), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(column_of(encoded, 4), (std::vector<float>{1, 1, 0}));
}

}  // namespace
}  // namespace jsdiv
