#include "core/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include <atomic>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/stop.hpp"
#include "jsdiv/error.hpp"

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

TEST(ParallelFor, ARegionWithinAnotherIsWholeAlsoWhenASiblingThrows) {
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> incomplete = 0;
    const auto run = [&] {
      parallel_for(8, [&](std::size_t outer) {
        if (outer == 7) throw std::runtime_error("sibling");
        std::vector<int> done(64);
        parallel_for(done.size(), [&](std::size_t i) { done[i] = 1; });
        incomplete += std::ranges::count(done, 0) > 0;
      });
    };
    with_threads(4, [&] { EXPECT_THROW(run(), std::runtime_error); });
    EXPECT_EQ(incomplete, 0);
  }
}

TEST(ParallelFor, NothingToDoIsDone) {
  parallel_for(0, [](std::size_t) { FAIL(); });
}

TEST(ParallelFor, AnInterruptEndsIt) {
  interrupt_requested = true;
  EXPECT_THROW(parallel_for(4, [](std::size_t) {}), Interrupted);
  interrupt_requested = false;
}

TEST(ThreadCount, IsAsAskedWithinLimits) {
  EXPECT_EQ(thread_count(7), 7U);
  EXPECT_EQ(thread_count(512), 512U);
  EXPECT_GE(thread_count(0), 1U);
  try {
    with_threads(513, [] { FAIL(); });
    FAIL();
  } catch (const InvalidInput& error) {
    EXPECT_STREQ(error.what(), "threads = 513 is too many; at most 512 are possible");
    EXPECT_EQ(error.subject().option, "threads");
  }
}

TEST(WithThreads, TheThreadsAtWorkAreThoseAskedFor) {
  for (const std::size_t threads : {1, 3}) {
    with_threads(threads, [&] { EXPECT_EQ(threads_at_work(), threads); });
  }
}

}  // namespace
}  // namespace jsdiv
