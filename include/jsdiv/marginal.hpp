#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The baselines that compare one column at a time. They ignore dependence between columns.
///
/// syndat              PyPI's syndat 0.13, its base-2 distance squared as in the paper. Categories: counts
/// over the
///                     union. Integers with at most 10 distinct values in P: counts. Else 1 if the ranges are
///                     disjoint, and histograms on numpy's "auto" edges if not.
/// synthcity           as the paper uses it: numpy's "auto" edges of the union, 1 added to each count, base-2
/// distance
///                     squared.
/// synthcity_upstream  synthcity 0.2.12: min(10, distinct values in P) equal-width bins over P's range,
/// everything
///                     outside (and missing) a category of its own, 1 added to each *relative frequency*,
///                     distance with the natural logarithm.
///
/// "auto" edges follow numpy 2.3 and later. Types follow what pandas makes of the columns: an integer column
/// with a missing cell is one of floats. Booleans are categories to syndat, however they are written: the
/// package puts a column of dtype bool into a single bin, so that any two would be equal. The two synthcity
/// variants see floats, categories and booleans by their code, as in the paper's encoded tables; date-times
/// are numbers. Missing cells are dropped, except where said.
struct MarginalColumn {
  std::string name;
  std::optional<double> syndat;              ///< none if a table has no value, or numpy finds no edges
  std::optional<double> synthcity;           ///< the same
  std::optional<double> synthcity_upstream;  ///< none if P has no value, or pandas finds no edges
};

struct MarginalResult {
  std::optional<double>
      syndat;  ///< these three: mean over the columns that have a value; none if no column has one
  std::optional<double> synthcity;
  std::optional<double> synthcity_upstream;
  std::vector<MarginalColumn> columns;
  std::vector<Warning> warnings;
};

/// Compares the given rows of the sample (indices into the pooled rows). Weights are ignored, with a warning.
/// Throws InvalidInput if a row set is empty or a column contains an infinite value.
MarginalResult marginal_baselines(const Sample& sample, std::span<const std::uint32_t> rows_p,
                                  std::span<const std::uint32_t> rows_q);

/// Compares all rows of two files.
MarginalResult marginal(const std::string& path_p, const std::string& path_q, const LoadOptions& options = {},
                        std::size_t threads = 0);

/// The same for tables in memory.
MarginalResult marginal(Table p, Table q, const LoadOptions& options = {}, std::size_t threads = 0);

/// Compares all rows of the first two tables.
MarginalResult marginal_baselines(const Sample& sample);

}  // namespace jsdiv
