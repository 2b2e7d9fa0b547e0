#include "uncertainty/population_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/assert.hpp"
#include "core/quantiles.hpp"

namespace jsdiv {
namespace {

/// Beyond it, rows make no pair less alike: what still changes with them is in the units.
constexpr double most_rows = 5000;
/// Row errors above 0 from which an estimate follows the pairs like it a little, and all the way.
constexpr double not_clear = 0.5, clear = 1.5;
/// More row errors above 0 make no pair less alike.
constexpr double most_clear = 4;
constexpr double least_left = 0.02;
constexpr double least_unit = 1e-9;
constexpr double tail = 0.025;

struct Derived {
  double value, step, unlearnt, unit, share;
  PopulationPlace place;
};

Derived derive(const RunFacts& facts, const PopulationModel& model) {
  Derived run{};
  run.value = std::clamp(facts.held_out, 0.0, 1.0);
  run.step = std::max(0.0, facts.held_out - facts.half);
  run.unlearnt =
      (1 - run.value) / (1 + facts.training_rows / (model.kappa * std::pow(facts.columns, model.alpha)));
  run.unit = std::max(least_unit, std::hypot(facts.row_error, run.step, run.unlearnt));
  const double errors = facts.row_error > 0 ? facts.held_out / facts.row_error : 0;
  run.share = std::clamp((errors - not_clear) / (clear - not_clear), 0.0, 1.0);
  run.place = {std::sqrt(run.value), std::sqrt(std::min(1.0, run.step / std::max(least_left, 1 - run.value))),
               std::log(std::min(facts.training_rows, most_rows)), std::log(facts.columns),
               std::clamp(errors, 0.0, most_clear)};
  return run;
}

struct Weighted {
  double value, weight;
};

/// Linear between the middles of the weights. `sorted` by value.
double weighted_quantile(std::span<const Weighted> sorted, double share) {
  const double total = std::accumulate(sorted.begin(), sorted.end(), 0.0,
                                       [](double sum, const Weighted& each) { return sum + each.weight; });
  double before = 0, last_middle = 0, last_value = sorted[0].value;
  for (const Weighted& each : sorted) {
    const double middle = (before + 0.5 * each.weight) / total;
    if (middle >= share) {
      if (middle == last_middle || before == 0) return each.value;
      return last_value + (each.value - last_value) * (share - last_middle) / (middle - last_middle);
    }
    before += each.weight;
    last_middle = middle;
    last_value = each.value;
  }
  return last_value;
}

/// The nearest pairs' residuals by value; the one that is farthest away counts nothing.
std::vector<Weighted> nearest(const PopulationPlace& place, const PopulationModel& model) {
  struct Distant {
    double squared;
    std::size_t pair;
  };
  std::vector<Distant> all;
  all.reserve(model.pairs.size());
  for (std::size_t i = 0; i < model.pairs.size(); ++i) {
    double squared = 0;
    for (std::size_t j = 0; j < place.size(); ++j) {
      const double apart = (place[j] - model.pairs[i].place[j]) * model.scales[j];
      squared += apart * apart;
    }
    all.push_back({squared, i});
  }
  const auto last = all.begin() + static_cast<std::ptrdiff_t>(model.neighbours);
  const auto nearer = [](const Distant& a, const Distant& b) {
    return a.squared < b.squared || (a.squared == b.squared && a.pair < b.pair);
  };
  std::ranges::nth_element(all, last, nearer);
  std::vector<Weighted> found;
  for (auto each = all.begin(); each != last; ++each) {
    const double weight = last->squared > 0 ? 1 - each->squared / last->squared : 1;
    if (weight > 0) found.push_back({model.pairs[each->pair].residual, weight});
  }
  if (found.empty()) {  // all of them equally far away
    for (auto each = all.begin(); each != last; ++each)
      found.push_back({model.pairs[each->pair].residual, 1});
  }
  std::ranges::sort(found, [](const Weighted& a, const Weighted& b) {
    return a.value < b.value || (a.value == b.value && a.weight < b.weight);
  });
  return found;
}

}  // namespace

PopulationEstimate population_estimate(const RunFacts& facts, const PopulationModel& model) {
  JSDIV_ASSERT(facts.row_error >= 0 && facts.training_rows > 0 && facts.columns > 0);
  JSDIV_ASSERT(model.pairs.size() > model.neighbours && model.neighbours > 0);
  const Derived run = derive(facts, model);
  const double added = std::max(
      0.0, model.guess[0] * run.step + model.guess[1] * run.unlearnt + model.guess[2] * facts.row_error);
  const double guess = run.value + run.share * added;
  const std::vector<Weighted> residuals = nearest(run.place, model);
  const auto quantile = [&](double share) { return guess + run.unit * weighted_quantile(residuals, share); };
  const double middle = std::clamp(quantile(0.5), run.value, 1.0);
  const double value = run.value + run.share * (middle - run.value);
  const double z = normal_quantile(1 - tail);
  const double below = model.widen_below * (middle - quantile(tail)) - (middle - value);
  // Where 0 is not excluded, the interval's only open end gets both tails.
  const double tail_above = tail + tail * (1 - run.share);
  const double above = model.widen_above * (quantile(1 - tail_above) - middle) + (middle - value);
  const double left = run.value < 1 ? run.unlearnt / (1 - run.value) : 0;
  return {.value = value,
          .errors = {std::max(facts.row_error, below / z), std::max(facts.row_error, above / z)},
          .per_value = 1 - run.share * model.guess[1] * left,
          .per_step = run.step > 0 ? run.share * model.guess[0] : 0};
}

double rows_to_settle(RunFacts facts, double reach, double level) {
  constexpr double most = 1e9, growth = 1.1;
  const double z = normal_quantile(0.5 + 0.5 * level);
  const double step = facts.held_out - facts.half;
  const RunFacts now = facts;
  while (facts.training_rows < most && z * population_estimate(facts).errors.above > reach) {
    facts.training_rows *= growth;
    const double times = facts.training_rows / now.training_rows;
    facts.half = facts.held_out - step / times;
    facts.row_error = now.row_error / std::sqrt(times);
  }
  return facts.training_rows;
}

}  // namespace jsdiv
