#include <benchmark/benchmark.h>

#include <cmath>
#include <numeric>

#include "classify/forest/forest.hpp"
#include "core/parallel.hpp"

namespace jsdiv {
namespace {

/// 2,000 rows of P and of Q to train on and 500 of each to score. Two features: independent normals against a
/// correlation of 0.9. More: normals whose means differ.
struct Data {
  explicit Data(std::size_t features)
      : matrix(rows, features), labels(rows), train(train_rows), test(rows - train_rows) {
    RandomStream random(0);
    std::vector<double> shift(features);
    for (double& mean : shift) mean = features > 2 ? 0.5 * random.uniform() : 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
      labels[row] = row % 2;
      for (std::size_t j = 0; j < features; ++j) {
        const double noise = random.normal();
        double value = labels[row] == 1 ? noise + shift[j] : noise;
        if (features == 2 && j == 1 && labels[row] == 0) {
          value = 0.9 * matrix.at(row, 0) + std::sqrt(1 - 0.81) * noise;
        }
        matrix.at(row, j) = static_cast<float>(value);
      }
    }
    std::iota(train.begin(), train.end(), 0U);
    std::iota(test.begin(), test.end(), static_cast<RowIndex>(train_rows));
  }

  Problem problem() const {
    return {.features = matrix.view(), .labels = labels, .weights = {}, .training_rows = train};
  }

  static constexpr std::size_t train_rows = 4000;
  static constexpr std::size_t rows = 5000;
  Matrix matrix;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> train;
  std::vector<RowIndex> test;
};

/// Arguments: features, max_depth, min_samples_leaf; 300 trees, max_samples 0.75.
void fit_and_score(benchmark::State& state) {
  const Data data(static_cast<std::size_t>(state.range(0)));
  Config config = random_forest_family().defaults({.features = data.matrix.cols()});
  config.set("max_depth", state.range(1));
  config.set("min_samples_leaf", state.range(2));
  config.set("max_samples", 0.75);
  std::vector<double> scores(data.test.size());
  with_threads(1, [&] {
    for (auto _ : state) {
      const auto trainer = random_forest_family().prepare(data.problem());
      const auto model = trainer->fit(data.train, config, {.random = RandomStream(1), .validation = {}});
      model->log_odds(data.matrix.view(), data.test, scores);
      benchmark::DoNotOptimize(scores.data());
    }
  });
}

BENCHMARK(fit_and_score)
    ->ArgNames({"features", "depth", "leaf"})
    ->ArgsProduct({{2, 10, 50}, {3, 6, 10}, {10, 55}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jsdiv
