#include "jsdiv/compare.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "compare/paired.hpp"
#include "core/message.hpp"
#include "core/parallel.hpp"
#include "core/process_usage.hpp"
#include "core/rows.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/error.hpp"
#include "load/source.hpp"
#include "protocol/check_options.hpp"
#include "protocol/estimate_tables.hpp"
#include "uncertainty/learning_curve.hpp"

namespace jsdiv {
namespace {

/// Share of the variance of what the classifiers have not learnt that candidates have in common: the same
/// rows of the reference and the same learners, but other things to learn.
constexpr double shared_unlearnt = 0.5;

/// Where the tables come from: the reference and candidate number `i`, read with these options.
using PairSource = std::function<TableSource(std::size_t i, const LoadOptions& options)>;

void check(const std::vector<std::string>& names, const CompareOptions& options) {
  check_options(options.estimate);
  if (options.estimate.protocol != Protocol::automatic) {
    throw InvalidInput(
        "compare works only with the recommended estimator; remove " + mention("protocol", "paper"),
        {.option = "protocol"});
  }
  if (names.empty()) throw InvalidInput("there is nothing to compare; give at least one more table");
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw InvalidInput("two tables have the name " + quoted(name) + "; give each table a different name");
    }
  }
}

std::vector<std::string> feature_names(const Table& table, const LoadOptions& options) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) {
    if (column.name != options.group && column.name != options.weight) names.push_back(column.name);
  }
  return names;
}

/// Columns that each candidate shares with the reference, and those that all do.
struct SharedColumns {
  std::vector<std::vector<std::string>> of_candidate;
  std::vector<std::string> of_all;

  /// The options that make candidate `i` do with the columns of all.
  LoadOptions load_options(std::size_t i, LoadOptions options) const {
    for (const std::string& name : of_candidate[i]) {
      if (std::ranges::count(of_all, name) > 0) continue;
      options.ignore.push_back(name);
      for (auto* named : {&options.columns, &options.categorical, &options.numeric}) std::erase(*named, name);
    }
    return options;
  }
};

SharedColumns shared_columns(const PairSource& pairs, const std::vector<std::string>& names,
                             const CompareOptions& options, std::vector<Warning>& warnings) {
  SharedColumns shared;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<Warning> told_later;
    const std::vector<Table> tables = pairs(i, options.estimate.load)(told_later);
    shared.of_candidate.push_back(feature_names(tables[0], options.estimate.load));
  }
  std::vector<std::string> left_out;
  for (const std::string& name : shared.of_candidate[0]) {
    const bool in_all = std::ranges::all_of(
        shared.of_candidate, [&](const auto& columns) { return std::ranges::count(columns, name) > 0; });
    (in_all ? shared.of_all : left_out).push_back(name);
  }
  for (const auto& columns : shared.of_candidate) {
    for (const std::string& name : columns) {
      if (std::ranges::count(shared.of_all, name) + std::ranges::count(left_out, name) == 0) {
        left_out.push_back(name);
      }
    }
  }
  if (shared.of_all.empty()) {
    throw InvalidInput(
        "no column is present in all tables; every candidate must share at least one column with the "
        "reference");
  }
  if (!left_out.empty()) {
    warnings.push_back(
        {"unmatched_columns", "columns left out because not all tables have them: " + quoted_list(left_out)});
  }
  return shared;
}

ProgressFunction part_of(const ProgressFunction& whole, std::size_t part, std::size_t parts) {
  if (!whole) return {};
  return [whole, part, parts](double fraction, std::string_view what) {
    whole((static_cast<double>(part) + fraction) / static_cast<double>(parts), what);
  };
}

double square(double value) {
  return value * value;
}

