#include "protocol/budget.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "classify/subsample.hpp"
#include "core/random.hpp"
#include "core/rows.hpp"
#include "core/stopwatch.hpp"
#include "protocol/auto_plan.hpp"
#include "protocol/fit.hpp"
#include "protocol/record.hpp"
#include "split/subset.hpp"

namespace jsdiv {
namespace {

/// Rows of both tables that a family is tried on: enough that its fixed costs do not hide the rest.
constexpr std::size_t most_trial_rows = 1000;
constexpr std::size_t fewest_trial_rows = 100;
/// The trial takes at most this share of the rows, lest it be the work itself.
constexpr double largest_trial_share = 0.2;
/// Of the budget: what is left beside the trials has to do for the estimate and all that follows it.
constexpr double share_for_trials = 0.2;
constexpr double share_for_families = 0.75;

Sample trial_sample(const Sample& sample) {
  const auto share = static_cast<std::size_t>(largest_trial_share * static_cast<double>(sample.rows()));
  std::vector<RowIndex> all(sample.rows());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<RowIndex>(i);
  const auto labels = sample.labels();
  return subset(sample,
                stratified_subsample(all, labels, std::clamp(share, fewest_trial_rows, most_trial_rows),
                                     RandomStream(0).child("budget")));
}

struct Cost {
  std::string family;
  double seconds = 0;  ///< of the whole work; under the paper's protocol of one iteration
};

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.1f s" : "%.0f s", seconds);
  return text;
}

/// In the order of their costs; families for which the trials had no time left are missing.
std::vector<Cost> measure_costs(const Sample& sample, const EstimateOptions& options, const Work& work) {
  const Stopwatch watch;
  const Sample trial = trial_sample(sample);
  const bool paper = options.protocol == Protocol::paper;
  double growth = static_cast<double>(sample.rows()) / static_cast<double>(trial.rows());
  if (paper && options.paper.train) {
    const double larger = static_cast<double>(std::max(sample.rows_p(), sample.rows_q()));
    growth *= static_cast<double>(*options.paper.train) / (0.5 * larger);
  }
  const double repetitions = paper ? options.seeds.value_or(5) : plan_auto(sample, options).plan.repetitions;
  std::vector<Cost> costs;
  std::vector<Warning> ignored;  // the plan's own warning names everything that is left out
  for (const Family* family : paper ? choose_families(options) : choose_stack(options, sample, ignored)) {
    if (!costs.empty() && watch.seconds() > share_for_trials * *options.time_budget) break;
    EstimateOptions single = options;
    single.time_budget.reset();
    single.progress = {};
    single.seeds = 1;
    single.families = {std::string(family->name())};
    single.exclude_families.clear();
    single.paper.train.reset();
    single.paper.eval.reset();
    single.paper.iterations = std::min(single.paper.iterations, 1);
    const Stopwatch trial_watch;
    work(trial, single);
    costs.push_back({single.families[0], trial_watch.seconds() * growth * repetitions});
  }
  std::ranges::stable_sort(costs, {}, &Cost::seconds);
  return costs;
}

}  // namespace

EstimateOptions plan_within_budget(const Sample& sample, const EstimateOptions& options, const Work& work,
                                   std::vector<Warning>& warnings) {
  const double budget = share_for_families * *options.time_budget;
  const std::vector<Cost> costs = measure_costs(sample, options, work);
  EstimateOptions plan = options;
  plan.time_budget.reset();
  plan.families.clear();
  plan.exclude_families.clear();
  double used = 0;
  for (const Cost& cost : costs) {
    if (!plan.families.empty() && used + cost.seconds > budget) break;
    plan.families.push_back(cost.family);
    used += cost.seconds;
  }
  if (plan.protocol == Protocol::paper && used > 0) {
    const int affordable = static_cast<int>(std::min(1e6, std::floor(budget / used)));
    plan.paper.iterations = std::min(options.paper.iterations, std::max(1, affordable));
  }

  std::string left_out;
  for (const Family* family : choose_families(options)) {
    if (std::ranges::count(plan.families, family->name()) > 0) continue;
    const auto cost = std::ranges::find(costs, family->name(), &Cost::family);
    left_out += (left_out.empty() ? "" : ", ") + std::string(family->name());
    if (cost != costs.end()) left_out += " (about " + seconds_text(cost->seconds) + ")";
  }
  std::string message;
  if (!left_out.empty()) message = "left out: " + left_out;
  if (plan.paper.iterations < options.paper.iterations) {
    message += (message.empty() ? "" : "; ") + std::string("the searches look at ") +
               std::to_string(plan.paper.iterations) + " configurations instead of " +
               std::to_string(options.paper.iterations);
  }
  if (used > budget) {
    message += (message.empty() ? "" : "; ") + std::string("even ") + plan.families[0] + " takes about " +
               seconds_text(used);
  }
  if (!message.empty()) {
    warnings.push_back(
        {"time_budget", "to stay within " + seconds_text(*options.time_budget) + ": " + message});
  }
  return plan;
}

}  // namespace jsdiv
