#include "encode/telling_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "support/chance.hpp"

namespace jsdiv {
namespace {

/// A table without differences has a part chosen for nothing in less than this share of cases.
constexpr double false_choice = 0.05;
/// Of a part, beside another column.
constexpr std::size_t most_ranges = 8;
/// Of the other column: quartiles and missing cells, or the most frequent levels and the others.
constexpr std::size_t most_groups = 8;

/// A group for each training row, those of P first.
using Groups = std::vector<std::uint8_t>;

Groups groups_of_numbers(std::span<const double> cells) {
  std::vector<double> present;
  present.reserve(cells.size());
  std::ranges::copy_if(cells, std::back_inserter(present), [](double cell) { return !std::isnan(cell); });
  std::array<double, 3> quartiles{};
  for (std::size_t i = 0; i < quartiles.size() && !present.empty(); ++i) {
    const auto place = present.begin() + static_cast<std::ptrdiff_t>((i + 1) * present.size() / 4);
    std::ranges::nth_element(present, place);
    quartiles[i] = *place;
  }
  Groups groups;
  groups.reserve(cells.size());
  for (const double cell : cells) {
    const auto above = std::ranges::count_if(quartiles, [cell](double quartile) { return cell >= quartile; });
    groups.push_back(std::isnan(cell) ? quartiles.size() + 1 : static_cast<std::uint8_t>(above));
  }
  return groups;
}

Groups groups_of_levels(std::span<const double> cells, std::size_t levels) {
  std::vector<std::size_t> rows(levels);
  for (const double cell : cells)
    if (!std::isnan(cell)) ++rows[static_cast<std::size_t>(cell)];
  std::vector<std::size_t> order(levels);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return rows[a] > rows[b]; });
  std::vector<std::uint8_t> group(levels, most_groups - 1);
  for (std::size_t i = 0; i < std::min(levels, most_groups - 1); ++i)
    group[order[i]] = static_cast<std::uint8_t>(i);
  Groups groups;
  groups.reserve(cells.size());
  for (const double cell : cells)
    groups.push_back(std::isnan(cell) ? most_groups - 1 : group[static_cast<std::size_t>(cell)]);
  return groups;
}

std::vector<double> cells_of(const Column& column, const RowsOfTables& rows) {
  std::vector<double> cells;
  cells.reserve(rows[side_p].size() + rows[side_q].size());
  for (const Side side : {side_p, side_q})
    for (const RowIndex row : rows[side]) cells.push_back(column.values[row]);
  return cells;
}

Groups groups_of(const Column& column, const RowsOfTables& rows) {
  const std::vector<double> cells = cells_of(column, rows);
  if (column.type == ColumnType::category) return groups_of_levels(cells, column.levels.size());
  if (column.type == ColumnType::boolean) return groups_of_levels(cells, 2);
  return groups_of_numbers(cells);
}

/// What a date is in, of a part; absent where the date is.
struct Ranges {
  static constexpr std::uint8_t absent = 255;
  Groups of_row;
  std::size_t count = 0;
};

Ranges ranges_of(DatePart part, std::span<const double> seconds, std::size_t width) {
  Ranges ranges{{}, (part_length(part) + width - 1) / width};
  ranges.of_row.reserve(seconds.size());
  for (const double at : seconds)
    ranges.of_row.push_back(std::isnan(at) ? Ranges::absent
                                           : static_cast<std::uint8_t>(part_index(part, at) / width));
  return ranges;
}

/// log-probability that chance makes the ranges differ so much between the tables within each group:
/// Pearson's chi-squared, summed over the groups.
double log_chance(const Ranges& ranges, const Groups& groups, std::size_t rows_of_p) {
  std::vector<std::array<double, 2>> rows(most_groups * ranges.count);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (ranges.of_row[i] == Ranges::absent) continue;
    ++rows[groups[i] * ranges.count + ranges.of_row[i]][i < rows_of_p ? side_p : side_q];
  }
  double statistic = 0;
  double degrees = 0;
  for (std::size_t group = 0; group < most_groups; ++group) {
    const auto cells = std::span(rows).subspan(group * ranges.count, ranges.count);
    std::array<double, 2> all{};
    for (const auto& cell : cells)
      for (const Side side : {side_p, side_q}) all[side] += cell[side];
    if (all[side_p] == 0 || all[side_q] == 0) continue;
    double filled = 0;
    for (const auto& cell : cells) {
      const double both = cell[side_p] + cell[side_q];
      if (both == 0) continue;
      const double difference = cell[side_p] / all[side_p] - cell[side_q] / all[side_q];
      statistic += all[side_p] * all[side_q] * difference * difference / both;
      ++filled;
    }
    degrees += filled - 1;
  }
  return log_chi_squared_tail(degrees, statistic);
}

struct DateColumn {
  std::size_t column = 0;
  std::vector<double> seconds;
};

}  // namespace

std::vector<std::vector<DatePart>> telling_date_parts(const Sample& sample,
                                                      const RowsOfTables& training_rows) {
  std::vector<std::vector<DatePart>> telling(sample.columns.size());
  std::vector<DateColumn> dates;
  for (std::size_t j = 0; j < sample.columns.size(); ++j) {
    const ColumnType type = sample.columns[j].type;
    if (type == ColumnType::category || type == ColumnType::boolean) continue;
    std::vector<double> cells = cells_of(sample.columns[j], training_rows);
    const std::optional<TimeScale> time = time_scale(type, cells);
    if (!time) continue;
    for (double& cell : cells) cell = time->seconds(cell);
    dates.push_back({j, std::move(cells)});
  }
  if (dates.empty()) return telling;

  const std::size_t rows_of_p = training_rows[side_p].size();
  const auto tests = static_cast<double>(dates.size() * all_date_parts.size() * (sample.columns.size() + 1));
  const double significant = std::log(false_choice / tests);
  std::vector<Groups> groups(sample.columns.size());
  parallel_for(groups.size(), [&](std::size_t j) {
    throw_if_interrupted();
    groups[j] = groups_of(sample.columns[j], training_rows);
  });
  const Groups together(rows_of_p + training_rows[side_q].size(), 0);
  for (const DateColumn& date : dates) {
    std::array<std::uint8_t, all_date_parts.size()> tells{};
    parallel_for(tells.size(), [&](std::size_t i) {
      throw_if_interrupted();
      const DatePart part = all_date_parts[i];
      const auto differs = [&](const Ranges& ranges, const Groups& within) {
        return log_chance(ranges, within, rows_of_p) < significant;
      };
      const Ranges coarse =
          ranges_of(part, date.seconds, (part_length(part) + most_ranges - 1) / most_ranges);
      tells[i] = differs(ranges_of(part, date.seconds, 1), together) || differs(coarse, together);
      // Not within ranges of the date itself: where that differs, so do parts within a range of it.
      for (std::size_t j = 0; j < groups.size() && !tells[i]; ++j)
        tells[i] = j != date.column && differs(coarse, groups[j]);
    });
    for (std::size_t i = 0; i < tells.size(); ++i)
      if (tells[i] != 0) telling[date.column].push_back(all_date_parts[i]);
  }
  return telling;
}

}  // namespace jsdiv
