#include "protocol/record.hpp"

#include <algorithm>
#include <cmath>

#include "classify/registry.hpp"
#include "core/assert.hpp"
#include "core/format.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "core/quantiles.hpp"
#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "protocol/auto_plan.hpp"
#include "uncertainty/evidence.hpp"

namespace jsdiv {
namespace {

double mean_of(std::span<const SeedResult> seeds, double SeedResult::*field) {
  double sum = 0;
  for (const SeedResult& seed : seeds) sum += seed.*field;
  return sum / static_cast<double>(seeds.size());
}

Disagreement disagreement_of(std::span<const FamilyResult> families) {
  const auto [lowest, highest] = std::ranges::minmax(families, {}, &FamilyResult::jsd);
  Disagreement spread{.min = lowest.jsd, .max = highest.jsd, .ratio = std::nullopt};
  if (spread.min > 0) spread.ratio = spread.max / spread.min;
  return spread;
}

/// The error of one seed's estimate, from its test rows: it does not shrink with the number of seeds, which
/// share their rows.
double row_error(const FamilyResult& family) {
  return family.seeds.empty() ? family.standard_error.value_or(0)
                              : mean_of(family.seeds, &SeedResult::standard_error);
}

/// A smaller difference in bits is not worth a word, whatever the errors say.
constexpr double smallest_disagreement = 0.01;

bool differ(double low, double high, double error_of_low, double error_of_high) {
  return high - low > std::max(smallest_disagreement, 3 * std::hypot(error_of_low, error_of_high));
}

void warn_of_disagreement(Result& result) {
  const auto [lowest, highest] = std::ranges::minmax(result.families, {}, &FamilyResult::jsd);
  if (!differ(lowest.jsd, highest.jsd, row_error(lowest), row_error(highest))) return;
  result.warnings.push_back(
      {"estimators_disagree",
       "the families differ by more than their errors explain: " + lowest.name + " gives " +
           format("%.3f", lowest.jsd) + ", " + highest.name + " gives " + format("%.3f", highest.jsd) +
           "; a low value means that the classifier sees less, so trust the one with the lower log-loss"});
}

/// That some families see less than others is why they are stacked; that one of them alone sees more than the
/// stack is a reason to distrust it.
void warn_of_better_family(Result& result) {
  const FamilyResult& best = *std::ranges::max_element(result.families, {}, &FamilyResult::raw);
  const Measured& stack = result.held_out.value();
  if (!differ(stack.value, best.raw, stack.standard_error, row_error(best))) return;
  result.warnings.push_back({"estimators_disagree",
                             "on held-out rows " + best.name + " alone finds " + format("%.3f", best.raw) +
                                 ", but the stack of all families only " + format("%.3f", stack.value) +
                                 ": the estimate is too low; try " + best.name + " alone (option families)"});
}

void warn_of_range(Result& result) {
  std::string below;
  for (const FamilyResult& family : result.families) {
    if (family.raw < 0)
      below += (below.empty() ? "" : ", ") + family.name + " (" + format("%.4f", family.raw) + ")";
  }
  if (below.empty()) return;
  result.warnings.push_back(
      {"below_chance", "raw estimates below 0 are reported as 0: " + below +
                           "; the classifier did no better than guessing on the test rows"});
}

std::vector<std::string> default_families(Protocol protocol) {
  if (protocol == Protocol::automatic) return {"all"};
  const std::vector<std::string> published = {"logreg", "lr-pol", "rf", "xgboost", "mlp"};
  std::vector<std::string> names;
  for (const Family* candidate : families()) {
    if (std::ranges::count(published, candidate->name()) > 0) names.emplace_back(candidate->name());
  }
  return names;
}

/// The families of the registry, then the caller's own.
std::vector<const Family*> known_families(const EstimateOptions& options) {
  std::vector<const Family*> known(families().begin(), families().end());
  for (const auto& own : options.own_families) known.push_back(own.get());
  return known;
}

const Family& known_family(std::string_view name, const EstimateOptions& options) {
  std::vector<std::string> names;
  for (const Family* candidate : known_families(options)) {
    if (candidate->name() == name) return *candidate;
    names.emplace_back(candidate->name());
  }
  throw InvalidInput(unknown_name("family", name, names), {.option = "families"});
}

}  // namespace

std::vector<const Family*> choose_families(const EstimateOptions& options) {
  std::vector<std::string> wanted =
      options.families.empty() ? default_families(options.protocol) : options.families;
  const bool all = std::ranges::count(wanted, "all") > 0;
  std::erase(wanted, "all");
  for (const std::string& name : wanted) {
    const Message reason = known_family(name, options).why_unavailable(options.family);
    if (!reason.empty()) throw InvalidInput(reason, {.option = "families"});
  }
  for (const std::string& name : options.exclude_families) known_family(name, options);
  std::vector<const Family*> chosen;
  for (const Family* candidate : known_families(options)) {
    const bool asked = std::ranges::count(wanted, candidate->name()) > 0 ||
                       (all && candidate->why_unavailable(options.family).empty() &&
                        (!options.families.empty() || is_stacked_by_default(*candidate)));
    if (asked && std::ranges::count(options.exclude_families, candidate->name()) == 0)
      chosen.push_back(candidate);
  }
  if (chosen.empty())
    throw InvalidInput("no family is left to run; check " + mention("families") + " and " +
                       mention("exclude_families"));
  return chosen;
}

std::vector<const Family*> choose_stack(const EstimateOptions& options, const Sample& sample,
                                        std::vector<Warning>& warnings) {
  const auto chosen = choose_families(options);
  std::vector<const Family*> stack;
  std::vector<Warning> left_out;
  for (const Family* candidate : chosen) {
    const bool named = std::ranges::count(options.families, candidate->name()) > 0;
    const std::string reason =
        named ? "" : candidate->why_too_large(sample.rows_p() + sample.rows_q(), sample.columns.size());
    if (reason.empty()) {
      stack.push_back(candidate);
    } else {
      left_out.push_back({"family_left_out", reason});
    }
  }
  if (stack.empty()) return chosen;
  warnings.insert(warnings.end(), left_out.begin(), left_out.end());
  return stack;
}

Interval seeds_interval(double raw, double standard_error, std::size_t seeds, double level) {
  const double upper = 0.5 * (1 + level);
  const double quantile =
      seeds > 1 ? student_t_quantile(upper, static_cast<double>(seeds - 1)) : normal_quantile(upper);
  const double half_width = quantile * standard_error;
  return {.level = level,
          .low = std::clamp(raw - half_width, 0.0, 1.0),
          .high = std::clamp(raw + half_width, 0.0, 1.0)};
}

void summarise_seeds(FamilyResult& family) {
  JSDIV_ASSERT(!family.seeds.empty());
  const auto count = static_cast<double>(family.seeds.size());
  family.raw = mean_of(family.seeds, &SeedResult::raw);
  family.jsd = std::clamp(family.raw, 0.0, 1.0);
  family.auc = mean_of(family.seeds, &SeedResult::auc);
  family.seconds = mean_of(family.seeds, &SeedResult::seconds) * count;
  family.calibration = family.seeds[0].calibration;
  family.hyperparameters = family.seeds[0].hyperparameters;
  if (family.seeds[0].validation_log_loss) {
    double sum = 0;
    for (const SeedResult& seed : family.seeds) sum += *seed.validation_log_loss;
    family.validation_log_loss = sum / count;
  }
  if (family.seeds.size() == 1) {
    family.standard_error = family.seeds[0].standard_error;
    return;
  }
  double squares = 0;
  for (const SeedResult& seed : family.seeds) squares += (seed.raw - family.raw) * (seed.raw - family.raw);
  family.sd = std::sqrt(squares / (count - 1));
  family.standard_error = *family.sd / std::sqrt(count);
}

std::size_t select_family(std::span<const FamilyResult> families) {
  const auto best = std::ranges::min_element(
      families, {}, [](const FamilyResult& f) { return f.validation_log_loss.value(); });
  return static_cast<std::size_t>(best - families.begin());
}

void copy_selected(Result& result, std::size_t selected) {
  const FamilyResult& family = result.families.at(selected);
  const double level = result.protocol.options.level;
  result.selected_family = family.name;
  result.jsd = family.jsd;
  result.raw = family.raw;
  result.standard_error = family.standard_error;
  result.standard_error_below = family.standard_error;
  result.confidence_interval =
      seeds_interval(family.raw, family.standard_error.value(), family.seeds.size(), level);
  result.protocol.uncertainty = family.seeds.size() > 1
                                    ? "Student's t across the seeds, which share their rows"
                                    : "normal, from the per-row terms of the test rows";
  for (const FamilyResult& each : result.families) result.protocol.families.push_back(each.name);
  if (result.families.size() > 1) {
    result.disagreement = disagreement_of(result.families);
    warn_of_disagreement(result);
  }
  warn_of_range(result);
}

void append_rows(const Sample& sample, Rows rows, std::uint64_t seed, std::span<const double> posteriors,
                 std::span<const double> terms, double share_of_seed, std::vector<RowRecord>& records) {
  const auto weight_of = [&](RowIndex row) { return sample.weights.empty() ? 1.0 : sample.weights[row]; };
  double class_weight[2] = {0, 0};
  for (const RowIndex row : rows) class_weight[row < sample.rows_p() ? 1 : 0] += weight_of(row);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool in_p = rows[i] < sample.rows_p();
    records.push_back(
        {.seed = seed,
         .table = in_p ? 'P' : 'Q',
         .row = rows[i] - (in_p ? 0 : sample.rows_p()) + 1,
         .posterior = posteriors[i],
         .information = terms[i],
         .share = share_of_seed * 0.5 * terms[i] * weight_of(rows[i]) / class_weight[in_p ? 1 : 0],
         .weight = weight_of(rows[i])});
  }
}

