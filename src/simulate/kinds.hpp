#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/error.hpp"
#include "jsdiv/simulate.hpp"
#include "simulate/left_out.hpp"

namespace jsdiv::simulate_detail {

enum class Kinds { calibration, left_out };

inline Kinds kinds_to_draw(const SimulateOptions& options) {
  const std::string name = options.kinds.value_or("calibration");
  if (name == "calibration") return Kinds::calibration;
  if (name == "left-out") return Kinds::left_out;
  throw InvalidInput("kinds is '" + name + "'; choose from: calibration, left-out");
}

/// The names of those rows of a registry (base_kinds, log_ratios) that are, or are not, left out.
template <typename Registry>
std::vector<std::string_view> names_of(const Registry& registry, Kinds kinds) {
  std::vector<std::string_view> names;
  for (const auto& row : registry) {
    const bool left_out =
        std::ranges::count(left_out_bases, row.name) + std::ranges::count(left_out_log_ratios, row.name) > 0;
    if (left_out == (kinds == Kinds::left_out)) names.push_back(row.name);
  }
  return names;
}

/// A wanted JSD in [0, 1); throws InvalidInput otherwise.
double wanted_jsd(const SimulateOptions& options, double fallback);
void check_base(const Table& base);
[[noreturn]] void throw_out_of_reach(double wanted, double highest);
/// Rows of Q for so many rows of P, at least 1.
std::size_t ratio_of_rows(std::size_t n, double ratio);

}  // namespace jsdiv::simulate_detail
