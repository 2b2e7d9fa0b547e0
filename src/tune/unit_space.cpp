#include "tune/unit_space.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

constexpr double inactive_coordinate = 0.5;

void check(const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::choice) {
    JSDIV_ASSERT(!parameter.choices.empty());
    return;
  }
  JSDIV_ASSERT(parameter.low <= parameter.high);
  JSDIV_ASSERT(parameter.kind != Parameter::Kind::log_real || parameter.low > 0);
}

/// The bounds themselves are met exactly, whatever the rounding of logarithms.
double interpolate(const Parameter& parameter, double coordinate) {
  if (coordinate <= 0) return parameter.low;
  if (coordinate >= 1) return parameter.high;
  const double value = parameter.kind == Parameter::Kind::log_real
                           ? parameter.low * std::pow(parameter.high / parameter.low, coordinate)
                           : parameter.low + coordinate * (parameter.high - parameter.low);
  return std::clamp(value, parameter.low, parameter.high);
}

}  // namespace

UnitSpace::UnitSpace(const SearchSpace& space) : parameters_(space.parameters) {
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find_if(parameters_.begin(), parameters_.end(),
                                                 [&](const Parameter& other) { return other.name == name; }) -
                                    parameters_.begin());
  };
  conditions_.resize(parameters_.size());
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    check(parameters_[j]);
    JSDIV_ASSERT(find(parameters_[j].name) == j && parameters_[j].name != space.path_name);
    if (parameters_[j].condition_name.empty()) continue;
    const std::size_t parent = find(parameters_[j].condition_name);
    JSDIV_ASSERT(parent < parameters_.size() && is_choice(parent));
    Condition condition{parent, {}};
    const auto& values = parameters_[j].condition_values;
    for (const Config::Value& choice : parameters_[parent].choices) {
      condition.active_for.push_back(std::find(values.begin(), values.end(), choice) != values.end());
    }
    conditions_[j] = std::move(condition);
  }
  // Depth by depth, so that a parent's own activity is known before its children's.
  std::vector<bool> placed(parameters_.size(), false);
  while (parents_first_.size() < parameters_.size()) {
    const std::size_t before = parents_first_.size();
    for (std::size_t j = 0; j < parameters_.size(); ++j) {
      if (placed[j] || (conditions_[j] && !placed[conditions_[j]->parent])) continue;
      placed[j] = true;
      parents_first_.push_back(j);
    }
    JSDIV_ASSERT(parents_first_.size() > before);
  }
}

std::size_t UnitSpace::cells(std::size_t dimension) const {
  const Parameter& parameter = parameters_[dimension];
  if (parameter.kind == Parameter::Kind::choice) return parameter.choices.size();
  if (parameter.kind == Parameter::Kind::integer)
    return static_cast<std::size_t>(parameter.high - parameter.low) + 1;
  return 0;
}

/// Of integers and choices. Choices sit in the middle of their cell, integers reach from 0 to 1.
double UnitSpace::cell_coordinate(std::size_t dimension, std::size_t cell_idx) const {
  const auto count = static_cast<double>(cells(dimension));
  if (is_choice(dimension)) return (static_cast<double>(cell_idx) + 0.5) / count;
  return count > 1 ? static_cast<double>(cell_idx) / (count - 1) : inactive_coordinate;
}

std::size_t UnitSpace::cell(std::size_t dimension, double coordinate) const {
  const std::size_t count = cells(dimension);
  return std::min(static_cast<std::size_t>(coordinate * static_cast<double>(count)), count - 1);
}

bool UnitSpace::active(std::size_t dimension, std::span<const double> point) const {
  const auto& condition = conditions_[dimension];
  if (!condition) return true;
  return active(condition->parent, point) &&
         condition->active_for[cell(condition->parent, point[condition->parent])];
}

void UnitSpace::canonicalise(std::span<double> point) const {
  for (const std::size_t j : parents_first_) {
    point[j] = std::clamp(point[j], 0.0, 1.0);
    if (!active(j, point)) {
      point[j] = inactive_coordinate;
    } else if (cells(j) > 0) {
      point[j] = cell_coordinate(j, cell(j, point[j]));
    } else if (parameters_[j].low == parameters_[j].high) {
      point[j] = inactive_coordinate;
    }
  }
}

Config UnitSpace::decode(std::span<const double> point) const {
  Config config;
  for (std::size_t j = 0; j < parameters_.size(); ++j) {
    if (!active(j, point)) continue;
    const Parameter& parameter = parameters_[j];
    switch (parameter.kind) {
      case Parameter::Kind::choice:
        config.set(parameter.name, parameter.choices[cell(j, point[j])]);
        break;
      case Parameter::Kind::integer:
        config.set(parameter.name,
                   static_cast<std::int64_t>(parameter.low) + static_cast<std::int64_t>(cell(j, point[j])));
        break;
      case Parameter::Kind::real:
      case Parameter::Kind::log_real:
        config.set(parameter.name, interpolate(parameter, point[j]));
        break;
    }
  }
  return config;
}

UnitPoint UnitSpace::draw(RandomStream& random) const {
  UnitPoint point(dimensions());
  for (double& coordinate : point) coordinate = random.uniform();
  canonicalise(point);
  return point;
}

std::optional<std::vector<UnitPoint>> UnitSpace::enumerate(std::size_t limit) const {
  std::vector<UnitPoint> points{UnitPoint(dimensions(), inactive_coordinate)};
  for (const std::size_t j : parents_first_) {
    const bool constant = cells(j) == 0 && parameters_[j].low == parameters_[j].high;
    if (cells(j) == 0 && !constant) return std::nullopt;
    std::vector<UnitPoint> extended;
    for (const UnitPoint& point : points) {
      if (constant || !active(j, point)) {
        extended.push_back(point);
        continue;
      }
      for (std::size_t c = 0; c < cells(j); ++c) {
        extended.push_back(point);
        extended.back()[j] = cell_coordinate(j, c);
        if (extended.size() > limit) return std::nullopt;
      }
    }
    points = std::move(extended);
  }
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace jsdiv
