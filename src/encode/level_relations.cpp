#include "encode/level_relations.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_of_a_kind = 8;
constexpr std::size_t most_candidates = 200;
constexpr double least_explained = 0.1;
constexpr double errors_of_gain = 4;  // standard errors that a gain has to exceed

bool is_category(const Column& column) {
  return column.type == ColumnType::category || column.type == ColumnType::boolean;
}

/// Missing is the last one.
std::size_t level_count(const Column& category) {
  return (category.type == ColumnType::boolean ? 2 : category.levels.size()) + 1;
}

std::size_t level_of(const Column& category, RowIndex row) {
  const double value = category.values[row];
  return std::isnan(value) ? level_count(category) - 1 : static_cast<std::size_t>(value);
}

double combination(const Sample& sample, std::size_t first, std::size_t second, RowIndex row) {
  const Column &a = sample.columns[first], &b = sample.columns[second];
  return static_cast<double>(level_of(a, row) * level_count(b) + level_of(b, row));
}

ValueCodes combinations(const Sample& sample, std::size_t first, std::size_t second) {
  Column both;
  for (RowIndex row = 0; row < sample.rows(); ++row)
    both.values.push_back(combination(sample, first, second, row));
  return value_codes(both);
}

double weight_of(const Sample& sample, RowIndex row) {
  return sample.weights.empty() ? 1.0 : sample.weights[row];
}

struct Spread {
  double weight = 0, sum = 0, squares = 0;

  void add(double value, double by = 1) {
    weight += by;
    sum += by * value;
    squares += by * value * value;
  }
  double mean() const { return sum / weight; }
  double variance() const { return std::max(0.0, squares / weight - mean() * mean()); }
};

using Columns = std::pair<std::size_t, std::size_t>;

template <typename Relation, typename Value>
std::vector<Relation> learn_best(std::vector<Columns> candidates,
                                 const std::function<std::optional<Relation>(const Columns&)>& learn,
                                 Value value) {
  candidates.resize(std::min(candidates.size(), most_candidates));
  std::vector<std::optional<Relation>> found(candidates.size());
  parallel_for(candidates.size(), [&](std::size_t i) {
    throw_if_interrupted();
    found[i] = learn(candidates[i]);
  });
  std::vector<Relation> result;
  for (std::optional<Relation>& each : found) {
    if (each) result.push_back(std::move(*each));
  }
  std::ranges::stable_sort(result, std::greater<>(), value);
  if (result.size() > most_of_a_kind) result.erase(result.begin() + most_of_a_kind, result.end());
  return result;
}

}  // namespace

NumberWithinLevel::NumberWithinLevel(const Sample& sample, std::size_t category, std::size_t number,
                                     Rows training_rows, const InnerFolds& folds)
    : category_(category), number_(number), sums_(level_count(sample.columns[category])) {
  std::vector<double> present;
  for (const RowIndex row : training_rows) {
    const double value = sample.columns[number].values[row];
    if (!std::isnan(value)) present.push_back(value);
  }
  if (present.empty()) return;
  scaling_ = robust_scaling(present);
  for (const RowIndex row : training_rows) {
    const double value = scaled(sample, row);
    if (std::isnan(value)) continue;
    Sum& sum = sums_[level_of(sample.columns[category], row)][folds.fold_of_row[row]];
    sum.weight += weight_of(sample, row);
    sum.of_numbers += weight_of(sample, row) * value;
  }
}

double NumberWithinLevel::scaled(const Sample& sample, RowIndex row) const {
  const double value = sample.columns[number_].values[row];
  return std::isnan(value) ? NAN : compress_tails(scaling_(value));
}

std::optional<double> NumberWithinLevel::mean_at_level(const Sample& sample, RowIndex row,
                                                       std::uint8_t left_out) const {
  const SumsByFold& sums = sums_[level_of(sample.columns[category_], row)];
  Sum all;
  for (std::size_t fold = 0; fold < sums.size(); ++fold) {
    if (fold == left_out) continue;
    all.weight += sums[fold].weight;
    all.of_numbers += sums[fold].of_numbers;
  }
  return all.weight > 0 ? std::optional(all.of_numbers / all.weight) : std::nullopt;
}

std::optional<NumberWithinLevel> NumberWithinLevel::learn(const Sample& sample, std::size_t category,
                                                          std::size_t number, Rows training_rows,
                                                          const InnerFolds& folds) {
  NumberWithinLevel result(sample, category, number, training_rows, folds);
  Spread numbers, left;
  for (const RowIndex row : training_rows) {
    const double value = result.scaled(sample, row);
    const std::optional<double> usual = result.mean_at_level(sample, row, folds.fold_of_row[row]);
    if (std::isnan(value) || !usual) continue;
    numbers.add(value, weight_of(sample, row));
    left.add(value - *usual, weight_of(sample, row));
  }
  if (numbers.weight <= 0 || numbers.variance() <= 0 || left.variance() <= 0) return std::nullopt;
  result.explained_ = 1 - left.variance() / numbers.variance();
  result.scale_ = std::sqrt(left.variance());
  return result.explained_ < least_explained ? std::nullopt : std::optional(std::move(result));
}

