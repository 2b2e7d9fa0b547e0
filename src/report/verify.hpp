#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"
#include "report/json.hpp"

namespace jsdiv {

struct Verification {
  bool equal = false;
  std::string verdict;                   ///< one sentence
  std::vector<std::string> differences;  ///< "jsd: 0.31 recorded, 0.32 now", the first few
};

/// A result as it was recorded, and what is needed to run it again.
struct RecordedResult {
  Json json;
  EstimateOptions options;
  std::vector<std::string> inputs;  ///< paths of P and Q as they were given
};

/// Throws InvalidInput that starts with `source` where the JSON does not say that it is a result of jsdiv.
void require_result(const Json& json, const std::string& source);

/// Throws InvalidInput that starts with `source` where the text is no result of jsdiv, whatever it is.
RecordedResult recorded_result(Json json, const std::string& source);

/// Replays a recorded result from its protocol, on the recorded paths or on `tables` (P and Q), and compares
/// everything but the runtime. Numbers count as equal up to 1e-6, since another CPU rounds otherwise. Data
/// with another hash make it unequal. Errors name the record as `source`.
Verification verify(RecordedResult recorded, const std::string& source, std::span<const std::string> tables,
                    std::size_t threads);
Verification verify(RecordedResult recorded, Table p, Table q, std::size_t threads);

/// The same of a JSON file. Throws InvalidInput where it is no result of jsdiv.
Verification verify(const std::string& result_path, std::span<const std::string> tables, std::size_t threads);

}  // namespace jsdiv