/// The error of one estimate, taken apart. The reference's rows are those with label 1, in their order.
CandidateError error_of(const ScoredReading& reading) {
  const LearningCurve& curve = reading.curve;
  const std::vector<std::uint8_t> labels = reading.sample.labels();
  const HeldOutRows rows{labels, reading.sample.weights, reading.sample.groups};
  const std::vector<double> shares = class_shares(rows);
  std::array<double, 2> mean{};
  for (std::size_t row = 0; row < labels.size(); ++row) mean[labels[row]] += shares[row] * curve.terms[row];
  CandidateError error;
  std::vector<double> own(labels.size());
  std::vector<double> both(labels.size());
  for (std::size_t row = 0; row < labels.size(); ++row) {
    both[row] = 0.5 * shares[row] * (curve.terms[row] - mean[labels[row]]);
    if (labels[row] == 1) {
      error.reference_influence.push_back(both[row]);
    } else {
      own[row] = both[row];
    }
  }
  error.own_variance = square(influence_standard_error(own, rows));
  // What the reported errors hold beyond the rows, as the mean of both sides.
  const double from_rows = square(influence_standard_error(both, rows));
  const double reported = 0.5 * (square(curve.limit.standard_error) + square(curve.standard_error_below));
  const double unlearnt = std::max(0.0, reported - from_rows);
  error.unlearnt = std::sqrt(shared_unlearnt * unlearnt);
  error.own_variance += (1 - shared_unlearnt) * unlearnt;
  return error;
}

std::vector<std::uint32_t> reference_clusters(const ScoredReading& reading, const LoadOptions& options) {
  if (options.group.empty()) return {};
  const auto& groups = reading.sample.groups;
  return {groups.begin(), groups.begin() + static_cast<std::ptrdiff_t>(reading.sample.rows_p())};
}

Table rows_of(const Table& table, Rows rows, std::string source) {
  Table result;
  result.rows = rows.size();
  result.source = std::move(source);
  for (const Column& column : table.columns) {
    result.columns.push_back(
        {column.name, column.type, gather(std::span(column.values), rows), column.levels});
  }
  return result;
}

/// The reference in two halves at random; rows of a group stay together.
std::vector<Table> halves_of(const Table& reference, const LoadOptions& options, RandomStream random) {
  const Column* group = options.group.empty() ? nullptr : reference.find(options.group);
  std::vector<std::uint32_t> draw_of(reference.rows);
  std::uint32_t count = 0;
  std::unordered_map<double, std::uint32_t> known;
  for (std::size_t row = 0; row < reference.rows; ++row) {
    if (group == nullptr || std::isnan(group->values[row])) {
      draw_of[row] = count++;
      continue;
    }
    const auto [place, is_new] = known.try_emplace(group->values[row], count);
    if (is_new) ++count;
    draw_of[row] = place->second;
  }
  std::vector<std::uint32_t> order(count);
  for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
  random.shuffle(std::span(order));
  std::vector<bool> in_first(count);
  for (std::size_t i = 0; i < count / 2; ++i) in_first[order[i]] = true;
  std::array<std::vector<RowIndex>, 2> rows;
  for (RowIndex row = 0; row < reference.rows; ++row) rows[in_first[draw_of[row]] ? 0 : 1].push_back(row);
  return {rows_of(reference, rows[0], reference.source + " (one half)"),
          rows_of(reference, rows[1], reference.source + " (the other half)")};
}

std::vector<Contrast> contrasts_of(const std::vector<std::size_t>& order, bool over_time) {
  std::vector<Contrast> contrasts;
  for (std::size_t a = 0; a < order.size(); ++a) {
    for (std::size_t b = a + 1; b < (over_time ? std::min(a + 2, order.size()) : order.size()); ++b) {
      contrasts.push_back({order[a], order[b]});
    }
  }
  return contrasts;
}

