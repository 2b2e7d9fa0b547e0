#include "load/csv_writer.hpp"

#include <cmath>
#include <ostream>
#include <sstream>
#include <vector>

#include "core/stop.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t buffered_bytes = std::size_t{1} << 20;

void append_value(std::string& line, const Column& column, double value,
                  const std::vector<std::string>& level_cells) {
  if (std::isnan(value)) return;
  switch (column.type) {
    case ColumnType::boolean:
      line += value != 0 ? "true" : "false";
      return;
    case ColumnType::datetime:
      line += format_datetime(value);
      return;
    case ColumnType::category:
      line += level_cells[static_cast<std::size_t>(value)];
      return;
    default:
      line += format_number(value);
  }
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const bool formula = !text.empty() &&
                       std::string_view("=+-@").find(text.front()) != std::string_view::npos &&
                       !parse_number(text).has_value();
  std::string safe = formula ? "'" : "";
  safe += text;
  const bool needs_quotes = safe.empty() || safe.find_first_of(",;|\t\"\r\n") != std::string::npos ||
                            trim(safe) != safe || safe.starts_with("\xEF\xBB\xBF");  // not a byte order mark
  if (!needs_quotes) return safe;
  std::string cell = "\"";
  for (const char letter : safe) {
    if (letter == '"') cell += '"';
    cell += letter;
  }
  return cell + '"';
}

void write_csv(std::ostream& out, const Table& table) {
  std::vector<std::vector<std::string>> level_cells(table.columns.size());
  std::string buffer;
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    if (j > 0) buffer += ',';
    buffer += csv_cell(table.columns[j].name);
    for (const std::string& level : table.columns[j].levels) level_cells[j].push_back(csv_cell(level));
  }
  buffer += '\n';
  for (std::size_t row = 0; row < table.rows; ++row) {
    const std::size_t begin = buffer.size();
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      if (j > 0) buffer += ',';
      append_value(buffer, table.columns[j], table.columns[j].values[row], level_cells[j]);
    }
    if (buffer.size() == begin) buffer += "\"\"";  // a line without a character is no row
    buffer += '\n';
    if (buffer.size() < buffered_bytes) continue;
    throw_if_interrupted();
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
  }
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

std::string write_csv(const Table& table) {
  std::ostringstream out;
  write_csv(out, table);
  return std::move(out).str();
}

}  // namespace jsdiv
