#pragma once

#include <string>

#include "core/format.hpp"

namespace jsdiv {

/// "12.3 %"
inline std::string percent(double share) {
  return format("%.3g %%", 100 * share);
}

/// A divergence: three decimals, four where it is small.
inline std::string divergence_text(double value) {
  return format(value != 0 && value < 0.01 && value > -0.01 ? "%.4f" : "%.3f", value);
}

}  // namespace jsdiv
