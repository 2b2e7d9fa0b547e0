#include "support/exact_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_set>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/stop.hpp"
#include "split/folds.hpp"
#include "split/group_assignment.hpp"
#include "support/atoms.hpp"
#include "support/chance.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_folds = 8;
constexpr std::uint8_t not_training = std::numeric_limits<std::uint8_t>::max();

std::array<std::vector<RowIndex>, 2> rows_of_tables(const Sample& sample) {
  std::array<std::vector<RowIndex>, 2> rows;
  rows[side_p] = row_range(0, sample.rows_p());
  rows[side_q] = row_range(sample.rows_p(), sample.rows_p() + sample.rows_q());
  return rows;
}

bool concerns_exact_values(const SupportFinding& finding) {
  return finding.kind == "lattice" || finding.kind == "atoms" || finding.kind == "one_sided_categories";
}

/// Weights of Q's rows and of P's.
using ClassWeights = std::array<double, 2>;
using WeightsByFold = std::array<ClassWeights, most_folds>;
/// Indexed by the fold that is left out; the last leaves none out.
using WeightsWithout = std::array<ClassWeights, most_folds + 1>;

/// The inner folds of the training rows.
struct InnerFolds {
  std::vector<std::uint8_t> fold_of_row;  ///< [rows of the sample]; not_training outside the training rows
  std::size_t folds = 0;
};

InnerFolds divide(const Sample& sample, std::span<const std::uint8_t> labels, Rows training_rows,
                  const RandomStream& random) {
  ClassCounts counts{};
  for (const RowIndex row : training_rows) ++counts[labels[row]];
  InnerFolds inner;
  inner.folds = std::clamp(std::min(counts[0], counts[1]), std::size_t{2}, most_folds);
  inner.fold_of_row.assign(labels.size(), not_training);
  if (sample.groups.empty()) {
    const std::vector<Fold> folds =
        stratified_folds(training_rows, labels, {}, inner.folds, random.child("exact values"));
    for (std::size_t fold = 0; fold < inner.folds; ++fold) {
      for (const RowIndex row : folds[fold].held_out)
        inner.fold_of_row[row] = static_cast<std::uint8_t>(fold);
    }
    return inner;
  }
  // A fold without a row of one class does no harm here, so that any grouping will do.
  const double share = 1.0 / static_cast<double>(inner.folds);
  const std::vector<std::array<double, 2>> targets(
      inner.folds, {share * static_cast<double>(counts[0]), share * static_cast<double>(counts[1])});
  const std::vector<std::size_t> parts =
      assign_groups(training_rows, labels, sample.groups, targets, random.child("exact values"));
  for (std::size_t i = 0; i < training_rows.size(); ++i) {
    inner.fold_of_row[training_rows[i]] = static_cast<std::uint8_t>(parts[i]);
  }
  return inner;
}

float feature(double weight, double total) {
  return total > 0 ? static_cast<float>(std::log1p(1e4 * weight / total)) : 0.0F;
}

/// Sums over all folds but each one, then over all. Added up anew each time: what a subtraction leaves of
/// rounding would tell a fold that holds a value from one that does not.
WeightsWithout sums_without(const WeightsByFold& by_fold) {
  WeightsWithout sums{};
  for (std::size_t left_out = 0; left_out < sums.size(); ++left_out) {
    for (std::size_t fold = 0; fold < by_fold.size(); ++fold) {
      if (fold == left_out) continue;
      for (const std::size_t label : {0, 1}) sums[left_out][label] += by_fold[fold][label];
    }
  }
  return sums;
}

/// Rows in the order of their values; missing ones last.
std::vector<RowIndex> order_by_value(std::span<const double> values) {
  struct Cell {
    double value;
    RowIndex row;
  };
  std::vector<Cell> cells;
  std::vector<RowIndex> missing;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (std::isnan(values[row])) {
      missing.push_back(static_cast<RowIndex>(row));
    } else {
      cells.push_back({values[row], static_cast<RowIndex>(row)});
    }
  }
  std::ranges::sort(cells, [](const Cell& a, const Cell& b) {
    return a.value != b.value ? a.value < b.value : a.row < b.row;
  });
  std::vector<RowIndex> order;
  order.reserve(values.size());
  for (const Cell& cell : cells) order.push_back(cell.row);
  order.insert(order.end(), missing.begin(), missing.end());
  return order;
}

bool same_value(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

}  // namespace

std::vector<std::size_t> exact_value_columns(const Sample& sample, std::span<const SupportFinding> findings) {
  std::unordered_set<std::string_view> found;
  for (const SupportFinding& finding : findings) {
    if (concerns_exact_values(finding)) found.insert(finding.column);
  }
  const std::array<std::vector<RowIndex>, 2> rows = rows_of_tables(sample);
  const double log_level = log_significance(sample.columns.size());
  std::vector<std::uint8_t> chosen(sample.columns.size(), 0);
  parallel_for(sample.columns.size(), [&](std::size_t j) {
    throw_if_interrupted();
    const ValueCounts counts = count_values(sample.columns[j], rows);
    const bool recurs =
        std::ranges::any_of(counts.values, [](const ValueCount& value) { return value.total() > 1; });
    if (counts.values.size() <= 2 || !recurs) return;
    chosen[j] = found.contains(sample.columns[j].name) || frequencies_differ(counts, log_level);
  });
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < chosen.size(); ++j) {
    if (chosen[j]) columns.push_back(j);
  }
  return columns;
}

Matrix exact_value_features(const Sample& sample, std::span<const std::uint8_t> labels,
                            std::span<const std::size_t> columns, Rows training_rows,
                            const RandomStream& random) {
  JSDIV_ASSERT(labels.size() == sample.rows());
  Matrix features(sample.rows(), 2 * columns.size());
  if (columns.empty()) return features;
  const InnerFolds inner = divide(sample, labels, training_rows, random);
  const auto weight_of = [&](RowIndex row) { return sample.weights.empty() ? 1.0 : sample.weights[row]; };

  WeightsByFold weight_of_fold{};
  for (const RowIndex row : training_rows) {
    weight_of_fold[inner.fold_of_row[row]][labels[row]] += weight_of(row);
  }
  const WeightsWithout totals = sums_without(weight_of_fold);

  parallel_for(columns.size(), [&](std::size_t j) {
    throw_if_interrupted();
    const std::vector<double>& values = sample.columns.at(columns[j]).values;
    const std::vector<RowIndex> order = order_by_value(values);
    const std::span<float> share_in_p = features.column(2 * j);
    const std::span<float> share_in_q = features.column(2 * j + 1);
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
      WeightsByFold by_fold{};
      for (end = begin; end < order.size() && same_value(values[order[begin]], values[order[end]]); ++end) {
        const RowIndex row = order[end];
        const std::uint8_t fold = inner.fold_of_row[row];
        if (fold != not_training) by_fold[fold][labels[row]] += weight_of(row);
      }
      const WeightsWithout held = sums_without(by_fold);
      for (std::size_t i = begin; i < end; ++i) {
        const std::uint8_t fold = inner.fold_of_row[order[i]];
        const std::size_t left_out = fold == not_training ? most_folds : fold;
        share_in_p[order[i]] = feature(held[left_out][1], totals[left_out][1]);
        share_in_q[order[i]] = feature(held[left_out][0], totals[left_out][0]);
      }
    }
  });
  return features;
}

}  // namespace jsdiv
