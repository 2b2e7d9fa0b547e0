#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "load/schema.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
// Up to there 64-bit keys go; larger whole numbers are measurements.
constexpr double largest_key = 18446744073709551616.0;  // 2^64
constexpr std::size_t fewest_identifiers = 20;
constexpr double identifier_share = 0.9;
constexpr std::size_t most_codes = 20;  // as many distinct numbers may be the codes of a category
constexpr double mostly = 0.5;

bool all_whole(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) {
    return std::isnan(value) || (value == std::trunc(value) && std::abs(value) <= largest_exact_integer);
  });
}

/// Whole numbers, as large as keys get.
bool may_be_keys(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) {
    return std::isnan(value) || (value == std::trunc(value) && std::abs(value) <= largest_key);
  });
}

bool all_missing(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

/// Replaces the levels of a category by `levels`, which contain them, and the codes accordingly.
void adopt_levels(Column& column, const std::vector<std::string>& levels) {
  if (column.levels == levels) return;
  std::vector<double> code(column.levels.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < column.levels.size(); ++i) {
    while (levels[next] != column.levels[i]) ++next;
    code[i] = static_cast<double>(next);
  }
  for (double& value : column.values) {
    if (!std::isnan(value)) value = code[static_cast<std::size_t>(value)];
  }
  column.levels = levels;
}

/// Turns any other type into a category: each distinct value becomes a level with that text.
template <typename Format>
void make_category(Column& column, const Format& format) {
  std::vector<double> distinct;
  std::ranges::copy_if(column.values, std::back_inserter(distinct),
                       [](double value) { return !std::isnan(value); });
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::map<std::string, double> codes;
  std::vector<std::string> texts;
  for (const double value : distinct) {
    texts.push_back(format(value == 0 ? 0.0 : value));
    codes.emplace(texts.back(), 0);
  }
  column.levels.clear();
  for (auto& [text, code] : codes) {
    code = static_cast<double>(column.levels.size());
    column.levels.push_back(text);
  }
  for (double& value : column.values) {
    if (std::isnan(value)) continue;
    const auto found = std::ranges::lower_bound(distinct, value);
    value = codes.at(texts[static_cast<std::size_t>(found - distinct.begin())]);
  }
  column.type = ColumnType::category;
}

void make_numeric(Column& column) {
  std::vector<double> numbers;
  for (const std::string& level : column.levels) numbers.push_back(parse_number(level).value_or(missing));
  for (double& value : column.values) {
    if (!std::isnan(value)) value = numbers[static_cast<std::size_t>(value)];
  }
  column.levels.clear();
  column.type = ColumnType::number;
}

void convert(Column& column, const TypeDecision& decision) {
  if (decision.type == ColumnType::category && column.type != ColumnType::category) {
    switch (column.type) {
      case ColumnType::boolean:
        return make_category(column, [](double value) { return value != 0 ? "true" : "false"; });
      case ColumnType::datetime:
        return make_category(column, format_datetime);
      default:
        return make_category(column, format_number);
    }
  }
  if (decision.type != ColumnType::category && column.type == ColumnType::category) make_numeric(column);
  column.type = decision.type;
}

std::size_t used_levels(const Column& column) {
  std::vector<bool> used(column.levels.size(), false);
  for (const double value : column.values) {
    if (!std::isnan(value)) used[static_cast<std::size_t>(value)] = true;
  }
  return static_cast<std::size_t>(std::ranges::count(used, true));
}

bool looks_like_identifiers(const Column& column) {
  const auto present = static_cast<std::size_t>(
      std::ranges::count_if(column.values, [](double value) { return !std::isnan(value); }));
  return present >= fewest_identifiers &&
         static_cast<double>(used_levels(column)) >= identifier_share * static_cast<double>(present);
}

/// What the cells of a column of text look like.
struct TextProfile {
  std::size_t present = 0;
  std::size_t numbers = 0;
  std::size_t distinct = 0;
  std::optional<std::pair<std::size_t, std::size_t>> other;  ///< table and row of the first that is none

  bool mostly_numbers() const { return static_cast<double>(numbers) > mostly * static_cast<double>(present); }
};

TextProfile profile_text(std::span<Column* const> columns) {
  TextProfile profile;
  std::vector<bool> number(columns[0]->levels.size());
  for (std::size_t i = 0; i < number.size(); ++i) {
    const CellClass kind = classify(columns[0]->levels[i]);
    number[i] = only(bits(kind), numeric_classes | bits(CellClass::written));
  }
  profile.distinct = number.size();
  for (std::size_t t = 0; t < columns.size(); ++t) {
    for (std::size_t row = 0; row < columns[t]->values.size(); ++row) {
      const double value = columns[t]->values[row];
      if (std::isnan(value)) continue;
      ++profile.present;
      const auto level = static_cast<std::size_t>(value);
      profile.numbers += number[level];
      if (!number[level] && !profile.other) profile.other = {t, row};
    }
  }
  return profile;
}

/// `show(planned, table, row)` says where a cell stands and what it holds.
template <typename Show>
void warn_of_mixed_text(std::span<const TextProfile> profiles, std::span<const PlannedColumn> plan,
                        std::span<const TypeDecision> decisions, const Show& show,
                        std::vector<Warning>& warnings) {
  std::vector<std::string> mixed;
  std::string example;
  std::string mostly_numbers;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const TextProfile& profile = profiles[j];
    if (profile.present == 0) continue;
    const bool few_codes = !profile.other && profile.distinct <= most_codes;
    if (profile.mostly_numbers() && !few_codes) {
      mostly_numbers += (mostly_numbers.empty() ? "" : ", ") + quoted(plan[j].name) + " (" +
                        std::to_string(profile.numbers) + " of " + std::to_string(profile.present) +
                        " cells, " +
                        (profile.other ? "but not " + show(j, profile.other->first, profile.other->second)
                                       : "as text or in several formats") +
                        ")";
    } else if (decisions[j].mixed) {
      if (mixed.empty() && profile.other)
        example = " (for example " + show(j, profile.other->first, profile.other->second) + ")";
      mixed.push_back(plan[j].name);
    }
  }
  if (!mostly_numbers.empty()) {
    warnings.push_back(
        {"mostly_numbers",
         "columns are compared as text although most of their cells look like numbers: " + mostly_numbers +
             "; correct the other cells or leave them empty, or confirm that they are text (option "
             "categorical)"});
  }
  if (!mixed.empty()) {
    warnings.push_back({"mixed_types", "columns with values of several types are compared as text: " +
                                           quoted_list(mixed) + example});
  }
}

