// Bayesian search against random search of the same budget: on functions with known minima, and on every
// registered family with a search space, for simulated pairs of tables.
//
// For families also: what giving up hopeless trials early costs in loss, against the full search.
//
//   benchmark_tune [functions|families|all] [seeds] [family] [rows per table]

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "bench/published.hpp"
#include "classify/registry.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "tune/objectives.hpp"
#include "tune/random_search.hpp"
#include "tune/tune.hpp"

namespace jsdiv {
namespace {

/// Results of both methods, one pair for each seed.
struct Comparison {
  std::vector<double> model, random;
  std::vector<double> full;  ///< the search without early rejection; empty: not run
  double model_seconds = 0, random_seconds = 0, full_seconds = 0;  ///< CPU time of all threads
  double fits = 0, all_fits = 0;  ///< folds scored by the search, and without early rejection
};

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : 0.5 * (values[half - 1] + values[half]);
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

void add_fits(const TuneResult& result, std::size_t folds, Comparison& comparison) {
  for (const Trial& trial : result.trials) comparison.fits += trial.folds_scored;
  comparison.all_fits += static_cast<double>(result.trials.size() * folds);
}

void print_header(const char* unit) {
  std::printf("%-36s %10s %10s %10s %10s %7s %8s %7s %8s %8s\n", unit, "mean", "random's", "median",
              "random's", "t", "wins", "fits", "ms", "random's");
}

/// t: of the paired differences; negative if the search is better.
void print(const std::string& name, const Comparison& comparison) {
  const std::size_t seeds = comparison.model.size();
  std::vector<double> differences(seeds);
  int wins = 0, losses = 0;
  for (std::size_t i = 0; i < seeds; ++i) {
    differences[i] = comparison.model[i] - comparison.random[i];
    wins += differences[i] < 0;
    losses += differences[i] > 0;
  }
  const double centre = mean(differences);
  double squares = 0;
  for (const double difference : differences) squares += (difference - centre) * (difference - centre);
  const double error = std::sqrt(squares / static_cast<double>(std::max<std::size_t>(seeds - 1, 1) * seeds));
  std::printf("%-36s %10.5f %10.5f %10.5f %10.5f %7.2f %4d:%-3d %6.0f%% %8.1f %8.1f\n", name.c_str(),
              mean(comparison.model), mean(comparison.random), median(comparison.model),
              median(comparison.random), error > 0 ? centre / error : 0.0, wins, losses,
              100 * comparison.fits / comparison.all_fits,
              1e3 * comparison.model_seconds / static_cast<double>(seeds),
              1e3 * comparison.random_seconds / static_cast<double>(seeds));
  if (!comparison.full.empty()) {
    std::printf("%-36s %10.5f %10s %10.5f %10s %7s %8s %6d%% %8.1f\n", "  without giving up trials early",
                mean(comparison.full), "", median(comparison.full), "", "", "", 100,
                1e3 * comparison.full_seconds / static_cast<double>(seeds));
  }
  std::fflush(stdout);
}

Comparison compare_on(const Objective& objective, double noise, int seeds) {
  constexpr std::size_t fold_count = 5;
  Comparison comparison;
  for (int seed = 0; seed < seeds; ++seed) {
    const RandomStream random(static_cast<std::uint64_t>(seed));
    ObjectiveFolds folds(objective, fold_count, noise, random.child("noise"));
    ObjectiveFolds random_folds(objective, fold_count, noise, random.child("noise"));
    const double start = cpu_seconds();
    const TuneResult model = search(objective.space, folds.scorers, {}, random);
    const double middle = cpu_seconds();
    const TuneResult baseline = random_search(objective.space, random_folds.scorers, {}, random);
    comparison.random_seconds += cpu_seconds() - middle;
    comparison.model_seconds += middle - start;
    comparison.model.push_back(objective.loss(model.best) - objective.minimum);
    comparison.random.push_back(objective.loss(baseline.best) - objective.minimum);
    add_fits(model, fold_count, comparison);
  }
  return comparison;
}

void compare_functions(int seeds) {
  print_header("regret after 50 trials");
  for (const double noise : {0.0, 0.2}) {
    for (const Objective& objective :
         {branin_objective(), branin_integer_log_objective(), branin_conditional_objective(),
          hartmann6_objective(), hartmann6_in_nine_objective()}) {
      print(objective.name + (noise > 0 ? ", noisy" : ""), compare_on(objective, noise, seeds));
    }
  }
}

/// Rows of P and Q in turns, so that blocks of rows are stratified folds.
struct Pair {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;

