#include "bench/aggregate.hpp"

#include <cmath>
#include <numeric>

#include "core/assert.hpp"

namespace jsdiv::bench {
namespace {

/// The numbers of one cell's seeds; the optional ones have as many entries as seeds, or none.
struct Gathered {
  std::vector<double> estimates, seconds, errors, oracle_errors, references, harmonised;
};

Maybe mean_or_none(const std::vector<double>& values) {
  return values.empty() ? Maybe() : spread_of(values).mean;
}

Cell cell_of(const Gathered& gathered) {
  Cell cell{.seeds = gathered.estimates.size(),
            .estimate = spread_of(gathered.estimates),
            .seconds = spread_of(gathered.seconds).mean};
  if (!gathered.errors.empty()) cell.error = spread_of(gathered.errors);
  cell.reference = mean_or_none(gathered.references);
  cell.oracle_error = mean_or_none(gathered.oracle_errors);
  cell.harmonised_jsd = mean_or_none(gathered.harmonised);
  if (cell.reference) cell.error_of_mean = 100 * std::abs(cell.estimate.mean - *cell.reference);
  return cell;
}

}  // namespace

Spread spread_of(std::span<const double> values) {
  JSDIV_ASSERT(!values.empty());
  const auto count = static_cast<double>(values.size());
  Spread spread{.mean = std::accumulate(values.begin(), values.end(), 0.0) / count, .sd = std::nullopt};
  if (values.size() < 2) return spread;
  double squares = 0;
  for (const double value : values) squares += (value - spread.mean) * (value - spread.mean);
  spread.sd = std::sqrt(squares / (count - 1));
  return spread;
}

Cells aggregate(const Plan& plan, const JobResults& results) {
  std::map<std::pair<std::size_t, std::string>, Gathered> gathered;
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    if (!results[i]) continue;
    const JobResult& result = *results[i];
    Gathered& cell = gathered[{plan.jobs[i].setting, plan.jobs[i].family}];
    cell.estimates.push_back(result.jsd);
    cell.seconds.push_back(result.seconds);
    if (result.harmonised_jsd) cell.harmonised.push_back(*result.harmonised_jsd);
    if (!result.reference || !result.oracle) continue;
    cell.references.push_back(*result.reference);
    cell.errors.push_back(100 * std::abs(result.jsd - *result.reference));
    cell.oracle_errors.push_back(100 * std::abs(*result.oracle - *result.reference));
  }
  Cells cells;
  for (const auto& [key, values] : gathered) cells[key] = cell_of(values);
  return cells;
}

}  // namespace jsdiv::bench
