#include "jsdiv/explain.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/content_hash.hpp"
#include "core/format.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/process_usage.hpp"
#include "core/stage_clock.hpp"
#include "core/stopwatch.hpp"
#include "explain/broken_pairs.hpp"
#include "explain/columns.hpp"
#include "explain/explained_tables.hpp"
#include "explain/explainer.hpp"
#include "explain/refits.hpp"
#include "explain/shares.hpp"
#include "explain/slices.hpp"
#include "jsdiv/error.hpp"
#include "load/source.hpp"
#include "protocol/check_options.hpp"
#include "protocol/estimate_tables.hpp"
#include "support/support.hpp"

namespace jsdiv {
namespace {

/// Columns that the explainer is refitted without, the largest shares first.
constexpr std::size_t most_refits = 50;
constexpr std::size_t most_repairs = 30;
/// A column is worth repairing if chance would make it differ as much in fewer than one column in twenty.
constexpr double chance_of_column = 0.05;
/// A rung has nothing to explain if chance would make the tables differ as much.
constexpr double chance_of_tables = 0.05;
/// Formats are looked beyond only where what is there is no chance find.
constexpr double chance_of_content = 0.01;
/// Cells counted for pairs: rows times pairs.
constexpr double most_pair_rows = 4e9;
/// An explainer that proves less than this share of what the stack did is worth a warning.
constexpr double least_explainer_share = 0.5;
/// In bits; less is not worth a word where the classifiers find next to nothing.
constexpr double smallest_shortfall = 0.01;
/// Of the progress: the estimate comes first.
constexpr double estimate_part = 0.6;

void check(const ExplainOptions& options) {
  check_options(options.estimate);
  if (options.estimate.protocol != Protocol::automatic) {
    throw InvalidInput(
        "explain works only with the recommended estimator; remove " + mention("protocol", "paper"),
        {.option = "protocol"});
  }
}

void check_by(const std::vector<Table>& tables, const std::string& by) {
  if (by.empty()) return;
  std::vector<std::string> names;
  for (const Column& column : tables[0].columns) names.push_back(column.name);
  if (std::ranges::count(names, by) == 0) {
    throw InvalidInput(mention("by", by) + ": not one of the compared columns; both tables must have it" +
                           did_you_mean(by, names),
                       {.option = "by"});
  }
}

/// The rung that is worth explaining: what differs beyond formats, unless nothing does.
std::size_t choose_rung(const std::vector<Rung>& ladder, const std::string& wanted, ExplainResult& result) {
  const auto choose = [&](std::size_t rung, std::string reason) {
    result.rung = ladder[rung].rung;
    result.rung_reason = std::move(reason);
    return rung;
  };
  if (!wanted.empty()) {
    for (std::size_t i = 0; i < ladder.size(); ++i) {
      if (ladder[i].rung == wanted) return choose(i, "as requested");
    }
    std::vector<std::string> names;
    names.reserve(ladder.size());
    for (const Rung& rung : ladder) names.push_back(rung.rung);
    throw InvalidInput(
        mention("rung", wanted) + " is not available for these tables; choose from: " + joined(names),
        {.option = "rung"});
  }
  if (ladder.size() == 1) return choose(0, "the tables store their columns in the same formats");
  if (ladder.back().p_value.value_or(0) > chance_of_content) {
    return choose(0, "some columns are stored in different formats, and nothing else was found to differ");
  }
  return choose(ladder.size() - 1,
                "some columns are stored in different formats; this is what differs apart from the formats");
}

ExplainedTables explained_tables(const ScoredReading& reading, bool q_first, double level) {
  ExplainedTables result{.sample = reading.sample,
                         .q_first = q_first,
                         .labels = reading.sample.labels(),
                         .log_odds = reading.log_odds,
                         .bits = reading.curve.held_out_terms,
                         .level = level};
  const std::vector<double> shares = class_shares(result.rows());
  for (std::size_t row = 0; row < shares.size(); ++row) result.bits[row] *= 0.5 * shares[row];
  return result;
}

/// The findings that concern a rung: formats do not where they have been made equal.
std::vector<SupportMismatch> explained_mismatches(const Result& estimate, const std::string& rung) {
  std::vector<SupportMismatch> result = estimate.support->mismatches;
  if (rung != "as_stored") {
    std::erase_if(result, [](const SupportMismatch& mismatch) {
      return mismatch.kind != "one_sided_range" && mismatch.kind != "one_sided_categories" &&
             mismatch.kind != "relation";
    });
  }
  return result;
}

std::vector<TellingRow> telling_rows(const ExplainedTables& tables, const ExplainOptions& options) {
  std::vector<TellingRow> result;
  const std::array<std::size_t, 2> table_rows = {tables.sample.rows_q(), tables.sample.rows_p()};
  for (const char table : {'Q', 'P'}) {
    const std::uint8_t label =
        table == 'P' ? tables.label_p() : static_cast<std::uint8_t>(1 - tables.label_p());
    const std::size_t begin = label == 1 ? 0 : table_rows[1];
    std::vector<std::size_t> order(table_rows[label]);
    std::iota(order.begin(), order.end(), begin);
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t row) {
      return label == 1 ? tables.log_odds[row] : -tables.log_odds[row];
    });
    for (std::size_t i = 0; i < std::min(order.size(), options.telling_rows); ++i) {
      const std::size_t row = order[i];
      TellingRow telling{
          .table = table,
          .row = row - begin + 1,
          .posterior = sigmoid(tables.label_p() == 1 ? tables.log_odds[row] : -tables.log_odds[row]),
          .bits = tables.bits[row],
          .values = {}};
      if (options.show_rows) {
        for (const Column& column : tables.sample.columns) {
          telling.values.emplace_back(column.name, cell_text(column, column.values[row]));
        }
      }
      result.push_back(std::move(telling));
    }
  }
  return result;
}

