#include "load/schema.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "core/text_hash.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using Positions = std::unordered_map<std::string_view, std::size_t, TextHash>;
using Names = std::unordered_set<std::string_view, TextHash>;

constexpr CellClasses any_class = 0xFFFF;

/// The matching of one call: headers with their positions by name.
struct Matching {
  std::span<const TableHeader> tables;
  std::vector<Positions> positions;

  bool has(std::size_t table, std::string_view name) const { return positions[table].contains(name); }
  /// P and Q decide which columns there are.
  std::size_t leading_tables() const { return std::min<std::size_t>(tables.size(), 2); }
};

std::string every_label(const Matching& matching) {
  std::string labels = matching.tables[0].label;
  for (std::size_t t = 1; t < matching.leading_tables(); ++t) labels += " and " + matching.tables[t].label;
  return labels;
}

/// Throws unless the name exists in P and Q (all_leading) or at least somewhere.
void require_name(const Matching& matching, std::string_view option, const std::string& name,
                  bool all_leading) {
  std::size_t found = 0;
  std::size_t lacking = 0;
  const std::size_t count = all_leading ? matching.leading_tables() : matching.tables.size();
  for (std::size_t t = count; t-- > 0;) {
    if (matching.has(t, name)) {
      ++found;
    } else {
      lacking = t;
    }
  }
  if (all_leading ? found == count : found > 0) return;
  throw InvalidInput(matching.tables[lacking].label + ": no column " + quoted(name) + " (" + mention(option) +
                         ")" + did_you_mean(name, matching.tables[lacking].names),
                     {.option = std::string(option), .column = name});
}

void check_options(const Matching& matching, const LoadOptions& options) {
  for (const auto& name : options.columns) require_name(matching, "columns", name, true);
  for (const auto& name : options.ignore) require_name(matching, "ignore", name, false);
  for (const auto& name : options.categorical) require_name(matching, "categorical", name, false);
  for (const auto& name : options.numeric) require_name(matching, "numeric", name, false);
  if (!options.group.empty()) require_name(matching, "group", options.group, true);
  if (!options.weight.empty()) require_name(matching, "weight", options.weight, true);

  const auto forbid_both = [](std::span<const std::string> a, std::string_view option_a,
                              std::span<const std::string> b, std::string_view option_b) {
    const Names names(a.begin(), a.end());
    for (const std::string& name : b) {
      if (!names.contains(name)) continue;
      throw InvalidInput("column " + quoted(name) + " is listed in both " + mention(option_a) + " and " +
                             mention(option_b) + "; choose one",
                         {.option = std::string(option_b), .column = name});
    }
  };
  forbid_both(options.categorical, "categorical", options.numeric, "numeric");
  forbid_both(options.columns, "columns", options.ignore, "ignore");
  if (options.weight.empty()) return;
  forbid_both(std::span(&options.group, 1), "group", std::span(&options.weight, 1), "weight");
  forbid_both(options.categorical, "categorical", std::span(&options.weight, 1), "weight");
}

void warn_unmatched(const Matching& matching, const Names& chosen, const Names& left_out, bool restricted,
                    std::vector<Warning>& warnings) {
  if (restricted) return;  // with --columns the user has said what is wanted
  std::string lists;
  for (std::size_t t = 0; t < matching.tables.size(); ++t) {
    std::vector<std::string> unmatched;
    for (const std::string& name : matching.tables[t].names) {
      if (!chosen.contains(name) && !left_out.contains(name)) unmatched.push_back(name);
    }
    // A further table is compared with P and Q; a column that it shares with only one of them is listed
    // there.
    if (t >= 2) {
      std::erase_if(unmatched,
                    [&](const std::string& name) { return matching.has(0, name) || matching.has(1, name); });
    }
    if (unmatched.empty()) continue;
    lists += (lists.empty() ? "" : "; ") + std::string("only in ") + matching.tables[t].label + ": " +
             quoted_list(unmatched);
  }
  if (!lists.empty())
    warnings.push_back({"unmatched_columns", "columns that are not in every table are left out: " + lists});
}

/// Keeps the order of the files where P and Q agree on it, and otherwise sorts by name, so that neither
/// decides.
void order_features(const Matching& matching, std::vector<std::string>& features) {
  for (std::size_t t = 1; t < matching.leading_tables(); ++t) {
    const auto position = [&](const std::string& name) { return matching.positions[t].at(name); };
    if (!std::ranges::is_sorted(features, {}, position)) {
      std::ranges::sort(features);
      return;
    }
  }
}

