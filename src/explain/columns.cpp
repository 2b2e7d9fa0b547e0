#include "explain/columns.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/format.hpp"
#include "core/message.hpp"
#include "core/number_text.hpp"
#include "core/parallel.hpp"
#include "encode/date_parts.hpp"
#include "explain/cells.hpp"
#include "explain/column_histogram.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

/// Columns are said to differ in some way if chance would do as much to any of them in fewer than one table
/// in twenty.
constexpr double chance_of_any_column = 0.05;
/// A level or range is named if its shares differ by more than this many standard errors.
constexpr double named_above_errors = 3;
constexpr std::size_t most_named = 5;
/// Ranges that over- and under-representation is looked for in.
constexpr std::size_t range_cells = 20;
/// Ways in which two columns of dates may differ: in five parts, and in the dates themselves.
constexpr double ways_of_dates = 6;
/// Numbers that differ by less, relative to their size, are the same.
constexpr double rounding = 1e-9;

/// Cells enough to see the shape of a distribution, and few enough to count: the cube root rule.
std::size_t cells_for(const HeldOutRows& rows) {
  const auto [second, first] = effective_rows(rows);
  return std::clamp<std::size_t>(static_cast<std::size_t>(2 * std::cbrt(2 / (1 / first + 1 / second))), 4,
                                 100);
}

/// Whether each row's value is one that the table with the coarser format can hold.
std::vector<bool> follows_format(const Column& column, const Column& on_grid) {
  std::vector<bool> result;
  result.reserve(column.values.size());
  for (std::size_t row = 0; row < column.values.size(); ++row) {
    const double value = column.values[row];
    result.push_back(std::abs(on_grid.values[row] - value) <= rounding * std::abs(value));
  }
  return result;
}

/// Each cell twice: for rows that follow the format, and for those that do not.
Cells split_by(const Cells& cells, const std::vector<bool>& flags) {
  Cells result;
  result.count = 2 * cells.count;
  for (std::size_t row = 0; row < flags.size(); ++row) {
    result.of_row.push_back(static_cast<std::uint8_t>(cells.of_row[row] + (flags[row] ? cells.count : 0)));
  }
  return result;
}

std::string kind_of(const SupportMismatch& mismatch) {
  if (mismatch.kind == "one_sided_range") return "range";
  if (mismatch.kind == "relation") return "relation";
  return mismatch.kind == "one_sided_categories" ? "category" : "format";
}

struct Location {
  double median = 0;
  double spread = 0;  ///< interquartile range over that of a standard normal variable; 0: none
};

double quantile(std::span<const double> ascending, double probability) {
  const double place = probability * static_cast<double>(ascending.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, ascending.size() - 1);
  return ascending[low] + (place - static_cast<double>(low)) * (ascending[high] - ascending[low]);
}

std::array<Location, 2> locations(const Column& column, std::span<const std::uint8_t> labels) {
  std::array<std::vector<double>, 2> values;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!std::isnan(column.values[row])) values[labels[row]].push_back(column.values[row]);
  }
  std::array<Location, 2> result;
  for (const std::size_t label : {0, 1}) {
    if (values[label].empty()) continue;
    std::ranges::sort(values[label]);
    result[label].median = quantile(values[label], 0.5);
    result[label].spread = (quantile(values[label], 0.75) - quantile(values[label], 0.25)) / 1.349;
  }
  return result;
}

Column aligned(const Column& column, std::span<const std::uint8_t> labels, const std::array<Location, 2>& at,
               bool scale) {
  const double middle = 0.5 * (at[0].median + at[1].median);
  const double spread = std::sqrt(at[0].spread * at[1].spread);
  Column result = column;
  for (std::size_t row = 0; row < labels.size(); ++row) {
    const Location& own = at[labels[row]];
    const double offset = column.values[row] - own.median;
    result.values[row] = middle + (scale ? offset * spread / own.spread : offset);
  }
  return result;
}

std::string number(const Column& column, double value) {
  return column.type == ColumnType::datetime ? format_datetime(std::round(value)) : format("%.4g", value);
}

/// One column of the tables under study.
class ColumnStudy {
 public:
  ColumnStudy(const ExplainedTables& tables, const Column& column) : tables_(tables), column_(column) {}