/// Indices of `values`, the largest first.
template <typename Value>
std::vector<std::size_t> by_size(std::size_t count, const Value& value) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), value);
  return order;
}

void explain_pairs(const ExplainedTables& tables, const ExplainOptions& options, ExplainResult& result) {
  const std::size_t columns = tables.sample.columns.size();
  const double affordable = most_pair_rows / static_cast<double>(tables.labels.size());
  const auto limit = std::max<std::size_t>(2, static_cast<std::size_t>(std::sqrt(2 * affordable)));
  std::vector<std::size_t> studied =
      by_size(columns, [&](std::size_t j) { return result.columns[j].share.value; });
  if (studied.size() > limit) {
    studied.resize(limit);
    result.warnings.push_back({"pairs_limited", "only pairs among the " + std::to_string(limit) +
                                                    " columns with the largest shares were examined"});
  }
  std::ranges::sort(studied);
  const std::vector<PairStudy> pairs = study_pairs(tables, studied);
  std::vector<double> p_values;
  p_values.reserve(pairs.size());
  for (const PairStudy& pair : pairs) p_values.push_back(pair.p_value);
  const std::vector<bool> evident = evident_by_holm(p_values);
  result.pairs_examined = pairs.size();
  const auto name = [&](std::size_t column) { return tables.sample.columns[column].name; };
  const auto order = by_size(pairs.size(), [&](std::size_t i) { return pairs[i].beyond.value; });
  for (const std::size_t i : std::span(order).first(std::min(order.size(), options.most_pairs))) {
    result.pairs.push_back(
        {.columns = {name(pairs[i].first), name(pairs[i].second)},
         .beyond_columns = divergence_bits(pairs[i].beyond, pairs[i].p_value, tables.level),
         .together = pairs[i].together,
         .p_value = pairs[i].p_value,
         .evident = evident[i]});
  }
  std::vector<double> largest(columns, -1);
  for (const PairStudy& pair : pairs) {
    for (const std::size_t column : {pair.first, pair.second}) {
      largest[column] = std::max(largest[column], pair.beyond.value);
    }
  }
  std::vector<std::size_t> shown = by_size(columns, [&](std::size_t j) { return largest[j]; });
  shown.resize(std::min({shown.size(), options.heat_map_columns, studied.size()}));
  std::ranges::sort(shown);
  std::vector<std::size_t> place(columns, shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    place[shown[i]] = i;
    result.pair_matrix.columns.push_back(name(shown[i]));
  }
  result.pair_matrix.values.assign(shown.size() * shown.size(), 0);
  for (const PairStudy& pair : pairs) {
    const std::size_t a = place[pair.first];
    const std::size_t b = place[pair.second];
    if (a == shown.size() || b == shown.size()) continue;
    result.pair_matrix.values[a * shown.size() + b] = pair.beyond.value;
    result.pair_matrix.values[b * shown.size() + a] = pair.beyond.value;
  }
}

