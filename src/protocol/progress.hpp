#pragma once

#include <mutex>
#include <string>

#include "jsdiv/options.hpp"

namespace jsdiv {

/// Counts finished jobs from any thread and tells the caller's function.
class ProgressCounter {
 public:
  ProgressCounter(ProgressFunction&& report, std::size_t jobs) = delete;  // it is referred to
  ProgressCounter(const ProgressFunction& report, std::size_t jobs) : report_(report), jobs_(jobs) {}

  void finished(const std::string& what) {
    if (!report_) return;
    const std::lock_guard lock(mutex_);
    ++finished_;
    report_(static_cast<double>(finished_) / static_cast<double>(jobs_), what);
  }

 private:
  const ProgressFunction& report_;
  std::size_t jobs_;
  std::size_t finished_ = 0;
  std::mutex mutex_;
};

}  // namespace jsdiv
