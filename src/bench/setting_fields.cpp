#include "bench/setting_fields.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format.hpp"
#include "jsdiv/error.hpp"
#include "protocol/option_fields.hpp"

namespace jsdiv::bench {
namespace {

/// visit(name, field) for every key that describes the pair of tables.
template <typename AnySetting, typename Visitor>
void visit_pair_fields(AnySetting& setting, Visitor&& visit) {
  visit("scenario", setting.scenario);
  visit("p", setting.path_p);
  visit("q", setting.path_q);
  visit("n", setting.draw.n);
  visit("n-q", setting.draw.n_q);
  visit("ratio", setting.draw.ratio);
  visit("rho", setting.draw.rho);
  visit("gap", setting.draw.gap);
  visit("df", setting.draw.df);
  visit("d", setting.draw.d);
  visit("fit-rows", setting.draw.fit_rows);
}

void assign(std::string& field, const Json& value, const std::string& where) {
  if (!value.is_string()) throw InvalidInput(where + " must be a string");
  field = value.get<std::string>();
}

void assign(bool& field, const Json& value, const std::string& where) {
  if (!value.is_boolean()) throw InvalidInput(where + " must be true or false");
  field = value.get<bool>();
}

void assign(double& field, const Json& value, const std::string& where) {
  if (!value.is_number()) throw InvalidInput(where + " must be a number");
  field = value.get<double>();
}

template <typename Integer>
requires std::is_integral_v<Integer>
void assign(Integer& field, const Json& value, const std::string& where) {
  constexpr double largest = 1e9;
  if (!value.is_number() || value.get<double>() != std::floor(value.get<double>()) ||
      value.get<double>() < 0 || value.get<double>() > largest) {
    throw InvalidInput(where + " must be a non-negative whole number");
  }
  field = static_cast<Integer>(value.get<double>());
}

template <typename T>
void assign(std::optional<T>& field, const Json& value, const std::string& where) {
  T plain{};
  assign(plain, value, where);
  field = plain;
}

template <typename Enum>
requires std::is_enum_v<Enum>
void assign(Enum& field, const Json& value, const std::string& where) {
  std::string spellings;
  for (const auto& [spelling, candidate] : Spelling<Enum>::values) {
    if (value == spelling) {
      field = candidate;
      return;
    }
    spellings += (spellings.empty() ? "" : ", ") + std::string(spelling);
  }
  throw InvalidInput(where + " must be one of: " + spellings);
}

std::string known_keys() {
  Setting setting;
  std::string keys = "pair";
  visit_pair_fields(setting, [&](const char* name, auto&) { keys += std::string(", ") + name; });
  visit_paper_fields(setting.paper, [&](std::string_view name, auto&, std::string_view) {
    keys += ", " + std::string(name);
  });
  return keys;
}

void replace_pair(std::string& path, const std::string& pair) {
  constexpr std::string_view place = "{pair}";
  const auto found = path.find(place);
  if (found != std::string::npos) path.replace(found, place.size(), pair);
}

template <typename T>
Json plain_json(const T& value) {
  return value;
}

template <typename T>
Json plain_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

}  // namespace

void set_field(Setting& setting, const std::string& key, const Json& value, const std::string& where) {
  const std::string place = where + "." + key;
  if (key == "pair") {
    std::string ignored;
    return assign(ignored, value, place);
  }
  if (key == "iterations" && value == "published") {
    setting.published_iterations = true;
    return;
  }
  bool found = false;
  visit_pair_fields(setting, [&](const char* name, auto& field) {
    if (key != name) return;
    assign(field, value, place);
    found = true;
  });
  visit_paper_fields(setting.paper, [&](std::string_view name, auto& field, std::string_view) {
    if (key != name) return;
    assign(field, value, place);
    found = true;
  });
  if (!found) throw InvalidInput(where + ": unknown key '" + key + "'; known here: " + known_keys());
  if (key == "n") setting.rows_given = true;
}

void finish_setting(Setting& setting, const std::string& where) {
  const bool has_paths = !setting.path_p.empty() && !setting.path_q.empty();
  if (setting.scenario.empty() == !has_paths) {
    throw InvalidInput(where + ": setting '" + setting.label + "' needs either a scenario or both p and q");
  }
  if (const auto pair = setting.axes.find("pair"); pair != setting.axes.end()) {
    replace_pair(setting.path_p, pair->get<std::string>());
    replace_pair(setting.path_q, pair->get<std::string>());
  }
  const PaperOptions& paper = setting.paper;
  if (!setting.rows_given && paper.train && paper.eval) setting.draw.n = *paper.train + 2 * *paper.eval;
  if (setting.scenario.empty()) return;
  const auto names = scenario_names();
  if (std::ranges::count(names, setting.scenario) > 0) return;
  throw InvalidInput(where + ": unknown scenario '" + setting.scenario + "'; choose from: " + joined(names));
}

Json setting_json(const Setting& setting) {
  Json json = Json::object();
  visit_pair_fields(setting, [&](const char* name, const auto& field) {
    // Where the tables lie does not matter; their SHA-256 does.
    if (std::string_view(name) != "p" && std::string_view(name) != "q") json[name] = plain_json(field);
  });
  visit_paper_fields(setting.paper, [&](std::string_view name, const auto& field, std::string_view) {
    using Field = std::remove_cvref_t<decltype(field)>;
    if constexpr (std::is_enum_v<Field>) {
      json[std::string(name)] = spell(field);
    } else {
      json[std::string(name)] = plain_json(field);
    }
  });
  if (setting.published_iterations) json["iterations"] = "published";
  return json;
}

}  // namespace jsdiv::bench
