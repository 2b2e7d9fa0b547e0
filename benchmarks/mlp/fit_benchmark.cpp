#include <benchmark/benchmark.h>

#include "../shifted_pair.hpp"
#include "classify/mlp/mlp.hpp"
#include "classify/mlp/network.hpp"
#include "core/parallel.hpp"

namespace jsdiv {
namespace {

/// One optimiser step's forward and backward pass on 256 rows. Argument: columns.
void training_pass(benchmark::State& state) {
  with_threads(1, [] {});
  constexpr Eigen::Index rows = 256;
  const mlp::Layout layout(state.range(0));
  auto network = mlp::State<float>::initial(layout, RandomStream(1));
  const mlp::Columns<float> features = mlp::Columns<float>::Random(rows, state.range(0));
  const std::vector<float> labels(rows, 1.0F);
  const std::vector<float> weights(rows, 1.0F);
  mlp::TrainingPass<float> pass(layout, rows);
  RandomStream random(2);
  for (auto _ : state) benchmark::DoNotOptimize(pass.run(network, features, labels, weights, random));
}
BENCHMARK(training_pass)->Arg(2)->Arg(50)->Unit(benchmark::kMicrosecond);

/// A whole fit on 4,000 rows with 4,000 for validation. Argument: columns.
void fit(benchmark::State& state) {
  with_threads(1, [] {});
  const bench::ShiftedPair pair(8000, static_cast<std::size_t>(state.range(0)));
  const auto trainer = mlp_family().prepare(pair.problem());
  const Rows all(pair.rows);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        trainer->fit(all.first(4000), mlp_family().defaults({}), Fit{RandomStream(1), all.last(4000)}));
  }
}
BENCHMARK(fit)->Arg(2)->Arg(50)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace jsdiv
