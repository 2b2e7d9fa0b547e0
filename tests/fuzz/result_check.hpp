#pragma once

#include <string>
#include <string_view>

#include "core/assert.hpp"
#include "jsdiv/error.hpp"
#include "report/verify.hpp"

namespace jsdiv::fuzz {

/// The properties that hold for any bytes given to `verify` as a result: they are refused in one line, or the
/// options in them are such that writing and reading them again changes nothing. True if they were accepted.
inline bool check_result(std::string_view text) {
  RecordedResult recorded;
  try {
    recorded = recorded_result(parse_json(text, "result.json"), "result.json");
  } catch (const InvalidInput& error) {
    JSDIV_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return false;
  }
  const Json options = options_json(recorded.options);
  JSDIV_ASSERT(options_json(options_from_json(options, "again")) == options);
  return true;
}

}  // namespace jsdiv::fuzz