/// Numbers of a typed table that become levels: their texts are not known any more.
void check_exact_levels(const Column& column, const std::string& label) {
  const bool numbers = column.type == ColumnType::number || column.type == ColumnType::integer;
  if (!numbers || !beyond_exact(column.values)) return;
  throw InvalidInput(label + ": column " + quoted(column.name) +
                     ": whole numbers beyond 9007199254740992 (2^53) are not exact as numbers; provide the "
                     "column as text to distinguish them");
}

void check_group(const Column& column, std::size_t table, const std::string& label,
                 const RowNamer& name_row) {
  const auto found = std::ranges::find_if(column.values, [](double value) { return std::isnan(value); });
  if (found == column.values.end()) return;
  throw InvalidInput(label + ": " + name_row(table, static_cast<std::size_t>(found - column.values.begin())) +
                         ", column " + quoted(column.name) + ": the group is missing (" + mention("group") +
                         "); every row needs one",
                     {.option = "group", .column = column.name});
}

/// Smaller parts of the largest weight vanish from single-precision sums, and whole folds with them.
constexpr double smallest_weight_share = 1e-30;

void check_weight(const Column& column, std::size_t table, const std::string& label,
                  const RowNamer& name_row) {
  const auto found = std::ranges::find_if(column.values, [](double value) { return !(value >= 0); });
  if (found != column.values.end()) {
    throw InvalidInput(label + ": " +
                           name_row(table, static_cast<std::size_t>(found - column.values.begin())) +
                           ", column " + quoted(column.name) + ": the weight is " +
                           (std::isnan(*found) ? "missing" : "negative (" + format_number(*found) + ")") +
                           " (" + mention("weight") + "); every row needs a number of at least 0",
                       {.option = "weight", .column = column.name});
  }
  if (std::ranges::all_of(column.values, [](double value) { return value == 0; })) {
    throw InvalidInput(
        label + ": column " + quoted(column.name) + ": all weights are 0 (" + mention("weight") + ")",
        {.option = "weight", .column = column.name});
  }
  const double largest = std::ranges::max(column.values);
  const auto vanishing = std::ranges::find_if(
      column.values, [&](double value) { return value > 0 && value / largest < smallest_weight_share; });
  if (vanishing != column.values.end()) {
    throw InvalidInput(label + ": " +
                           name_row(table, static_cast<std::size_t>(vanishing - column.values.begin())) +
                           ", column " + quoted(column.name) + ": the weight " + format_number(*vanishing) +
                           " is nothing beside the largest, " + format_number(largest) + " (" +
                           mention("weight") + "); correct them, or give such rows the weight 0",
                       {.option = "weight", .column = column.name});
  }
}

/// Same type in all tables, same levels; `columns` are the planned column in each table that has it.
void unify_column(std::span<Column* const> columns, const TypeDecision& decision) {
  for (Column* column : columns) convert(*column, decision);
  if (decision.type == ColumnType::number) {
    const bool whole =
        std::ranges::all_of(columns, [](const Column* column) { return all_whole(column->values); });
    for (Column* column : columns) column->type = whole ? ColumnType::integer : ColumnType::number;
  }
  if (decision.type == ColumnType::category) {
    std::vector<std::string> levels;
    for (const Column* column : columns) {
      std::vector<std::string> merged;
      std::ranges::set_union(levels, column->levels, std::back_inserter(merged));
      levels = std::move(merged);
    }
    for (Column* column : columns) adopt_levels(*column, levels);
  }
}

}  // namespace

