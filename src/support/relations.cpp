#include "support/relations.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include "core/number_text.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "support/chance.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_rows = 1000;    // of a table: what is looked for shows in a few hundred
constexpr std::size_t most_columns = 200;  // their products are summed over the rows
constexpr std::size_t most_others = 8;
constexpr std::size_t rows_of_each = 20;  // for each coefficient
constexpr std::size_t most_relations = 16;
constexpr double most_unexplained = 0.01;
constexpr double exactly = 1e-6;  // unexplained by a relation that only rounding blurs

bool is_measured(const Column& column) {
  return column.type != ColumnType::category && column.type != ColumnType::boolean;
}

/// Every k-th row.
std::vector<RowIndex> some_of(std::span<const RowIndex> rows) {
  const std::size_t step = std::max<std::size_t>(1, (rows.size() + most_rows - 1) / most_rows);
  std::vector<RowIndex> some;
  for (std::size_t i = 0; i < rows.size(); i += step) some.push_back(rows[i]);
  return some;
}

double cell(const Sample& sample, std::size_t column, RowIndex row, bool of_logarithms) {
  const double value = sample.columns[column].values[row];
  return of_logarithms ? std::log(value) : value;
}

/// Cells of one table, columns that vary, standardised; missing ones at the mean.
struct Standardised {
  std::vector<std::size_t> columns;
  std::vector<double> deviations;  ///< standard ones
  Eigen::MatrixXd gram;            ///< their correlations
};

Standardised standardise(const Sample& sample, std::span<const std::size_t> candidates, Rows rows,
                         bool of_logarithms) {
  Standardised result;
  const auto n = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd cells(n, static_cast<Eigen::Index>(candidates.size()));
  for (const std::size_t column : candidates) {
    auto values = cells.col(static_cast<Eigen::Index>(result.columns.size())).array();
    for (Eigen::Index i = 0; i < n; ++i)
      values[i] = cell(sample, column, rows[static_cast<std::size_t>(i)], of_logarithms);
    const auto present = values.isFinite();
    const auto count = static_cast<double>(present.count());
    if (2 * count < static_cast<double>(n)) continue;
    // A power of two keeps the squares of very large and very small numbers in range.
    const double largest = present.select(values.abs(), 0.0).maxCoeff();
    if (!(largest > 0)) continue;
    int exponent = 0;
    std::frexp(largest, &exponent);
    values = present.select(values.unaryExpr([&](double x) { return std::ldexp(x, -exponent); }), NAN).eval();
    const double mean = values.isFinite().select(values, 0.0).sum() / count;
    values = values.isFinite().select(values - mean, 0.0).eval();
    const double deviation = std::sqrt(values.square().mean());
    if (!(deviation > 1e-12)) continue;
    values /= deviation;
    result.columns.push_back(column);
    result.deviations.push_back(std::ldexp(deviation, exponent));
  }
  const auto used = cells.leftCols(static_cast<Eigen::Index>(result.columns.size()));
  result.gram = used.transpose() * used / static_cast<double>(std::max<Eigen::Index>(1, n));
  return result;
}

/// Columns that explain one of them, chosen one by one, each the one that explains most of what is left.
/// Nothing unless they explain enough.
struct Chosen {
  std::vector<Eigen::Index> others;
  double unexplained = 1;
};

std::optional<Chosen> choose(const Eigen::MatrixXd& gram, Eigen::Index target, std::size_t most) {
  const Eigen::Index d = gram.rows();
  // The columns, less what the chosen ones explain of them: a Cholesky factor that grows by a row a step.
  Eigen::VectorXd left = gram.diagonal();
  Eigen::MatrixXd factor(static_cast<Eigen::Index>(most), d);
  Chosen chosen;
  std::optional<Chosen> enough;
  for (std::size_t step = 0; step < most; ++step) {
    const auto k = static_cast<Eigen::Index>(step);
    const Eigen::VectorXd covariance =
        gram.col(target) - factor.topRows(k).transpose() * factor.topRows(k).col(target);
    Eigen::Index best = -1;
    double gain = 0;
    for (Eigen::Index j = 0; j < d; ++j) {
      if (j == target || left[j] < 1e-9) continue;
      const double of_j = covariance[j] * covariance[j] / left[j];
      if (of_j > gain) gain = of_j, best = j;
    }
    if (best < 0) break;
    factor.row(k) = (gram.row(best) - factor.topRows(k).col(best).transpose() * factor.topRows(k)) /
                    std::sqrt(left[best]);
    left -= factor.row(k).transpose().cwiseAbs2();
    chosen.others.push_back(best);
    chosen.unexplained = std::max(0.0, left[target]);
    left[best] = 0;
    if (chosen.unexplained > most_unexplained) continue;
    // One more has to be worth it.
    if (enough && chosen.unexplained > 0.25 * enough->unexplained) break;
    enough = chosen;
    if (chosen.unexplained < 1e-12) break;
  }
  return enough;
}

