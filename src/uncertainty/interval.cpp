#include "uncertainty/interval.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/quantiles.hpp"

namespace jsdiv {

Interval divergence_interval(double estimate, const SideErrors& errors, double level,
                             std::optional<double> p_value) {
  JSDIV_ASSERT(std::isfinite(estimate) && errors.below >= 0 && errors.above >= 0 && level > 0 && level < 1);
  const double quantile = normal_quantile(0.5 + 0.5 * level);
  const double centre = std::clamp(estimate, 0.0, 1.0);
  const bool maybe_zero = p_value && *p_value > 1 - level;
  return {level, maybe_zero ? 0.0 : std::max(0.0, centre - quantile * errors.below),
          std::min(1.0, centre + quantile * errors.above)};
}

}  // namespace jsdiv
