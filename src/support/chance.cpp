#include "support/chance.hpp"

#include <algorithm>
#include <cmath>

namespace jsdiv {
namespace {

constexpr double false_finding_rate = 1e-4;
/// Upper limit of the tests that a column goes through: each kind, for each table.
constexpr double tests_for_each_column = 20;

double x_log_x_over_y(double x, double y) {
  return x == 0 ? 0 : x * std::log(x / y);
}

}  // namespace

double log_upper_tail(double trials, double successes, double probability) {
  if (trials <= 0 || successes <= trials * probability) return 0;
  const double share = std::min(1.0, successes / trials);
  return -trials * (x_log_x_over_y(share, probability) + x_log_x_over_y(1 - share, 1 - probability));
}

double log_chi_squared_tail(double degrees, double statistic) {
  if (degrees <= 0 || statistic <= degrees) return 0;
  return -0.5 * (statistic - degrees - degrees * std::log(statistic / degrees));
}

double log_significance(std::size_t columns) {
  return std::log(false_finding_rate / (tests_for_each_column * static_cast<double>(columns + 1)));
}

}  // namespace jsdiv
