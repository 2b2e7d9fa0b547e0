#pragma once

#include <vector>

#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Histograms of the columns that differ most between P and Q, for a report that is sent to others: bins
/// begin and end at round numbers, the outermost are open, and categories of few rows are pooled, so that no
/// row can be read off. Columns in the order of the sample, at most `most_columns` of them.
std::vector<ColumnChart> column_charts(const Sample& sample, std::size_t most_columns = 300);

}  // namespace jsdiv
