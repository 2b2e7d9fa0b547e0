#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// Writes a table as CSV (RFC 4180 quoting, a header line, LF line ends) that read_tables reads back as the
/// same values. Text that a spreadsheet would run as a formula (beginning with = + - @, and not a number)
/// gets a leading apostrophe.
void write_csv(std::ostream& out, const Table& table);
std::string write_csv(const Table& table);

/// One cell of text, made safe in that way.
std::string csv_cell(std::string_view text);

}  // namespace jsdiv
