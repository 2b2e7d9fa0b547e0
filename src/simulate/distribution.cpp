#include "simulate/distribution.hpp"

#include <sstream>

#include "jsdiv/error.hpp"

namespace jsdiv::simulate_detail {
namespace {

template <typename Value>
Value checked(std::string_view name, Value value, Value low, Value high) {
  // Written so that NaN fails as well.
  if (value >= low && value <= high) return value;
  std::ostringstream message;
  message << " is " << value << "; it must lie between " << low << " and " << high;
  throw InvalidInput(mention(name) + message.str(), {.option = std::string(name)});
}

}  // namespace

void RowwiseDistribution::draw(RandomStream& random, RowBlock& rows) const {
  std::vector<double> row(static_cast<std::size_t>(rows.cols()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    draw_row(random, row);
    for (Eigen::Index j = 0; j < rows.cols(); ++j) rows(i, j) = row[static_cast<std::size_t>(j)];
  }
}

void RowwiseDistribution::log_density(const RowBlock& rows, std::span<double> out) const {
  std::vector<double> row(static_cast<std::size_t>(rows.cols()));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j) row[static_cast<std::size_t>(j)] = rows(i, j);
    out[static_cast<std::size_t>(i)] = log_density_of_row(row);
  }
}

std::vector<Column> number_columns(std::size_t count) {
  std::vector<Column> columns(count);
  for (std::size_t j = 0; j < count; ++j) columns[j].name.append("x").append(std::to_string(j));
  return columns;
}

Column category_column(std::string name, std::vector<std::string> levels) {
  return {std::move(name), ColumnType::category, {}, std::move(levels)};
}

double option_in_range(std::string_view name, std::optional<double> value, double fallback, double low,
                       double high) {
  return checked(name, value.value_or(fallback), low, high);
}

std::size_t option_in_range(std::string_view name, std::optional<std::size_t> value, std::size_t fallback,
                            std::size_t low, std::size_t high) {
  return checked(name, value.value_or(fallback), low, high);
}

std::size_t draw_index(RandomStream& random, std::span<const double> probabilities) {
  double rest = random.uniform();
  for (std::size_t i = 0; i + 1 < probabilities.size(); ++i) {
    if (rest < probabilities[i]) return i;
    rest -= probabilities[i];
  }
  // Rounding must not reach a last outcome of probability 0.
  std::size_t last = probabilities.size() - 1;
  while (last > 0 && probabilities[last] == 0) --last;
  return last;
}

}  // namespace jsdiv::simulate_detail
