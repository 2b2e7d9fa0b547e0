#pragma once

#include <atomic>

#include "jsdiv/error.hpp"

namespace jsdiv {

/// Set by the command line's signal handler and by Python. Long loops call `throw_if_interrupted` often
/// enough that a user waits less than a second.
inline std::atomic<bool> interrupt_requested{false};

inline void throw_if_interrupted() {
  if (interrupt_requested.load(std::memory_order_relaxed)) throw Interrupted();
}

}  // namespace jsdiv