float NumberWithinLevel::of_row(const Sample& sample, RowIndex row, std::uint8_t left_out) const {
  const double value = scaled(sample, row);
  const std::optional<double> usual = mean_at_level(sample, row, left_out);
  return std::isnan(value) || !usual ? 0 : compress_tails((value - *usual) / scale_);
}

LevelPair::LevelPair(const Sample& sample, std::size_t first, std::size_t second,
                     std::span<const std::uint8_t> labels, Rows training_rows, const InnerFolds& folds)
    : first_(first),
      second_(second),
      evidence_(sample, combinations(sample, first, second), labels, training_rows, folds) {
}

std::array<float, 2> LevelPair::of_row(const Sample& sample, RowIndex row, std::uint8_t left_out) const {
  const double both = combination(sample, first_, second_, row);
  return evidence_.log_ratio(evidence_.held(both, left_out), evidence_.total(left_out));
}

std::optional<LevelPair> LevelPair::learn(const Sample& sample, std::size_t first, std::size_t second,
                                          std::span<const std::uint8_t> labels, Rows training_rows,
                                          const InnerFolds& folds) {
  LevelPair result(sample, first, second, labels, training_rows, folds);
  struct Told {
    double together = 0;
    bool seen = false;
    std::array<double, 3> apart{};  ///< by the first, by the second, by both as if independent
  };
  std::vector<Told> told(training_rows.size());
  std::array<double, 2> rows{}, unseen{};
  for (const std::size_t which : {0, 1}) {
    const Column& column = sample.columns[which == 0 ? first : second];
    const ValueEvidence alone(sample, value_codes(column), labels, training_rows, folds);
    for (std::size_t i = 0; i < told.size(); ++i) {
      const RowIndex row = training_rows[i];
      const std::uint8_t fold = folds.fold_of_row[row];
      told[i].apart[which] = alone.log_ratio(alone.held(column.values[row], fold), alone.total(fold))[0];
      told[i].apart[2] += told[i].apart[which];
    }
  }
  for (std::size_t i = 0; i < told.size(); ++i) {
    const RowIndex row = training_rows[i];
    const auto together = result.of_row(sample, row, folds.fold_of_row[row]);
    told[i].together = together[0];
    told[i].seen = together[1] > 0;
    ++rows[labels[row]];
    if (!told[i].seen) ++unseen[labels[row]];
  }
  if (rows[0] == 0 || rows[1] == 0) return std::nullopt;
  // What a combination tells that no other row has: one number for all of them.
  const double of_unseen =
      std::log((unseen[1] + 0.5) / (rows[1] + 1)) - std::log((unseen[0] + 0.5) / (rows[0] + 1));
  result.gain_ = INFINITY;
  for (const std::size_t alternative : {0, 1, 2}) {
    std::array<Spread, 2> gains;
    for (std::size_t i = 0; i < told.size(); ++i) {
      const std::uint8_t label = labels[training_rows[i]];
      const auto loss = [&](double log_ratio) { return log1p_exp(label == 1 ? -log_ratio : log_ratio); };
      gains[label].add(loss(told[i].apart[alternative]) - loss(told[i].seen ? told[i].together : of_unseen));
    }
    const double gain = 0.5 * (gains[0].mean() + gains[1].mean());
    const double error = 0.5 * std::sqrt(gains[0].variance() / rows[0] + gains[1].variance() / rows[1]);
    if (!(gain > errors_of_gain * error)) return std::nullopt;
    result.gain_ = std::min(result.gain_, gain);
  }
  return result;
}

LevelRelations find_level_relations(const Sample& sample, const std::vector<bool>& many_levels,
                                    std::span<const std::uint8_t> labels, Rows training_rows,
                                    const InnerFolds& folds, std::optional<std::size_t> without) {
  std::vector<Columns> numbers, pairs;
  for (std::size_t i = 0; i < sample.columns.size(); ++i) {
    if (!many_levels[i] || i == without) continue;
    for (std::size_t j = 0; j < sample.columns.size(); ++j) {
      if (j == i || j == without) continue;
      if (!is_category(sample.columns[j])) {
        numbers.emplace_back(i, j);
      } else if (!many_levels[j] || i < j) {
        pairs.emplace_back(i, j);
      }
    }
  }
  return {learn_best<NumberWithinLevel>(
              std::move(numbers),
              [&](const Columns& columns) {
                return NumberWithinLevel::learn(sample, columns.first, columns.second, training_rows, folds);
              },
              &NumberWithinLevel::explained),
          learn_best<LevelPair>(
              std::move(pairs),
              [&](const Columns& columns) {
                return LevelPair::learn(sample, columns.first, columns.second, labels, training_rows, folds);
              },
              &LevelPair::gain)};
}

}  // namespace jsdiv
