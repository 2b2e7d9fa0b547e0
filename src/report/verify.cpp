#include "report/verify.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "load/table_paths.hpp"
#include "report/json.hpp"

namespace jsdiv {
namespace {

constexpr double tolerance = 1e-6;
constexpr std::size_t differences_shown = 10;

const Json& member(const Json& json, const char* key, const std::string& path) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  if (!json.is_object() || found == json.end()) throw InvalidInput(path + ": has no '" + key + "'");
  return *found;
}

/// The record may come from anybody, and opening a pipe or device on its word could wait for ever or do harm.
void refuse_other_than_files(std::span<const std::string> paths, const std::string& source) {
  for (const std::string& table : paths) {
    for (const std::string& path : table_paths(table)) {
      std::error_code ignored;
      const auto status = std::filesystem::status(path, ignored);
      const bool other = std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
      if (other || path == standard_input)
        throw InvalidInput(source + ": records the input '" + path +
                           "', which is not a regular file; give P and Q yourself");
    }
  }
}

bool is_runtime(const std::string& key) {
  return key == "runtime" || key == "seconds" || key == "versions" || key == "path";
}

/// Collects where two JSON values differ, runtime, versions and paths left out.
class Comparison {
 public:
  void compare(const std::string& where, const Json& recorded, const Json& now) {
    if (recorded.is_object() && now.is_object()) {
      for (const auto& [key, value] : recorded.items()) {
        if (is_runtime(key)) continue;
        const auto found = now.find(key);
        const std::string inner = where.empty() ? key : where + "." + key;
        if (found == now.end()) {
          differences.push_back(inner + ": recorded, but missing now");
        } else {
          compare(inner, value, *found);
        }
      }
      for (const auto& [key, value] : now.items()) {
        if (!is_runtime(key) && !recorded.contains(key))
          differences.push_back((where.empty() ? key : where + "." + key) +
                                ": present now, but not recorded");
      }
    } else if (recorded.is_array() && now.is_array() && recorded.size() == now.size()) {
      for (std::size_t i = 0; i < recorded.size(); ++i) {
        compare(where + "[" + std::to_string(i) + "]", recorded[i], now[i]);
      }
    } else if (!equal(recorded, now)) {
      differences.push_back(where + ": " + recorded.dump() + " recorded, " + now.dump() + " now");
    }
    if (recorded != now) identical = identical && (recorded.is_object() || recorded.is_array());
  }

  std::vector<std::string> differences;
  bool identical = true;

 private:
  static bool equal(const Json& recorded, const Json& now) {
    if (!recorded.is_number() || !now.is_number()) return recorded == now;
    const double a = recorded.get<double>();
    const double b = now.get<double>();
    return std::abs(a - b) <= tolerance * std::max(1.0, std::abs(a));
  }
};

}  // namespace

void require_result(const Json& json, const std::string& source) {
  if (!json.is_object() || json.value("schema", Json()) != "jsdiv.result/1") {
    throw InvalidInput(source +
                       ": is not a result of schema jsdiv.result/1; give the JSON written by jsdiv estimate");
  }
}

RecordedResult recorded_result(Json json, const std::string& source) {
  require_result(json, source);
  RecordedResult recorded{.json = std::move(json), .options = {}, .inputs = {}};
  const Json& protocol = member(recorded.json, "protocol", source);
  recorded.options = options_from_json(member(protocol, "options", source), source);
  if (member(protocol, "families", source) == Json::array({"posteriors"})) {
    throw InvalidInput(
        source + ": was computed from your own posteriors, which are not recorded, so it cannot be repeated");
  }
  for (const Json& input : member(protocol, "inputs", source)) {
    const Json& path = member(input, "path", source);
    if (!path.is_string()) throw InvalidInput(source + ": the path of an input is not text");
    recorded.inputs.push_back(path.get<std::string>());
  }
  return recorded;
}

namespace {

void require_two_inputs(const RecordedResult& recorded, const std::string& source) {
  if (recorded.inputs.size() != 2)
    throw InvalidInput(source + ": does not record two inputs, so it cannot be repeated");
}

Verification compared(RecordedResult recorded, const Result& replayed) {
  // Which plan a time budget led to is in the options; the replay of that plan has no budget to speak of. A
  // self-check is not repeated.
  if (auto* warnings = recorded.json["warnings"].get_ptr<Json::array_t*>()) {
    std::erase_if(*warnings, [](const Json& warning) {
      const Json code = warning.is_object() ? warning.value("code", Json()) : Json();
      return code == "time_budget" || code == "self_check_misses";
    });
  }
  recorded.json["self_check"] = nullptr;
  Json now = result_json(replayed);
  // The hash of a table in memory is that of its values, the hash of a file that of its bytes.
  for (std::size_t i = 0; i < recorded.inputs.size(); ++i) {
    Json& before = recorded.json["protocol"]["inputs"][i];
    Json& after = now["protocol"]["inputs"][i];
    if (recorded.inputs[i].empty() == after.at("path").get<std::string>().empty()) continue;
    before.erase("sha256");
    after.erase("sha256");
  }
  Comparison comparison;
  comparison.compare("protocol", recorded.json["protocol"],
                     now["protocol"]);  // first: other data or options explain all the rest
  if (comparison.differences.empty()) comparison.compare("", recorded.json, now);
  Verification verification;
  verification.equal = comparison.differences.empty();
  if (!verification.equal) {
    const std::size_t count = comparison.differences.size();
    verification.verdict = "not equal: " + std::to_string(count) + " difference" + (count == 1 ? "" : "s");
    comparison.differences.resize(std::min(count, differences_shown));
    verification.differences = std::move(comparison.differences);
  } else {
    verification.verdict = comparison.identical ? "equal: every number is the same"
                                                : "equal: every number is the same to within 1e-6";
  }
  return verification;
}

}  // namespace

Verification verify(RecordedResult recorded, const std::string& source, std::span<const std::string> tables,
                    std::size_t threads) {
  EstimateOptions options = recorded.options;
  options.threads = threads;
  const std::vector<std::string> paths =
      tables.empty() ? recorded.inputs : std::vector<std::string>(tables.begin(), tables.end());
  require_two_inputs(recorded, source);
  if (tables.empty()) {
    if (std::ranges::find(paths, "") != paths.end()) {
      throw InvalidInput(
          source + ": was computed from tables in memory, which are not recorded; give P and Q as well");
    }
    refuse_other_than_files(paths, source);
  }
  const Result replayed = estimate(paths[0], paths[1], options);
  return compared(std::move(recorded), replayed);
}

Verification verify(RecordedResult recorded, Table p, Table q, std::size_t threads) {
  EstimateOptions options = recorded.options;
  options.threads = threads;
  require_two_inputs(recorded, "the record");
  const Result replayed = estimate(std::move(p), std::move(q), options);
  return compared(std::move(recorded), replayed);
}

Verification verify(const std::string& result_path, std::span<const std::string> tables,
                    std::size_t threads) {
  return verify(recorded_result(read_json(result_path), result_path), result_path, tables, threads);
}

}  // namespace jsdiv
