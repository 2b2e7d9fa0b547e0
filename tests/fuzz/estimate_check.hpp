#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "load/read.hpp"
#include "report/json.hpp"

namespace jsdiv::fuzz {

inline bool all_finite(const Json& json) {
  if (json.is_number_float()) return std::isfinite(json.get<double>());
  if (!json.is_structured()) return true;
  for (const Json& value : json) {
    if (!all_finite(value)) return false;
  }
  return true;
}

/// The properties of an estimate on any two tables: refused in one line, or every number in its range, and
/// the same bits if P and Q are exchanged. The part of the text after "\n===\n" is Q. True if it was
/// measured.
inline bool check_estimate(std::string_view text) {
  const std::size_t cut = text.find("\n===\n");
  if (cut == std::string_view::npos || text.size() > 4096) return false;
  EstimateOptions options;
  options.families = {"logreg"};
  options.threads = 1;
  try {
    std::vector<InputFile> files;
    files.push_back(InputFile::from_memory("p.csv", std::string(text.substr(0, cut))));
    files.push_back(InputFile::from_memory("q.csv", std::string(text.substr(cut + 5))));
    std::vector<Warning> warnings;
    const std::vector<Table> tables = read_inputs(std::move(files), options.load, warnings, 0);
    const Result result = estimate(tables[0], tables[1], options);
    const Result exchanged = estimate(tables[1], tables[0], options);
    JSDIV_ASSERT(result.jsd >= 0 && result.jsd <= 1);
    JSDIV_ASSERT(!result.p_value || (*result.p_value >= 0 && *result.p_value <= 1));
    JSDIV_ASSERT(!result.lower_bound || *result.lower_bound <= result.jsd);
    if (const auto& interval = result.confidence_interval)
      JSDIV_ASSERT(0 <= interval->low && interval->low <= result.jsd && result.jsd <= interval->high &&
                   interval->high <= 1);
    JSDIV_ASSERT(all_finite(result_json(result)));
    JSDIV_ASSERT(exchanged.jsd == result.jsd && exchanged.p_value == result.p_value &&
                 exchanged.lower_bound == result.lower_bound);
    return true;
  } catch (const InvalidInput& error) {
    JSDIV_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return false;
  }
}

}  // namespace jsdiv::fuzz
