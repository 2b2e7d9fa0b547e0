#include "report/json.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "jsdiv/error.hpp"
#include "load/input.hpp"
#include "protocol/option_fields.hpp"

extern "C" char* openblas_get_config();

namespace jsdiv {
namespace {

Json maybe(const Maybe& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json hyperparameters_json(const Hyperparameters& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) {
    std::visit([&, &key = name](const auto& plain) { json[key] = plain; }, value);
  }
  return json;
}

Json search_json(const std::optional<SearchCounts>& search) {
  if (!search) return nullptr;
  return {{"trials", search->trials}, {"stopped_early", search->stopped_early}};
}

Json seed_json(const SeedResult& seed) {
  return {{"seed", seed.seed},
          {"jsd", seed.jsd},
          {"raw", seed.raw},
          {"standard_error", seed.standard_error},
          {"validation_log_loss", maybe(seed.validation_log_loss)},
          {"auc", seed.auc},
          {"calibration", seed.calibration},
          {"hyperparameters", hyperparameters_json(seed.hyperparameters)},
          {"search", search_json(seed.search)},
          {"seconds", seed.seconds}};
}

Json family_json(const FamilyResult& family) {
  Json seeds = Json::array();
  for (const SeedResult& seed : family.seeds) seeds.push_back(seed_json(seed));
  return {{"name", family.name},
          {"jsd", family.jsd},
          {"raw", family.raw},
          {"standard_error", maybe(family.standard_error)},
          {"sd", maybe(family.sd)},
          {"seconds", family.seconds},
          {"validation_log_loss", maybe(family.validation_log_loss)},
          {"auc", maybe(family.auc)},
          {"weight", maybe(family.weight)},
          {"fitted_on", family.fitted_on.empty() ? Json(nullptr) : Json(family.fitted_on)},
          {"calibration", family.calibration},
          {"hyperparameters", hyperparameters_json(family.hyperparameters)},
          {"seeds", std::move(seeds)}};
}

struct FieldWriter {
  Json& json;

  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum value, std::string_view) {
    json[field_name(name)] = spell(value);
  }
  template <typename T>
  void operator()(std::string_view name, const std::optional<T>& value, std::string_view) {
    json[field_name(name)] = value ? Json(*value) : Json(nullptr);
  }
  template <typename T>
  requires(!std::is_enum_v<T>) void operator()(std::string_view name, const T& value, std::string_view) {
    json[field_name(name)] = value;
  }
};

struct FieldReader {
  const Json& json;
  std::string_view source;

  template <typename Enum>
  requires std::is_enum_v<Enum>
  void operator()(std::string_view name, Enum& value, std::string_view) {
    std::string text;
    read(name, text);
    for (const auto& [spelling, candidate] : Spelling<Enum>::values) {
      if (spelling == text) {
        value = candidate;
        return;
      }
    }
    fail(name);
  }
  template <typename T>
  void operator()(std::string_view name, std::optional<T>& value, std::string_view) {
    const auto found = json.find(field_name(name));
    if (found == json.end()) fail(name);
    if (found->is_null()) {
      value.reset();
      return;
    }
    T plain{};
    read(name, plain);
    value = plain;
  }
  template <typename T>
  requires(!std::is_enum_v<T>) void operator()(std::string_view name, T& value, std::string_view) {
    read(name, value);
  }

