#pragma once

#include <cstddef>
#include <vector>

#include "explain/explainer.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/result.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

/// Shapley values of the explainer's held-out information (SAGE: Covert, Lundberg & Lee, "Understanding
/// global feature contributions with additive importance measures", NeurIPS 2020). The worth of a set of
/// columns is the information that the model has where every other column takes the values of held-out rows
/// of the same fold, half from each table, its posteriors averaged over them. Orders of the columns are drawn
/// for each row, each with its reverse; what the worth grows by when a column joins is added up along them.
struct ColumnShares {
  std::vector<Measured> columns;  ///< bits; the errors count the rows and orders drawn
  Measured sum;
  double held_out = 0;  ///< of the explainer, over all rows
  std::size_t rows = 0;
  std::size_t orders = 0;  ///< for each row
  std::size_t background = 0;
};

ColumnShares draw_shares(const ExplainerFit& fit, const HeldOutRows& rows, std::size_t columns,
                         const RandomStream& random);

/// The shares brought to a total: in proportion where they stand clear of their error, otherwise by adding
/// the same to each.
std::vector<Measured> scaled_to(const ColumnShares& shares, double total);

}  // namespace jsdiv
