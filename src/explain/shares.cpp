#include "explain/shares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "classify/subsample.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/stop.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

/// Rows whose values stand in for the columns that have not joined; half from each table, and so that each
/// half of them has a quarter from each.
constexpr std::size_t background_rows = 16;
/// Questions to the model in all: half a minute on a core.
constexpr double most_questions = 6e6;
constexpr std::size_t fewest_rows = 100;
constexpr std::size_t most_rounds = 8;
/// Rows of one question to the model: its features stay in the cache.
constexpr std::size_t block_rows = 4096;
/// Shares that do not stand this many errors above 0 cannot be scaled.
constexpr double clear_of_error = 2;

/// log2 of twice the posterior of the row's own table.
double term(double posterior_of_own) {
  return 1 + std::log2(std::max(posterior_of_own, 1e-300));
}

/// The term of the mean of background_rows posteriors. A mean of few puts its logarithm too low by a part
/// that falls as 1 / rows; twice the whole minus the mean of the halves is without it.
double term_of_mean(std::span<const double> posteriors) {
  const std::size_t half = posteriors.size() / 2;
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < half; ++i) first += posteriors[i];
  for (std::size_t i = half; i < posteriors.size(); ++i) second += posteriors[i];
  const auto count = static_cast<double>(half);
  return 2 * term(0.5 * (first + second) / count) - 0.5 * (term(first / count) + term(second / count));
}

/// Draws rows of one table in proportion to their weights.
class WeightedRows {
 public:
  void add(RowIndex row, double weight) {
    rows_.push_back(row);
    cumulative_.push_back((cumulative_.empty() ? 0 : cumulative_.back()) + weight);
  }
  RowIndex draw(RandomStream& random) const {
    const double place = random.uniform() * cumulative_.back();
    const auto at = std::ranges::upper_bound(cumulative_, place) - cumulative_.begin();
    return rows_[std::min(static_cast<std::size_t>(at), rows_.size() - 1)];
  }

 private:
  std::vector<RowIndex> rows_;
  std::vector<double> cumulative_;
};

/// What each column adds to one row's term, along some orders.
class RowStudy {
 public:
  RowStudy(const ExplainerFit& fit, const ExplainerFold& fold, const HeldOutRows& rows, RowIndex row,
           std::size_t columns)
      : fit_(fit), fold_(fold), own_first_(rows.labels[row] == 1), row_(row), columns_(columns) {}

  void add_order_and_reverse(const std::array<WeightedRows, 2>& tables, RandomStream& random,
                             std::span<double> gains) const {
    std::array<RowIndex, background_rows> background{};
    for (std::size_t m = 0; m < background_rows; ++m) background[m] = tables[m % 2].draw(random);
    std::vector<std::size_t> order(columns_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(std::span(order));
    std::array<double, background_rows> nothing{};
    for (std::size_t m = 0; m < background_rows; ++m) nothing[m] = own(fit_.log_odds[background[m]]);
    const double first = term_of_mean(nothing);
    const double last = term(own(fit_.log_odds[row_]));
    for (int direction = 0; direction < 2; ++direction) {
      const std::vector<double> terms = terms_along(order, background);
      double before = first;
      for (std::size_t k = 0; k < columns_; ++k) {
        const double after = k + 1 < columns_ ? terms[k] : last;
        gains[order[k]] += after - before;
        before = after;
      }
      std::ranges::reverse(order);
    }
  }

 private:
  double own(double log_odds) const { return sigmoid(own_first_ ? log_odds : -log_odds); }

  /// [columns - 1] the terms with the first 1, 2, … columns of the order taken from the row itself.
  std::vector<double> terms_along(const std::vector<std::size_t>& order,
                                  const std::array<RowIndex, background_rows>& background) const {
    std::vector<std::size_t> joins_at(columns_);
    for (std::size_t k = 0; k < columns_; ++k) joins_at[order[k]] = k;
    const Matrix& features = fold_.features.values;
    const std::size_t questions = (columns_ - 1) * background_rows;
    std::vector<double> posteriors;
    posteriors.reserve(questions);
    for (std::size_t begin = 0; begin < questions; begin += block_rows) {
      throw_if_interrupted();
      const std::size_t count = std::min(block_rows, questions - begin);
      Matrix block(count, features.cols());
      for (std::size_t f = 0; f < features.cols(); ++f) {
        const std::span<const float> source = features.column(f);
        const std::span<float> target = block.column(f);
        const std::size_t joins = joins_at[fold_.features.column_of[f]];
        for (std::size_t i = 0; i < count; ++i) {
          const std::size_t question = begin + i;
          const bool joined = joins <= question / background_rows;
          target[i] = source[joined ? row_ : background[question % background_rows]];
        }
      }
      for (const double log_odds : fold_.log_odds(block.view())) posteriors.push_back(own(log_odds));
    }
    std::vector<double> terms(columns_ - 1);
    for (std::size_t k = 0; k + 1 < columns_; ++k) {
      terms[k] = term_of_mean(std::span(posteriors).subspan(k * background_rows, background_rows));
    }
    return terms;
  }

  const ExplainerFit& fit_;
  const ExplainerFold& fold_;
  bool own_first_;
  RowIndex row_;
  std::size_t columns_;
};

}  // namespace

