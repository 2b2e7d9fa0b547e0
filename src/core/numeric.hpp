#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

namespace jsdiv {

/// log(1 + exp(x)) without overflow.
inline double log1p_exp(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}

inline double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : 1 - 1 / (1 + std::exp(x));
}

/// log(p / (1 - p)); infinite at 0 and 1.
inline double logit(double p) {
  return std::log(p) - std::log1p(-p);
}

/// Log-odds of a probability that an ensemble may put at exactly 0 or 1: finite, beyond every clip in use.
inline double bounded_logit(double p) {
  constexpr double floor = 1e-12;
  return logit(std::clamp(p, floor, 1 - floor));
}

inline double nats_to_bits(double nats) {
  return nats / std::numbers::ln2;
}

}  // namespace jsdiv
