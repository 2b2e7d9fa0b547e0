#include "core/content_hash.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "core/sha256.hpp"

namespace jsdiv {
namespace {

void append_number(std::string& bytes, std::uint64_t number) {
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(number >> shift);
}

void append_text(std::string& bytes, std::string_view text) {
  append_number(bytes, text.size());
  bytes += text;
}

/// For each level its rank among those in use.
std::vector<double> ranks_of_used_levels(const Column& column, std::string& header) {
  std::vector<double> rank(column.levels.size(), -1);
  for (const double value : column.values) {
    if (!std::isnan(value)) rank[static_cast<std::size_t>(value)] = 0;
  }
  double next = 0;
  for (std::size_t level = 0; level < rank.size(); ++level) {
    if (rank[level] < 0) continue;
    rank[level] = next++;
    append_text(header, column.levels[level]);
  }
  return rank;
}

}  // namespace

std::string content_hash(const Table& table, std::string_view except) {
  constexpr std::size_t flushed_at = std::size_t{1} << 16;
  Sha256 hash;
  std::string bytes;
  append_number(bytes, table.rows);
  append_number(bytes, table.columns.size());
  for (const Column& column : table.columns) {
    if (!except.empty() && column.name == except) continue;
    append_text(bytes, column.name);
    append_text(bytes, to_string(column.type == ColumnType::integer ? ColumnType::number : column.type));
    const bool category = column.type == ColumnType::category;
    std::string levels;
    const std::vector<double> rank = category ? ranks_of_used_levels(column, levels) : std::vector<double>();
    append_text(bytes, levels);
    for (const double value : column.values) {
      const double canonical = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN()
                               : category        ? rank[static_cast<std::size_t>(value)]
                                                 : value + 0.0;  // -0 and 0 are one number
      append_number(bytes, std::bit_cast<std::uint64_t>(canonical));
      if (bytes.size() < flushed_at) continue;
      hash.update(bytes.data(), bytes.size());
      bytes.clear();
    }
  }
  hash.update(bytes.data(), bytes.size());
  return hash.finish();
}

}  // namespace jsdiv
