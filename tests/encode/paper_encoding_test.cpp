#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "encode/encoder.hpp"
#include "encode/sample_builder.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

ColumnType type_named(const std::string& name) {
  for (const ColumnType type :
       {ColumnType::number, ColumnType::integer, ColumnType::boolean, ColumnType::category}) {
    if (to_string(type) == name) return type;
  }
  return ColumnType::datetime;
}

Sample sample_from(const nlohmann::json& columns) {
  std::vector<Column> result;
  for (const auto& column : columns) {
    std::vector<double> values;
    for (const auto& cell : column["values"]) values.push_back(cell.is_null() ? missing : cell.get<double>());
    std::vector<std::string> levels;
    for (int level = 0; level < column["levels"].get<int>(); ++level)
      levels.push_back(std::string(1, char('a' + level)));
    result.push_back(make_column(std::to_string(result.size()), type_named(column["type"]), values, levels));
  }
  return make_sample(std::move(result));
}

TEST(PaperEncoding, EqualsScikitLearn) {
  std::ifstream file(JSDIV_GOLDEN_DIR "/encode/paper_encoding.json");
  ASSERT_TRUE(file) << "fixture not found";
  const nlohmann::json fixture = nlohmann::json::parse(file);
  for (const auto& test : fixture["cases"]) {
    SCOPED_TRACE(test["name"].get<std::string>());
    const Sample sample = sample_from(test["columns"]);
    const Encoder encoder = Encoder::fit(sample, first_rows(test["training_rows"]), Encoding::paper);
    const Matrix encoded = encoder.transform(sample);
    ASSERT_EQ(encoded.cols(), test["expected"].size());
    for (std::size_t column = 0; column < encoded.cols(); ++column) {
      for (std::size_t row = 0; row < encoded.rows(); ++row) {
        const double expected = test["expected"][column][row];
        EXPECT_NEAR(encoded.at(row, column), expected, 1e-5 * std::max(1.0, std::abs(expected)))
            << "column " << column << " row " << row;
      }
    }
  }
}

TEST(PaperEncoding, ScalesNumbersAndLeavesCodesAlone) {
  const Sample sample = make_sample({
      make_column("x", ColumnType::number, {1, 3, 5, 100}),
      make_column("n", ColumnType::integer, {1, 1, 4, 4}),
      make_column("b", ColumnType::boolean, {0, 1, 1, 0}),
      make_column("c", ColumnType::category, {3, 1, 3, 2}, {"a", "b", "c", "d"}),
  });
  const Encoder encoder = Encoder::fit(sample, first_rows(3), Encoding::paper);
  const Matrix encoded = encoder.transform(sample);
  const float sd = std::sqrt(8.0F / 3);  // of 1, 3, 5
  EXPECT_FLOAT_EQ(encoded.at(0, 0), -2 / sd);
  EXPECT_FLOAT_EQ(encoded.at(1, 0), 0);
  EXPECT_FLOAT_EQ(encoded.at(3, 0), 97 / sd);
  EXPECT_FLOAT_EQ(encoded.at(0, 1), -1 / std::sqrt(2.0F));  // mean 2, variance 2
  EXPECT_EQ(column_of(encoded, 2), (std::vector<float>{0, 1, 1, 0}));
  EXPECT_EQ(column_of(encoded, 3), (std::vector<float>{1, 0, 1, -1})) << "level c is unseen in training";
  ASSERT_EQ(encoder.features().size(), 4U);
  EXPECT_EQ(encoder.features()[3].name, "c");
  EXPECT_EQ(encoder.features()[3].column, 3U);
}

TEST(PaperEncoding, KeepsDigitsBehindALargeOffset) {
  const Sample sample = make_sample({make_column("t", ColumnType::datetime, {1.7e9, 1.7e9 + 1, 1.7e9 + 2})});
  const Matrix encoded = Encoder::fit(sample, first_rows(3), Encoding::paper).transform(sample);
  EXPECT_NEAR(encoded.at(0, 0), -std::sqrt(1.5), 1e-6);
  EXPECT_NEAR(encoded.at(2, 0), std::sqrt(1.5), 1e-6);
}

TEST(PaperEncoding, MakesConstantAndEmptyColumnsZero) {
  const Sample sample = make_sample({
      make_column("constant", ColumnType::number, {0.1, 0.1, 0.1, 0.1}),
      make_column("empty", ColumnType::number, {missing, missing, missing, 5}),
      make_column("empty category", ColumnType::category, {missing, missing, missing, 1}, {"a", "b"}),
      make_column("x", ColumnType::number, {1, 2, 3, 4}),
  });
  const Matrix encoded = Encoder::fit(sample, first_rows(3), Encoding::paper).transform(sample);
  for (std::size_t column = 0; column < 3; ++column)
    EXPECT_EQ(column_of(encoded, column), std::vector<float>(4, 0.0F));
}

TEST(PaperEncoding, FillsALoneColumnWithItsMean) {
  const Sample sample = make_sample({make_column("x", ColumnType::number, {1, missing, 3, missing})});
  const Matrix encoded = Encoder::fit(sample, first_rows(3), Encoding::paper).transform(sample);
  EXPECT_EQ(column_of(encoded, 0), (std::vector<float>{-1, 0, 1, 0}));
}

TEST(PaperEncoding, LeavesMissingCellsOpenOnRequest) {
  const Sample sample = make_sample({
      make_column("x", ColumnType::number, {1, missing, 3, missing}),
      make_column("c", ColumnType::category, {missing, 1, 0, 2}, {"a", "b", "unseen"}),
      make_column("b", ColumnType::boolean, {1, missing, 0, 1}),
  });
  const Matrix encoded =
      Encoder::fit(sample, first_rows(3), Encoding::paper, {.keep_missing = true}).transform(sample);
  const std::vector<std::vector<float>> expected = {{-1, NAN, 1, NAN}, {NAN, 1, 0, -1}, {1, NAN, 0, 1}};
  ASSERT_EQ(encoded.cols(), expected.size());
  for (std::size_t column = 0; column < expected.size(); ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      const float cell = encoded.at(row, column);
      EXPECT_TRUE(cell == expected[column][row] || (std::isnan(cell) && std::isnan(expected[column][row])))
          << row << ", " << column << ": " << cell;
    }
  }
}

}  // namespace
}  // namespace jsdiv
