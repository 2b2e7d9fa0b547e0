#include "core/parallel.hpp"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <sys/mman.h>

#include <algorithm>
#include <latch>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "core/stop.hpp"
#include "jsdiv/error.hpp"

extern "C" {
void openblas_set_num_threads(int count);
// Not in the library's header, but exported by every build of it.
__attribute__((weak)) void* blas_memory_alloc(int position);
__attribute__((weak)) void blas_memory_free(void* buffer);
}

namespace jsdiv {
namespace {

constexpr std::size_t most_threads = 512;

/// Starts as many threads as will be needed and lets them go: the libraries below end the process if they
/// find out by themselves that there are none to be had.
void require_threads(std::size_t count) {
  std::latch gate(1);
  std::vector<std::thread> started;
  bool failed = false;
  try {
    started.reserve(count);
    while (started.size() + 1 < count) started.emplace_back([&] { gate.wait(); });
  } catch (const std::exception&) {
    failed = true;
  }
  gate.count_down();
  for (std::thread& thread : started) thread.join();
  if (failed) {
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "only " + std::to_string(started.size() + 1) + " of " + std::to_string(count) +
                                " threads can be started; use fewer, or raise the limit");
  }
}

/// OpenBLAS takes a buffer for each thread that is inside it, keeps it, and asks again for ever where it gets
/// none. So they are taken in advance, each after a look at whether there is room.
void require_blas_buffers(std::size_t count) {
  constexpr std::size_t buffer_bytes = std::size_t{160} << 20;  // 128 MiB and what it is aligned to
  if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
  std::vector<void*> buffers;
  buffers.reserve(count);
  bool failed = false;
  while (buffers.size() < count && !failed) {
    void* room = mmap(nullptr, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    failed = room == MAP_FAILED;
    if (failed) break;
    munmap(room, buffer_bytes);
    buffers.push_back(blas_memory_alloc(0));
  }
  for (void* buffer : buffers) blas_memory_free(buffer);
  if (failed) {
    throw std::system_error(std::make_error_code(std::errc::not_enough_memory),
                            "not enough memory for the buffers of " + std::to_string(count) +
                                (count == 1 ? " thread; raise the limit (ulimit -v)"
                                            : " threads; use fewer, or raise the limit (ulimit -v)"));
  }
}

/// Throws std::system_error unless that many threads can work; what was found once is not looked for again.
void require_resources(std::size_t threads) {
  static std::mutex mutex;
  static std::size_t found = 0;
  const std::lock_guard lock(mutex);
  if (threads <= found) return;
  require_threads(threads);
  require_blas_buffers(threads);
  found = threads;
}

}  // namespace

void parallel_for(std::size_t count, const std::function<void(std::size_t)>& job) {
  if (count == 1) return job(0);
  oneapi::tbb::this_task_arena::isolate([&] {
    // A region of its own: when a job of an outer region throws, a bound one would be ended in silence, and
    // the caller would go on with jobs that were never done.
    oneapi::tbb::task_group_context alone(oneapi::tbb::task_group_context::isolated);
    oneapi::tbb::parallel_for(
        std::size_t{0}, count,
        [&](std::size_t index) {
          throw_if_interrupted();
          job(index);
        },
        oneapi::tbb::simple_partitioner{}, alone);
  });
}

std::size_t threads_at_work() {
  return static_cast<std::size_t>(oneapi::tbb::this_task_arena::max_concurrency());
}

std::size_t thread_count(std::size_t threads) {
  if (threads > most_threads)
    throw InvalidInput(mention("threads", threads) + " is too many; at most " + std::to_string(most_threads) +
                           " are possible",
                       {.option = "threads"});
  return threads != 0 ? threads
                      : std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads);
}

void with_threads(std::size_t threads, const std::function<void()>& work) {
  openblas_set_num_threads(1);
  const std::size_t count = thread_count(threads);
  require_resources(count);
  const oneapi::tbb::global_control limit(oneapi::tbb::global_control::max_allowed_parallelism, count);
  oneapi::tbb::task_arena arena(static_cast<int>(count));
  arena.execute(work);
}

}  // namespace jsdiv