std::string at_column(const TableHeader& table, const FoundCell& cell, const std::string& name) {
  return table.label + ": " + cell.where + ", column " + quoted(name) + ": ";
}

/// The messages about one column whose cells do not go together.
class ColumnJudge {
 public:
  ColumnJudge(std::span<const TableHeader> tables, const std::vector<std::vector<CellClasses>>& classes,
              const CellFinder& find_cell, std::size_t planned, const PlannedColumn& column)
      : tables_(tables), classes_(classes), find_cell_(find_cell), planned_(planned), column_(column) {}

  [[noreturn]] void reject_infinite(std::size_t table) const {
    const FoundCell cell = find_cell_(table, planned_, bits(CellClass::infinite));
    throw InvalidInput(at_column(tables_[table], cell, column_.name) + quoted(cell.value) +
                           " is not finite; replace it with a number or leave the cell empty" +
                           (column_.role == Role::feature
                                ? ", or leave the column out with " + mention("ignore", column_.name)
                                : Message("")),
                       {.option = "", .column = column_.name});
  }

  [[noreturn]] void reject_text(std::size_t table) const {
    const FoundCell cell = find_other(table, numeric_classes);
    const std::string option = column_.role == Role::weight ? "weight" : "numeric";
    throw InvalidInput(at_column(tables_[table], cell, column_.name) + quoted(cell.value) +
                           " is not a number (" + mention(option) + "); correct it or leave the cell empty",
                       {.option = option, .column = column_.name});
  }

  [[noreturn]] void reject_conflict(std::size_t table, std::size_t pure_table, CellClasses pure,
                                    std::string_view what) const {
    const FoundCell cell = find_other(table, pure);
    const bool flag = parse_boolean(cell.value).has_value() && pure == numeric_classes;
    throw InvalidInput(at_column(tables_[table], cell, column_.name) + quoted(cell.value) + " is not a " +
                           std::string(what) + ", but every value in " + tables_[pure_table].label + " is; " +
                           (flag ? "write 1 and 0 for true and false" : "correct it") +
                           ", or compare the column as text with " + mention("categorical", column_.name),
                       {.option = "", .column = column_.name});
  }

  /// Times with and without a zone cannot be put in one order.
  [[noreturn]] void reject_zones(std::size_t local_table, std::size_t zoned_table) const {
    const FoundCell local = find_cell_(local_table, planned_, bits(CellClass::local_time));
    const FoundCell zoned = find_cell_(zoned_table, planned_, bits(CellClass::zoned_time));
    throw InvalidInput(at_column(tables_[local_table], local, column_.name) + quoted(local.value) +
                       " has no time zone, but " + quoted(zoned.value) + " in " + tables_[zoned_table].label +
                       ", " + zoned.where +
                       ", has one; give every time its zone, such as Z or +01:00, or none of them");
  }

 private:
  /// A cell of another class, text before numbers that are only written in an unusual way.
  FoundCell find_other(std::size_t table, CellClasses expected) const {
    const auto others = static_cast<CellClasses>(~expected);
    const auto text = static_cast<CellClasses>(others & ~written_classes);
    return find_cell_(table, planned_, (classes_[table][planned_] & text) != 0 ? text : others);
  }

  std::span<const TableHeader> tables_;
  const std::vector<std::vector<CellClasses>>& classes_;
  const CellFinder& find_cell_;
  std::size_t planned_;
  const PlannedColumn& column_;
};

}  // namespace

std::string table_label(const std::string& source, std::size_t index) {
  if (!source.empty()) return source;
  return index == 0 ? "P" : index == 1 ? "Q" : "table " + std::to_string(index + 1);
}