double median_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Least squares over the half of the rows that fit best, found by three rounds: a few broken rows must not
/// blur what holds in all others.
std::optional<Relation> fitted(const Sample& sample, Rows rows, Relation relation) {
  std::vector<RowIndex> complete;
  for (const RowIndex row : rows) {
    bool all = std::isfinite(cell(sample, relation.target, row, relation.of_logarithms));
    for (const std::size_t column : relation.others)
      all = all && std::isfinite(cell(sample, column, row, relation.of_logarithms));
    if (all) complete.push_back(row);
  }
  const std::size_t terms = relation.others.size() + 1;
  if (complete.size() < rows_of_each * terms) return std::nullopt;

  // Scaled by the largest, so that seconds since 1970 and shares of 1 stand in one equation.
  const auto n = static_cast<Eigen::Index>(complete.size());
  Eigen::MatrixXd x(n, static_cast<Eigen::Index>(terms));
  Eigen::VectorXd y(n);
  x.col(0).setOnes();
  for (Eigen::Index i = 0; i < n; ++i) {
    const RowIndex row = complete[static_cast<std::size_t>(i)];
    y[i] = cell(sample, relation.target, row, relation.of_logarithms);
    for (std::size_t j = 1; j < terms; ++j)
      x(i, static_cast<Eigen::Index>(j)) = cell(sample, relation.others[j - 1], row, relation.of_logarithms);
  }
  const double y_scale = y.cwiseAbs().maxCoeff();
  const Eigen::RowVectorXd x_scale = x.cwiseAbs().colwise().maxCoeff();
  if (!(y_scale > 0) || !(x_scale.minCoeff() > 0)) return std::nullopt;
  y /= y_scale;
  x = x.array().rowwise() / x_scale.array();

  std::vector<Eigen::Index> used(complete.size());
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = static_cast<Eigen::Index>(i);
  Eigen::VectorXd solution, residuals;
  for (int round = 0; round < 3; ++round) {
    solution = x(used, Eigen::all).colPivHouseholderQr().solve(y(used));
    residuals = (y - x * solution).cwiseAbs();
    used.resize(complete.size());
    for (std::size_t i = 0; i < used.size(); ++i) used[i] = static_cast<Eigen::Index>(i);
    const std::size_t half = std::max(complete.size() / 2, 2 * terms);
    std::ranges::nth_element(used, used.begin() + static_cast<std::ptrdiff_t>(half), {},
                             [&](Eigen::Index i) { return residuals[i]; });
    used.resize(half);
    std::ranges::sort(used);
  }
  const double typical = median_of({residuals.begin(), residuals.end()});
  // A few far values may explain each other, and the variance with it, and say nothing of all other rows.
  const double middle = median_of({y.begin(), y.end()});
  const Eigen::VectorXd spread = (y.array() - middle).abs();
  const double typical_spread = median_of({spread.begin(), spread.end()});
  if (typical > std::sqrt(most_unexplained) * typical_spread) return std::nullopt;
  relation.unexplained = typical_spread > 0 ? std::pow(typical / typical_spread, 2) : 0;
  const double rounding = 64 * std::numeric_limits<double>::epsilon();  // relative to the largest, which is 1
  relation.scale = std::max(1.4826 * typical, rounding) * y_scale;
  relation.intercept = solution[0] / x_scale[0] * y_scale;
  for (std::size_t j = 1; j < terms; ++j) {
    const auto k = static_cast<Eigen::Index>(j);
    relation.coefficients.push_back(solution[k] / x_scale[k] * y_scale);
  }
  relation.target_scale = relation.scale;
  if (relation.of_logarithms) {
    relation.target_scale = 1;
    std::vector<double> deviations;
    double largest = 0;
    for (const RowIndex row : complete) {
      if (const auto deviation = relation.deviation(sample, row))
        deviations.push_back(std::abs(deviation->in_target));
      largest = std::max(largest, std::abs(sample.columns[relation.target].values[row]));
    }
    if (deviations.empty()) return std::nullopt;
    relation.target_scale = std::max(1.4826 * median_of(std::move(deviations)), rounding * largest);
  }
  const bool finite = std::isfinite(relation.scale) && std::isfinite(relation.target_scale) &&
                      std::isfinite(relation.intercept) &&
                      std::ranges::all_of(relation.coefficients, [](double c) { return std::isfinite(c); });
  return finite ? std::optional(std::move(relation)) : std::nullopt;
}

