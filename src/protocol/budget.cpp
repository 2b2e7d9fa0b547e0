#include "protocol/budget.hpp"

#include <algorithm>
#include <cmath>

#include "classify/subsample.hpp"
#include "core/format.hpp"
#include "core/rows.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/random.hpp"
#include "protocol/auto_plan.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"
#include "split/subset.hpp"

namespace jsdiv {
namespace {

/// Rows of the larger table that the recommended estimator is tried on, where it has as many.
constexpr std::size_t most_trial_rows_of_auto = few_rows;
/// Rows of both tables that a family of the paper is tried on: enough that its fixed costs do not hide the
/// rest.
constexpr std::size_t most_trial_rows = 1000;
constexpr std::size_t fewest_trial_rows = 100;
/// The trial takes at most this share of the rows, lest it be the work itself.
constexpr double largest_trial_share = 0.2;
/// Of the budget: what is left beside the trials has to do for the estimate and all that follows it.
constexpr double share_for_trials = 0.2;
constexpr double share_for_families = 0.75;

Sample trial_sample(const Sample& sample) {
  const auto share = static_cast<std::size_t>(largest_trial_share * static_cast<double>(sample.rows()));
  const auto labels = sample.labels();
  return subset(sample, stratified_subsample(row_range(0, sample.rows()), labels,
                                             std::clamp(share, fewest_trial_rows, most_trial_rows),
                                             RandomStream(0).child("budget")));
}

struct Cost {
  std::string family;
  double seconds = 0;  ///< of the whole work; under the paper's protocol of one iteration
};

std::string seconds_text(double seconds) {
  return format(seconds < 10 ? "%.1f s" : "%.0f s", seconds);
}

/// In the order of their costs; families for which the trials had no time left are missing.
std::vector<Cost> measure_paper_costs(const Sample& sample, const EstimateOptions& options,
                                      const Work& work) {
  const Stopwatch watch;
  const Sample trial = trial_sample(sample);
  double growth = static_cast<double>(sample.rows()) / static_cast<double>(trial.rows());
  if (options.paper.train) {
    const double larger = static_cast<double>(std::max(sample.rows_p(), sample.rows_q()));
    growth *= static_cast<double>(*options.paper.train) / (0.5 * larger);
  }
  std::vector<Cost> costs;
  for (const Family* family : choose_families(options)) {
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
    costs.push_back({single.families[0],
                     trial_watch.seconds() * growth * options.seeds.value_or(PaperOptions::default_seeds)});
  }
  std::ranges::stable_sort(costs, {}, &Cost::seconds);
  return costs;
}

void warn_of_budget(const EstimateOptions& options, const std::string& given_up,
                    std::vector<Warning>& warnings) {
  if (given_up.empty()) return;
  warnings.push_back(
      {"time_budget", "to stay within " + seconds_text(*options.time_budget) + ": " + given_up});
}

EstimateOptions without_budget(const EstimateOptions& options) {
  EstimateOptions plan = options;
  plan.time_budget.reset();
  return plan;
}

EstimateOptions plan_paper(const Sample& sample, const EstimateOptions& options, const Work& work,
                           std::vector<Warning>& warnings) {
  const double budget = share_for_families * *options.time_budget;
  const std::vector<Cost> costs = measure_paper_costs(sample, options, work);
  EstimateOptions plan = without_budget(options);
  plan.families.clear();
  plan.exclude_families.clear();
  double used = 0;
  for (const Cost& cost : costs) {
    if (!plan.families.empty() && used + cost.seconds > budget) break;
    plan.families.push_back(cost.family);
    used += cost.seconds;
  }
  if (used > 0) {
    const int affordable = static_cast<int>(std::min(1e6, std::floor(budget / used)));
    plan.paper.iterations = std::min(options.paper.iterations, std::max(1, affordable));
  }

  std::vector<std::string> left_out, given_up;
  for (const Family* family : choose_families(options)) {
    if (std::ranges::count(plan.families, family->name()) > 0) continue;
    const auto cost = std::ranges::find(costs, family->name(), &Cost::family);
    left_out.push_back(std::string(family->name()) +
                       (cost == costs.end() ? "" : " (about " + seconds_text(cost->seconds) + ")"));
  }
  if (!left_out.empty()) given_up.push_back("left out: " + joined(left_out));
  if (plan.paper.iterations < options.paper.iterations) {
    given_up.push_back(format("the searches try %d configurations instead of %d", plan.paper.iterations,
                              options.paper.iterations));
  }
  if (used > budget) given_up.push_back("even " + plan.families[0] + " takes about " + seconds_text(used));
  warn_of_budget(options, joined(given_up, "; "), warnings);
  return plan;
}

/// Fits that a cross-fit of a table with that many rows makes of each row.
double fits_of_a_row(std::size_t rows, std::optional<int> repetitions) {
  const FoldPlan plan = plan_folds(rows, repetitions);
  return static_cast<double>(plan.folds) * plan.repetitions;
}

/// The most rows that cost no more than `seconds`, when `trial_rows` cost `trial_seconds`, both in one
/// repetition.
std::size_t affordable_rows(std::size_t trial_rows, double trial_seconds, double seconds) {
  const double cost_of_a_fit =
      trial_seconds / (static_cast<double>(trial_rows) * fits_of_a_row(trial_rows, 1));
  const auto most = [&](std::size_t rows) {
    return static_cast<std::size_t>(std::min(1e9, seconds / (cost_of_a_fit * fits_of_a_row(rows, 1))));
  };
  const std::size_t many = most(few_rows);
  return many >= few_rows ? many : std::min(most(few_rows - 1), few_rows - 1);
}

EstimateOptions plan_rows(const Sample& sample, const EstimateOptions& options, const Work& work,
                          std::vector<Warning>& warnings) {
  const std::size_t rows =
      std::min(std::max(sample.rows_p(), sample.rows_q()), options.max_rows.value_or(-1));
  EstimateOptions plan = without_budget(options);
  if (rows <= fewest_trial_rows) return plan;
  EstimateOptions trial = plan;
  trial.progress = {};
  trial.seeds = 1;
  trial.max_rows = std::clamp(static_cast<std::size_t>(largest_trial_share * static_cast<double>(rows)),
                              fewest_trial_rows, most_trial_rows_of_auto);
  const Stopwatch watch;
  const Result tried = work(sample, trial);
  const double seconds = watch.seconds();
  const double left = std::max(0.0, share_for_families * *options.time_budget - seconds);
  const auto cost = [&](std::optional<int> repetitions) {
    return seconds * static_cast<double>(rows) * fits_of_a_row(rows, repetitions) /
           (static_cast<double>(*trial.max_rows) * fits_of_a_row(*trial.max_rows, 1));
  };
  if (cost(options.seeds) <= left) return plan;

  std::vector<std::string> given_up;
  plan.seeds = 1;
  if (fits_of_a_row(rows, options.seeds) > fits_of_a_row(rows, 1))
    given_up.emplace_back("a single split into folds");
  if (cost(1) > left) {
    plan.max_rows = std::max(*trial.max_rows, affordable_rows(*trial.max_rows, seconds, left));
    given_up.push_back(format("at most %zu rows of a table, drawn at random", *plan.max_rows));
  }
  if (seconds > left) {
    std::vector<FamilyResult> by_cost = tried.families;
    std::ranges::stable_sort(by_cost, std::ranges::greater{}, &FamilyResult::seconds);
    double of_families = 0;
    for (const FamilyResult& family : by_cost) of_families += family.seconds;
    std::vector<std::string> left_out;
    for (double kept = of_families; const FamilyResult& family : by_cost) {
      if (family.name == "rf" || kept * seconds <= left * of_families) continue;
      if (left_out.size() + 1 == by_cost.size()) break;
      left_out.push_back(family.name);
      kept -= family.seconds;
    }
    plan.exclude_families.insert(plan.exclude_families.end(), left_out.begin(), left_out.end());
    if (!left_out.empty()) given_up.push_back("without " + joined(left_out));
  }
  warn_of_budget(options, joined(given_up, "; "), warnings);
  return plan;
}

}  // namespace

EstimateOptions plan_within_budget(const Sample& sample, const EstimateOptions& options, const Work& work,
                                   std::vector<Warning>& warnings) {
  return options.protocol == Protocol::paper ? plan_paper(sample, options, work, warnings)
                                             : plan_rows(sample, options, work, warnings);
}

}  // namespace jsdiv
