#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace jsdiv {
namespace {

TEST(Parallel, RunsEveryJobOnceAlsoWhenNested) {
  for (const std::size_t threads : {1, 2, 5}) {
    std::vector<std::atomic<int>> runs(12);
    with_threads(threads, [&] {
      parallel_for(3, [&](std::size_t outer) {
        parallel_for(4, [&](std::size_t inner) { ++runs[outer * 4 + inner]; });
      });
    });
    for (const auto& count : runs) EXPECT_EQ(count, 1);
  }
}

TEST(Parallel, CarriesAnExceptionOut) {
  const auto work = [] {
    parallel_for(8, [](std::size_t i) {
      if (i == 5) throw std::runtime_error("five");
    });
  };
  EXPECT_THROW(with_threads(2, work), std::runtime_error);
}

}  // namespace
}  // namespace jsdiv
