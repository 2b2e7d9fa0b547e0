#include "measure/pareto_tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t fewest_exceedances = 5;

/// Mean of log(1 - theta x), which is minus the shape that is most likely for this theta = -shape / scale.
double mean_log(std::span<const double> values, double theta) {
  double sum = 0;
  for (const double value : values) sum += std::log1p(-theta * value);
  return sum / static_cast<double>(values.size());
}

}  // namespace

GeneralisedPareto fit_generalised_pareto(std::span<const double> ascending) {
  JSDIV_ASSERT(ascending.size() >= fewest_exceedances && ascending.back() > 0);
  const auto count = static_cast<double>(ascending.size());
  const auto points = 30 + static_cast<std::size_t>(std::sqrt(count));
  const double largest = ascending.back();
  // The first quartile sets the scale of the prior; half of the largest value stands in where it is 0.
  const double quartile = ascending[static_cast<std::size_t>(count / 4 + 0.5) - 1];
  const double scale = quartile > 0 ? quartile : largest / 2;
  std::vector<double> theta(points);
  std::vector<double> log_likelihood(points);
  for (std::size_t j = 0; j < points; ++j) {
    const double root = std::sqrt(static_cast<double>(points) / (static_cast<double>(j) + 0.5));
    theta[j] = 1 / largest + (1 - root) / (3 * scale);
    const double k = -mean_log(ascending, theta[j]);
    log_likelihood[j] = count * (std::log(theta[j] / k) + k - 1);
  }
  double mean_theta = 0;
  for (std::size_t j = 0; j < points; ++j) {
    double inverse_weight = 0;
    for (const double other : log_likelihood) inverse_weight += std::exp(other - log_likelihood[j]);
    mean_theta += theta[j] / inverse_weight;
  }
  const double shape = mean_log(ascending, mean_theta);
  return {shape, -shape / mean_theta};
}

double tail_shape(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const auto tail = static_cast<std::size_t>(std::ceil(std::min(0.2 * count, 3 * std::sqrt(count))));
  if (tail < fewest_exceedances || tail >= values.size()) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double threshold = sorted[sorted.size() - tail - 1];
  std::vector<double> exceedances(sorted.end() - static_cast<std::ptrdiff_t>(tail), sorted.end());
  for (double& value : exceedances) value -= threshold;
  if (!(exceedances.back() > 0)) return -std::numeric_limits<double>::infinity();
  constexpr double prior_values = 10;
  const auto seen = static_cast<double>(tail);
  return (seen * fit_generalised_pareto(exceedances).shape + prior_values * 0.5) / (seen + prior_values);
}

double largest_trusted_shape(std::size_t count) {
  return std::min(0.7, 1 - 1 / std::log10(static_cast<double>(count)));
}

}  // namespace jsdiv