 private:
  template <typename T>
  void read(std::string_view name, T& value) {
    const auto found = json.find(field_name(name));
    if (found == json.end() || !fits<T>(*found)) fail(name);
    try {
      found->get_to(value);
    } catch (const nlohmann::json::exception&) {
      fail(name);
    }
  }
  /// The library would turn 1.5, true and numbers out of range into integers.
  template <typename T>
  static bool fits(const Json& value) {
    if constexpr (std::is_same_v<T, bool>) {
      return value.is_boolean();
    } else if constexpr (std::is_integral_v<T>) {
      if (value.is_number_unsigned()) return std::in_range<T>(value.get<std::uint64_t>());
      return value.is_number_integer() && std::in_range<T>(value.get<std::int64_t>());
    } else {
      return true;
    }
  }
  [[noreturn]] void fail(std::string_view name) const {
    throw InvalidInput(std::string(source) + ": protocol.options." + field_name(name) +
                       " is missing or invalid; was this result written by this version of jsdiv?");
  }
};

Json protocol_json(const ProtocolRecord& protocol) {
  Json inputs = Json::array();
  for (const InputRecord& input : protocol.inputs) {
    inputs.push_back({{"path", input.path}, {"sha256", input.sha256}, {"rows", input.rows}});
  }
  Json columns = Json::array();
  for (const ColumnRecord& column : protocol.columns) {
    columns.push_back({{"name", column.name}, {"type", to_string(column.type)}});
  }
  return {{"name", spell(protocol.options.protocol)},
          {"families", protocol.families},
          {"split", protocol.split},
          {"calibration", protocol.calibration},
          {"r", maybe(protocol.r)},
          {"corrected", protocol.corrected},
          {"epsilon", protocol.options.paper.epsilon},
          {"seeds", protocol.seeds},
          {"uncertainty", protocol.uncertainty},
          {"options", options_json(protocol.options)},
          {"inputs", std::move(inputs)},
          {"columns", std::move(columns)},
          {"left_out_columns", protocol.left_out_columns},
          {"equal_rows_are_groups", protocol.equal_rows_are_groups},
          {"rows_used", protocol.rows_used ? Json(*protocol.rows_used) : Json(nullptr)},
          {"training_rows", protocol.training_rows ? Json(*protocol.training_rows) : Json(nullptr)},
          {"notes", warnings_json(protocol.notes)},
          {"versions", versions_json()}};
}

Json divergences_json(const DivergencesResult& divergences) {
  Json json = Json::object();
  for (const auto& [name, value] : divergences.values) {
    json[name] = nullptr;
    if (value) {
      json[name] = {{"value", value->value},
                    {"standard_error", value->at_least || std::isnan(value->standard_error)
                                           ? Json(nullptr)
                                           : Json(value->standard_error)},
                    {"at_least", value->at_least}};
    }
    if (value && name == "mmd2") json[name]["p_value"] = maybe(divergences.mmd2_p_value);
  }
  json["distance_rows"] = {{"p", divergences.distance_rows_p}, {"q", divergences.distance_rows_q}};
  return json;
}

Json support_json(const SupportResult& support) {
  Json mismatches = Json::array();
  for (const SupportMismatch& mismatch : support.mismatches) {
    mismatches.push_back({{"column", mismatch.column.empty() ? Json(nullptr) : Json(mismatch.column)},
                          {"kind", mismatch.kind},
                          {"share_p", mismatch.share_p},
                          {"share_q", mismatch.share_q},
                          {"message", mismatch.message}});
  }
  Json date_parts = Json::array();
  for (const DatePartResult& each : support.date_parts) {
    date_parts.push_back(
        {{"column", each.column}, {"part", each.part}, {"jsd", each.jsd}, {"message", each.message}});
  }
  return {{"mismatches", std::move(mismatches)},
          {"date_parts", std::move(date_parts)},
          {"harmonised_jsd", maybe(support.harmonised_jsd)}};
}

Json interval_json(const std::optional<Interval>& interval) {
  if (!interval) return nullptr;
  return {{"level", interval->level}, {"low", interval->low}, {"high", interval->high}};
}

Json bound_json(double level, const Maybe& value, const Maybe& finite_sample) {
  if (!value) return nullptr;
  return {{"level", level}, {"value", *value}, {"finite_sample", maybe(finite_sample)}};
}

Json ladder_json(const std::vector<Rung>& ladder, double level) {
  if (ladder.empty()) return nullptr;
  Json json = Json::array();
  for (const Rung& rung : ladder) {
    json.push_back({{"rung", rung.rung},
                    {"jsd", rung.jsd},
                    {"raw", rung.raw},
                    {"standard_error", maybe(rung.standard_error)},
                    {"confidence_interval", interval_json(rung.confidence_interval)},
                    {"held_out", nullptr},
                    {"lower_bound", bound_json(level, rung.lower_bound, rung.finite_sample_bound)},
                    {"p_value", maybe(rung.p_value)},
                    {"p_value_is_bound", rung.p_value ? Json(rung.p_value_is_bound) : Json(nullptr)}});
    if (rung.held_out) {
      json.back()["held_out"] = {{"jsd", rung.held_out->value},
                                 {"standard_error", rung.held_out->standard_error}};
    }
  }
  return json;
}

Json posteriors_json(const PosteriorSummary& posteriors) {
  Json reliability = Json::array();
  for (const ReliabilityBin& bin : posteriors.reliability) {
    reliability.push_back({{"predicted", bin.predicted},
                           {"observed", bin.observed},
                           {"standard_error", bin.standard_error},
                           {"rows", bin.rows}});
  }
  return {{"p", posteriors.p}, {"q", posteriors.q}, {"reliability", std::move(reliability)}};
}

Json self_check_json(const SelfCheck& check) {
  Json sources = Json::array();
  for (const SelfCheckSource& source : check.sources) {
    sources.push_back({{"source", source.source},
                       {"refits", source.refits},
                       {"covered", source.covered},
                       {"bias", source.bias},
                       {"mean_absolute_error", source.mean_absolute_error},
                       {"implied_jsd", maybe(source.implied_jsd)},
                       {"implied_strength", maybe(source.implied_strength)}});
  }
  Json refits = Json::array();
  for (const SelfCheckRefit& refit : check.refits) {
    refits.push_back({{"source", refit.source},
                      {"log_ratio", refit.log_ratio.empty() ? Json(nullptr) : Json(refit.log_ratio)},
                      {"strength", maybe(refit.strength)},
                      {"known", refit.known},
                      {"jsd", refit.jsd},
                      {"held_out", maybe(refit.held_out)},
                      {"confidence_interval", interval_json(refit.confidence_interval)},
                      {"covered", refit.covered()}});
  }
  return {{"rung", check.rung},
          {"observed", check.observed},
          {"sources", std::move(sources)},
          {"refits", std::move(refits)}};
}

}  // namespace

