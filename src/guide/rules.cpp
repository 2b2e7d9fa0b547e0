#include <algorithm>
#include <cmath>

#include "classify/registry.hpp"
#include "core/format.hpp"
#include "guide/guide.hpp"
#include "guide/measured.hpp"
#include "protocol/auto_plan.hpp"

namespace jsdiv {
namespace {

/// Beyond the oracle's error by no more than this (×100): recommended.
constexpr double small_excess = 2;
/// By no more than this: caveats. By more: not recommended.
constexpr double large_excess = 10;

/// The paper's d = 10 at 2000 training rows a side was easy, its d = 25 was not.
constexpr double rows_per_feature = 100;
/// Between the 200 training rows at which the published families err by up to 14 (×100), and 2000.
constexpr std::size_t few_training_rows = 1000;
/// The paper corrects the prior beyond this.
constexpr double prior_threshold = 0.1;
/// Rows that only one table can hold matter from this share on.
constexpr double separated_share = 0.01;
/// A share of repeated rows from which a fold holds what another has seen.
constexpr double repeated_share = 0.01;
/// Limits that the authors of TabPFN v2 state.
constexpr std::size_t tabpfn_rows = 10'000;
constexpr std::size_t tabpfn_features = 500;
constexpr std::size_t pfn_rows = 1320;
constexpr std::size_t pfn_features = 100;
/// lr-pol drops degrees with more features than this.
constexpr double polynomial_features = 5000;

/// One estimate of 6000 rows a side in no more seconds than this is cheap, or else bearable.
constexpr double cheap_seconds = 1;
constexpr double bearable_seconds = 30;

bool is_baseline(std::string_view estimator) {
  return estimator == "syndat" || estimator == "synthcity";
}

bool is_tree(std::string_view estimator) {
  return estimator == "rf" || estimator == "xgboost";
}

const char* words_of(std::string_view regime) {
  if (regime == "dependence") return "with dependence between columns";
  if (regime == "dimension") return "with many features relative to rows";
  if (regime == "imbalance") return "with tables of unequal size";
  return "with few rows";
}

Verdict graded(double value, double good, double bearable) {
  if (value <= good) return Verdict::recommended;
  return value <= bearable ? Verdict::caveats : Verdict::not_recommended;
}

Verdict verdict_of(const MeasuredError& measured) {
  return graded(measured.error_x100 - measured.oracle_x100, small_excess, large_excess);
}

const char* mark_of(Verdict verdict) {
  return verdict == Verdict::recommended ? "✓" : verdict == Verdict::caveats ? "~" : "✗";
}

std::vector<std::string> estimators() {
  std::vector<std::string> names = {"auto"};
  for (const Family* family : families()) names.emplace_back(family->name());
  names.insert(names.end(), {"syndat", "synthcity"});
  return names;
}

/// The worst of several verdicts, with the reasons for it.
class Judgement {
 public:
  explicit Judgement(std::string estimator) : advice_{.estimator = std::move(estimator), .reasons = {}} {}

  void add(Verdict verdict, std::string reason) {
    advice_.verdict = std::max(advice_.verdict, verdict);
    (verdict == Verdict::recommended ? good_ : advice_.reasons).push_back(std::move(reason));
  }

  void add_measured(std::string_view regime) {
    const auto measured = measured_error(regime, advice_.estimator);
    if (!measured) return;
    add(verdict_of(*measured), format("%s: error %.1f (×100), oracle %.1f", words_of(regime),
                                      measured->error_x100, measured->oracle_x100));
  }

  /// Reasons against come first; what speaks for the estimator is told only where nothing speaks against it.
  Advice take() {
    if (advice_.reasons.empty()) advice_.reasons = std::move(good_);
    if (advice_.reasons.empty()) advice_.reasons = {"nothing in this data argues against it"};
    return std::move(advice_);
  }