  ExplainedColumn explain(const Column* on_grid, std::span<const SupportMismatch> mismatches) {
    ExplainedColumn result;
    result.name = column_.name;
    result.type = column_.type;
    const std::size_t cells = cells_for(tables_.rows());
    const bool by_level = column_.type == ColumnType::category || column_.type == ColumnType::boolean;
    const bool discrete =
        by_level || std::ranges::count(value_kinds(column_, 1 / static_cast<double>(cells)).atom_of_row,
                                       ValueKinds::none) == 0;
    const Cells plain = cut_into_cells(column_, tables_.labels, cells, Bins::common);
    const CountedDivergence counted = counted_divergence(plain, tables_.rows());
    CountedDivergence alone = counted;
    // Twice as many cells must fit into a byte.
    if (on_grid != nullptr && !by_level && 2 * plain.count <= 255) {
      alone = counted_divergence(split_by(plain, follows_format(column_, *on_grid)), tables_.rows());
      if (alone.corrected.value < counted.corrected.value) alone = counted;
    }
    result.histogram = column_histogram(tables_, column_);
    for (const SupportMismatch& mismatch : mismatches) {
      if (mismatch.column != column_.name || mismatch.kind == "missing") continue;
      result.how.push_back({.kind = kind_of(mismatch),
                            .bits = std::nullopt,
                            .value = {},
                            .p = mismatch.share_p,
                            .q = mismatch.share_q,
                            .message = mismatch.message});
    }
    const double format_bits = alone.corrected.value - counted.corrected.value;
    const auto formats = std::ranges::find(result.how, "format", &ColumnDifference::kind);
    if (formats != result.how.end() && format_bits > 0) formats->bits = format_bits;
    if (alone.p_value <= chance_of_column()) {
      const double missing_bits = add_missing(result.how);
      if (discrete) {
        add_levels(result.how);
      } else {
        add_location(counted.corrected.value - missing_bits, missing_bits, cells, result.how);
        add_ranges(result.how);
      }
    }
    // Bins of dates do not show the hours of the days in them.
    if (const auto part = add_date_part(result.how); part && part->corrected.value > alone.corrected.value)
      alone = *part;
    result.alone = divergence_bits(alone.corrected, alone.p_value, tables_.level);
    result.alone_p_value = alone.p_value;
    std::ranges::stable_sort(result.how, std::greater<>(),
                             [](const ColumnDifference& each) { return each.bits.value_or(0); });
    return result;
  }

 private:
  double chance_of_column() const {
    return chance_of_any_column / static_cast<double>(tables_.sample.columns.size());
  }

  std::array<double, 2> in_order(const std::array<double, 2>& by_label) const {
    return p_then_q(tables_, by_label);
  }

  double add_missing(std::vector<ColumnDifference>& how) const {
    Cells cells;
    cells.count = 2;
    for (const double value : column_.values) {
      cells.of_row.push_back(std::isnan(value) ? std::uint8_t{1} : std::uint8_t{0});
    }
    const CountedDivergence divergence = counted_divergence(cells, tables_.rows());
    if (divergence.p_value > chance_of_column()) return 0;
    const CellShares shares = cell_shares(cells, tables_.labels, class_shares(tables_.rows()));
    const auto [p, q] = in_order({shares[0][1], shares[1][1]});
    how.push_back(
        {.kind = "missing",
         .bits = divergence.corrected.value,
         .value = {},
         .p = p,
         .q = q,
         .message = percent(q) + " of Q's cells are missing, compared with " + percent(p) + " of P's"});
    return divergence.corrected.value;
  }

