#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

/// What a customer belongs to, unseen: student, family, professional, pensioner.
constexpr std::size_t segments = 4;
using BySegment = std::array<double, segments>;
constexpr BySegment segment_share = {0.25, 0.3, 0.25, 0.2};

/// One column given the segment: either a probability for each value, or log-normal; and how often it is
/// missing.
struct CustomerColumn {
  Column column;
  BySegment missing{};
  double first_value = 0;                           ///< cell value of the first outcome
  std::array<std::vector<double>, segments> table;  ///< probabilities of the outcomes; empty: log-normal
  std::array<std::vector<double>, segments> cumulative{};
  BySegment log_median{}, log_sd{};
};

CustomerColumn finite_column(Column column, double first_value,
                             std::array<std::vector<double>, segments> weights, BySegment missing = {}) {
  for (auto& outcomes : weights) {
    double total = 0;
    for (const double weight : outcomes) total += weight;
    for (double& weight : outcomes) weight /= total;
  }
  auto cumulative = weights;
  for (auto& sums : cumulative) std::partial_sum(sums.begin(), sums.end(), sums.begin());
  return {std::move(column), missing, first_value, std::move(weights), std::move(cumulative)};
}

/// Whole numbers from `low` to `high` with the shape of a normal density.
CustomerColumn bell_column(std::string name, int low, int high, BySegment mean, BySegment sd,
                           BySegment missing = {}) {
  std::array<std::vector<double>, segments> weights;
  for (std::size_t s = 0; s < segments; ++s) {
    for (int value = low; value <= high; ++value) {
      const double z = (value - mean[s]) / sd[s];
      weights[s].push_back(std::exp(-0.5 * z * z));
    }
  }
  return finite_column({std::move(name), ColumnType::integer}, low, std::move(weights), missing);
}

/// Whole numbers from 0 to `high` with the shape of a Poisson distribution.
CustomerColumn count_column(std::string name, int high, BySegment rate) {
  std::array<std::vector<double>, segments> weights;
  for (std::size_t s = 0; s < segments; ++s) {
    for (int value = 0; value <= high; ++value) {
      weights[s].push_back(std::pow(rate[s], value) / std::tgamma(value + 1.0));
    }
  }
  return finite_column({std::move(name), ColumnType::integer}, 0, std::move(weights));
}

CustomerColumn amount_column(std::string name, BySegment median, BySegment log_sd, BySegment missing = {}) {
  for (double& value : median) value = std::log(value);
  return {{std::move(name)}, missing, 0, {}, {}, median, log_sd};
}

const std::vector<CustomerColumn>& customer_columns() {
  static const std::vector<CustomerColumn> columns = {
      bell_column("age", 18, 90, {25, 43, 38, 66}, {5, 8, 10, 9}),
      amount_column("income", {18000, 36000, 54000, 26000}, {0.4, 0.4, 0.45, 0.4}, {0.25, 0.05, 0.10, 0.15}),
      finite_column(category_column("region", {"coast", "hills", "lakes", "metro", "plains"}), 0,
                    {{{3, 1, 1, 5, 2}, {2, 3, 2, 2, 3}, {2, 1, 2, 5, 1}, {3, 3, 3, 1, 2}}}),
      finite_column(category_column("plan", {"basic", "family", "flex", "premium"}), 0,
                    {{{3, 1, 5, 1}, {2, 6, 1, 1}, {1, 1, 2, 6}, {6, 2, 1, 1}}}),
      bell_column("tenure_months", 0, 120, {10, 45, 32, 75}, {14, 24, 24, 26}),
      count_column("calls", 12, {1.2, 2.2, 1.5, 3.5}),
      amount_column("monthly_spend", {22, 55, 48, 28}, {0.4, 0.35, 0.4, 0.35}),
      bell_column("satisfaction", 1, 5, {2.8, 3.4, 3.0, 4.0}, {1.3, 1.2, 1.3, 1.1}, {0.35, 0.20, 0.30, 0.10}),
      finite_column({"churned", ColumnType::boolean}, 0, {{{6, 4}, {9, 1}, {7, 3}, {9, 1}}}),
  };
  return columns;
}

double draw_cell(const CustomerColumn& column, std::size_t segment, RandomStream& random) {
  if (column.missing[segment] > 0 && random.uniform() < column.missing[segment]) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  if (column.table[segment].empty()) {
    return std::exp(column.log_median[segment] + column.log_sd[segment] * random.normal());
  }
  const std::vector<double>& cumulative = column.cumulative[segment];
  // Rounding may leave the last sum a little below 1.
  const auto found = std::upper_bound(cumulative.begin(), cumulative.end() - 1, random.uniform());
  return column.first_value + static_cast<double>(found - cumulative.begin());
}

/// Density of a cell in each segment, against the atom of a missing cell plus counting measure or du/u.
BySegment cell_densities(const CustomerColumn& column, double value) {
  if (std::isnan(value)) return column.missing;
  BySegment result;
  const bool amount = column.table[0].empty();
  const double log_value = amount ? std::log(value) : 0;
  for (std::size_t s = 0; s < segments; ++s) {
    double density = 0;
    if (amount) {
      const double z = (log_value - column.log_median[s]) / column.log_sd[s];
      density = std::exp(-0.5 * z * z) / (column.log_sd[s] * std::sqrt(2 * std::numbers::pi));
    } else {
      density = column.table[s][static_cast<std::size_t>(value - column.first_value)];
    }
    result[s] = (1 - column.missing[s]) * density;
  }
  return result;
}

/// All cells of a row from one segment, or each from a segment of its own: equal marginals either way.
class Customers final : public RowwiseDistribution {
 public:
  explicit Customers(bool dependent) : dependent_(dependent) {}

 private:
  void draw_row(RandomStream& random, std::span<double> row) const override {
    std::size_t segment = 0;
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j == 0 || !dependent_) segment = draw_index(random, segment_share);
      row[j] = draw_cell(customer_columns()[j], segment, random);
    }
  }

  double log_density_of_row(std::span<const double> row) const override {
    BySegment joint = segment_share;
    double product = 1;
    for (std::size_t j = 0; j < row.size(); ++j) {
      const BySegment cell = cell_densities(customer_columns()[j], row[j]);
      double marginal = 0;
      for (std::size_t s = 0; s < segments; ++s) {
        joint[s] *= cell[s];
        marginal += segment_share[s] * cell[s];
      }
      product *= marginal;
    }
    double density = 0;
    for (const double part : joint) density += part;
    return std::log(dependent_ ? density : product);
  }

  bool dependent_;
};

}  // namespace

// P: customers. An unseen segment drives every column, and given the segment the columns are independent:
//     p(x) = Σ_s π_s Π_j f_j(x_j | s).
// Q: a synthetic twin with exactly the same marginals and no dependence, q(x) = Π_j Σ_s π_s f_j(x_j | s).
Pair demo_pair(const SimulateOptions&) {
  Pair pair;
  for (const CustomerColumn& column : customer_columns()) pair.columns.push_back(column.column);
  pair.p = std::make_unique<Customers>(true);
  pair.q = std::make_unique<Customers>(false);
  // Nothing in this pair depends on an option, so one run serves the whole process.
  static const Reference reference = monte_carlo_reference(*pair.p, *pair.q, pair.columns.size());
  pair.reference = reference;
  return pair;
}

}  // namespace jsdiv::simulate_detail