bool beyond_exact(std::span<const double> values) {
  return std::ranges::any_of(values, [](double value) { return std::abs(value) >= largest_exact_integer; });
}

void unify_columns(std::vector<Table>& tables, std::span<const PlannedColumn> plan,
                   std::span<const TypeDecision> decisions, const RowNamer& name_row,
                   std::vector<Warning>& warnings) {
  std::vector<std::uint8_t> empty(plan.size(), 0);
  std::vector<std::uint8_t> identifiers(plan.size(), 0);
  std::vector<std::uint8_t> inexact(plan.size(), 0);
  std::vector<TextProfile> profiles(plan.size());
  std::vector<std::string> labels;
  for (std::size_t t = 0; t < tables.size(); ++t) labels.push_back(table_label(tables[t].source, t));
  const std::size_t leading = std::min<std::size_t>(tables.size(), 2);
  // A table that lacks a role column holds the later ones further to the front.
  const auto column_of = [&](Table& table, std::size_t t, std::size_t planned) -> Column* {
    if (plan[planned].sources[t] == no_column) return nullptr;
    std::size_t index = 0;
    if (plan[planned].role == Role::feature) return &table.columns[planned];
    for (std::size_t j = 0; j < planned; ++j) index += plan[j].sources[t] != no_column;
    return &table.columns[index];
  };
  for (std::size_t j = 0; j < plan.size(); ++j) {
    for (std::size_t t = 0; t < tables.size() && decisions[j].type == ColumnType::category; ++t) {
      const Column* column = column_of(tables[t], t, j);
      if (column != nullptr) check_exact_levels(*column, labels[t]);
    }
  }
  parallel_for(plan.size(), [&](std::size_t j) {
    std::vector<Column*> columns;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (Column* column = column_of(tables[t], t, j)) columns.push_back(column);
    }
    unify_column(columns, decisions[j]);
    if (plan[j].role != Role::feature) return;
    const std::span<Column* const> ours(columns.data(), leading);
    empty[j] = std::ranges::all_of(ours, [](const Column* column) { return all_missing(column->values); });
    identifiers[j] =
        decisions[j].type == ColumnType::category &&
        std::ranges::any_of(ours, [](const Column* column) { return looks_like_identifiers(*column); });
    inexact[j] =
        decisions[j].type == ColumnType::number &&
        std::ranges::any_of(ours, [](const Column* column) { return beyond_exact(column->values); }) &&
        std::ranges::all_of(ours, [](const Column* column) { return may_be_keys(column->values); });
    if (decisions[j].type == ColumnType::category && !plan[j].categorical)
      profiles[j] = profile_text(columns);
  });

  std::vector<std::string> empty_names;
  std::vector<std::string> identifier_names;
  std::vector<std::string> inexact_names;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (empty[j]) empty_names.push_back(plan[j].name);
    if (identifiers[j]) identifier_names.push_back(plan[j].name);
    if (inexact[j]) inexact_names.push_back(plan[j].name);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const Column* column = plan[j].role == Role::feature ? nullptr : column_of(tables[t], t, j);
      if (column == nullptr) continue;
      if (plan[j].role == Role::group) check_group(*column, t, labels[t], name_row);
      if (plan[j].role == Role::weight) check_weight(*column, t, labels[t], name_row);
    }
  }
  const auto show = [&](std::size_t j, std::size_t t, std::size_t row) {
    const Column& column = *column_of(tables[t], t, j);
    return labels[t] + ": " + name_row(t, row) + ", column " + quoted(column.name) + ": " +
           quoted(column.levels[static_cast<std::size_t>(column.values[row])]);
  };
  warn_of_mixed_text(profiles, plan, decisions, show, warnings);
  if (!inexact_names.empty()) {
    warnings.push_back({"inexact_integers",
                        "whole numbers beyond 9007199254740992 (2^53) are compared with a precision of 53 "
                        "bits, so neighbouring values may be treated as equal: " +
                            quoted_list(inexact_names) +
                            "; if they are keys, compare them as text (option categorical), or leave them "
                            "out (option ignore)"});
  }
  if (!identifier_names.empty()) {
    warnings.push_back(
        {"identifier_like",
         "columns with a different text in nearly every row, such as names or record numbers: " +
             quoted_list(identifier_names) + "; if they are identifiers, leave them out (option ignore)"});
  }
  if (empty_names.empty()) return;
  warnings.push_back({"all_missing", "columns without any values are left out: " + quoted_list(empty_names)});
  const auto features =
      static_cast<std::size_t>(std::ranges::count(plan, Role::feature, &PlannedColumn::role));
  if (empty_names.size() == features)
    throw InvalidInput("every column is empty in all tables; there is nothing to compare");
  for (Table& table : tables) {
    std::vector<Column> kept;
    for (std::size_t j = 0; j < table.columns.size(); ++j) {
      if (j >= features || !empty[j]) kept.push_back(std::move(table.columns[j]));
    }
    table.columns = std::move(kept);
  }
}

}  // namespace jsdiv
