#include "classify/hyperparameters.hpp"

#include "core/assert.hpp"

namespace jsdiv {

const Config::Value& Config::at(std::string_view name) const {
  const auto found = values_.find(name);
  JSDIV_ASSERT(found != values_.end());
  return found->second;
}

std::int64_t Config::integer(std::string_view name) const {
  return std::get<std::int64_t>(at(name));
}

double Config::real(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  return std::get<double>(value);
}

const std::string& Config::choice(std::string_view name) const {
  return std::get<std::string>(at(name));
}

Parameter Parameter::integer(std::string name, std::int64_t low, std::int64_t high) {
  return {.name = std::move(name),
          .kind = Kind::integer,
          .low = static_cast<double>(low),
          .high = static_cast<double>(high)};
}

Parameter Parameter::real(std::string name, double low, double high) {
  return {.name = std::move(name), .kind = Kind::real, .low = low, .high = high};
}

Parameter Parameter::log_real(std::string name, double low, double high) {
  return {.name = std::move(name), .kind = Kind::log_real, .low = low, .high = high};
}

Parameter Parameter::choice(std::string name, std::vector<Config::Value> choices) {
  return {.name = std::move(name), .kind = Kind::choice, .choices = std::move(choices)};
}

}  // namespace jsdiv