ColumnShares draw_shares(const ExplainerFit& fit, const HeldOutRows& rows, std::size_t columns,
                         const RandomStream& random) {
  const std::vector<RowIndex> all = row_range(0, rows.labels.size());
  const auto questions_a_row = static_cast<double>(2 * (columns - 1) * background_rows);
  const double affordable = columns > 1 ? most_questions / questions_a_row : most_questions;
  const auto limit = std::max(fewest_rows, static_cast<std::size_t>(affordable));
  const std::vector<RowIndex> chosen = stratified_subsample(all, rows.labels, limit, random.child("rows"));
  const std::size_t rounds = std::clamp<std::size_t>(
      static_cast<std::size_t>(affordable / static_cast<double>(chosen.size())), 1, most_rounds);

  std::vector<std::size_t> fold_of(all.size());
  std::vector<std::array<WeightedRows, 2>> tables(fit.folds.size());
  for (std::size_t k = 0; k < fit.folds.size(); ++k) {
    for (const RowIndex row : fit.folds[k]->held_out) {
      fold_of[row] = k;
      const double weight = rows.weights.empty() ? 1.0 : rows.weights[row];
      if (weight > 0) tables[k][rows.labels[row]].add(row, weight);
    }
  }
  std::vector<double> gains(chosen.size() * columns);  // [chosen, columns]
  parallel_for(chosen.size(), [&](std::size_t i) {
    const std::size_t k = fold_of[chosen[i]];
    const RowStudy study(fit, *fit.folds[k], rows, chosen[i], columns);
    const std::span<double> own = std::span(gains).subspan(i * columns, columns);
    RandomStream draws = random.child("row").child(chosen[i]);
    for (std::size_t round = 0; round < rounds; ++round) {
      study.add_order_and_reverse(tables[k], draws, own);
    }
    for (double& gain : own) gain /= static_cast<double>(2 * rounds);
  });

  const auto labels = gather(rows.labels, Rows(chosen));
  const auto weights = gather(rows.weights, Rows(chosen));
  const auto groups = gather(rows.groups, Rows(chosen));
  const HeldOutRows chosen_rows{labels, weights, groups};
  const auto mean_over_tables = [&](const auto& value_of) {
    std::vector<double> halves(chosen.size());
    for (std::size_t i = 0; i < chosen.size(); ++i) halves[i] = 0.5 * value_of(i);
    return sum_of_class_means(halves, chosen_rows);
  };
  ColumnShares result;
  for (std::size_t j = 0; j < columns; ++j) {
    result.columns.push_back(mean_over_tables([&](std::size_t i) { return gains[i * columns + j]; }));
  }
  result.sum = mean_over_tables([&](std::size_t i) {
    double total = 0;
    for (std::size_t j = 0; j < columns; ++j) total += gains[i * columns + j];
    return total;
  });
  result.held_out = divergence_with_error(jsd_terms(fit.log_odds, rows.labels), rows).value;
  result.rows = chosen.size();
  result.orders = 2 * rounds;
  result.background = background_rows;
  return result;
}

std::vector<Measured> scaled_to(const ColumnShares& shares, double total) {
  std::vector<Measured> result = shares.columns;
  double sum = 0;
  for (const Measured& share : result) sum += share.value;
  const bool clear = sum > clear_of_error * shares.sum.standard_error && total > 0;
  const double factor = clear ? total / sum : 1;
  const double addition = clear ? 0 : (total - sum) / static_cast<double>(result.size());
  for (Measured& share : result) {
    share.value = factor * share.value + addition;
    share.standard_error *= factor;
  }
  return result;
}

}  // namespace jsdiv
