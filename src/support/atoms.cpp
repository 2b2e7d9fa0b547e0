#include "support/atoms.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "support/chance.hpp"

namespace jsdiv {
namespace {

/// Chi-squared term of a value of which `observed` of `total` rows lie in P; the prior's own error counts.
double squared_deviation(double observed, double total, const LocalPrior& prior) {
  const double deviation = observed - total * prior.of_p;
  return deviation * deviation / (total * prior.of_p * (1 - prior.of_p) * (1 + total / prior.neighbours));
}

OneSidedValues of_recurring(const ValueCounts& counts, std::span<const LocalPrior> priors, Side side,
                            double log_significance) {
  const double log_significance_of_one =
      log_significance - std::log(static_cast<double>(std::max<std::size_t>(1, counts.values.size())));

  double recurring = 0, expected_values = 0, expected_rows = 0, rows = 0, rows_of_frequent = 0;
  OneSidedValues result;
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    const ValueCount& value = counts.values[i];
    const double total = value.total();
    if (total < 2) continue;
    const double log_by_chance = priors[i].log_all_in(side, total), by_chance = std::exp(log_by_chance);
    ++recurring;
    expected_values += by_chance;
    expected_rows += total * by_chance;
    if (value.rows[other(side)] > 0) continue;
    ++result.values;
    rows += total;
    if (log_by_chance < log_significance_of_one) rows_of_frequent += total;
  }

  const bool too_many = log_upper_tail(recurring, static_cast<double>(result.values),
                                       recurring > 0 ? expected_values / recurring : 0) < log_significance;
  result.significant = too_many || rows_of_frequent > 0;
  result.rows = std::max(rows_of_frequent, too_many ? rows - expected_rows : 0.0);
  return result;
}

void add_singles(OneSidedValues& result, const ValueCounts& counts, std::span<const LocalPrior> priors,
                 Side side, double log_significance) {
  double singles = 0, own = 0, expected = 0, expected_of_others = 0;
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    const ValueCount& value = counts.values[i];
    if (value.total() >= 2) continue;
    const double prior = priors[i].of(side);
    ++singles;
    expected += prior;
    if (value.rows[other(side)] == 0) {
      ++own;
    } else {
      expected_of_others += prior / (1 - prior);
    }
  }
  if (singles == 0 || log_upper_tail(singles, own, expected / singles) >= log_significance) return;
  result.more_singles = result.significant = true;
  // Good and Turing: the other table's single values tell how much of it lies at values not seen yet.
  result.rows += std::max(0.0, own - expected_of_others);
}

}  // namespace

std::array<OneSidedValues, 2> one_sided_values(const ValueCounts& counts, const ValueCounts& not_copied,
                                               bool ordered, double log_significance) {
  if (counts.present[side_p] == 0 || counts.present[side_q] == 0) return {};
  const std::vector<LocalPrior> priors = local_priors(counts, ordered);
  // Without copies they are the same counts, of which the priors need not be found twice.
  const std::vector<LocalPrior> priors_of_singles =
      &not_copied == &counts ? priors : local_priors(not_copied, ordered);
  std::array<OneSidedValues, 2> result;
  for (const Side side : {side_p, side_q}) {
    result[side] = of_recurring(counts, priors, side, log_significance);
    add_singles(result[side], not_copied, priors_of_singles, side, log_significance);
  }
  return result;
}

std::array<OneSidedValues, 2> one_sided_values(const ValueCounts& counts, bool ordered,
                                               double log_significance) {
  return one_sided_values(counts, counts, ordered, log_significance);
}

bool frequencies_differ(const ValueCounts& counts, bool ordered, double log_significance) {
  constexpr double least_expected = 5;
  const double prior = counts.prior(side_p);
  const double smaller_prior = std::min(prior, 1 - prior);
  if (smaller_prior <= 0) return false;
  const std::vector<LocalPrior> priors = local_priors(counts, ordered);
  double statistic = 0, groups = 0, rare_total = 0, rare_in_p = 0, rare_expected = 0;
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    const ValueCount& value = counts.values[i];
    const double total = value.total();
    if (total * std::min(priors[i].of_p, 1 - priors[i].of_p) < least_expected) {
      rare_total += total;
      rare_in_p += value.rows[side_p];
      rare_expected += total * priors[i].of_p;
      continue;
    }
    ++groups;
    statistic += squared_deviation(value.rows[side_p], total, priors[i]);
  }
  if (groups == 0) return false;
  if (rare_total * smaller_prior >= least_expected) {
    ++groups;
    statistic += squared_deviation(rare_in_p, rare_total, {.of_p = rare_expected / rare_total});
  }
  return log_chi_squared_tail(groups - 1, statistic) < log_significance;
}

}  // namespace jsdiv
