#pragma once

#include <string_view>
#include <vector>

#include "explain/explained_tables.hpp"
#include "jsdiv/explain.hpp"

namespace jsdiv {

/// The leaves of a tree of depth 3 at most that looks for parts of the data where the tables differ: it cuts
/// where the posterior D(x) and the bits that a row is worth, 1 - h(D(x)), vary least within the parts. Every
/// leaf holds at least 2 % of the rows. The bits of the leaves are sums over their rows, so that they add up.
std::vector<Slice> find_slices(const ExplainedTables& tables);

/// The bits by the values of a column: its levels, each value where there are few, else ten ranges with about
/// the same number of rows; missing cells are a slice of their own. Throws InvalidInput if the column is not
/// there.
std::vector<Slice> slices_by(const ExplainedTables& tables, std::string_view column);

}  // namespace jsdiv