 private:
  Advice advice_;
  std::vector<std::string> good_;
};

void judge_support(std::string_view estimator, const DataFacts& facts, Judgement& judgement) {
  if (facts.separated_share < separated_share) return;
  const std::string finding =
      format("%.3g %% of one table's rows have values of '%s' that the other table cannot have",
             100 * facts.separated_share, facts.separating_column.c_str());
  if (estimator == "auto") {
    judgement.add(Verdict::recommended,
                  finding + ": its trees see exact values, and it also reports harmonised_jsd");
  } else if (is_tree(estimator)) {
    judgement.add(Verdict::caveats, finding + ", which it sees only in part under the paper protocol");
  } else {
    judgement.add(Verdict::not_recommended, finding + ", and it does not see exact values");
  }
}

void judge_own_limits(std::string_view estimator, const DataFacts& facts, Judgement& judgement) {
  const auto features = static_cast<double>(facts.features);
  if (estimator == "lr-pol" && (features + 1) * (features + 2) / 2 - 1 > polynomial_features) {
    judgement.add(Verdict::not_recommended,
                  format("%zu features would give more than %.0f terms of degree 2, so only degree 1 is used",
                         facts.features, polynomial_features));
  }
  if (estimator == "gaussian" && facts.types.contains("category")) {
    judgement.add(Verdict::caveats, format("%zu of %zu columns are categories, which it treats as numbers",
                                           facts.types.at("category"), facts.columns));
  }
  if (estimator == "logreg" && facts.columns == 1) {
    judgement.add(Verdict::caveats, "it sees a shift of the only column, but not a change of shape");
  }
  if (estimator == "tabpfn" &&
      (facts.rows_p + facts.rows_q > tabpfn_rows || facts.features > tabpfn_features)) {
    judgement.add(Verdict::caveats,
                  format("%zu rows and %zu features exceed the %zu and %zu it was designed for",
                         facts.rows_p + facts.rows_q, facts.features, tabpfn_rows, tabpfn_features));
  }
  if (estimator == "pfn" && (facts.rows_p + facts.rows_q > pfn_rows || facts.features > pfn_features)) {
    judgement.add(Verdict::caveats,
                  format("it is designed for small tables: %zu rows and %zu features exceed %zu and %zu",
                         facts.rows_p + facts.rows_q, facts.features, pfn_rows, pfn_features));
  }
  if (estimator == "auto" && plan_folds(facts.smaller(), {}).training_draws < rows_to_learn_a_curve) {
    judgement.add(Verdict::caveats,
                  format("with %zu rows in the smaller table the interval is wide", facts.smaller()));
  }
  if (is_baseline(estimator) && facts.columns > 1) {
    judgement.add(Verdict::not_recommended,
                  format("it averages scores of %zu single columns and ignores dependence between them",
                         facts.columns));
  }
  if (is_baseline(estimator) && facts.columns == 1) {
    judgement.add(Verdict::caveats,
                  "a histogram of the only column; no uncertainty estimate, biased upwards by noise");
  }
}

void judge_repeats(std::string_view estimator, const DataFacts& facts, Judgement& judgement) {
  if (facts.repeated_share < repeated_share || is_baseline(estimator)) return;
  judgement.add(Verdict::caveats,
                format("%.3g %% of one table's rows are copies of other rows, so test rows also occur in "
                       "training; use what they share as the group, or drop the copies",
                       100 * facts.repeated_share));
}

}  // namespace

std::vector<Regime> regimes_of(const DataFacts& facts) {
  const auto train = static_cast<double>(facts.training_rows());
  const double per_feature = train / static_cast<double>(std::max<std::size_t>(facts.features, 1));
  return {
      {"dependence", facts.columns > 1,
       facts.columns > 1 ? format("%zu columns may depend on each other", facts.columns)
                         : "one column cannot depend on another"},
      {"dimension", per_feature < rows_per_feature,
       format(
           "%zu features, %.3g training rows of the smaller table per feature (high-dimensional below %.0f)",
           facts.features, per_feature, rows_per_feature)},
      {"imbalance", std::abs(facts.ratio() - 1) > prior_threshold,
       format("|Q|/|P| = %.3g (unequal beyond 1 ± %.1f)", facts.ratio(), prior_threshold)},
      {"small", facts.training_rows() < few_training_rows,
       format("%zu training rows of the smaller table (few below %zu)", facts.training_rows(),
              few_training_rows)},
      {"support", facts.separated_share >= separated_share,
       facts.separated_share > 0 ? format("values of '%s' separate %.3g %% of one table's rows",
                                          facts.separating_column.c_str(), 100 * facts.separated_share)
                                 : "both tables can have the same values"}};
}

std::vector<Advice> advise(const DataFacts& facts, const FamilyOptions& options) {
  const auto regimes = regimes_of(facts);
  std::vector<Advice> advice;
  for (const std::string& estimator : estimators()) {
    Judgement judgement(estimator);
    for (const Regime& regime : regimes) {
      if (regime.present && regime.name != "support") judgement.add_measured(regime.name);
    }
    judge_support(estimator, facts, judgement);
    judge_own_limits(estimator, facts, judgement);
    judge_repeats(estimator, facts, judgement);
    if (estimator != "auto" && !is_baseline(estimator)) {
      const std::string reason = family(estimator).why_unavailable(options).text();
      if (!reason.empty()) judgement.add(Verdict::not_recommended, "cannot run: " + reason);
    }
    advice.push_back(judgement.take());
  }
  return advice;
}

std::string guide_table() {
  constexpr std::pair<const char*, const char*> regimes[] = {{"dependence", "dependence"},
                                                             {"dimension", "many features relative to rows"},
                                                             {"imbalance", "tables of unequal size"},
                                                             {"small", "few rows"}};
  std::string header = "| regime |", rule = "|---|", costs = "| seconds |";
  for (const std::string& estimator : estimators()) {
    header += " " + estimator + " |";
    rule += "--:|";
    double seconds = 0;
    int measured_in = 0;
    for (const auto& [regime, words] : regimes) {
      const auto measured = measured_error(regime, estimator);
      if (!measured) continue;
      seconds += measured->seconds;
      ++measured_in;
    }
    const double mean = measured_in > 0 ? seconds / measured_in : 0;
    costs += measured_in == 0
                 ? " – |"
                 : format(" %s %.2g |", mark_of(graded(mean, cheap_seconds, bearable_seconds)), mean);
  }
  std::string text = header + "\n" + rule + "\n";
  for (const auto& [regime, words] : regimes) {
    text += std::string("| ") + words + " |";
    for (const std::string& estimator : estimators()) {
      const auto measured = measured_error(regime, estimator);
      text += measured ? format(" %s %.1f |", mark_of(verdict_of(*measured)), measured->error_x100) : " – |";
    }
    text += "\n";
  }
  return text + costs + "\n";
}

}  // namespace jsdiv