Json warnings_json(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings) {
    json.push_back({{"code", warning.code}, {"message", warning.message}});
  }
  return json;
}

Json runtime_json(const Runtime& runtime) {
  Json stages = Json::object();
  for (const StageRecord& stage : runtime.stages) {
    stages[stage.name] = {{"seconds", stage.seconds}, {"peak_bytes", stage.peak_bytes}};
  }
  return {{"seconds", runtime.seconds},
          {"cpu_seconds", runtime.cpu_seconds},
          {"threads", runtime.threads},
          {"peak_bytes", runtime.peak_bytes},
          {"time_budget", maybe(runtime.time_budget)},
          {"stages", std::move(stages)}};
}

Json versions_json() {
  // The library writes its answer into one buffer for all threads.
  static const std::string blas = openblas_get_config();
  return {{"jsdiv", JSDIV_VERSION},
          {"eigen", std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
                        std::to_string(EIGEN_MINOR_VERSION)},
          {"blas", blas}};
}

Json options_json(const EstimateOptions& options) {
  Json json = Json::object();
  visit_all_fields(options, FieldWriter{json});
  return json;
}

EstimateOptions options_from_json(const Json& json, std::string_view source) {
  EstimateOptions options;
  visit_all_fields(options, FieldReader{json, source});
  return options;
}