  Pair(std::size_t rows_per_table, std::size_t dimensions)
      : features(2 * rows_per_table, dimensions), labels(2 * rows_per_table), rows(2 * rows_per_table) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i] = static_cast<RowIndex>(i);
      labels[i] = static_cast<std::uint8_t>(i % 2);
    }
  }
  Problem problem() const { return {.features = features.view(), .labels = labels, .training_rows = rows}; }
};

/// N(0, I) against N(0, [[1, rho], [rho, 1]]).
Pair dependence_pair(double rho, std::size_t rows_per_table, RandomStream random) {
  Pair pair(rows_per_table, 2);
  for (std::size_t i = 0; i < pair.rows.size(); ++i) {
    const double x = random.normal(), y = random.normal();
    pair.features.at(i, 0) = static_cast<float>(x);
    pair.features.at(i, 1) =
        static_cast<float>(pair.labels[i] == 1 ? y : rho * x + std::sqrt(1 - rho * rho) * y);
  }
  return pair;
}

/// Two Gaussians in ten dimensions whose means differ by a uniform draw and whose scales differ a little.
Pair dimension_pair(std::size_t rows_per_table, RandomStream random) {
  constexpr std::size_t dimensions = 10;
  Pair pair(rows_per_table, dimensions);
  for (std::size_t j = 0; j < dimensions; ++j) {
    const double gap = 0.5 * random.uniform();
    for (std::size_t i = 0; i < pair.rows.size(); ++i) {
      pair.features.at(i, j) =
          static_cast<float>(pair.labels[i] == 1 ? gap + random.normal() : 1.15 * random.normal());
    }
  }
  return pair;
}

/// Blocks of rows: fold k scores block k and fits on the others.
struct Blocks {
  std::vector<std::vector<RowIndex>> train;
  std::vector<TuneFold> folds;

  Blocks(const Pair& pair, std::size_t count) : train(count) {
    const std::size_t size = pair.rows.size() / count / 2 * 2;
    for (std::size_t k = 0; k < count; ++k) {
      for (const RowIndex row : pair.rows) {
        if (row < k * size || row >= (k + 1) * size) train[k].push_back(row);
      }
      folds.push_back({train[k], Rows(pair.rows).subspan(k * size, size)});
    }
  }
};

Comparison compare_on(const Family& family, const Pair& pair, int iterations, int seeds) {
  const SpaceContext context{.features = pair.features.cols()};
  const SearchSpace space = family.search_space(context);
  const auto trainer = family.prepare(pair.problem());
  const Blocks blocks(pair, static_cast<std::size_t>(TuneOptions{}.folds));
  Comparison comparison;
  for (int seed = 0; seed < seeds; ++seed) {
    const Fit fit{.random = RandomStream(static_cast<std::uint64_t>(seed)), .validation = {}};
    const auto run = [&](SearchMethod method, bool early_rejection, double& seconds) {
      const double start = cpu_seconds();
      TuneResult result = tune(*trainer, space, family.defaults(context), blocks.folds, fit,
                               {.iterations = iterations, .early_rejection = early_rejection}, method);
      seconds += cpu_seconds() - start;
      return result;
    };
    const TuneResult model = run(search, true, comparison.model_seconds);
    comparison.model.push_back(model.best_loss);
    comparison.random.push_back(run(random_search, true, comparison.random_seconds).best_loss);
    comparison.full.push_back(run(search, false, comparison.full_seconds).best_loss);
    add_fits(model, blocks.folds.size(), comparison);
  }
  return comparison;
}

void compare_families(int seeds, const std::string& only, std::size_t rows_per_table) {
  print_header("cross-validated log-loss");
  for (const Family* family : families()) {
    if (!only.empty() && family->name() != only) continue;
    for (const bool two_columns : {true, false}) {
      const Pair pair = two_columns ? dependence_pair(0.9, rows_per_table, RandomStream(11))
                                    : dimension_pair(rows_per_table, RandomStream(12));
      if (family->search_space({.features = pair.features.cols()}).empty()) continue;
      const int published = bench::published_iterations(family->name()).value_or(0);
      print(std::string(family->name()) + (two_columns ? ", rho = 0.9" : ", d = 10"),
            compare_on(*family, pair, published > 0 ? published : 50, seeds));
    }
  }
}

}  // namespace
}  // namespace jsdiv

int main(int argc, char** argv) {
  try {
    const std::string what = argc > 1 ? argv[1] : "all";
    const int seeds = argc > 2 ? std::max(std::atoi(argv[2]), 1) : 20;
    const std::string only = argc > 3 ? argv[3] : "";
    const std::size_t rows = argc > 4 ? static_cast<std::size_t>(std::max(std::atoi(argv[4]), 20)) : 500;
    jsdiv::with_threads(0, [&] {
      if (what != "families") jsdiv::compare_functions(seeds);
      if (what != "functions") jsdiv::compare_families(seeds, only, rows);
    });
  } catch (const jsdiv::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