  /// `bits` of the values, without format and missing cells, as shift, scale and shape.
  void add_location(double bits, double missing_bits, std::size_t cells,
                    std::vector<ColumnDifference>& how) const {
    const std::array<Location, 2> at = locations(column_, tables_.labels);
    const double unit = std::sqrt(at[0].spread * at[1].spread);
    const auto remaining = [&](bool scale) {
      const Column moved = aligned(column_, tables_.labels, at, scale);
      return counted_divergence(cut_into_cells(moved, tables_.labels, cells, Bins::common), tables_.rows())
                 .corrected.value -
             missing_bits;
    };
    const auto [p, q] = p_then_q_locations(at);
    double left = bits;
    if (const double shifted = remaining(false); shifted < left) {
      const double steps = unit > 0 ? (q.median - p.median) / unit : 0;
      how.push_back({.kind = "shift",
                     .bits = left - shifted,
                     .value = {},
                     .p = p.median,
                     .q = q.median,
                     .message = std::string("Q is ") + (q.median > p.median ? "higher" : "lower") + " by " +
                                format("%.2g spreads", std::abs(steps)) + ": its median is " +
                                number(column_, q.median) + ", P's is " + number(column_, p.median)});
      left = shifted;
    }
    if (unit > 0) {
      if (const double scaled = remaining(true); scaled < left) {
        how.push_back({.kind = "scale",
                       .bits = left - scaled,
                       .value = {},
                       .p = p.spread,
                       .q = q.spread,
                       .message = "Q's spread is " + format("%.2g times that of P", q.spread / p.spread)});
        left = scaled;
      }
    }
    if (left > 0) {
      how.push_back({.kind = "shape",
                     .bits = left,
                     .value = {},
                     .p = std::nullopt,
                     .q = std::nullopt,
                     .message = "the shape differs, apart from shift and scale"});
    }
  }

  std::pair<Location, Location> p_then_q_locations(const std::array<Location, 2>& at) const {
    const std::uint8_t p = tables_.label_p();
    return {at[p], at[1 - p]};
  }

