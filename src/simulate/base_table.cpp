#include "simulate/base_table.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "simulate/distribution.hpp"

namespace jsdiv::simulate_detail {
namespace {

using Eigen::Index;

double uniform(RandomStream& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

std::size_t whole(RandomStream& random, std::size_t low, std::size_t high) {
  return low + static_cast<std::size_t>(random.below(high - low + 1));
}

double rounded(double value, double unit) {
  return std::round(value / unit) * unit;
}

/// Columns that share one to five factors: about standard normal, correlated to a drawn degree.
RowBlock factor_scores(std::size_t rows, std::size_t columns, RandomStream& random) {
  const auto n = static_cast<Index>(rows), d = static_cast<Index>(columns);
  const auto factors = static_cast<Index>(whole(random, 1, 5));
  const double strength = uniform(random, 0, 1.2);
  RowBlock loadings(factors, d), scores(n, factors), result(n, d);
  for (double& value : loadings.reshaped()) value = strength * random.normal();
  for (double& value : scores.reshaped()) value = random.normal();
  for (double& value : result.reshaped()) value = random.normal();
  result += scores * loadings;
  for (Index j = 0; j < d; ++j) result.col(j) /= std::sqrt(1 + loadings.col(j).squaredNorm());
  return result;
}

Table table_of(const RowBlock& block) {
  Table table;
  table.rows = static_cast<std::size_t>(block.rows());
  table.columns = number_columns(static_cast<std::size_t>(block.cols()));
  for (Index j = 0; j < block.cols(); ++j) {
    table.columns[static_cast<std::size_t>(j)].values.assign(block.col(j).begin(), block.col(j).end());
  }
  return table;
}

Table gaussian(std::size_t rows, std::size_t columns, RandomStream& random) {
  return table_of(factor_scores(rows, columns, random));
}

/// Student t, the whole row or each cell with a scale of its own.
Table heavy(std::size_t rows, std::size_t columns, RandomStream& random) {
  RowBlock block = factor_scores(rows, columns, random);
  const double df = uniform(random, 1.5, 5);
  const bool by_row = random.uniform() < 0.5;
  for (Index i = 0; i < block.rows(); ++i) {
    double scale = std::sqrt(df / (2 * random.gamma(df / 2)));
    for (Index j = 0; j < block.cols(); ++j) {
      block(i, j) *= scale;
      if (!by_row) scale = std::sqrt(df / (2 * random.gamma(df / 2)));
    }
  }
  return table_of(block);
}

Table clusters(std::size_t rows, std::size_t columns, RandomStream& random) {
  RowBlock block = factor_scores(rows, columns, random);
  const std::size_t count = whole(random, 2, 6);
  RowBlock centres(static_cast<Index>(count), block.cols());
  for (double& value : centres.reshaped()) value = 2 * random.normal();
  std::vector<double> sizes;
  for (std::size_t k = 0; k < count; ++k) sizes.push_back(uniform(random, 0.3, 1));
  for (Index i = 0; i < block.rows(); ++i) {
    const std::size_t own = random.below(count);
    block.row(i) = sizes[own] * block.row(i) + centres.row(static_cast<Index>(own));
  }
  return table_of(block);
}

/// Amounts: log-normal, some of them in whole cents or tens, some with many zeros; and cubes.
void make_amounts(Column& column, RandomStream& random) {
  const double scale = std::exp(uniform(random, 0, 9)), spread = uniform(random, 0.4, 1.6);
  const double kind = random.uniform(), zeros = random.uniform() < 0.25 ? uniform(random, -1, 0.5) : -99;
  for (double& value : column.values) {
    if (kind < 0.25) {
      value = value * value * value;
      continue;
    }
    const double amount = scale * std::exp(spread * value);
    value = value < zeros ? 0
            : kind < 0.5  ? amount
            : kind < 0.8  ? rounded(amount, 0.01)
                          : rounded(amount, 10);
  }
}

Table skewed(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = gaussian(rows, columns, random);
  for (Column& column : table.columns) make_amounts(column, random);
  return table;
}

/// Cut at drawn quantiles of the normal distribution into 2 to 12 classes.
void make_classes(Column& column, RandomStream& random) {
  std::vector<double> cuts;
  for (std::size_t level = whole(random, 1, 11); level > 0; --level) cuts.push_back(1.2 * random.normal());
  std::ranges::sort(cuts);
  for (double& value : column.values) {
    value = static_cast<double>(std::ranges::lower_bound(cuts, value) - cuts.begin());
  }
  const double kind = random.uniform();
  if (cuts.size() == 1 && kind < 0.5) {
    column.type = ColumnType::boolean;
  } else if (kind < 0.6) {
    column.type = ColumnType::category;
    for (std::size_t level = 0; level <= cuts.size(); ++level) {
      column.levels.push_back(std::string("level ") + static_cast<char>('a' + level));
    }
  } else {
    column.type = ColumnType::integer;
  }
}

Table discrete(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = gaussian(rows, columns, random);
  for (Column& column : table.columns) make_classes(column, random);
  return table;
}

/// Counts with more spread than Poisson's, some of them mostly 0.
void make_counts(Column& column, RandomStream& random) {
  column.type = ColumnType::integer;
  const double level = uniform(random, -0.7, 4), slope = uniform(random, 0.2, 1);
  for (double& value : column.values) {
    value = std::floor(random.gamma(2) / 2 * std::exp(level + slope * value));
  }
}

Table counts(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = gaussian(rows, columns, random);
  for (Column& column : table.columns) make_counts(column, random);
  return table;
}

/// As found in registers: numbers, amounts, counts, classes side by side.
Table mixed(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = gaussian(rows, columns, random);
  for (Column& column : table.columns) {
    switch (random.below(5)) {
      case 0:
        break;
      case 1:
        make_amounts(column, random);
        break;
      case 2:
        make_counts(column, random);
        break;
      default:
        make_classes(column, random);
    }
  }
  return table;
}

Table incomplete(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = random.uniform() < 0.5 ? gaussian(rows, columns, random) : mixed(rows, columns, random);
  remove_cells(table, random);
  return table;
}

/// Shares and scores between two ends; some heap up at both of them.
Table bounded(std::size_t rows, std::size_t columns, RandomStream& random) {
  Table table = gaussian(rows, columns, random);
  for (Column& column : table.columns) {
    const double slope = uniform(random, 0.5, 4), offset = random.normal();
    const double unit = random.uniform() < 0.3 ? 0.01 : 0;
    for (double& value : column.values) {
      value = sigmoid(slope * value + offset);
      if (unit > 0) value = rounded(value, unit);
    }
  }
  return table;
}

/// Near a smooth surface of one to three dimensions.
Table curves(std::size_t rows, std::size_t columns, RandomStream& random) {
  const auto n = static_cast<Index>(rows), d = static_cast<Index>(columns);
  const auto intrinsic = static_cast<Index>(whole(random, 1, 3));
  const double noise = uniform(random, 0.05, 0.4);
  RowBlock place(n, intrinsic), block(n, d);
  for (double& value : place.reshaped()) value = uniform(random, -2, 2);
  for (Index j = 0; j < d; ++j) {
    Eigen::VectorXd direction(intrinsic);
    for (double& value : direction) value = random.normal();
    const double phase = uniform(random, 0, 2 * std::numbers::pi);
    block.col(j) = ((place * direction).array() + phase).sin();
    for (double& value : block.col(j)) value += noise * random.normal();
  }
  return table_of(block);
}

/// Pairs of columns that lie on circles of two or three radii; a last odd column is an angle.
Table rings(std::size_t rows, std::size_t columns, RandomStream& random) {
  RowBlock block(static_cast<Index>(rows), static_cast<Index>(columns));
  for (Index j = 0; j < block.cols(); j += 2) {
    std::vector<double> radii;
    for (std::size_t ring = whole(random, 2, 3); ring > 0; --ring) radii.push_back(uniform(random, 0.5, 4));
    const double thickness = uniform(random, 0.05, 0.4);
    for (Index i = 0; i < block.rows(); ++i) {
      const double radius = radii[random.below(radii.size())] + thickness * random.normal();
      const double turn = uniform(random, 0, 2 * std::numbers::pi);
      block(i, j) = j + 1 < block.cols() ? radius * std::cos(turn) : turn;
      if (j + 1 < block.cols()) block(i, j + 1) = radius * std::sin(turn);
    }
  }
  return table_of(block);
}

/// Answers of two to five latent classes: scales from 1 to 5 or 10, and choices.
Table survey(std::size_t rows, std::size_t columns, RandomStream& random) {
  const std::size_t classes = whole(random, 2, 5);
  std::vector<std::size_t> own(rows);
  for (std::size_t& value : own) value = random.below(classes);
  Table table;
  table.rows = rows;
  table.columns = number_columns(columns);
  for (Column& column : table.columns) {
    const std::size_t answers = std::array<std::size_t, 4>{2, 4, 5, 10}[random.below(4)];
    const bool scale = random.uniform() < 0.6;
    std::vector<std::vector<double>> probabilities(classes, std::vector<double>(answers));
    for (auto& row : probabilities) {
      double total = 0;
      for (double& value : row) total += value = random.gamma(0.7) + 1e-3;
      for (double& value : row) value /= total;
    }
    const double silent = random.uniform() < 0.3 ? uniform(random, 0.01, 0.2) : 0;
    for (std::size_t i = 0; i < rows; ++i) {
      const auto answer = static_cast<double>(draw_index(random, probabilities[own[i]]));
      const bool no_answer = random.uniform() < silent;
      column.values.push_back(no_answer ? std::numeric_limits<double>::quiet_NaN()
                                        : answer + (scale ? 1 : 0));
    }
    column.type = scale ? ColumnType::integer : ColumnType::category;
    for (std::size_t level = 0; !scale && level < answers; ++level) {
      column.levels.push_back(std::string("answer ") + static_cast<char>('a' + level));
    }
  }
  return table;
}

/// A time stamp in minutes, readings that follow the day and drift, rounded to what the device shows.
Table sensor(std::size_t rows, std::size_t columns, RandomStream& random) {
  constexpr double minute = 60, day = 86400, start = 1.7e9;
  std::vector<double> time(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    time[i] = rounded(start + 30 * minute * static_cast<double>(i) + 10 * minute * random.uniform(), minute);
  }
  Table table;
  table.rows = rows;
  table.columns = number_columns(columns);
  for (std::size_t j = 0; j < columns; ++j) {
    Column& column = table.columns[j];
    if (j == 1) {
      column.type = ColumnType::datetime;
      column.values = time;
      continue;
    }
    const double phase = uniform(random, 0, 2 * std::numbers::pi), season = uniform(random, 0, 2);
    const double memory = uniform(random, 0, 0.98), drift = random.normal();
    const double unit = std::array{0.001, 0.1, 0.5, 1.0}[random.below(4)];
    double state = random.normal();
    for (std::size_t i = 0; i < rows; ++i) {
      state = memory * state + std::sqrt(1 - memory * memory) * random.normal();
      const double daily = season * std::sin(2 * std::numbers::pi * time[i] / day + phase);
      const double trend = drift * static_cast<double>(i) / static_cast<double>(rows);
      column.values.push_back(rounded(20 + 5 * (daily + trend + state), unit));
    }
  }
  return table;
}

}  // namespace

void remove_cells(Table& table, RandomStream& random) {
  const std::size_t always = random.below(table.columns.size());
  std::vector<Column> complete = table.columns;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const bool chosen = random.uniform() < 0.5 || j == always;
    if (!chosen) continue;
    const double rate = uniform(random, 0.02, 0.4);
    const std::vector<double>& reason = complete[random.below(complete.size())].values;
    const bool at_random = random.uniform() < 0.5;
    std::vector<double> sorted = reason;
    const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(static_cast<double>(sorted.size()) * 0.5);
    std::nth_element(sorted.begin(), limit, sorted.end());
    for (std::size_t i = 0; i < table.rows; ++i) {
      const double own_rate = at_random ? rate : reason[i] > *limit ? 1.8 * rate : 0.2 * rate;
      if (random.uniform() < own_rate) table.columns[j].values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

std::span<const BaseKind> base_kinds() {
  static constexpr std::array<BaseKind, 13> kinds = {{
      {"gaussian", "Gaussian columns that share one to five factors", gaussian},
      {"heavy", "Student t with 1.5 to 5 degrees of freedom", heavy},
      {"clusters", "two to six Gaussian clusters", clusters},
      {"skewed", "amounts of money, log-normal and rounded, and cubes", skewed},
      {"discrete", "categories, booleans and small integers", discrete},
      {"counts", "counts, some of them mostly 0", counts},
      {"mixed", "a mix of numbers, amounts, counts and categories", mixed},
      {"incomplete", "Gaussian or mixed, with missing cells", incomplete},
      {"bounded", "shares between 0 and 1", bounded},
      {"curves", "a smooth surface of one to three dimensions with noise", curves},
      {"rings", "pairs of columns on circles", rings},
      {"survey", "answers of two to five latent classes", survey},
      {"sensor", "readings that follow the day, with a time stamp", sensor},
  }};
  return kinds;
}

const BaseKind& find_base(std::string_view name) {
  const auto found = std::ranges::find(base_kinds(), name, &BaseKind::name);
  JSDIV_ASSERT(found != base_kinds().end());
  return *found;
}

}  // namespace jsdiv::simulate_detail
