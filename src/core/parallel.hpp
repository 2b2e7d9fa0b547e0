#pragma once

#include <cstddef>
#include <functional>

namespace jsdiv {

/// Runs job(0) … job(count - 1), in parallel where threads are free. Jobs write to places of their own and
/// draw from streams of their own, so that order and thread count cannot show. The first exception is
/// rethrown in the caller. A job may itself call parallel_for; while it waits it takes work of its own loop
/// only, so that the time it measures is its own.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& job);

/// Runs `work` with at most that many threads; 0 means one for each core. Also holds BLAS to one thread:
/// parallelism is over jobs.
void with_threads(std::size_t threads, const std::function<void()>& work);

/// The number of threads that work at most where this is called.
std::size_t threads_at_work();

/// The number of threads that with_threads(threads, …) would use.
std::size_t thread_count(std::size_t threads);

}  // namespace jsdiv