void append_auto_rows(const Sample& sample, bool q_first, std::uint64_t seed,
                      std::span<const double> information, std::vector<RowRecord>& records) {
  const auto rows = row_range(0, sample.rows());
  std::vector<double> posteriors(information.size());
  for (std::size_t row = 0; row < posteriors.size(); ++row) {
    const double of_own_table = std::exp2(information[row] - 1);
    const bool of_p = (row < sample.rows_p()) != q_first;
    posteriors[row] = of_p ? of_own_table : 1 - of_own_table;
  }
  append_rows(sample, rows, seed, posteriors, information, 1, records);
  if (!q_first) return;
  for (RowRecord& record : records) record.table = record.table == 'P' ? 'Q' : 'P';
  std::stable_partition(records.begin(), records.end(),
                        [](const RowRecord& record) { return record.table == 'P'; });
}

void describe_auto(const AutoPlan& plan, Result& result) {
  result.protocol.seeds = plan.repetitions;
  result.protocol.left_out_columns = plan.identifiers;
  result.protocol.equal_rows_are_groups = plan.equal_rows_are_groups;
  result.protocol.corrected = true;
  result.protocol.split = "cross-fit over " + std::to_string(plan.folds) +
                          " folds; each training part is split into two complementary halves";
  result.protocol.calibration =
      "non-negative stack of log-odds at equal priors; the weights are learnt on the halves";
  result.protocol.uncertainty =
      "variance of the per-row terms; plus, for what the classifiers have not learnt, the errors on pairs of "
      "known divergence that are most similar in estimate, learning-curve step, rows and columns";
  for (const FamilyResult& family : result.families) result.protocol.families.push_back(family.name);
  if (result.families.size() > 1) result.disagreement = disagreement_of(result.families);
  warn_of_stack(result);
}

void warn_of_stack(Result& result) {
  const Measured& held_out = result.held_out.value();
  if (is_broken(held_out)) {
    result.warnings.push_back(
        {"broken_stack", "on held-out rows the classifiers do worse than guessing, by " +
                             format("%.3f", -held_out.value) +
                             " bits: what they learnt does not carry over to new rows. This does not mean "
                             "that the tables are alike; the interval leaves the divergence open. Leave out "
                             "columns that identify rows (option ignore), or provide more rows"});
  }
  warn_of_better_family(result);
  if (result.raw - 1 > result.standard_error.value()) {
    result.warnings.push_back(
        {"above_one", "the raw estimate " + format("%.4f", result.raw) + " is above 1 and reported as 1"});
  }
}

std::string describe_sizes(const Sample& sample, Rows rows) {
  const auto in_p = std::ranges::count_if(rows, [&](RowIndex row) { return row < sample.rows_p(); });
  return std::to_string(in_p) + " + " + std::to_string(rows.size() - static_cast<std::size_t>(in_p));
}

}  // namespace jsdiv
