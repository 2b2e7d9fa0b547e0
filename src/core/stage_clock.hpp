#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "core/process_usage.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/result.hpp"

namespace jsdiv {

/// Divides the time from its construction on among stages.
class StageClock {
 public:
  explicit StageClock(std::vector<StageRecord>& stages) : stages_(stages) {}

  /// What has passed since the last call counts for this stage, also if it has had a turn before.
  void end(const std::string& stage) {
    const auto found = std::ranges::find(stages_, stage, &StageRecord::name);
    StageRecord& record = found == stages_.end() ? stages_.emplace_back(StageRecord{.name = stage}) : *found;
    record.seconds += watch_.seconds() - ended_;
    record.peak_bytes = peak_bytes();
    ended_ = watch_.seconds();
  }

 private:
  std::vector<StageRecord>& stages_;
  Stopwatch watch_;
  double ended_ = 0;
};

}  // namespace jsdiv