CompareResult run(const std::string& reference, const std::vector<std::string>& names,
                  const PairSource& pairs, const CompareOptions& options) {
  check(names, options);
  const Stopwatch watch;
  const double cpu_start = cpu_seconds();
  const std::size_t count = names.size();
  const std::size_t parts = count + (options.yardstick ? 1 : 0);
  CompareResult result;
  result.reference = reference;
  result.over_time = options.over_time;
  SharedColumns shared;
  with_threads(options.estimate.threads,
               [&] { shared = shared_columns(pairs, names, options, result.warnings); });
  result.columns = shared.of_all;

  std::vector<Candidate> candidates(count);
  std::vector<CandidateError> errors;
  std::vector<std::uint32_t> clusters;
  Table whole_reference;
  for (std::size_t i = 0; i < count; ++i) {
    EstimateOptions estimate_options = options.estimate;
    estimate_options.load = shared.load_options(i, options.estimate.load);
    estimate_options.progress = part_of(options.estimate.progress, i, parts);
    const TableSource source = pairs(i, estimate_options.load);
    const TableSource remembering = [&](std::vector<Warning>& warnings) {
      std::vector<Table> tables = source(warnings);
      if (i == 0) whole_reference = tables[0];
      return tables;
    };
    std::vector<ScoredReading> readings;
    candidates[i] = {
        .name = names[i],
        .position = i + 1,
        .rank = 0,
        .differs = false,
        .estimate = estimate_tables(remembering, estimate_options, TableOrder::as_given, &readings)};
    errors.push_back(error_of(readings.at(0)));
    if (i == 0) clusters = reference_clusters(readings.at(0), estimate_options.load);
  }
  if (options.yardstick) {
    EstimateOptions estimate_options = options.estimate;
    estimate_options.load = {};
    estimate_options.load.group = options.estimate.load.group;
    estimate_options.load.weight = options.estimate.load.weight;
    estimate_options.progress = part_of(options.estimate.progress, count, parts);
    std::vector<Table> halves = halves_of(whole_reference, estimate_options.load,
                                          RandomStream(options.estimate.seed).child("yardstick"));
    Yardstick yardstick{.estimate = {}, .rows_first = halves[0].rows, .rows_second = halves[1].rows};
    const TableSource source = [&](std::vector<Warning>&) { return halves; };
    yardstick.estimate = estimate_tables(source, estimate_options, TableOrder::as_given, nullptr);
    result.yardstick = std::move(yardstick);
  }

  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  std::vector<std::size_t> by_distance = order;
  std::ranges::stable_sort(by_distance, {}, [&](std::size_t i) { return candidates[i].estimate.raw; });
  for (std::size_t place = 0; place < count; ++place) candidates[by_distance[place]].rank = place + 1;
  if (!options.over_time) order = by_distance;
  std::vector<double> p_values;
  p_values.reserve(count);
  for (const Candidate& candidate : candidates)
    p_values.push_back(candidate.estimate.p_value.value_or(std::nan("")));
  const std::vector<bool> differ = rejected(p_values, 1 - options.estimate.level);
  for (std::size_t i = 0; i < count; ++i) candidates[i].differs = differ[i];

  const Eigen::MatrixXd covariance = estimate_covariance(errors, clusters);
  const std::vector<Contrast> contrasts = contrasts_of(order, options.over_time);
  result.simultaneous_quantile =
      simultaneous_quantile(covariance, contrasts, options.estimate.level,
                            RandomStream(options.estimate.seed).child("simultaneous"));
  for (const Contrast& contrast : contrasts) {
    const Result& first = candidates[contrast.first].estimate;
    const Result& second = candidates[contrast.second].estimate;
    PairedDifference difference;
    difference.closer = names[contrast.first];
    difference.farther = names[contrast.second];
    difference.value = second.raw - first.raw;
    difference.standard_error = contrast_standard_error(covariance, contrast);
    difference.unpaired_standard_error =
        std::hypot(first.standard_error.value_or(0), second.standard_error.value_or(0));
    const double reach = result.simultaneous_quantile * difference.standard_error;
    difference.confidence_interval = {options.estimate.level, difference.value - reach,
                                      difference.value + reach};
    difference.supported = difference.confidence_interval.low > 0 || difference.confidence_interval.high < 0;
    result.differences.push_back(std::move(difference));
  }
  for (const std::size_t i : order) result.candidates.push_back(std::move(candidates[i]));
  result.runtime.stages = {{"compare", watch.seconds(), peak_bytes()}};
  result.runtime.seconds = watch.seconds();
  result.runtime.cpu_seconds = cpu_seconds() - cpu_start;
  result.runtime.threads = thread_count(options.estimate.threads);
  result.runtime.peak_bytes = peak_bytes();
  return result;
}

}  // namespace

CompareResult compare(const std::string& reference, const std::vector<std::string>& candidates,
                      const CompareOptions& options) {
  return run(
      reference, candidates,
      [&](std::size_t i, const LoadOptions& load) {
        return from_files({reference, candidates[i]}, load);
      },
      options);
}

CompareResult compare(const NamedTable& reference, const std::vector<NamedTable>& candidates,
                      const CompareOptions& options) {
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const NamedTable& candidate : candidates) names.push_back(candidate.name);
  return run(
      reference.name, names,
      [&](std::size_t i, const LoadOptions& load) {
        return from_memory(table_list(Table(reference.table), Table(candidates[i].table)), load);
      },
      options);
}

}  // namespace jsdiv
