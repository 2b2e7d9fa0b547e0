#pragma once

#include <string>

#include "jsdiv/error.hpp"

/// A condition that only a bug of ours can break; it is checked in every build, because a wrong number is
/// worse than a stop. A user's mistake throws InvalidInput instead.
#define JSDIV_ASSERT(condition)                                                         \
  do {                                                                                  \
    if (!(condition)) {                                                                 \
      throw ::jsdiv::InternalError(std::string("internal error at ") + __FILE__ + ":" + \
                                   std::to_string(__LINE__) + ": " #condition);         \
    }                                                                                   \
  } while (false)