std::vector<PlannedColumn> plan_columns(std::span<const TableHeader> tables, const LoadOptions& options,
                                        std::vector<Warning>& warnings) {
  JSDIV_ASSERT(!tables.empty());
  Matching matching{tables, std::vector<Positions>(tables.size())};
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (std::size_t j = 0; j < tables[t].names.size(); ++j) {
      if (!matching.positions[t].emplace(tables[t].names[j], j).second) {
        throw InvalidInput(tables[t].label + ": two columns are named " + quoted(tables[t].names[j]) +
                           "; rename one of them");
      }
    }
  }
  check_options(matching, options);

  const Names wanted(options.columns.begin(), options.columns.end());
  Names left_out(options.ignore.begin(), options.ignore.end());
  if (!options.group.empty()) left_out.insert(options.group);
  if (!options.weight.empty()) left_out.insert(options.weight);
  std::vector<std::string> features;
  bool any_common = false;
  for (const std::string& name : tables[0].names) {
    if (matching.leading_tables() == 2 && !matching.has(1, name)) continue;
    any_common = true;
    if (left_out.contains(name) || (!wanted.empty() && !wanted.contains(name))) continue;
    for (std::size_t t = 2; t < tables.size(); ++t) {
      if (matching.has(t, name)) continue;
      throw InvalidInput(tables[t].label + ": no column " + quoted(name) + ", which " +
                             every_label(matching) + " have; add it, or leave it out with " +
                             mention("ignore", name),
                         {.option = "", .column = name});
    }
    features.push_back(name);
  }
  if (!any_common) {
    throw InvalidInput(every_label(matching) +
                       " have no column name in common; check that both files have a header line");
  }
  if (features.empty()) {
    throw InvalidInput("no column is left to compare; check " + mention("columns") + ", " +
                       mention("ignore") + ", " + mention("group") + " and " + mention("weight"));
  }
  order_features(matching, features);
  warn_unmatched(matching, Names(features.begin(), features.end()), left_out, !wanted.empty(), warnings);

  const Names categorical(options.categorical.begin(), options.categorical.end());
  const Names numeric(options.numeric.begin(), options.numeric.end());
  std::vector<PlannedColumn> plan;
  const auto add = [&](const std::string& name, Role role) {
    PlannedColumn column{name,
                         role,
                         role == Role::group || categorical.contains(name),
                         role == Role::weight || (role == Role::feature && numeric.contains(name)),
                         {}};
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const auto found = matching.positions[t].find(name);
      column.sources.push_back(found == matching.positions[t].end() ? no_column : found->second);
    }
    plan.push_back(std::move(column));
  };
  for (const std::string& name : features) add(name, Role::feature);
  if (!options.group.empty()) add(options.group, Role::group);
  if (!options.weight.empty()) add(options.weight, Role::weight);
  return plan;
}

std::vector<TypeDecision> decide_types(std::span<const PlannedColumn> plan,
                                       std::span<const TableHeader> tables,
                                       const std::vector<std::vector<CellClasses>>& classes,
                                       const CellFinder& find_cell) {
  std::vector<TypeDecision> decisions(plan.size());
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const PlannedColumn& column = plan[j];
    const ColumnJudge judge(tables, classes, find_cell, j, column);
    const auto first_table_with = [&](CellClasses wanted) {
      std::size_t table = 0;
      while (table < tables.size() && (classes[table][j] & wanted) == 0) ++table;
      return table;
    };
    CellClasses all = 0;
    for (const auto& of_table : classes) all |= of_table[j];

    if (column.categorical) {
      const bool numbers = only(all, finite_classes);
      decisions[j] = {.type = ColumnType::category, .levels_are_numbers = numbers};
      continue;
    }
    const bool only_numbers = (all & ~numeric_classes) == 0;
    if (column.numeric && !only_numbers) judge.reject_text(first_table_with(~numeric_classes & any_class));
    if (only_numbers) {
      if ((all & bits(CellClass::infinite)) != 0)
        judge.reject_infinite(first_table_with(bits(CellClass::infinite)));
      decisions[j] = {.type = ColumnType::number};
      continue;
    }
    if (all == bits(CellClass::boolean)) {
      decisions[j] = {.type = ColumnType::boolean};
      continue;
    }
    if (only(all, datetime_classes)) {
      const std::size_t local = first_table_with(bits(CellClass::local_time));
      const std::size_t zoned = first_table_with(bits(CellClass::zoned_time));
      if (local < tables.size() && zoned < tables.size()) judge.reject_zones(local, zoned);
      decisions[j] = {.type = ColumnType::datetime};
      continue;
    }
    for (const auto& [pure, what] : {std::pair{numeric_classes, "number"}, {datetime_classes, "date"}}) {
      for (std::size_t t = 0; t < tables.size(); ++t) {
        const bool is_pure = classes[t][j] != 0 && (classes[t][j] & ~pure) == 0;
        if (is_pure) judge.reject_conflict(first_table_with(static_cast<CellClasses>(~pure)), t, pure, what);
      }
    }
    decisions[j] = {.type = ColumnType::category, .mixed = (all & (numeric_classes | datetime_classes)) != 0};
  }
  return decisions;
}

}  // namespace jsdiv
