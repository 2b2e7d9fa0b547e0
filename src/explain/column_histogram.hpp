#pragma once

#include "explain/explained_tables.hpp"
#include "jsdiv/explain.hpp"

namespace jsdiv {

/// Shares of P's and Q's rows in bins that a person can look at: a value each where there are few, equal
/// widths between the outer half percents otherwise; the most frequent levels of a category.
ColumnHistogram column_histogram(const ExplainedTables& tables, const Column& column);

}  // namespace jsdiv
