#include "uncertainty/interval.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/quantiles.hpp"

namespace jsdiv {

Interval divergence_interval(double estimate, double standard_error, double level,
                             std::optional<double> p_value) {
  JSDIV_ASSERT(std::isfinite(estimate) && standard_error >= 0 && level > 0 && level < 1);
  const double reach = normal_quantile(0.5 + 0.5 * level) * standard_error;
  const double centre = std::clamp(estimate, 0.0, 1.0);
  const double doubt = one_sided_5_percent * standard_error;
  const bool maybe_zero = estimate < doubt || (p_value && *p_value > 0.05);
  const bool maybe_one = 1 - estimate < doubt;
  return {level, maybe_zero ? 0.0 : std::max(0.0, centre - reach),
          maybe_one ? 1.0 : std::min(1.0, centre + reach)};
}

}  // namespace jsdiv
