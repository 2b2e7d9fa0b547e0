#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "bench/job.hpp"
#include "bench/plan.hpp"

namespace jsdiv::cli {

/// The running state of a bench on a terminal: settings down, estimators across, in each cell the mean error
/// (×100; without a truth the mean estimate) and how many seeds are done, and the time left. Draws over
/// itself.
class LiveTable {
 public:
  /// `jobs`: how many this process has to look after.
  LiveTable(const bench::Plan& plan, std::size_t jobs, std::size_t threads);

  void finished(const bench::Job& job, const bench::JobResult& result, bool resumed);
  /// Removes the table from the screen.
  void clear();

 private:
  struct Progress {
    int done = 0;
    double sum = 0;
    double seconds = 0;
    int timed = 0;
  };

  void draw();
  double seconds_left() const;
  std::string cell_text(std::size_t setting, const std::string& family) const;

  const bench::Plan& plan_;
  std::size_t jobs_;
  std::size_t threads_;
  std::size_t done_ = 0;
  std::size_t resumed_ = 0;
  std::size_t lines_drawn_ = 0;
  std::map<std::pair<std::size_t, std::string>, Progress> cells_;
  std::map<std::string, Progress> families_;
  std::chrono::steady_clock::time_point last_drawn_;
};

}  // namespace jsdiv::cli
