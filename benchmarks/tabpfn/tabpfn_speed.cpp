// Time and memory of the TabPFN engine on random rows:
//     tabpfn_speed WEIGHTS TRAINING_ROWS SCORED_ROWS COLUMNS [THREADS]
// Prints one line of JSON. benchmarks/peers/tabpfn_speed.py sets it beside the package.

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include "classify/tabpfn/engine.hpp"
#include "core/parallel.hpp"
#include "jsdiv/random.hpp"

int main(int argc, char** argv) {
  using namespace jsdiv;
  if (argc < 5)
    return std::fprintf(stderr, "usage: tabpfn_speed WEIGHTS TRAINING_ROWS SCORED_ROWS COLUMNS\n"), 2;
  const auto number = [&](int i) { return static_cast<std::size_t>(std::strtoul(argv[i], nullptr, 10)); };
  const std::size_t training = number(2), scored = number(3), columns = number(4);
  const std::size_t threads = argc > 5 ? number(5) : 1;

  Matrix features(training + scored, columns);
  std::vector<std::uint8_t> labels(training);
  RandomStream random(1);
  for (std::size_t row = 0; row < features.rows(); ++row) {
    const auto label = static_cast<std::uint8_t>(row % 2);
    if (row < training) labels[row] = label;
    for (std::size_t j = 0; j < columns; ++j)
      features.at(row, j) = static_cast<float>(random.normal() + 0.5 * label);
  }
  std::vector<RowIndex> rows(training + scored);
  std::iota(rows.begin(), rows.end(), 0);

  const tabpfn::Engine engine(std::make_shared<tabpfn::Weights>(tabpfn::load_weights(argv[1])));
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto start = now();
  double fit_seconds = 0;
  float checksum = 0;
  with_threads(threads, [&] {
    const auto context = engine.fit(features.view(), Rows(rows).first(training), labels);
    fit_seconds = std::chrono::duration<double>(now() - start).count();
    for (const float logit : engine.logits(context, features.view(), Rows(rows).subspan(training)))
      checksum += logit;
  });
  const double seconds = std::chrono::duration<double>(now() - start).count();
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "{\"seconds\": %.3f, \"fit_seconds\": %.3f, \"cpu_seconds\": %.3f, \"peak_mib\": %.1f, \"checksum\": "
      "%.6g}\n",
      seconds, fit_seconds,
      static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
          1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
      static_cast<double>(usage.ru_maxrss) / 1024, static_cast<double>(checksum));
}