/// Relations of one table in one form, not fitted yet. A total varies more than its items: of two that
/// explain each other it comes first.
std::vector<Relation> relations_of(const Sample& sample, std::span<const std::size_t> candidates, Rows rows,
                                   bool of_logarithms) {
  const Standardised table = standardise(sample, candidates, rows, of_logarithms);
  const std::size_t most = std::min({most_others, table.columns.size(), rows.size() / rows_of_each});
  std::vector<Relation> found;
  if (most < 2) return found;
  std::vector<std::size_t> order(table.columns.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t j) { return table.deviations[j]; });
  for (const std::size_t j : order) {
    const auto chosen = choose(table.gram, static_cast<Eigen::Index>(j), most - 1);
    if (!chosen) continue;
    Relation relation{
        .target = table.columns[j], .of_logarithms = of_logarithms, .unexplained = chosen->unexplained};
    for (const Eigen::Index other : chosen->others)
      relation.others.push_back(table.columns[static_cast<std::size_t>(other)]);
    found.push_back(std::move(relation));
  }
  return found;
}

std::vector<std::size_t> columns_in(const Relation& relation) {
  std::vector<std::size_t> columns = relation.others;
  columns.push_back(relation.target);
  std::ranges::sort(columns);
  return columns;
}

}  // namespace

std::optional<Relation::Deviation> Relation::deviation(const Sample& sample, RowIndex row) const {
  double expected = intercept;
  for (std::size_t j = 0; j < others.size(); ++j)
    expected += coefficients[j] * cell(sample, others[j], row, of_logarithms);
  const double in_form = cell(sample, target, row, of_logarithms) - expected;
  const double in_target = of_logarithms ? sample.columns[target].values[row] - std::exp(expected) : in_form;
  const Deviation result{in_form / scale, in_target / target_scale};
  const bool finite = std::isfinite(result.in_form) && std::isfinite(result.in_target);
  return finite ? std::optional(result) : std::nullopt;
}

std::vector<Relation> find_relations(const Sample& sample, const RowsOfTables& training_rows,
                                     std::optional<std::size_t> without) {
  std::vector<std::size_t> measured, positive;
  for (std::size_t j = 0; j < sample.columns.size(); ++j) {
    const Column& column = sample.columns[j];
    if (!is_measured(column) || j == without) continue;
    measured.push_back(j);
    const auto has_logarithm = [&](RowIndex row) { return !(column.values[row] <= 0); };
    if (column.type != ColumnType::datetime && std::ranges::all_of(training_rows[side_p], has_logarithm) &&
        std::ranges::all_of(training_rows[side_q], has_logarithm)) {
      positive.push_back(j);
    }
  }
  if (measured.size() < 2 || measured.size() > most_columns) return {};

  const RowsOfTables rows = {some_of(training_rows[side_p]), some_of(training_rows[side_q])};
  struct Search {
    Side table;
    bool of_logarithms;
  };
  constexpr std::array<Search, 4> searches = {
      {{side_p, false}, {side_q, false}, {side_p, true}, {side_q, true}}};
  std::array<std::vector<Relation>, searches.size()> found;
  parallel_for(searches.size(), [&](std::size_t i) {
    throw_if_interrupted();
    const Search& search = searches[i];
    found[i] = relations_of(sample, search.of_logarithms ? positive : measured, rows[search.table],
                            search.of_logarithms);
    for (Relation& relation : found[i]) relation.table = search.table;
  });

  // Of relations that most rows keep alike, the one that all rows do; of those, the one with the total.
  const auto by_unexplained = [](std::vector<Relation>& relations) {
    std::ranges::stable_sort(relations, {},
                             [](const Relation& each) { return std::max(each.unexplained, exactly); });
  };
  std::vector<Relation> of_variance, all;
  for (std::vector<Relation>& of_search : found)
    std::ranges::move(of_search, std::back_inserter(of_variance));
  by_unexplained(of_variance);
  for (Relation& each : of_variance) {
    const Rows of_table = rows[each.table];
    if (auto relation = fitted(sample, of_table, std::move(each))) all.push_back(std::move(*relation));
  }
  by_unexplained(all);
  std::vector<Relation> result;
  std::vector<std::vector<std::size_t>> taken;
  for (Relation& each : all) {
    if (result.size() == most_relations) break;
    const std::vector<std::size_t> columns = columns_in(each);
    if (std::ranges::count(taken, columns) > 0) continue;
    taken.push_back(columns);
    result.push_back(std::move(each));
  }
  return result;
}

