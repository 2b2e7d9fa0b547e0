#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "core/assert.hpp"
#include "core/content_hash.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/matrix.hpp"
#include "load/load.hpp"
#include "load/schema.hpp"
#include "load/table_classes.hpp"

namespace jsdiv {
namespace {

void check_shape(const Table& table, const std::string& label) {
  if (table.rows == 0) throw InvalidInput(label + ": no data rows; the table needs rows");
  for (const Column& column : table.columns) {
    if (column.values.size() != table.rows) {
      throw InvalidInput(label + ": column " + quoted(column.name) + " has " +
                         std::to_string(column.values.size()) + " values, but the table has " +
                         std::to_string(table.rows) + " rows");
    }
    if (column.type != ColumnType::category) continue;
    JSDIV_ASSERT(std::ranges::adjacent_find(column.levels, std::greater_equal<>{}) == column.levels.end());
    const double count = static_cast<double>(column.levels.size());
    for (const double code : column.values) JSDIV_ASSERT(std::isnan(code) || (code >= 0 && code < count));
  }
}

/// With mean 1, so that no unit of the weights, nor a sum of 1, changes a result. The largest weight is
/// divided out first: the sum of very large ones is infinite, and the inverse of a very small one.
std::vector<double> scaled_weights(std::vector<double> weights) {
  const double largest = std::ranges::max(weights);
  double sum = 0;
  for (double& weight : weights) sum += weight /= largest;
  const double scale = static_cast<double>(weights.size()) / sum;
  for (double& weight : weights) weight *= scale;
  return weights;
}

}  // namespace

void align_tables(std::vector<Table>& tables, const LoadOptions& options, std::vector<Warning>& warnings) {
  std::vector<TableHeader> headers;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    TableHeader header{table_label(tables[t].source, t), {}};
    check_shape(tables[t], header.label);
    for (const Column& column : tables[t].columns) header.names.push_back(column.name);
    headers.push_back(std::move(header));
    if (tables[t].sha256.empty()) tables[t].sha256 = content_hash(tables[t]);
  }
  const std::vector<PlannedColumn> plan = plan_columns(headers, options, warnings);
  std::vector<std::vector<CellClasses>> classes;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    keep_planned_columns(tables[t], plan, t);
    classes.push_back(table_classes(tables[t], plan, t));
  }
  reconcile_columns(
      plan, headers, classes, [&](std::size_t t, std::size_t j) { return table_part(tables[t], plan, t, j); },
      [&](std::size_t t, std::size_t j) { set_type(tables[t], plan, t, j, classes[t][j]); }, warnings);
  const CellFinder find_cell = [&](std::size_t table, std::size_t planned, CellClasses wanted) {
    return find_table_cell(tables[table], plan, table, planned, wanted);
  };
  const std::vector<TypeDecision> decisions = decide_types(plan, headers, classes, find_cell);
  const RowNamer name_row = [](std::size_t, std::size_t row) { return "row " + std::to_string(row + 1); };
  unify_columns(tables, plan, decisions, name_row, warnings);
}

Sample pool_tables(std::vector<Table>&& tables, const LoadOptions& options, std::vector<Warning>&) {
  JSDIV_ASSERT(tables.size() >= 2);
  Sample sample;
  for (const Table& table : tables) sample.table_rows.push_back(table.rows);
  const std::size_t rows = sample.rows();
  if (rows > std::numeric_limits<RowIndex>::max()) {
    throw InvalidInput("the tables have " + std::to_string(rows) + " rows in total; the limit is 4294967295");
  }
  const auto take = [](std::vector<Column>& columns, std::size_t index) {
    return std::exchange(columns[index].values, {});
  };

  for (std::size_t j = 0; j < tables[0].columns.size(); ++j) {
    const Column& first = tables[0].columns[j];
    if (first.name == options.group || first.name == options.weight) continue;
    Column column{first.name, first.type, {}, first.levels};
    column.values.reserve(rows);
    for (Table& table : tables) {
      JSDIV_ASSERT(j < table.columns.size() && table.columns[j].name == column.name);
      const std::vector<double> values = take(table.columns, j);
      column.values.insert(column.values.end(), values.begin(), values.end());
    }
    sample.columns.push_back(std::move(column));
  }

  for (const Table& table : tables) {
    if (!options.group.empty()) {
      const Column* column = table.find(options.group);
      if (sample.group_labels.empty()) {
        JSDIV_ASSERT(column != nullptr && column->type == ColumnType::category);
        sample.group_labels = column->levels;
      }
      if (column == nullptr) {
        sample.groups.insert(sample.groups.end(), table.rows,
                             static_cast<std::uint32_t>(sample.group_labels.size()));
        sample.group_labels.push_back("");
      } else {
        for (const double code : column->values) sample.groups.push_back(static_cast<std::uint32_t>(code));
      }
    }
    if (!options.weight.empty()) {
      const Column* column = table.find(options.weight);
      if (column == nullptr) {
        sample.weights.insert(sample.weights.end(), table.rows, 1.0);
      } else {
        const std::vector<double> weights = scaled_weights(column->values);
        sample.weights.insert(sample.weights.end(), weights.begin(), weights.end());
      }
    }
  }
  tables.clear();
  return sample;
}

}  // namespace jsdiv
