#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"
#include "support/support.hpp"

namespace jsdiv {

/// A column that others of one table determine nearly or altogether: a total and its items, a price and a
/// quantity and their product, the two dates of a stay. A table in which it is broken differs from the other
/// in a direction so narrow that few learners find it among the columns as they are.
struct Relation {
  Side table = side_p;  ///< in which it was found
  std::size_t target = 0;
  std::vector<std::size_t> others;
  bool of_logarithms = false;  ///< products and ratios instead of sums and differences
  double intercept = 0;
  std::vector<double> coefficients;  ///< one for each of `others`
  double scale = 1;                  ///< of what the table's own rows deviate
  double target_scale = 1;           ///< the same for the target itself instead of its logarithm
  double unexplained = 0;            ///< share of the target's variance that the others leave, by medians

  /// What a row deviates, in units of the scales: a rounded product is as exact in cents everywhere, and not
  /// in parts of itself.
  struct Deviation {
    double in_form = 0;
    double in_target = 0;
  };
  /// Nothing if a cell is missing or has no logarithm.
  std::optional<Deviation> deviation(const Sample& sample, RowIndex row) const;
};

/// Those among numbers, integers and date-times in which the others explain at least 99 % of a column's
/// variance in the training rows of P or of Q. Each set of columns occurs once, with the form and the table
/// that it fits best; the best first, at most 16. `without`: a column that must not take part.
std::vector<Relation> find_relations(const Sample& sample, const RowsOfTables& training_rows,
                                     std::optional<std::size_t> without = {});

/// Those that hold in one table and that at least a twentieth of the other's rows breaks, beyond chance.
std::vector<SupportFinding> find_broken_relations(const Sample& sample, const RowsOfTables& rows,
                                                  double log_significance, Naming naming);

}  // namespace jsdiv