void explain_shares(const ExplainedTables& tables, const ExplainerFamily& family,
                    const FeatureOptions& features, const RandomStream& random, ExplainResult& result) {
  const std::size_t folds = std::clamp<std::size_t>(smaller_table_draws(tables.sample) / 2, 2, default_folds);
  const std::vector<ValueCodes> values = value_codes(tables.sample);
  const ExplainerFit fit =
      fit_explainer({tables.sample, values, tables.labels, family, features, folds}, random.child("fit"));
  const ColumnShares shares =
      draw_shares(fit, tables.rows(), tables.sample.columns.size(), random.child("shares"));
  const std::vector<Measured> scaled = scaled_to(shares, result.held_out.value);
  for (std::size_t j = 0; j < scaled.size(); ++j) {
    result.columns[j].share = with_interval(scaled[j], tables.level);
  }
  result.explainer = {.family = std::string(family.family->name()),
                      .held_out = shares.held_out,
                      .folds = folds,
                      .rows = shares.rows,
                      .orders = shares.orders,
                      .background = shares.background,
                      .sum_before_scaling = shares.sum,
                      .scale = shares.sum.value != 0 ? result.held_out.value / shares.sum.value : 1};
  if (shares.held_out < least_explainer_share * result.held_out.value &&
      result.held_out.value - shares.held_out > smallest_shortfall) {
    result.warnings.push_back(
        {"weak_explainer",
         format("the shares are computed with %s, which finds only %.3f of the %.3f bits that all "
                "classifiers find together; columns whose effect only the others capture are understated",
                result.explainer.family.c_str(), shares.held_out, result.held_out.value)});
  }
}

void explain_refits(const ExplainedTables& tables, const ExplainerFamily& family,
                    const FeatureOptions& features, const RandomStream& random, ExplainResult& result) {
  const std::size_t columns = tables.sample.columns.size();
  std::vector<std::size_t> without =
      by_size(columns, [&](std::size_t j) { return result.columns[j].share.value; });
  std::vector<std::size_t> repair =
      by_size(columns, [&](std::size_t j) { return result.columns[j].alone.value; });
  std::erase_if(repair, [&](std::size_t j) { return result.columns[j].alone_p_value > chance_of_column; });
  without.resize(std::min(without.size(), most_refits));
  repair.resize(std::min(repair.size(), most_repairs));
  const Refits refits =
      refit_explainer(tables, family, features,
                      {.without = without, .repair = repair, .held_out = result.held_out.value}, random);
  for (std::size_t j = 0; j < columns; ++j) {
    if (refits.only_here[j]) result.columns[j].only_here = with_interval(*refits.only_here[j], tables.level);
  }
  for (const Gain& gain : refits.gains) {
    result.repairs.push_back(
        {tables.sample.columns[gain.column].name, with_interval(gain.bits, tables.level)});
  }
  std::ranges::stable_sort(result.repairs, std::greater<>(),
                           [](const Repair& each) { return each.gain.value; });
  if (!refits.margins_repaired) return;
  const auto bits = [&](const Measured& measured) { return divergence_bits(measured, 0, tables.level); };
  result.margins = Margins{.if_margins_repaired = bits(*refits.margins_repaired),
                           .if_dependence_repaired = bits(*refits.dependence_repaired),
                           .marginal_part = result.held_out.value - refits.margins_repaired->value,
                           .dependence_part = refits.margins_repaired->value};
}

