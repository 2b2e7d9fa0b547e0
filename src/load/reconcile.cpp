#include "load/reconcile.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "load/written_date.hpp"

namespace jsdiv {
namespace {

constexpr std::string_view written_numbers_note = "written_numbers";
constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr CellClasses readable_numbers = numeric_classes | bits(CellClass::written) | bits(CellClass::marker);
constexpr CellClasses readable_dates =
    datetime_classes | bits(CellClass::written_date) | bits(CellClass::marker);
constexpr CellClasses readable_clocks = bits(CellClass::clock) | bits(CellClass::marker);

bool is_text_of(const ColumnPart& part, CellClasses classes) {
  return part.levels != nullptr && only(part.classes, classes);
}

/// Numbers that are kept as text, because some of them are no plain numbers.
bool is_written(const ColumnPart& part) {
  return is_text_of(part, readable_numbers) && (part.classes & written_classes) != 0;
}

/// True if each part that has cells has only such ones, and some part more than markers.
bool all_of(std::span<const ColumnPart> parts, CellClasses classes) {
  const auto beyond = static_cast<CellClasses>(classes & ~bits(CellClass::marker));
  return std::ranges::all_of(parts, [&](const ColumnPart& part) { return (part.classes & ~classes) == 0; }) &&
         std::ranges::any_of(parts, [&](const ColumnPart& part) { return (part.classes & beyond) != 0; });
}

/// Replaces each code by what `read` makes of its text.
template <typename Read>
void read_levels(ColumnPart& part, CellClasses classes, const Read& read) {
  std::vector<double> numbers;
  for (const std::string& level : *part.levels) {
    const std::optional<double> number = is_marker(level) ? missing : read(level);
    JSDIV_ASSERT(number.has_value());
    numbers.push_back(*number);
  }
  for (double& value : *part.values) {
    if (!std::isnan(value)) value = numbers[static_cast<std::size_t>(value)];
  }
  part.levels->clear();
  part.levels = nullptr;
  part.classes = classes;
}

CellClasses classes_of_levels(const ColumnPart& part) {
  CellClasses classes = 0;
  for (const std::string& level : *part.levels) classes |= bits(classify(level));
  return classes;
}

/// What text in memory can become, because the other tables are that.
void adopt_types(std::span<ColumnPart> parts) {
  CellClasses typed = 0;
  for (const ColumnPart& part : parts) {
    if (!part.may_adopt) typed |= part.classes;
  }
  for (ColumnPart& part : parts) {
    if (!part.may_adopt || part.levels == nullptr || typed == 0) continue;
    const CellClasses found = classes_of_levels(part);
    if (only(typed, numeric_classes) && only(found, numeric_classes)) {
      read_levels(part, found, parse_number);
    } else if (only(typed, bits(CellClass::boolean)) && only(found, bits(CellClass::boolean))) {
      read_levels(part, found, [](const std::string& level) -> std::optional<double> {
        const std::optional<bool> flag = parse_boolean(level);
        return flag ? std::optional(*flag ? 1.0 : 0.0) : std::nullopt;
      });
    } else if (only(typed, datetime_classes) &&
               (only(found, bits(CellClass::date) | bits(CellClass::local_time)) ||
                only(found, bits(CellClass::date) | bits(CellClass::zoned_time)))) {
      read_levels(part, bits(CellClass::date), parse_datetime);
    } else if ((only(typed, numeric_classes) && only(found, readable_numbers)) ||
               (only(typed, datetime_classes) && only(found, readable_dates))) {
      part.classes = found;
    }
  }
}

/// Text in memory that is dates in every table: nobody means names by them.
void adopt_dates(std::span<ColumnPart> parts) {
  std::vector<CellClasses> found(parts.size(), 0);
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (parts[t].classes == 0) continue;
    if (!parts[t].may_adopt || parts[t].levels == nullptr) return;
    found[t] = classes_of_levels(parts[t]);
    if (!only(found[t], readable_dates) || only(found[t], bits(CellClass::marker))) return;
  }
  for (std::size_t t = 0; t < parts.size(); ++t) parts[t].classes = found[t];
}

/// 0 and 1 say the same as true and false.
void join_zero_one(std::span<ColumnPart> parts) {
  const auto holds_zero_one = [](const ColumnPart& part) {
    return part.levels == nullptr && part.values != nullptr && only(part.classes, finite_classes) &&
           std::ranges::all_of(*part.values,
                               [](double value) { return std::isnan(value) || value == 0 || value == 1; });
  };
  bool any_boolean = false;
  for (const ColumnPart& part : parts) {
    const bool boolean = part.classes == bits(CellClass::boolean);
    any_boolean |= boolean;
    if (!boolean && part.classes != 0 && !holds_zero_one(part)) return;
  }
  if (!any_boolean) return;
  for (ColumnPart& part : parts) {
    if (part.classes != 0) part.classes = bits(CellClass::boolean);
  }
}

std::string measure(const NumberForm& form) {
  if (!form.unit.empty()) return "in " + form.unit;
  return form.currency.empty() ? "without a unit" : "in " + form.currency;
}

/// One form for each part that is written; none if not all of them can be read.
std::optional<std::vector<NumberForm>> find_forms(std::span<const ColumnPart> parts) {
  std::vector<WrittenNumbers> found(parts.size());
  std::optional<NumberMark> decimal;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (!is_written(parts[t])) continue;
    for (const std::string& level : *parts[t].levels) {
      const std::optional<double> plain = parse_number(level);
      if (!is_marker(level) && (!plain || std::isfinite(*plain))) found[t].add(level);
    }
    if (!found[t].consistent()) return std::nullopt;
    // Each table may have a convention of its own; one that leaves it open follows the others.
    if (!decimal) decimal = found[t].decimal();
  }
  std::vector<NumberForm> forms(parts.size());
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (is_written(parts[t])) forms[t] = found[t].form(decimal.value_or(parts[t].decimal_if_open));
  }
  return forms;
}