namespace {

/// "price × quantity" where every coefficient is 1 or -1, else "price and quantity".
std::string others_text(const Sample& sample, const Relation& relation) {
  const bool plain =
      relation.unexplained < exactly && std::abs(relation.intercept) <= 3 * relation.scale &&
      std::ranges::all_of(relation.coefficients, [](double c) { return std::abs(std::abs(c) - 1) < 1e-3; });
  const std::string plus = relation.of_logarithms ? " × " : " + ",
                    minus = relation.of_logarithms ? " / " : " - ";
  std::string text;
  for (const bool added : {true, false}) {  // those that are subtracted or divide come last
    for (std::size_t j = 0; j < relation.others.size(); ++j) {
      if (plain && (relation.coefficients[j] > 0) != added) continue;
      if (!plain && !added) continue;
      if (plain && text.empty() && !added) text = relation.of_logarithms ? "1" : "0";
      if (!text.empty())
        text += !plain ? (j + 1 < relation.others.size() ? ", " : " and ") : added ? plus : minus;
      text += sample.columns[relation.others[j]].name;
    }
  }
  return (plain ? "equals " : "follows from ") + text;
}

}  // namespace

std::vector<SupportFinding> find_broken_relations(const Sample& sample, const RowsOfTables& rows,
                                                  double log_significance, Naming naming) {
  constexpr double least_share = 0.05;
  constexpr double least_deviation = 1;
  const double level = log_significance - std::log(static_cast<double>(most_relations));
  std::vector<SupportFinding> findings;
  for (const Relation& relation : find_relations(sample, rows)) {
    std::array<std::vector<double>, 2> deviations;
    for (const Side side : {side_p, side_q}) {
      for (const RowIndex row : rows[side]) {
        if (const auto deviation = relation.deviation(sample, row))
          deviations[side].push_back(std::abs(deviation->in_target));
      }
    }
    const Side that = other(relation.table);
    std::vector<double>& own = deviations[relation.table];
    if (own.empty() || deviations[that].empty()) continue;
    const auto high = own.begin() + static_cast<std::ptrdiff_t>(0.99 * static_cast<double>(own.size()));
    std::ranges::nth_element(own, high);
    const double limit = std::max(*high, least_deviation);
    std::array<double, 2> broken{}, shares{};
    for (const Side side : {side_p, side_q}) {
      broken[side] = static_cast<double>(
          std::ranges::count_if(deviations[side], [&](double deviation) { return deviation > limit; }));
      shares[side] = broken[side] / static_cast<double>(rows[side].size());
    }
    const double prior = static_cast<double>(deviations[that].size()) /
                         static_cast<double>(deviations[side_p].size() + deviations[side_q].size());
    if (shares[that] < least_share ||
        log_upper_tail(broken[side_p] + broken[side_q], broken[that], prior) >= level) {
      continue;
    }
    SupportFinding finding;
    finding.column = sample.columns[relation.target].name;
    finding.kind = "relation";
    (that == side_p ? finding.share_p : finding.share_q) = shares[that];
    const std::string own_name = naming.name(relation.table), that_name = naming.name(that);
    finding.message = finding.column + " " + others_text(sample, relation) +
                      (relation.unexplained < exactly
                           ? " in " + own_name + "; " + percent(shares[that]) + " of " + that_name +
                                 "'s rows deviate from this"
                           : " more closely in " + own_name + ": " + percent(shares[that]) + " of " +
                                 that_name + "'s rows deviate by more than 99 % of " + own_name + "'s");
    finding.table = name_of(relation.table);
    finding.related = columns_in(relation);
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace jsdiv
