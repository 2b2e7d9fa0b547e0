#include "listen.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "core/stop.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

/// How often the calling thread looks up: often enough for a user, too rarely to cost anything.
constexpr auto interval = std::chrono::milliseconds(50);

/// What the work last said about itself. Only the latest matters.
class Progress {
 public:
  void set(double fraction, std::string_view what) {
    const std::lock_guard lock(mutex_);
    fraction_ = fraction;
    what_ = what;
    fresh_ = true;
  }

  /// Calls `callback` if there is news; the GIL is held.
  void tell(nb::handle callback) {
    double fraction = 0;
    std::string what;
    {
      const std::lock_guard lock(mutex_);
      if (!std::exchange(fresh_, false)) return;
      fraction = fraction_;
      what = what_;
    }
    if (!callback.is_none()) callback(fraction, nb::str(what.data(), what.size()));
  }

 private:
  std::mutex mutex_;
  double fraction_ = 0;
  std::string what_;
  bool fresh_ = false;
};

/// The request to stop concerns every run of the process; the last one to end withdraws it.
class Running {
 public:
  Running() { ++count; }
  ~Running() {
    if (--count == 0) interrupt_requested = false;
  }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  static inline std::atomic<int> count = 0;
};

}  // namespace

void run_while_listening(const std::function<void(const ProgressFunction&)>& work, nb::handle callback) {
  const Running running;
  Progress progress;
  std::exception_ptr failure;
  std::optional<nb::python_error> raised;
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;

  std::thread worker([&] {
    try {
      work([&](double fraction, std::string_view what) { progress.set(fraction, what); });
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    ended.notify_one();
  });

  {
    const nb::gil_scoped_release released;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, interval, [&] { return done; })) {
      if (raised) continue;
      lock.unlock();
      {
        const nb::gil_scoped_acquire acquired;
        try {
          if (PyErr_CheckSignals() != 0) throw nb::python_error();
          progress.tell(callback);
        } catch (nb::python_error& error) {
          raised.emplace(std::move(error));
          interrupt_requested = true;
        }
      }
      lock.lock();
    }
    lock.unlock();
    worker.join();
  }
  if (raised) throw std::move(*raised);
  if (failure) std::rethrow_exception(failure);
  progress.tell(callback);
}

}  // namespace jsdiv::python
