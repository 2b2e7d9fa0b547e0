#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <unordered_set>
#include <utility>

#include "core/assert.hpp"
#include "core/number_text.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "jsdiv/matrix.hpp"
#include "support/atoms.hpp"
#include "support/chance.hpp"
#include "support/number_format.hpp"
#include "support/relations.hpp"
#include "support/repeated_rows.hpp"
#include "support/support.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {
namespace {

/// A table counts as discrete if no more than this share of its rows holds a value that no other row holds.
constexpr double most_singles_of_discrete = 0.01;
constexpr double share_of_common_lattice = 0.999;

std::string number(double x) {
  return format("%.3g", x);
}

/// One column on its way through the tests.
struct ColumnTest {
  const Column& column;
  const ValueCounts& counts;
  const ValueCounts& not_copied;
  double log_significance;
  Naming naming;

  std::string name(Side side) const { return naming.name(side); }

  double share(Side side, double rows) const { return rows / static_cast<double>(counts.rows(side)); }
  /// Share of all rows, missing or not, that lie in that table.
  double row_prior(Side side) const {
    return static_cast<double>(counts.rows(side)) /
           static_cast<double>(counts.rows(side_p) + counts.rows(side_q));
  }
  /// True if chance does not explain that all of `rows` rows lie in the table with that prior.
  bool one_sided(double rows, double prior) const {
    return rows > 0 && log_upper_tail(rows, rows, prior) < log_significance;
  }
  SupportFinding finding(std::string kind, Side table, std::array<double, 2> rows, std::string what) const {
    SupportFinding result;
    result.column = column.name;
    result.kind = std::move(kind);
    result.share_p = share(side_p, rows[side_p]);
    result.share_q = share(side_q, rows[side_q]);
    result.message = column.name + " " + std::move(what);
    result.table = name_of(table);
    return result;
  }
};

std::array<double, 2> rows_of(Side side, double rows, double rows_of_other = 0) {
  return side == side_p ? std::array{rows, rows_of_other} : std::array{rows_of_other, rows};
}

std::vector<WeightedValue> values_of(const ValueCounts& counts, Side side) {
  std::vector<WeightedValue> result;
  for (const ValueCount& value : counts.values) {
    if (value.rows[side] > 0) result.push_back({value.value, static_cast<double>(value.rows[side])});
  }
  return result;
}

std::optional<SupportFinding> find_missing(const ColumnTest& test) {
  for (const Side side : {side_p, side_q}) {
    const Side that = other(side);
    const auto missing = static_cast<double>(test.counts.missing[side]);
    const auto present_there = static_cast<double>(test.counts.present[that]);
    if (test.counts.present[side] == 0 && test.one_sided(present_there, test.row_prior(that))) {
      const double separated = test.counts.missing[that] == 0 ? missing : 0;
      return test.finding("missing", side, rows_of(side, separated, present_there),
                          "has no value in " + test.name(side) + ", but has one in " +
                              percent(test.share(that, present_there)) + " of " + test.name(that) +
                              "'s rows");
    }
    if (test.counts.missing[that] == 0 && test.one_sided(missing, test.row_prior(side))) {
      return test.finding("missing", side, rows_of(side, missing),
                          "is missing in " + percent(test.share(side, missing)) + " of " + test.name(side) +
                              "'s rows and never in " + test.name(that));
    }
  }
  return std::nullopt;
}

std::string text_of(const Column& column, double value) {
  if (column.type == ColumnType::category) return column.levels.at(static_cast<std::size_t>(value));
  if (column.type == ColumnType::boolean) return value != 0 ? "true" : "false";
  return number(value);
}

std::optional<SupportFinding> find_constant(const ColumnTest& test) {
  for (const Side side : {side_p, side_q}) {
    if (test.counts.distinct(side) != 1) continue;
    const Side that = other(side);
    const auto constant = std::ranges::find_if(test.counts.values,
                                               [&](const ValueCount& value) { return value.rows[side] > 0; });
    const double different =
        static_cast<double>(test.counts.present[that]) - static_cast<double>(constant->rows[that]);
    if (!test.one_sided(different, test.counts.prior(that))) continue;
    const double own = constant->rows[that] == 0 ? static_cast<double>(test.counts.present[side]) : 0;
    return test.finding("constant", side, rows_of(side, own, different),
                        "is always " + text_of(test.column, constant->value) + " in " + test.name(side) +
                            "; " + percent(test.share(that, different)) + " of " + test.name(that) +
                            "'s rows have another value");
  }
  return std::nullopt;
}

std::array<OneSidedValues, 2> one_sided_values(const ColumnTest& test) {
  const bool ordered = test.column.type != ColumnType::category && test.column.type != ColumnType::boolean;
  return one_sided_values(test.counts, test.not_copied, ordered, test.log_significance);
}

std::string one_sided_text(const ColumnTest& test, const std::array<OneSidedValues, 2>& values) {
  std::string text;
  for (const Side side : {side_p, side_q}) {
    if (!values[side].significant) continue;
    text += (text.empty() ? "has values in " : " and in ") + test.name(side) + " that do not occur in " +
            test.name(other(side)) + " (" + percent(test.share(side, values[side].rows)) + " of its rows)";
  }
  return text;
}

/// Lower case, each run of blanks, dashes and underscores as one blank.
std::string plain_spelling(std::string_view text) {
  std::string plain;
  for (const char c : text) {
    const bool gap = c == ' ' || c == '-' || c == '_';
    if (gap && (plain.empty() || plain.back() == ' ')) continue;
    plain += gap ? ' ' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

/// True if most rows whose text only one table has would find it in the other under another spelling.
bool only_spelt_differently(const ColumnTest& test) {
  std::array<std::unordered_set<std::string>, 2> spellings;
  for (const ValueCount& value : test.counts.values) {
    for (const Side side : {side_p, side_q}) {
      if (value.rows[side] > 0) spellings[side].insert(plain_spelling(text_of(test.column, value.value)));
    }
  }
  double rows = 0, found = 0;
  for (const ValueCount& value : test.counts.values) {
    for (const Side side : {side_p, side_q}) {
      if (value.rows[other(side)] > 0) continue;
      rows += value.rows[side];
      if (spellings[other(side)].contains(plain_spelling(text_of(test.column, value.value))))
        found += value.rows[side];
    }
  }
  return found > 0.5 * rows;
}

std::optional<SupportFinding> find_one_sided_values(const ColumnTest& test, const std::string& kind) {
  const std::array<OneSidedValues, 2> values = one_sided_values(test);
  if (!values[side_p].significant && !values[side_q].significant) return std::nullopt;
  const Side richer = values[side_q].significant && !values[side_p].significant ? side_q : side_p;
  SupportFinding result =
      test.finding(kind, richer, {values[side_p].rows, values[side_q].rows}, one_sided_text(test, values));
  if (values[side_p].significant && values[side_q].significant) result.table = '\0';
  if (test.column.type == ColumnType::category && only_spelt_differently(test))
    result.message += ", mostly because of differences in case, spaces or dashes";
  return result;
}

/// The counts after both tables were moved to the grid.
ValueCounts snapped(const ValueCounts& counts, const Lattice& lattice) {
  ValueCounts result = counts;
  result.values.clear();
  result.formats.clear();
  for (const ValueCount& value : counts.values) {
    const double nearest = lattice.nearest(value.value);
    if (result.values.empty() || result.values.back().value != nearest)
      result.values.push_back({nearest, {}});
    for (const Side side : {side_p, side_q}) result.values.back().rows[side] += value.rows[side];
  }
  return result;
}

/// What one column's values say about grids.
struct Grids {
  std::array<std::vector<WeightedValue>, 2> values;
  std::array<double, 2> units{};
  std::array<std::optional<Lattice>, 2> lattices;
};

Grids find_grids(const ValueCounts& counts) {
  Grids grids;
  const bool finite = std::isfinite(counts.values.front().value) && std::isfinite(counts.values.back().value);
  for (const Side side : {side_p, side_q}) {
    grids.values[side] = values_of(counts, side);
    grids.units[side] = rounding_unit(grids.values[side]);
    if (finite) grids.lattices[side] = find_lattice(grids.values[side]);
  }
  return grids;
}

/// Grid points among `values`, which ascend.
std::size_t points_held(const Lattice& lattice, std::span<const WeightedValue> values) {
  std::size_t points = 0;
  double last = 0;
  for (const WeightedValue& value : values) {
    const double nearest = lattice.nearest(value.value);
    if (points == 0 || nearest != last) ++points;
    last = nearest;
  }
  return points;
}

/// True if the table's values off the other's exact values meet the grid no more often than any values would.
bool misses_grid(const ColumnTest& test, const Lattice& lattice, Side side, double unit) {
  double rows = 0, hits = 0, expected = 0;
  for (const ValueCount& value : test.counts.values) {
    if (value.rows[other(side)] > 0) continue;
    const double tolerance = 1e-3 + 2 * unit * std::abs(value.value) / lattice.spacing;
    rows += value.rows[side];
    expected += value.rows[side] * std::min(1.0, 2 * tolerance);
    if (is_on(lattice, value.value, unit)) hits += value.rows[side];
  }
  return rows > 0 && log_upper_tail(rows, hits, expected / rows) > test.log_significance;
}

std::optional<SupportFinding> lattice_of_one_table(const ColumnTest& test, const Grids& grids, Side side) {
  if (!grids.lattices[side]) return std::nullopt;
  const Lattice& lattice = *grids.lattices[side];
  const Side that = other(side);
  const auto rows_off = [&](Side table) {
    return (1 - share_on(lattice, grids.values[table], grids.units[table])) *
           static_cast<double>(test.counts.present[table]);
  };
  const double off_here = rows_off(side), off_there = rows_off(that);
  if (log_upper_tail(off_here + off_there, off_there, test.counts.prior(that)) >= test.log_significance) {
    return std::nullopt;
  }

  double separated = one_sided_values(test)[side].rows;
  if (misses_grid(test, lattice, that, grids.units[that])) {
    separated = 0;
    for (const ValueCount& value : test.counts.values) {
      if (value.rows[that] == 0) separated += value.rows[side];
    }
  }
  SupportFinding result =
      test.finding("lattice", side, rows_of(side, separated, off_there),
                   "lies on a grid of " + std::to_string(points_held(lattice, grids.values[side])) +
                       " values (spacing " + number(lattice.spacing) + ") in " + test.name(side) + "; " +
                       percent(off_there / static_cast<double>(test.counts.present[that])) + " of " +
                       test.name(that) + "'s values are not on it");
  result.lattice = lattice;
  return result;
}

/// The lattice finding with the coarser grid, where there are two.
std::optional<SupportFinding> find_lattice_mismatch(const ColumnTest& test, const Grids& grids) {
  std::optional<SupportFinding> of_p = lattice_of_one_table(test, grids, side_p);
  std::optional<SupportFinding> of_q = lattice_of_one_table(test, grids, side_q);
  if (!of_p || !of_q) return of_p ? of_p : of_q;
  return of_q->lattice->spacing > of_p->lattice->spacing ? of_q : of_p;
}

std::optional<Lattice> common_lattice(const Grids& grids) {
  for (const Side side : {side_p, side_q}) {
    const Side that = other(side);
    if (grids.lattices[side] &&
        share_on(*grids.lattices[side], grids.values[that], grids.units[that]) >= share_of_common_lattice) {
      return grids.lattices[side];
    }
  }
  return std::nullopt;
}

bool is_discrete(const ValueCounts& counts, Side side) {
  std::size_t singles = 0;
  for (const ValueCount& value : counts.values) singles += value.rows[side] == 1;
  return static_cast<double>(singles) <= most_singles_of_discrete * static_cast<double>(counts.present[side]);
}

std::optional<SupportFinding> find_atoms(const ColumnTest& test, const Grids& grids) {
  std::optional<SupportFinding> result = find_one_sided_values(test, "atoms");
  if (!result) return result;
  result->lattice = common_lattice(grids);
  if (result->lattice) {
    const std::array<OneSidedValues, 2> left =
        one_sided_values(snapped(test.counts, *result->lattice), snapped(test.not_copied, *result->lattice),
                         true, test.log_significance);
    if (!left[side_p].significant && !left[side_q].significant) {
      result->message += ", only because their last digits differ on a grid with spacing " +
                         number(result->lattice->spacing);
    }
    return result;
  }
  const std::array<OneSidedValues, 2> values = one_sided_values(test);
  for (const Side side : {side_p, side_q}) {
    if (!values[other(side)].more_singles || !is_discrete(test.counts, side)) continue;
    result->table = name_of(side);
    for (const WeightedValue& value : grids.values[side]) result->atoms.push_back(value.value);
  }
  return result;
}

std::string format_text(const FormatLimit& limit) {
  const auto at_most = [](int count, std::string_view what) {
    return "with at most " + std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
  };
  if (limit.single) return "in single precision (32 bits)";
  if (limit.most.digits > 0) return at_most(limit.most.digits, "significant digit");
  if (limit.most.decimals >= 0) return at_most(limit.most.decimals, "decimal");
  return "in multiples of " + format("%.0f", std::pow(10.0, -limit.most.decimals));
}

/// One table's numbers have few significant digits, as after printing with %.6g, and the other's have more;
/// or more numbers of one table do.
std::optional<SupportFinding> find_precision(const ColumnTest& test) {
  const std::vector<FormatLimit> limits = find_format_limits(test.counts, test.log_significance);
  if (limits.empty()) return std::nullopt;
  const FormatLimit& limit = limits.front();
  const Side side = limit.table, that = other(side);
  std::array<double, 2> beyond{};
  for (std::size_t i = 0; i < test.counts.values.size(); ++i) {
    if (!limit.is_beyond(test.counts, i)) continue;
    for (const Side table : {side_p, side_q}) beyond[table] += test.counts.values[i].rows[table];
  }
  const auto share_within = [&](Side table) {
    return 1 - beyond[table] / static_cast<double>(test.counts.present[table]);
  };
  SupportFinding result =
      limit.kept_by_all
          ? test.finding("precision", side, rows_of(that, beyond[that]),
                         "is stored " + format_text(limit) + " in " + test.name(side) + "; " +
                             percent(1 - share_within(that)) + " of " + test.name(that) +
                             "'s values have more")
          : test.finding("precision", side,
                         rows_of(side, std::max(0.0, share_within(side) - share_within(that)) *
                                           static_cast<double>(test.counts.present[side])),
                         "is stored " + format_text(limit) + " in " + percent(share_within(side)) + " of " +
                             test.name(side) + "'s rows and in " + percent(share_within(that)) + " of " +
                             test.name(that) + "'s");
  result.of_a_part = !limit.kept_by_all;
  result.single = limit.single;
  if (limit.single) return result;
  if (limit.most.digits > 0) result.digits = limit.most.digits;
  if (limit.most.digits == 0) result.lattice = Lattice{0, std::pow(10.0, -limit.most.decimals)};
  return result;
}

std::optional<SupportFinding> find_range(const ColumnTest& test) {
  const std::vector<ValueCount>& values = test.counts.values;
  std::array<double, 2> below{}, above{};
  for (const Side side : {side_p, side_q}) {
    for (auto value = values.begin(); value != values.end() && value->rows[other(side)] == 0; ++value) {
      below[side] += value->rows[side];
    }
    for (auto value = values.rbegin(); value != values.rend() && value->rows[other(side)] == 0; ++value) {
      above[side] += value->rows[side];
    }
  }
  std::array<double, 2> separated{};
  std::string text;
  for (const Side side : {side_p, side_q}) {
    const double prior = test.counts.prior(side);
    for (const auto& [rows, where] : {std::pair(below[side], "below"), std::pair(above[side], "above")}) {
      if (!test.one_sided(rows, prior)) continue;
      separated[side] = std::min(separated[side] + rows, static_cast<double>(test.counts.present[side]));
      text += std::string(text.empty() ? "is " : ", and ") + where + " every value of " +
              test.name(other(side)) + " in " + percent(test.share(side, rows)) + " of " + test.name(side) +
              "'s rows";
    }
  }
  if (text.empty()) return std::nullopt;
  SupportFinding result =
      test.finding("one_sided_range", separated[side_p] > 0 ? side_p : side_q, separated, text);
  if (separated[side_p] > 0 && separated[side_q] > 0) result.table = '\0';
  return result;
}

}  // namespace

std::vector<SupportFinding> find_in_column(const Column& column, const ValueCounts& counts,
                                           double log_significance, Naming naming,
                                           const ValueCounts* not_copied) {
  const ColumnTest test{column, counts, not_copied ? *not_copied : counts, log_significance, naming};
  std::vector<SupportFinding> findings;
  const auto add = [&](std::optional<SupportFinding> finding) {
    if (finding) findings.push_back(std::move(*finding));
    return finding.has_value();
  };
  add(find_missing(test));
  if (test.counts.present[side_p] == 0 || test.counts.present[side_q] == 0) return findings;
  if (add(find_constant(test))) return findings;
  if (column.type == ColumnType::category || column.type == ColumnType::boolean) {
    add(find_one_sided_values(test, "one_sided_categories"));
    return findings;
  }
  const Grids grids = find_grids(test.counts);
  if (!add(find_lattice_mismatch(test, grids))) {
    // Of two ways to say it, the one that tells how to make the tables equal.
    auto atoms = find_atoms(test, grids), precision = find_precision(test);
    const bool by_precision = precision && (precision->of_a_part || !atoms || !atoms->has_grid());
    add(by_precision ? std::move(precision) : std::move(atoms));
  }
  add(find_range(test));
  return findings;
}

namespace {

/// Rows of P and of Q that may count as independent: all, or the first of each group in each table.
RowsOfTables independent_rows(const Sample& sample) {
  RowsOfTables rows;
  RowIndex row = 0;
  for (const Side side : {side_p, side_q}) {
    std::unordered_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < sample.table_rows.at(side); ++i, ++row) {
      if (sample.groups.empty() || seen.insert(sample.groups[row]).second) rows[side].push_back(row);
    }
  }
  return rows;
}

/// "50 % of P's rows", "2 % of P's and 3 % of Q's rows": the sides that have any, P first.
std::string shares_of_rows(const SupportFinding& finding, Naming naming) {
  std::string text;
  for (const Side side : naming.exchanged ? std::array{side_q, side_p} : std::array{side_p, side_q}) {
    const double share = side == side_p ? finding.share_p : finding.share_q;
    if (share <= 0) continue;
    text += (text.empty() ? "" : " and ") + percent(share) + " of " + naming.name(side) + "'s";
  }
  return text + " rows";
}

std::vector<SupportFinding> describe(const RepeatedRows& repeated, Naming naming) {
  std::vector<SupportFinding> findings;
  if (repeated.copies) {
    SupportFinding finding;
    finding.kind = "copies";
    finding.share_p = repeated.copied_share[side_p];
    finding.share_q = repeated.copied_share[side_q];
    finding.message = shares_of_rows(finding, naming) + " occur in both tables";
    findings.push_back(std::move(finding));
  }
  if (repeated.duplicates[side_p] || repeated.duplicates[side_q]) {
    SupportFinding finding;
    finding.kind = "duplicates";
    finding.share_p = repeated.duplicate_share[side_p];
    finding.share_q = repeated.duplicate_share[side_q];
    finding.message = shares_of_rows(finding, naming) + " repeat an earlier row of the same table";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace

Supports find_supports(const Sample& sample, std::span<const ValueCodes> values, Naming naming) {
  JSDIV_ASSERT(values.size() == sample.columns.size());
  const double log_level = log_significance(sample.columns.size());
  const RowsOfTables independent = independent_rows(sample);
  if (independent[side_p].empty() || independent[side_q].empty()) return {};
  RepeatedRows repeated = find_repeated_rows(sample, values, independent, log_level);

  std::vector<std::vector<SupportFinding>> by_column(sample.columns.size());
  parallel_for(sample.columns.size(), [&](std::size_t column) {
    throw_if_interrupted();
    const ValueCounts counts = count_values(values[column], repeated.rows);
    std::optional<ValueCounts> not_copied;
    if (repeated.copies) not_copied = count_values(values[column], repeated.not_copied);
    by_column[column] = find_in_column(sample.columns[column], counts, log_level, naming,
                                       not_copied ? &*not_copied : nullptr);
  });

  Supports result;
  for (std::vector<SupportFinding>& of_column : by_column) {
    std::ranges::move(of_column, std::back_inserter(result.findings));
  }
  std::ranges::move(find_broken_relations(sample, repeated.rows, log_level, naming),
                    std::back_inserter(result.findings));
  std::ranges::move(describe(repeated, naming), std::back_inserter(result.findings));
  result.equal_rows = std::move(repeated.equal_rows);
  return result;
}

std::vector<SupportFinding> find_support_mismatches(const Sample& sample) {
  return find_supports(sample, value_codes(sample)).findings;
}

}  // namespace jsdiv
