#include "support/atoms.hpp"

#include <algorithm>
#include <cmath>

#include "support/chance.hpp"

namespace jsdiv {
namespace {

/// Chi-squared term of one value with `total` rows, of which `observed` lie in the table with that prior.
double squared_deviation(double observed, double total, double prior) {
  const double deviation = observed - total * prior;
  return deviation * deviation / (total * prior * (1 - prior));
}

OneSidedValues one_sided_values(const ValueCounts& counts, Side side, double log_significance) {
  const double prior = counts.prior(side);
  const double log_prior = std::log(prior);
  const double log_significance_of_one =
      log_significance - std::log(static_cast<double>(std::max<std::size_t>(1, counts.values.size())));

  double recurring = 0, expected_values = 0, expected_rows = 0, rows = 0, rows_of_frequent = 0;
  double singles = 0, own_singles = 0;
  OneSidedValues result;
  for (const ValueCount& value : counts.values) {
    const double total = value.total();
    const bool one_sided = value.rows[other(side)] == 0;
    if (total < 2) {
      ++singles;
      if (one_sided) ++own_singles;
      continue;
    }
    const double by_chance = std::exp(total * log_prior);
    ++recurring;
    expected_values += by_chance;
    expected_rows += total * by_chance;
    if (!one_sided) continue;
    ++result.values;
    rows += total;
    if (total * log_prior < log_significance_of_one) rows_of_frequent += total;
  }

  const bool too_many = log_upper_tail(recurring, static_cast<double>(result.values),
                                       recurring > 0 ? expected_values / recurring : 0) < log_significance;
  result.more_singles = log_upper_tail(singles, own_singles, prior) < log_significance;
  result.significant = too_many || rows_of_frequent > 0 || result.more_singles;
  result.rows = std::max(rows_of_frequent, too_many ? rows - expected_rows : 0.0);
  if (result.more_singles) {
    // Good and Turing: the other table's single values tell how much of it lies at values not seen yet.
    result.rows += own_singles - (singles - own_singles) * prior / (1 - prior);
  }
  return result;
}

}  // namespace

std::array<OneSidedValues, 2> one_sided_values(const ValueCounts& counts, double log_significance) {
  if (counts.present[side_p] == 0 || counts.present[side_q] == 0) return {};
  return {one_sided_values(counts, side_p, log_significance),
          one_sided_values(counts, side_q, log_significance)};
}

bool frequencies_differ(const ValueCounts& counts, double log_significance) {
  constexpr double least_expected = 5;
  const double prior = counts.prior(side_p);
  const double smaller_prior = std::min(prior, 1 - prior);
  if (smaller_prior <= 0) return false;
  double statistic = 0, groups = 0, rare_total = 0, rare_in_p = 0;
  for (const ValueCount& value : counts.values) {
    const double total = value.total();
    if (total * smaller_prior < least_expected) {
      rare_total += total;
      rare_in_p += value.rows[side_p];
      continue;
    }
    ++groups;
    statistic += squared_deviation(value.rows[side_p], total, prior);
  }
  if (groups == 0) return false;
  if (rare_total * smaller_prior >= least_expected) {
    ++groups;
    statistic += squared_deviation(rare_in_p, rare_total, prior);
  }
  return log_chi_squared_tail(groups - 1, statistic) < log_significance;
}

}  // namespace jsdiv
