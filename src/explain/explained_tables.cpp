#include "explain/explained_tables.hpp"

#include <algorithm>
#include <cmath>

#include "core/quantiles.hpp"
#include "load/cell.hpp"
#include "uncertainty/interval.hpp"

namespace jsdiv {

std::array<double, 2> p_then_q(const ExplainedTables& tables, const std::array<double, 2>& by_label) {
  const std::uint8_t p = tables.label_p();
  return {by_label[p], by_label[1 - p]};
}

std::array<double, 2> effective_rows(const HeldOutRows& rows) {
  const Clusters clusters = clusters_of(rows);
  std::array<std::vector<double>, 2> sums = {std::vector<double>(clusters.count),
                                             std::vector<double>(clusters.count)};
  for (std::size_t row = 0; row < rows.labels.size(); ++row) {
    sums[rows.labels[row]][clusters.of_row[row]] += rows.weights.empty() ? 1.0 : rows.weights[row];
  }
  std::array<double, 2> result{};
  for (const std::size_t label : {0, 1}) {
    double total = 0;
    double squares = 0;
    for (const double sum : sums[label]) {
      total += sum;
      squares += sum * sum;
    }
    result[label] = total * total / squares;
  }
  return result;
}

std::string cell_text(const Column& column, double value) {
  if (std::isnan(value)) return "missing";
  switch (column.type) {
    case ColumnType::category:
      return column.levels.at(static_cast<std::size_t>(value));
    case ColumnType::boolean:
      return value == 1 ? "true" : "false";
    case ColumnType::datetime:
      return format_datetime(value);
    case ColumnType::number:
    case ColumnType::integer:
      break;
  }
  return format_number(value);
}

Bits with_interval(const Measured& measured, double level) {
  const double reach = normal_quantile(0.5 + 0.5 * level) * measured.standard_error;
  return {measured.value, measured.standard_error, {level, measured.value - reach, measured.value + reach}};
}

Bits divergence_bits(const Measured& measured, double p_value, double level) {
  return {measured.value, measured.standard_error,
          divergence_interval(measured.value, measured.standard_error, level, p_value)};
}

}  // namespace jsdiv