void explain_tables(const ExplainedTables& tables, const ScoredReading& reading,
                    const ExplainOptions& options, ExplainResult& result) {
  const ProgressFunction& progress = options.estimate.progress;
  const auto report = [&](double fraction, std::string_view what) {
    if (progress) progress(estimate_part + (1 - estimate_part) * fraction, what);
  };
  const RandomStream random = RandomStream(options.estimate.seed).child("explain");
  StageClock clock(result.runtime.stages);
  report(0, "columns");
  const auto findings = find_support_mismatches(tables.sample);
  const bool grids = std::ranges::any_of(findings, &SupportFinding::has_grid);
  const Sample on_grids = grids ? harmonise(tables.sample, findings) : Sample{};
  result.columns = explain_columns(tables, grids ? &on_grids : nullptr,
                                   explained_mismatches(result.estimate, result.rung));
  clock.end("columns");
  report(0.1, "shares");
  const ExplainerFamily family = choose_explainer(options.estimate, reading.families);
  explain_shares(tables, family, reading.features, random, result);
  clock.end("shares");
  report(0.5, "pairs");
  explain_pairs(tables, options, result);
  clock.end("pairs");
  report(0.6, "refits");
  explain_refits(tables, family, reading.features, random.child("refits"), result);
  clock.end("refits");
  report(0.95, "slices");
  result.slices = find_slices(tables);
  if (!options.by.empty()) result.by = slices_by(tables, options.by);
  result.by_column = options.by;
  result.rows = telling_rows(tables, options);
  std::ranges::stable_sort(result.columns, std::greater<>(),
                           [](const ExplainedColumn& column) { return column.share.value; });
  clock.end("slices");
  report(1, "done");
}

ExplainResult run(const TableSource& load, const ExplainOptions& options) {
  check(options);
  const Stopwatch watch;
  const double cpu_start = cpu_seconds();
  ExplainResult result;
  result.choices = options;
  bool q_first = false;
  const TableSource checked = [&](std::vector<Warning>& warnings) {
    std::vector<Table> tables = load(warnings);
    check_by(tables, options.by);
    q_first = content_hash(tables[1]) < content_hash(tables[0]);
    return tables;
  };
  EstimateOptions estimate_options = options.estimate;
  if (const ProgressFunction whole = options.estimate.progress) {
    estimate_options.progress = [whole](double fraction, std::string_view what) {
      whole(estimate_part * fraction, what);
    };
  }
  std::vector<ScoredReading> readings;
  result.estimate = estimate_tables(checked, estimate_options, TableOrder::by_content, &readings);
  const std::size_t rung = choose_rung(result.estimate.ladder, options.rung, result);
  const ScoredReading& reading = readings.at(rung);
  result.held_out = reading.curve.held_out;
  result.runtime.stages = result.estimate.runtime.stages;
  with_threads(options.estimate.threads, [&] {
    explain_tables(explained_tables(reading, q_first, options.estimate.level), reading, options, result);
  });
  if (result.estimate.ladder[rung].p_value.value_or(0) > chance_of_tables) {
    result.warnings.push_back(
        {"nothing_to_explain",
         "this divergence could be due to chance alone; do not read anything into its breakdown"});
  }
  const std::vector<InputRecord>& inputs = result.estimate.protocol.inputs;
  if (reading.sample.rows() != inputs[0].rows + inputs[1].rows) {
    result.rows.clear();
    result.warnings.push_back(
        {"rows_not_listed", "some rows were left out (option max_rows), so individual rows are not listed"});
  }
  result.warnings.insert(result.warnings.end(), result.estimate.warnings.begin(),
                         result.estimate.warnings.end());
  result.runtime.seconds = watch.seconds();
  result.runtime.cpu_seconds = cpu_seconds() - cpu_start;
  result.runtime.threads = thread_count(options.estimate.threads);
  result.runtime.peak_bytes = peak_bytes();
  return result;
}

}  // namespace

ExplainResult explain(const std::string& path_p, const std::string& path_q, const ExplainOptions& options) {
  return run(from_files({path_p, path_q}, options.estimate.load), options);
}

ExplainResult explain(Table p, Table q, const ExplainOptions& options) {
  return run(from_memory(table_list(std::move(p), std::move(q)), options.estimate.load), options);
}

}  // namespace jsdiv
