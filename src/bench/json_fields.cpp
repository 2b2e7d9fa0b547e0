#include "bench/json_fields.hpp"

#include <utility>

#include "jsdiv/error.hpp"

namespace jsdiv::bench {

Fields::Fields(const Json& json, std::string where) : json_(json), where_(std::move(where)) {
  if (!json.is_object()) throw InvalidInput(where_ + ": must be an object {…}");
}

const Json& Fields::member(const std::string& key) {
  asked_.insert(key);
  const auto found = json_.find(key);
  if (found == json_.end()) throw InvalidInput(where_ + ": has no '" + key + "'");
  return *found;
}

void Fields::fail(const std::string& key, const std::string& expected) const {
  throw InvalidInput(where_ + ": '" + key + "' must be " + expected);
}

std::string Fields::text(const std::string& key) {
  const Json& value = member(key);
  if (!value.is_string()) fail(key, "a string");
  return value.get<std::string>();
}

std::string Fields::text_or(const std::string& key, std::string fallback) {
  return has(key) ? text(key) : std::move(fallback);
}

int Fields::integer_or(const std::string& key, int fallback) {
  if (!has(key)) return fallback;
  const Json& value = member(key);
  if (!value.is_number_integer() || value.get<std::int64_t>() < 0 || value.get<std::int64_t>() > 1'000'000)
    fail(key, "a whole number from 0 to 1000000");
  return value.get<int>();
}

std::vector<std::string> Fields::texts(const std::string& key) {
  std::vector<std::string> result;
  for (const Json& value : array(key)) {
    if (!value.is_string()) fail(key, "a list of strings");
    result.push_back(value.get<std::string>());
  }
  return result;
}

Json Fields::object(const std::string& key) {
  const Json& value = member(key);
  if (!value.is_object()) fail(key, "an object {…}");
  return value;
}

Json Fields::object_or_empty(const std::string& key) {
  return has(key) ? object(key) : Json::object();
}

Json Fields::array(const std::string& key) {
  const Json& value = member(key);
  if (!value.is_array()) fail(key, "a list […]");
  return value;
}

void Fields::refuse_others() const {
  std::string known;
  for (const std::string& key : asked_) known += (known.empty() ? "" : ", ") + key;
  for (const auto& [key, value] : json_.items()) {
    if (!asked_.contains(key))
      throw InvalidInput(where_ + ": unknown key '" + key + "'; known here: " + known);
  }
}

}  // namespace jsdiv::bench
