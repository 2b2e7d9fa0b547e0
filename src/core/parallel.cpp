#include "core/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <thread>

#include "core/stop.hpp"

extern "C" void openblas_set_num_threads(int count);

namespace jsdiv {

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (count == 1) return job(0);
  oneapi::tbb::this_task_arena::isolate([&] {
    oneapi::tbb::parallel_for(
        std::size_t{0}, count,
        [&](std::size_t index) {
          throw_if_interrupted();
          job(index);
        },
        oneapi::tbb::simple_partitioner{});
  });
}

std::size_t thread_count(std::size_t threads) {
  return threads != 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

void with_threads(std::size_t threads, const std::function<void()>& work) {
  openblas_set_num_threads(1);
  const std::size_t count = thread_count(threads);
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, count);
  oneapi::tbb::task_arena arena(static_cast<int>(count));
  arena.execute(work);
}

}  // namespace jsdiv
