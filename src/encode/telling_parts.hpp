#pragma once

#include <vector>

#include "encode/date_parts.hpp"
#include "jsdiv/table.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {

/// For each column, the parts of its date-times that differ between the tables by more than chance explains:
/// on their own, or within ranges or levels of some column. (A column of dates has up to fifteen features of
/// parts. Given to every family without a reason, they drown what few rows tell about the other columns.)
std::vector<std::vector<DatePart>> telling_date_parts(const Sample& sample,
                                                      const RowsOfTables& training_rows);

}  // namespace jsdiv