/// Reads the numbers of a column as they are written; what can be said about it, or nothing.
std::optional<std::string> read_numbers(const std::string& name, std::span<ColumnPart> parts) {
  if (!all_of(parts, readable_numbers) || std::ranges::none_of(parts, is_written)) return std::nullopt;
  const std::optional<std::vector<NumberForm>> forms = find_forms(parts);
  if (!forms) return std::nullopt;
  for (std::size_t t = 1; t < parts.size(); ++t) {
    for (std::size_t s = 0; s < t; ++s) {
      if (parts[s].classes == 0 || parts[t].classes == 0 || (*forms)[s].agrees_with((*forms)[t])) continue;
      throw InvalidInput(parts[t].label + ": column " + quoted(name) + ": the numbers are " +
                         measure((*forms)[t]) + ", but " + measure((*forms)[s]) + " in " + parts[s].label +
                         "; write both the same way, or compare the column as text with " +
                         mention("categorical", name));
    }
  }
  NumberForm all;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (!is_written(parts[t])) continue;
    const NumberForm& form = (*forms)[t];
    const auto classes =
        static_cast<CellClasses>((parts[t].classes & numeric_classes) | bits(CellClass::number));
    read_levels(parts[t], classes, [&](const std::string& level) {
      const std::optional<double> plain = parse_number(level);
      return plain && std::isinf(*plain) ? plain : parse_written(level, form);
    });
    if (form.decimal == NumberMark::comma) all.decimal = NumberMark::comma;
    all.grouped |= form.grouped;
    if (all.currency.empty()) all.currency = form.currency;
    all.unit = form.unit;
  }
  return all.describe();
}

