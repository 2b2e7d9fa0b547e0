#include "compare/compare_json.hpp"

namespace jsdiv {
namespace {

/// What a comparison says of one estimate: those numbers of jsdiv.result/1 that candidates are judged by.
Json numbers_json(const Result& estimate) {
  const Json whole = result_json(estimate);
  Json json = Json::object();
  for (const char* key : {"jsd", "raw", "distance", "standard_error", "confidence_interval", "held_out",
                          "lower_bound", "p_value", "noise_floor", "ladder", "learning_curve", "support"}) {
    json[key] = whole.at(key);
  }
  return json;
}

Json input_json(const Result& estimate, std::size_t which) {
  const InputRecord& input = estimate.protocol.inputs.at(which);
  return {{"path", input.path}, {"sha256", input.sha256}, {"rows", input.rows}};
}

Json candidate_json(const Candidate& candidate) {
  Json json = {{"name", candidate.name},
               {"position", candidate.position},
               {"rank", candidate.rank},
               {"differs", candidate.differs}};
  json.update(numbers_json(candidate.estimate));
  json["input"] = input_json(candidate.estimate, 1);
  json["warnings"] = warnings_json(candidate.estimate.warnings);
  return json;
}

Json difference_json(const PairedDifference& difference) {
  const Interval& interval = difference.confidence_interval;
  return {
      {"closer", difference.closer},
      {"farther", difference.farther},
      {"value", difference.value},
      {"standard_error", difference.standard_error},
      {"unpaired_standard_error", difference.unpaired_standard_error},
      {"confidence_interval", {{"level", interval.level}, {"low", interval.low}, {"high", interval.high}}},
      {"supported", difference.supported}};
}

Json yardstick_json(const Yardstick& yardstick) {
  Json json = {{"rows", {yardstick.rows_first, yardstick.rows_second}}};
  json.update(numbers_json(yardstick.estimate));
  return json;
}

}  // namespace

Json compare_json(const CompareResult& result) {
  Json candidates = Json::array();
  for (const Candidate& candidate : result.candidates) candidates.push_back(candidate_json(candidate));
  Json differences = Json::array();
  for (const PairedDifference& difference : result.differences) {
    differences.push_back(difference_json(difference));
  }
  const Result& first = result.candidates.at(0).estimate;
  const Json protocol = result_json(first).at("protocol");
  return {{"schema", "jsdiv.compare/1"},
          {"reference", {{"name", result.reference}, {"input", input_json(first, 0)}}},
          {"over_time", result.over_time},
          {"candidates", std::move(candidates)},
          {"differences", std::move(differences)},
          {"simultaneous_quantile", result.simultaneous_quantile},
          {"yardstick", result.yardstick ? yardstick_json(*result.yardstick) : Json(nullptr)},
          {"columns", result.columns},
          {"protocol",
           {{"name", protocol.at("name")},
            {"families", protocol.at("families")},
            {"split", protocol.at("split")},
            {"options", protocol.at("options")},
            {"versions", protocol.at("versions")}}},
          {"warnings", warnings_json(result.warnings)},
          {"runtime", runtime_json(result.runtime)}};
}

std::string to_json(const CompareResult& result) {
  return dump(compare_json(result));
}

}  // namespace jsdiv
