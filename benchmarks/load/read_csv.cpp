// Reads CSV files the way `jsdiv estimate` does and prints, for each repetition, the seconds of the clock,
// those of the processors and the rows:
//     read_csv THREADS REPETITIONS FILE...
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <vector>

#include "core/parallel.hpp"
#include "load/load.hpp"

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::fprintf(stderr, "usage: read_csv THREADS REPETITIONS FILE...\n");
    return 2;
  }
  const std::vector<std::string> paths(argv + 3, argv + argc);
  jsdiv::with_threads(std::strtoul(argv[1], nullptr, 10), [&] {
    for (unsigned long repetition = 0; repetition < std::strtoul(argv[2], nullptr, 10); ++repetition) {
      std::vector<jsdiv::Warning> warnings;
      const std::clock_t processor_start = std::clock();
      const auto start = std::chrono::steady_clock::now();
      const std::vector<jsdiv::Table> tables = jsdiv::read_tables(paths, {}, warnings);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      const double processor = static_cast<double>(std::clock() - processor_start) / CLOCKS_PER_SEC;
      std::printf("%.4f %.4f %zu\n", elapsed.count(), processor, tables.front().rows);
    }
  });
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
