// Whole searches of logreg and lr-pol: every combination of the space, each the path over C, on five folds.

#include <benchmark/benchmark.h>

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "classify/linear/families.hpp"
#include "core/parallel.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t folds = 5;

struct Data {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<std::vector<RowIndex>> train, held_out;
  std::vector<RowIndex> all;

  Problem problem() const { return {features.view(), labels, {}, all}; }

  void make_folds(std::size_t rows_p) {
    train.resize(folds);
    held_out.resize(folds);
    for (RowIndex row = 0; row < features.rows(); ++row) {
      labels.push_back(row < rows_p ? 1 : 0);
      all.push_back(row);
      for (std::size_t k = 0; k < folds; ++k) (row % folds == k ? held_out : train)[k].push_back(row);
    }
  }
};

/// N(0, I) against a standard normal whose neighbouring columns have correlation rho, shifted by `gap`.
Data gaussian(std::size_t rows, std::size_t columns, double rho, double gap) {
  Data data;
  data.features = Matrix(rows, columns);
  RandomStream random(7);
  for (std::size_t i = 0; i < rows; ++i) {
    double before = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const double draw = random.normal();
      const bool is_q = i >= rows / 2;
      before = is_q && j > 0 ? rho * before + std::sqrt(1 - rho * rho) * draw : draw;
      data.features.at(i, j) = static_cast<float>(before + (is_q ? gap : 0.0));
    }
  }
  data.make_folds(rows / 2);
  return data;
}

std::vector<std::vector<double>> read_rows(const std::string& path, std::size_t count) {
  std::ifstream file(path);
  std::vector<std::vector<double>> rows;
  std::string line, cell;
  std::getline(file, line);
  while (rows.size() < count && std::getline(file, line)) {
    std::istringstream cells(line);
    rows.emplace_back();
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell.empty() ? 0.0 : std::stod(cell));
  }
  return rows;
}

/// The first 7,500 rows a side, standardised, constant columns left out; no rows if the data are not there.
Data intrusion(const std::string& generator) {
  const std::string folder = std::string(JSDIV_SHARED_DIR) + "/data/intrusion/" + generator;
  auto rows = read_rows(folder + "/real_data.csv", 7500);
  const std::size_t rows_p = rows.size();
  const auto generated = read_rows(folder + "/gen_data.csv", 7500);
  rows.insert(rows.end(), generated.begin(), generated.end());
  Data data;
  if (rows.empty()) return data;
  std::vector<std::vector<double>> columns;
  for (std::size_t j = 0; j < rows[0].size(); ++j) {
    double mean = 0, square = 0;
    for (const auto& row : rows) mean += row[j] / static_cast<double>(rows.size());
    for (const auto& row : rows)
      square += (row[j] - mean) * (row[j] - mean) / static_cast<double>(rows.size());
    if (square == 0) continue;
    columns.emplace_back();
    for (const auto& row : rows) columns.back().push_back((row[j] - mean) / std::sqrt(square));
  }
  data.features = Matrix(rows.size(), columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < rows.size(); ++i) data.features.at(i, j) = static_cast<float>(columns[j][i]);
  }
  data.make_folds(rows_p);
  return data;
}

/// Every combination of the choices of a space.
std::vector<Config> combinations(const SearchSpace& space) {
  std::vector<Config> configs(1);
  for (const Parameter& parameter : space.parameters) {
    std::vector<Config> longer;
    for (const Config& config : configs) {
      for (const auto& choice : parameter.choices) {
        longer.push_back(config);
        longer.back().set(parameter.name, choice);
      }
    }
    configs = std::move(longer);
  }
  return configs;
}

void search(benchmark::State& state, const Family& family, const Data& data, std::size_t threads) {
  if (data.all.empty()) {
    state.SkipWithError("the data are not there");
    return;
  }
  const Problem problem = data.problem();
  const auto configs = combinations(family.search_space({data.features.cols(), true}));
  std::vector<double> best(folds);
  for (auto _ : state) {
    const auto trainer = family.prepare(problem);
    with_threads(threads, [&] {
      parallel_for(folds, [&](std::size_t k) {
        const auto fold = trainer->fold(data.train[k], data.held_out[k], {RandomStream(0), {}, Loss::plain});
        best[k] = 1e9;
        for (const Config& config : configs) {
          for (const double loss : fold->losses(config)) best[k] = std::min(best[k], loss);
        }
      });
    });
  }
  double mean = 0;
  for (const double loss : best) mean += loss / folds;
  state.counters["configurations"] = static_cast<double>(configs.size());
  state.counters["held_out_loss"] = mean;
}

void rho_09_logreg(benchmark::State& state) {
  search(state, logreg_family(), gaussian(4000, 2, 0.9, 0), 1);
}
void rho_09_lr_pol(benchmark::State& state) {
  search(state, lr_pol_family(), gaussian(4000, 2, 0.9, 0), 1);
}
void d50_logreg(benchmark::State& state) {
  search(state, logreg_family(), gaussian(4000, 50, 0.2, 0.2), 1);
}
void intrusion_vae(benchmark::State& state) {
  search(state, lr_pol_family(), intrusion("vae"), static_cast<std::size_t>(state.range(0)));
}
void intrusion_ctgan(benchmark::State& state) {
  search(state, lr_pol_family(), intrusion("ctgan"), static_cast<std::size_t>(state.range(0)));
}

BENCHMARK(rho_09_logreg)->Unit(benchmark::kSecond);
BENCHMARK(rho_09_lr_pol)->Unit(benchmark::kSecond);
BENCHMARK(d50_logreg)->Unit(benchmark::kSecond);
BENCHMARK(intrusion_vae)->Arg(1)->Arg(2)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);
BENCHMARK(intrusion_ctgan)->Arg(1)->Arg(2)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace jsdiv
