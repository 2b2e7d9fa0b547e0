#include "load/reconcile.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"

namespace jsdiv {
namespace {

constexpr std::string_view written_numbers_note = "written_numbers";
constexpr CellClasses readable_numbers = numeric_classes | bits(CellClass::written);

bool is_written(const ColumnPart& part) {
  return part.levels != nullptr && (part.classes & bits(CellClass::written)) != 0;
}

/// Replaces each code by what `read` makes of its text.
template <typename Read>
void read_levels(ColumnPart& part, CellClasses classes, const Read& read) {
  std::vector<double> numbers;
  for (const std::string& level : *part.levels) {
    const std::optional<double> number = read(level);
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
    } else if (only(typed, numeric_classes) && only(found, readable_numbers)) {
      part.classes = found;
    } else if (only(typed, bits(CellClass::boolean)) && only(found, bits(CellClass::boolean))) {
      read_levels(part, found, [](const std::string& level) -> std::optional<double> {
        const std::optional<bool> flag = parse_boolean(level);
        return flag ? std::optional(*flag ? 1.0 : 0.0) : std::nullopt;
      });
    } else if (only(typed, datetime_classes) &&
               (only(found, bits(CellClass::date) | bits(CellClass::local_time)) ||
                only(found, bits(CellClass::date) | bits(CellClass::zoned_time)))) {
      read_levels(part, bits(CellClass::date), parse_datetime);
    }
  }
}

/// 0 and 1 say the same as true and false.
void join_zero_one(std::span<ColumnPart> parts) {
  const auto holds_zero_one = [](const ColumnPart& part) {
    return part.levels == nullptr && part.values != nullptr && part.classes == bits(CellClass::number) &&
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
    if ((parts[t].classes & ~readable_numbers) != 0) return std::nullopt;
    if (!is_written(parts[t])) continue;
    for (const std::string& level : *parts[t].levels) {
      const std::optional<double> plain = parse_number(level);
      if (!plain || std::isfinite(*plain)) found[t].add(level);
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

std::optional<NumberForm> read_written(const std::string& name, std::span<ColumnPart> parts) {
  if (std::ranges::none_of(parts, is_written)) return std::nullopt;
  const std::optional<std::vector<NumberForm>> forms = find_forms(parts);
  if (!forms) return std::nullopt;
  for (std::size_t t = 1; t < parts.size(); ++t) {
    for (std::size_t s = 0; s < t; ++s) {
      if (parts[s].classes == 0 || parts[t].classes == 0 || (*forms)[s].agrees_with((*forms)[t])) continue;
      throw InvalidInput(parts[t].label + ": column " + quoted(name) + ": the numbers are " +
                         measure((*forms)[t]) + ", but " + measure((*forms)[s]) + " in " + parts[s].label +
                         "; write both alike, or compare the column as text with --categorical " + name);
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
  return all;
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
    const std::optional<NumberForm> form = read_written(plan[j].name, parts);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      if (parts[t].classes == classes[t][j]) continue;
      classes[t][j] = parts[t].classes;
      if (parts[t].levels == nullptr) changed(t, j);
    }
    if (!form) continue;
    const std::string how = form->describe();
    forms += (forms.empty() ? "" : ", ") + quoted(plan[j].name) + (how.empty() ? "" : " (" + how + ")");
  }
  if (forms.empty()) return;
  warnings.push_back({std::string(written_numbers_note), "numbers were read as they are written: " + forms +
                                                             "; --categorical compares a column as text"});
}

bool is_note(const Warning& warning) {
  return warning.code == written_numbers_note;
}

}  // namespace jsdiv