Json marginal_json(const MarginalResult& marginal) {
  Json columns = Json::array();
  for (const MarginalColumn& column : marginal.columns) {
    columns.push_back({{"name", column.name},
                       {"syndat", maybe(column.syndat)},
                       {"synthcity", maybe(column.synthcity)},
                       {"synthcity_upstream", maybe(column.synthcity_upstream)}});
  }
  return {{"syndat", maybe(marginal.syndat)},
          {"synthcity", maybe(marginal.synthcity)},
          {"synthcity_upstream", maybe(marginal.synthcity_upstream)},
          {"columns", std::move(columns)}};
}

Json result_json(const Result& result) {
  Json families = Json::array();
  for (const FamilyResult& family : result.families) families.push_back(family_json(family));
  Json json = {{"schema", "jsdiv.result/1"},
               {"jsd", result.jsd},
               {"raw", result.raw},
               {"distance", result.distance()},
               {"standard_error", maybe(result.standard_error)},
               {"standard_error_below", maybe(result.standard_error_below)},
               {"interval_reach", maybe(result.interval_reach)},
               {"confidence_interval", interval_json(result.confidence_interval)},
               {"held_out", nullptr},
               {"lower_bound", nullptr},
               {"p_value", nullptr},
               {"p_value_is_bound", nullptr},
               {"noise_floor", nullptr},
               {"selected_family", nullptr},
               {"disagreement", nullptr},
               {"families", std::move(families)},
               {"marginal", nullptr},
               {"divergences", nullptr},
               {"support", nullptr},
               {"ladder", ladder_json(result.ladder, result.protocol.options.level)},
               {"learning_curve", nullptr},
               {"posteriors", nullptr},
               {"self_check", nullptr},
               {"protocol", protocol_json(result.protocol)},
               {"warnings", warnings_json(result.warnings)},
               {"runtime", runtime_json(result.runtime)}};
  if (!result.selected_family.empty()) json["selected_family"] = result.selected_family;
  if (const auto& spread = result.disagreement) {
    json["disagreement"] = {{"min", spread->min}, {"max", spread->max}, {"ratio", maybe(spread->ratio)}};
  }
  if (result.marginal) json["marginal"] = marginal_json(*result.marginal);
  if (const auto& held_out = result.held_out) {
    json["held_out"] = {{"jsd", held_out->value}, {"standard_error", held_out->standard_error}};
  }
  json["lower_bound"] =
      bound_json(result.protocol.options.level, result.lower_bound, result.finite_sample_bound);
  json["p_value"] = maybe(result.p_value);
  if (result.p_value) json["p_value_is_bound"] = result.p_value_is_bound;
  if (result.divergences) json["divergences"] = divergences_json(*result.divergences);
  if (result.support) json["support"] = support_json(*result.support);
  if (result.posteriors) json["posteriors"] = posteriors_json(*result.posteriors);
  if (result.self_check) json["self_check"] = self_check_json(*result.self_check);
  if (!result.learning_curve.empty()) {
    json["learning_curve"] = Json::array();
    for (const CurvePoint& point : result.learning_curve) {
      json["learning_curve"].push_back({{"fraction", point.fraction}, {"jsd", point.jsd}});
    }
  }
  return json;
}

Json parse_json(std::string_view text, const std::string& source) {
  constexpr int deepest = 64;
  const auto watch = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > deepest)
      throw InvalidInput(source + ": is nested more than " + std::to_string(deepest) + " levels deep");
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& error) {
    throw InvalidInput(source + ": is not JSON (byte " + std::to_string(error.byte) + ")");
  } catch (const Json::exception&) {
    throw InvalidInput(source + ": contains a number beyond the range of a double");
  }
}

Json read_json(const std::string& path) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  const InputFile file = InputFile::open(path, {.bytes = most_bytes});
  if (file.text().size() > most_bytes) throw InvalidInput(path + ": is larger than 256 MB");
  return parse_json(file.text(), path);
}

std::string dump(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string to_json(const Result& result) {
  return dump(result_json(result));
}

}  // namespace jsdiv
