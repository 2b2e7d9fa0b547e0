#include "plot/scale.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format.hpp"

namespace jsdiv::plot {
namespace {

constexpr double wanted_steps = 5;
/// Above this many decades only every power of ten has room for a label.
constexpr double decades_with_2_and_5 = 2.2;

/// 1, 2 or 5 times a power of ten, nearest above a fifth of the range.
double nice_step(double range) {
  const double rough = range / wanted_steps;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

}  // namespace

Scale Scale::linear(double low, double high) {
  if (!(high > low)) {
    low -= 0.5;
    high = low + 1;
  }
  const double step = nice_step(high - low);
  Scale scale;
  const auto first = static_cast<long>(std::floor(low / step + 1e-9));
  const auto last = static_cast<long>(std::ceil(high / step - 1e-9));
  for (long i = first; i <= last; ++i) {
    const double value = static_cast<double>(i) * step;
    scale.ticks_.push_back({value, format("%.6g", value)});
  }
  scale.low_ = static_cast<double>(first) * step;
  scale.high_ = static_cast<double>(last) * step;
  return scale;
}

Scale Scale::logarithmic(double low, double high) {
  Scale scale;
  scale.log_ = true;
  const int first = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  int last = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  if (last == first) ++last;
  const bool between = last - first <= decades_with_2_and_5;
  for (int power = first; power <= last; ++power) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      if ((factor > 1 && !between) || (factor > 1 && power == last)) continue;
      const double value = factor * std::pow(10, power);
      scale.ticks_.push_back({value, format("%.6g", value)});
    }
  }
  scale.low_ = std::pow(10, first);
  scale.high_ = std::pow(10, last);
  return scale;
}

Scale Scale::covering(std::span<const double> values, bool log, double smallest) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const double value : values) {
    if (!std::isfinite(value) || (log && value <= 0)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (high < low) return log ? logarithmic(0.1, 1) : linear(0, 1);
  if (!log) return linear(low, high);
  return logarithmic(std::max(low, smallest), std::max({high, smallest, low * 1.0001}));
}

double Scale::position(double value) const {
  const double share = log_ ? std::log(std::max(value, low_) / low_) / std::log(high_ / low_)
                            : (value - low_) / (high_ - low_);
  return std::clamp(share, 0.0, 1.0);
}

}  // namespace jsdiv::plot
