#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jsdiv {

/// One setting of a family: name -> value.
class Config {
 public:
  using Value = std::variant<std::int64_t, double, std::string>;

  void set(std::string name, Value value) { values_[std::move(name)] = std::move(value); }
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  /// These throw InvalidInput if there is no such value, or if it is of another kind or out of range.
  std::int64_t integer(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high) const;
  double real(std::string_view name) const;  ///< an integer value is converted
  double real(std::string_view name, double low, double high) const;
  const std::string& choice(std::string_view name) const;
  const std::string& choice(std::string_view name, std::span<const std::string> allowed) const;
  const std::map<std::string, Value, std::less<>>& values() const { return values_; }
  bool operator==(const Config&) const = default;

 private:
  const Value& at(std::string_view name) const;
  std::map<std::string, Value, std::less<>> values_;
};

/// One dimension of a search space.
struct Parameter {
  enum class Kind { integer, real, log_real, choice };

  std::string name;
  Kind kind = Kind::real;
  double low = 0;  ///< integer, real, log_real: inclusive bounds
  double high = 0;
  std::vector<Config::Value> choices;  ///< choice: string or integer values

  /// Present only while the choice parameter `condition_name` has one of `condition_values`; empty name:
  /// always.
  std::string condition_name;
  std::vector<Config::Value> condition_values;

  static Parameter integer(std::string name, std::int64_t low, std::int64_t high);
  static Parameter real(std::string name, double low, double high);
  static Parameter log_real(std::string name, double low, double high);
  static Parameter choice(std::string name, std::vector<Config::Value> choices);
};

/// What a family lets the search choose. With a path parameter, one evaluation of a configuration of the
/// other parameters gives the loss at every value of the path (a regularisation path over C, the rounds of a
/// boosted ensemble), so that the search need not spend trials on it.
struct SearchSpace {
  std::vector<Parameter> parameters;
  std::string path_name;            ///< empty: no path
  std::vector<double> path_values;  ///< increasing

  bool empty() const { return parameters.empty() && path_name.empty(); }
};

}  // namespace jsdiv
