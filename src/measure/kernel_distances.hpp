#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

struct KernelDistanceOptions {
  std::size_t max_rows = 5000;     ///< of each table; more are sampled without replacement
  std::size_t permutations = 200;  ///< for the p-value of mmd2
  std::size_t directions = 100;    ///< of the sliced Wasserstein distance
};

/// Distances of two samples that need no classifier. All are 0 for equal distributions, in expectation for
/// mmd2 and energy (U-statistics, which may fall below 0). Errors are of first order (influence functions).
/// Weights play no part, and the p-value takes every row as a draw of its own.
struct KernelDistances {
  std::optional<Measured> mmd2;  ///< squared MMD, Gaussian kernel exp(-d² / (2 median²)) (Gretton 2012)
  std::optional<double> mmd2_p_value;          ///< (1 + #{permuted >= observed}) / (1 + permutations)
  std::optional<Measured> energy;              ///< 2 E|X - Y| - E|X - X'| - E|Y - Y'| (Székely & Rizzo)
  std::optional<Measured> sliced_wasserstein;  ///< mean over random directions of the 1-Wasserstein distance
  std::size_t rows_p = 0;                      ///< rows that were used
  std::size_t rows_q = 0;
};

/// The rows of table P or Q that kernel_distances() compares, ascending, so that a caller may encode these
/// alone: given to it as all there are, with the same stream, they give the same result.
std::vector<RowIndex> distance_rows(Rows rows, char table, const RandomStream& random,
                                    const KernelDistanceOptions& options = {});

/// Compares the given rows of encoded features [rows, cols], all finite. Columns count as they are scaled.
/// Everything is missing where a table has fewer than two rows or there is no column.
KernelDistances kernel_distances(MatrixView features, Rows rows_p, Rows rows_q, const RandomStream& random,
                                 const KernelDistanceOptions& options = {});

}  // namespace jsdiv
