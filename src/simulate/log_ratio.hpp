#pragma once

#include <Eigen/Core>
#include <span>
#include <string_view>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv::simulate_detail {

/// The cells of a table as a log-ratio sees them. Every entry is a function of the cell alone, so that equal
/// rows have equal log-ratios.
struct CellView {
  /// [rows, columns] of mean 0 and standard deviation 1 (a column with one value: 0). Numbers by their rank
  /// (normal scores) or by a signed logarithm, levels by a draw for each; a missing cell is 0.
  Eigen::MatrixXd values;
  /// [rows, columns], 1 where the cell is missing.
  Eigen::MatrixXd missing;
  std::vector<bool> is_category;  ///< of each column
};

CellView view_cells(const Table& table, const RandomStream& random);

/// A kind of function of a row.
struct LogRatioKind {
  std::string_view name;
  std::string_view description;
  Eigen::VectorXd (*draw)(const CellView& cells, RandomStream& random);
};

/// Every kind there is, in a fixed order.
std::span<const LogRatioKind> log_ratios();

/// The kind of that name; throws InvalidInput that lists them.
const LogRatioKind& find_log_ratio(std::string_view name);

/// A drawn log-ratio of every row, brought to mean 0 and standard deviation 1. All 0 where the drawn function
/// is constant on this table.
std::vector<double> draw_log_ratio(const LogRatioKind& kind, const CellView& cells,
                                   const RandomStream& random);

}  // namespace jsdiv::simulate_detail
