#include "jsdiv/hyperparameters.hpp"

#include "core/format.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

std::string text_of(const Config::Value& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return format("%g", *real);
  return quoted(std::get<std::string>(value));
}

InvalidInput bad_value(std::string_view name, const Config::Value& value, const std::string& wanted) {
  return InvalidInput("the hyperparameter " + quoted(name) + " is " + text_of(value) + "; give " + wanted);
}

}  // namespace

const Config::Value& Config::at(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw InvalidInput("the hyperparameter " + quoted(name) + " is missing");
  return found->second;
}

std::int64_t Config::integer(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
  throw bad_value(name, value, "a whole number");
}

std::int64_t Config::integer(std::string_view name, std::int64_t low, std::int64_t high) const {
  const std::int64_t value = integer(name);
  if (value >= low && value <= high) return value;
  throw bad_value(name, value, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
}

double Config::real(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  throw bad_value(name, value, "a number");
}

double Config::real(std::string_view name, double low, double high) const {
  const double value = real(name);
  if (value >= low && value <= high) return value;
  throw bad_value(name, value, format("a number from %g to %g", low, high));
}

const std::string& Config::choice(std::string_view name) const {
  const Value& value = at(name);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  throw bad_value(name, value, "a string");
}

const std::string& Config::choice(std::string_view name, std::span<const std::string> allowed) const {
  const std::string& value = choice(name);
  for (const std::string& candidate : allowed) {
    if (candidate == value) return value;
  }
  throw bad_value(name, value, "one of: " + joined(allowed));
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