  /// Levels, or values of which there are few, by the bits that each adds to the column's divergence.
  void add_levels(std::vector<ColumnDifference>& how) const {
    std::vector<double> values;
    for (const double value : column_.values) {
      if (!std::isnan(value)) values.push_back(value);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    CellShares shares = {std::vector<double>(values.size()), std::vector<double>(values.size())};
    const std::vector<double> row_shares = class_shares(tables_.rows());
    for (std::size_t row = 0; row < row_shares.size(); ++row) {
      if (std::isnan(column_.values[row])) continue;
      const auto place = std::ranges::lower_bound(values, column_.values[row]) - values.begin();
      shares[tables_.labels[row]][static_cast<std::size_t>(place)] += row_shares[row];
    }
    std::vector<ColumnDifference> levels;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!differ(shares[0][i], shares[1][i])) continue;
      const auto [p, q] = in_order({shares[0][i], shares[1][i]});
      const std::string level = cell_text(column_, values[i]);
      levels.push_back({.kind = "category",
                        .bits = bits_of(shares[0][i], shares[1][i]),
                        .value = level,
                        .p = p,
                        .q = q,
                        .message = represented(quoted(level), p, q)});
    }
    append_largest(std::move(levels), how);
  }

  /// Ranges of neighbouring bins that are over- or under-represented alike.
  void add_ranges(std::vector<ColumnDifference>& how) const {
    const Cells cells = cut_into_cells(column_, tables_.labels, range_cells, Bins::common);
    const CellShares shares = cell_shares(cells, tables_.labels, class_shares(tables_.rows()));
    struct Range {
      double low = 0, high = 0;
      std::array<double, 2> share{};
    };
    std::vector<Range> bins(cells.count, {.low = std::numeric_limits<double>::infinity(),
                                          .high = -std::numeric_limits<double>::infinity()});
    for (std::size_t row = 0; row < tables_.labels.size(); ++row) {
      const double value = column_.values[row];
      if (std::isnan(value)) continue;
      Range& bin = bins[cells.of_row[row]];
      bin.low = std::min(bin.low, value);
      bin.high = std::max(bin.high, value);
    }
    for (std::size_t cell = 0; cell < cells.count; ++cell) {
      bins[cell].share = {shares[0][cell], shares[1][cell]};
    }
    std::erase_if(bins, [](const Range& bin) { return bin.low > bin.high; });
    std::ranges::sort(bins, {}, &Range::low);
    std::vector<Range> merged;
    const auto side = [](const Range& bin) { return bin.share[1] > bin.share[0]; };
    for (const Range& bin : bins) {
      if (!merged.empty() && side(merged.back()) == side(bin)) {
        merged.back().high = bin.high;
        for (const std::size_t label : {0, 1}) merged.back().share[label] += bin.share[label];
      } else {
        merged.push_back(bin);
      }
    }
    std::vector<std::pair<double, ColumnDifference>> ranges;
    for (const Range& range : merged) {
      if (!differ(range.share[0], range.share[1])) continue;
      const auto [p, q] = in_order(range.share);
      const std::string text = number(column_, range.low) + " to " + number(column_, range.high);
      ranges.push_back({bits_of(range.share[0], range.share[1]),
                        {.kind = "range",
                         .bits = std::nullopt,
                         .value = text,
                         .p = p,
                         .q = q,
                         .message = represented(text, p, q)}});
    }
    std::ranges::stable_sort(ranges, std::greater<>(), [](const auto& each) { return each.first; });
    for (std::size_t i = 0; i < std::min(ranges.size(), most_named); ++i) how.push_back(ranges[i].second);
  }

  /// The divergence of the part of a date that differs most, if there is one.
  std::optional<CountedDivergence> add_date_part(std::vector<ColumnDifference>& how) const {
    const std::optional<TimeScale> time = time_scale(column_.type, column_.values);
    if (!time) return std::nullopt;
    std::array<std::vector<double>, 2> dates;
    for (std::size_t row = 0; row < tables_.labels.size(); ++row) {
      if (!std::isnan(column_.values[row]))
        dates[tables_.labels[row]].push_back(time->seconds(column_.values[row]));
    }
    const std::uint8_t p = tables_.label_p();
    const auto part = most_different_part(dates[p], dates[1 - p]);
    if (!part) return std::nullopt;
    const std::size_t values = part_length(part->part);
    Cells cells{.of_row = {}, .count = values + 1};
    cells.of_row.reserve(column_.values.size());
    for (const double value : column_.values) {
      const std::size_t cell = std::isnan(value) ? values : part_index(part->part, time->seconds(value));
      cells.of_row.push_back(static_cast<std::uint8_t>(cell));
    }
    CountedDivergence counted = counted_divergence(cells, tables_.rows());
    counted.p_value = std::min(1.0, ways_of_dates * counted.p_value);
    if (counted.p_value > chance_of_column()) return std::nullopt;
    how.push_back({.kind = "date_part",
                   .bits = counted.corrected.value,
                   .value = {},
                   .p = std::nullopt,
                   .q = std::nullopt,
                   .message = part->words});
    return counted;
  }

  static double bits_of(double a, double b) {
    return plug_in_divergence({std::vector<double>{a}, std::vector<double>{b}});
  }

  bool differ(double a, double b) const {
    const auto [rows_0, rows_1] = effective_rows(tables_.rows());
    const double mean = 0.5 * (a + b);
    const double error = std::sqrt(mean * (1 - std::min(1.0, mean)) * (1 / rows_0 + 1 / rows_1));
    return std::abs(a - b) > named_above_errors * error && a != b;
  }

  static std::string represented(const std::string& what, double p, double q) {
    return what + " is " + (q > p ? "over" : "under") + "-represented in Q: " + percent(q) +
           ", compared with " + percent(p) + " in P";
  }

  static void append_largest(std::vector<ColumnDifference> items, std::vector<ColumnDifference>& how) {
    std::ranges::stable_sort(items, std::greater<>(), [](const auto& each) { return *each.bits; });
    if (items.size() > most_named) items.resize(most_named);
    how.insert(how.end(), items.begin(), items.end());
  }

  const ExplainedTables& tables_;
  const Column& column_;
};

}  // namespace

std::vector<ExplainedColumn> explain_columns(const ExplainedTables& tables, const Sample* on_grids,
                                             std::span<const SupportMismatch> mismatches) {
  std::vector<ExplainedColumn> result(tables.sample.columns.size());
  parallel_for(result.size(), [&](std::size_t j) {
    const Column& column = tables.sample.columns[j];
    const Column* on_grid = nullptr;
    if (on_grids != nullptr && on_grids->columns[j].values != column.values) on_grid = &on_grids->columns[j];
    result[j] = ColumnStudy(tables, column).explain(on_grid, mismatches);
  });
  return result;
}

}  // namespace jsdiv