/// The same for dates. Each table may have an order of its own; one that leaves it open follows the others.
std::optional<std::string> read_dates(std::span<ColumnPart> parts) {
  const auto is_text = [](const ColumnPart& part) { return is_text_of(part, readable_dates); };
  if (!all_of(parts, readable_dates) || std::ranges::none_of(parts, is_text)) return std::nullopt;
  std::vector<WrittenDates> found(parts.size());
  std::optional<DateOrder> decided;
  bool ordered = false;
  bool any_written = false;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (!is_text(parts[t])) continue;
    for (const std::string& level : *parts[t].levels) {
      if (is_marker(level) || parse_datetime(level)) continue;
      found[t].add(level);
      any_written = true;
    }
    constexpr CellClasses both_times = bits(CellClass::zoned_time) | bits(CellClass::local_time);
    if (!found[t].consistent() || (parts[t].classes & both_times) == both_times) return std::nullopt;
    if (!decided) decided = found[t].order();
    ordered |= found[t].ordered();
  }
  bool month_first = false;
  for (std::size_t t = 0; t < parts.size(); ++t) {
    if (!is_text(parts[t])) continue;
    const DateOrder order = found[t].order().value_or(decided.value_or(found[t].customary()));
    month_first |= order == DateOrder::month_first;
    const auto has = [&](CellClass kind) { return (parts[t].classes & bits(kind)) != 0; };
    const bool zoned = has(CellClass::zoned_time);
    const bool local = has(CellClass::local_time);
    const CellClass kind = zoned ? CellClass::zoned_time : local ? CellClass::local_time : CellClass::date;
    read_levels(parts[t], bits(kind), [&](const std::string& level) {
      const std::optional<double> plain = parse_datetime(level);
      return plain ? plain : parse_written_date(level, order);
    });
  }
  if (!any_written) return "dates";
  return ordered ? month_first ? "dates, month first" : "dates, day first" : "dates";
}

/// The same for times of the day and lengths of time, in seconds.
std::optional<std::string> read_clocks(std::span<ColumnPart> parts) {
  const auto is_text = [](const ColumnPart& part) { return is_text_of(part, readable_clocks); };
  if (!all_of(parts, readable_clocks) || std::ranges::none_of(parts, is_text)) return std::nullopt;
  bool minutes_first = false;
  for (const ColumnPart& part : parts) {
    WrittenClocks found;
    for (const std::string& level : part.levels ? *part.levels : std::vector<std::string>{}) found.add(level);
    minutes_first |= found.minutes_first();
  }
  const ClockUnit unit = minutes_first ? ClockUnit::minutes : ClockUnit::hours;
  for (ColumnPart& part : parts) {
    if (is_text(part)) {
      read_levels(part, bits(CellClass::number),
                  [&](const std::string& level) { return parse_clock(level, unit); });
    }
  }
  return minutes_first ? "minutes and seconds" : "hours and minutes";
}

/// What no form reads is text.
void leave_as_text(std::span<ColumnPart> parts) {
  constexpr auto never_plain = static_cast<CellClasses>(written_classes & ~bits(CellClass::written));
  for (ColumnPart& part : parts) {
    if ((part.classes & never_plain) == 0) continue;
    part.classes = static_cast<CellClasses>((part.classes & ~never_plain) | bits(CellClass::text));
  }
}

}  // namespace

void reconcile_columns(std::span<const PlannedColumn> plan, std::span<const TableHeader> tables,
                       std::vector<std::vector<CellClasses>>& classes,
                       const std::function<ColumnPart(std::size_t, std::size_t)>& part_of,
                       const std::function<void(std::size_t, std::size_t)>& changed,
                       std::vector<Warning>& warnings) {
  std::string forms;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (plan[j].categorical) continue;
    std::vector<ColumnPart> parts;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      parts.push_back(part_of(t, j));
      parts.back().label = tables[t].label;
      parts.back().classes = classes[t][j];
    }
    adopt_types(parts);
    if (!plan[j].numeric) join_zero_one(parts);
    adopt_dates(parts);
    std::optional<std::string> how = read_numbers(plan[j].name, parts);
    if (!how) how = read_dates(parts);
    if (!how) how = read_clocks(parts);
    leave_as_text(parts);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (parts[t].classes == classes[t][j]) continue;
      classes[t][j] = parts[t].classes;
      if (parts[t].levels == nullptr) changed(t, j);
    }
    if (how)
      forms += (forms.empty() ? "" : ", ") + quoted(plan[j].name) + (how->empty() ? "" : " (" + *how + ")");
  }
  if (forms.empty()) return;
  warnings.push_back(
      {std::string(written_numbers_note), "columns were converted from the way they are written: " + forms +
                                              "; use the option categorical to compare a column as text"});
}

bool is_note(const Warning& warning) {
  return warning.code == written_numbers_note;
}

}  // namespace jsdiv
