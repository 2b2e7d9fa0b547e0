#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "explain/explained_tables.hpp"
#include "jsdiv/explain.hpp"

namespace jsdiv {

/// What the dependence of two columns differs by.
struct PairStudy {
  std::size_t first = 0;  ///< column of the sample
  std::size_t second = 0;
  Measured beyond;  ///< corrected for bias
  double together = 0;
  double p_value = 1;
};

/// Every pair of `columns`, (0, 1), (0, 2), …: cells by rank within each table, raked so that both tables
/// have the pooled shares of each column's cells, so that what remains is dependence; cells that one table
/// does not have stay out. About as many cells a column as leave 50 rows for each cell of the pair.
std::vector<PairStudy> study_pairs(const ExplainedTables& tables, std::span<const std::size_t> columns);

/// Two-way shares [label][a * cells_b + b] brought to the same shares of a and of b, which are the means of
/// those of the two tables, by iterative proportional fitting; rows and columns that one table does not have
/// become 0.
void rake_to_common_margins(std::array<std::vector<double>, 2>& shares, std::size_t cells_a,
                            std::size_t cells_b);

/// p_values[i] <= 0.05 after Holm's correction.
std::vector<bool> evident_by_holm(std::span<const double> p_values);

}  // namespace jsdiv
