#include "protocol/memory_plan.hpp"

#include <algorithm>
#include <cmath>

#include "core/byte_count.hpp"
#include "core/table_bytes.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

// Chosen so that no run of benchmarks/scale, nor a table of prices, dates and 5,000 places with common grids
// and doubled rows, took more than they say; the test holds the peaks that were measured.

constexpr double of_program = 80e6;
/// Of a cell: the value and its code among the values of its column.
constexpr double of_cell = 12;
/// Of a row: scores of the stacks, terms of the estimate, what is recorded.
constexpr double of_row = 250;
/// Of a row that a fold learns from or is judged by: scores of all learners, and their models.
constexpr double of_training_row = 3200;
/// Of a cell of such a row: features of three parts in three forms, and what the families make of them.
constexpr double of_training_cell = 110;
/// A thinned fold has no more rows than these, of both tables together; see cross_fit().
constexpr double most_rows_of_fold = 140'000;
constexpr std::size_t fewest_rows = 1000;

}  // namespace

TableSizes TableSizes::within(std::size_t most_rows) const {
  return {std::min(rows_p, most_rows), std::min(rows_q, most_rows), columns, threads};
}

double bytes_of_tables(const TableSizes& sizes) {
  return of_program + bytes_to_hold(sizes.rows(), sizes.rows() * static_cast<double>(sizes.columns),
                                    std::min(sizes.columns, sizes.threads));
}

double bytes_of_rows(const TableSizes& sizes) {
  return of_program + sizes.rows() * (of_row + of_cell * static_cast<double>(sizes.columns));
}

double bytes_of_fold(const TableSizes& sizes) {
  return std::min(sizes.rows(), most_rows_of_fold) *
         (of_training_row + of_training_cell * static_cast<double>(sizes.columns));
}

MemoryPlan plan_memory(const TableSizes& sizes, const std::string& limit) {
  if (limit.empty()) return {};
  const auto allowed = static_cast<double>(parse_bytes(limit));
  // The rows that are left are copied from the tables, which are let go then.
  const double tables = bytes_of_tables(sizes);
  const auto needed = [&](std::size_t most_rows) {
    const TableSizes used = sizes.within(most_rows);
    const bool thins = used.rows() < sizes.rows();
    const double copied = thins ? 8 * used.rows() * static_cast<double>(sizes.columns) : 0;
    return std::max(tables + copied, bytes_of_rows(used) + bytes_of_fold(used));
  };
  const std::size_t all = std::max(sizes.rows_p, sizes.rows_q);
  const std::size_t fewest = std::min(all, fewest_rows);
  if (needed(fewest) > allowed) {
    throw InvalidInput("these tables need at least " + format_bytes(needed(fewest)) + " of memory (" +
                           format_bytes(needed(all)) + " for all rows), but " + mention("memory") +
                           " allows " + format_bytes(allowed) + "; allow more, or use fewer " + "columns (" +
                           mention("columns") + ")",
                       {.option = "memory"});
  }
  MemoryPlan plan;
  std::size_t most = all;
  if (needed(all) > allowed) {
    std::size_t fits = fewest;
    while (most - fits > std::max<std::size_t>(1, fits / 100)) {
      const std::size_t middle = fits + (most - fits) / 2;
      (needed(middle) <= allowed ? fits : most) = middle;
    }
    plan.most_rows = most = fits;
  }
  const TableSizes used = sizes.within(most);
  plan.folds_at_once = static_cast<std::size_t>(
      std::max(1.0, std::floor((allowed - bytes_of_rows(used)) / std::max(1.0, bytes_of_fold(used)))));
  return plan;
}

}  // namespace jsdiv
