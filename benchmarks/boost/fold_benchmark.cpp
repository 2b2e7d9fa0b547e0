#include <benchmark/benchmark.h>

#include "../shifted_pair.hpp"
#include "classify/xgboost/xgboost.hpp"

namespace jsdiv {
namespace {

/// One configuration on one fold of 3,200 + 800 rows: what a search pays 250 times. Arguments: columns,
/// depth.
void score_fold(benchmark::State& state) {
  const bench::ShiftedPair pair(4000, static_cast<std::size_t>(state.range(0)));
  const auto trainer = xgboost_family().prepare(pair.problem());
  const Rows all(pair.rows);
  Config config = xgboost_family().defaults({});
  config.set("max_depth", state.range(1));
  for (auto _ : state) {
    const auto fold = trainer->fold(all.first(3200), all.last(800), Fit{RandomStream(1)});
    benchmark::DoNotOptimize(fold->losses(config));
  }
}
BENCHMARK(score_fold)->Args({2, 6})->Args({50, 6})->Args({50, 10})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jsdiv
