#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "classify/forest/forest.hpp"

namespace jsdiv {
namespace {

using nlohmann::json;

struct DataSet {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> train;
  std::vector<RowIndex> test;
};

DataSet read_data_set(const json& description) {
  const auto columns = description["features"].get<std::size_t>();
  const auto train_rows = description["training_rows"].get<std::size_t>();
  const std::size_t rows = train_rows + description["test_rows"].get<std::size_t>();
  const std::string path = JSDIV_GOLDEN_DIR "/forest/" + description["name"].get<std::string>() + ".f32";
  std::ifstream file(path, std::ios::binary);
  std::vector<float> label_column(rows);
  DataSet data{Matrix(rows, columns), std::vector<std::uint8_t>(rows), std::vector<RowIndex>(train_rows),
               std::vector<RowIndex>(rows - train_rows)};
  const auto column_bytes = static_cast<std::streamsize>(rows * sizeof(float));
  for (std::size_t j = 0; j < columns; ++j) {
    file.read(reinterpret_cast<char*>(data.features.column(j).data()), column_bytes);
  }
  file.read(reinterpret_cast<char*>(label_column.data()), column_bytes);
  if (!file) throw std::runtime_error("cannot read " + path);
  for (std::size_t row = 0; row < rows; ++row) data.labels[row] = label_column[row] == 1;
  std::iota(data.train.begin(), data.train.end(), 0U);
  std::iota(data.test.begin(), data.test.end(), static_cast<RowIndex>(train_rows));
  return data;
}

Config read_configuration(const json& values) {
  Config config;
  for (const auto& [name, value] : values.items()) {
    if (value.is_string()) {
      config.set(name, value.get<std::string>());
    } else if (value.is_number_integer()) {
      config.set(name, value.get<std::int64_t>());
    } else {
      config.set(name, value.get<double>());
    }
  }
  return config;
}

TEST(ForestParity, MeanTestLogLossIsScikitLearnsWithinOnePercent) {
  std::ifstream file(JSDIV_GOLDEN_DIR "/forest/cases.json");
  const json golden = json::parse(file);
  const auto seeds = golden["seeds"].get<std::uint64_t>();
  for (const json& description : golden["data_sets"]) {
    const DataSet data = read_data_set(description);
    const Problem problem{
        .features = data.features.view(), .labels = data.labels, .weights = {}, .training_rows = data.train};
    const auto trainer = random_forest_family().prepare(problem);
    std::vector<double> scores(data.test.size());
    for (const json& test_case : description["cases"]) {
      SCOPED_TRACE(description["name"].get<std::string>() + " " + test_case["configuration"].dump());
      const Config config = read_configuration(test_case["configuration"]);
      double mean = 0;
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto model = trainer->fit(data.train, config, {.random = RandomStream(seed), .validation = {}});
        model->log_odds(problem.features, data.test, scores);
        mean += held_out_loss(problem, data.test, scores, 0, Loss::plain) / static_cast<double>(seeds);
      }
      const auto expected = test_case["mean_log_loss"].get<double>();
      EXPECT_NEAR(mean, expected, 0.01 * expected);
    }
  }
}

}  // namespace
}  // namespace jsdiv
