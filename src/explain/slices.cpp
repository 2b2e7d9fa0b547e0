#include "explain/slices.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/calendar.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "explain/cells.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr int most_depth = 3;
constexpr double least_share_of_rows = 0.02;
constexpr std::size_t least_rows = 20;
/// Thresholds that are tried for a column of numbers.
constexpr std::size_t most_thresholds = 128;
/// Levels that a rule lists; a cut that needs more is not tried.
constexpr std::size_t most_levels_listed = 3;
/// A cut must remove this share of what varies in its part, or it is chance and not worth a reader's time.
constexpr double least_gain_share = 0.01;
constexpr std::size_t ranges_of_by = 10;

using RowList = std::vector<std::uint32_t>;

/// The shortest number t with low < t <= high.
double short_number_between(double low, double high) {
  const double middle = low + 0.5 * (high - low);
  for (int digits = 1; digits <= 16; ++digits) {
    const double scale =
        middle == 0 ? 1 : std::pow(10.0, digits - 1 - std::floor(std::log10(std::abs(middle))));
    const double rounded = std::round(middle * scale) / scale;
    if (std::isfinite(rounded) && rounded > low && rounded <= high) return rounded;
  }
  return high;
}

/// The coarsest point in time t with low < t <= high: the beginning of a year, a month, a day, an hour, …
double short_time_between(double low, double high) {
  constexpr double day = 86400;
  if (!std::isfinite(low) || !std::isfinite(high)) return high;
  const auto days = static_cast<std::int64_t>(std::floor(high / day));
  const CalendarDate date = date_from_days(days);
  const auto beginning = [](const CalendarDate& of) { return day * static_cast<double>(days_from_date(of)); };
  for (const double time :
       {beginning({date.year, 1, 1}), beginning({date.year, date.month, 1}), beginning(date),
        std::floor(high / 3600) * 3600, std::floor(high / 60) * 60, std::floor(high)}) {
    if (time > low) return time;
  }
  return high;
}

double short_value_between(ColumnType type, double low, double high) {
  return type == ColumnType::datetime ? short_time_between(low, high) : short_number_between(low, high);
}

std::string listed(const Column& column, std::span<const double> values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "" : ", ") + cell_text(column, value);
  return text;
}

/// One cut of a part: rows that meet the condition go to the first child.
struct Cut {
  std::size_t column = 0;
  bool by_levels = false;
  double threshold = 0;        ///< numbers: value < threshold; a missing cell does not meet it
  std::vector<double> levels;  ///< levels: value is one of these; NaN stands for missing
  double gain = 0;

  bool meets(double value) const {
    if (!by_levels) return value < threshold;
    return std::ranges::any_of(
        levels, [value](double level) { return level == value || (std::isnan(level) && std::isnan(value)); });
  }
};

/// One step from the root to a leaf.
struct Step {
  Cut cut;
  bool met = false;
  bool missing = false;  ///< rows with a missing cell came this far
};

/// True if rows without a value are among those that the steps let through.
bool may_be_missing(std::span<const Step* const> steps) {
  return std::ranges::all_of(steps, [](const Step* step) { return !step->met && step->missing; });
}

/// What the steps say about one column, in as few words as they need.
std::string condition(const Column& column, std::span<const Step* const> steps) {
  if (!steps[0]->cut.by_levels) {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool missing = true;
    for (const Step* step : steps) {
      (step->met ? high : low) =
          step->met ? std::min(high, step->cut.threshold) : std::max(low, step->cut.threshold);
      missing = missing && !step->met && step->missing;
    }
    if (std::isinf(low)) return column.name + " < " + cell_text(column, high);
    if (!std::isinf(high)) {
      return cell_text(column, low) + " ≤ " + column.name + " < " + cell_text(column, high);
    }
    return column.name + " ≥ " + cell_text(column, low) + (missing ? " or missing" : "");
  }
  std::vector<double> excluded;
  const std::vector<double>* chosen = nullptr;  // later steps choose among the earlier ones' levels
  for (const Step* step : steps) {
    if (step->met) {
      chosen = &step->cut.levels;
    } else {
      excluded.insert(excluded.end(), step->cut.levels.begin(), step->cut.levels.end());
    }
  }
  std::vector<double> levels = chosen != nullptr ? *chosen : excluded;
  if (chosen != nullptr) {
    std::erase_if(levels, [&](double level) { return std::ranges::count(excluded, level) > 0; });
  }
  bool in = chosen != nullptr;
  if (!in && column.type == ColumnType::category && !column.levels.empty() && !may_be_missing(steps)) {
    // One level is left: say which.
    std::vector<double> left;
    for (std::size_t level = 0; level < column.levels.size(); ++level) {
      const auto code = static_cast<double>(level);
      if (std::ranges::count(excluded, code) == 0) left.push_back(code);
    }
    if (left.size() == 1) in = true, levels = std::move(left);
  }
  const bool single = levels.size() == 1;
  const char* relation = in ? (single ? " = " : " in {") : (single ? " ≠ " : " not in {");
  return column.name + relation + listed(column, levels) + (single ? "" : "}");
}

struct Target {
  std::vector<double> posterior;  ///< [rows]
  std::vector<double> worth;      ///< [rows] 1 - h(posterior)
  std::vector<double> weight;     ///< [rows] each table's weights add up to half
};

/// Sums that give what varies in a part.
struct Moments {
  double weight = 0, posterior = 0, worth = 0;
  std::size_t rows = 0;

  void add(const Target& target, std::uint32_t row) {
    weight += target.weight[row];
    posterior += target.weight[row] * target.posterior[row];
    worth += target.weight[row] * target.worth[row];
    ++rows;
  }
  void add(const Moments& other) {
    weight += other.weight;
    posterior += other.posterior;
    worth += other.worth;
    rows += other.rows;
  }
  /// Weight times squared means: a cut gains by what this grows by.
  double explained() const { return weight > 0 ? (posterior * posterior + worth * worth) / weight : 0; }
};

Moments difference(const Moments& whole, const Moments& part) {
  return {whole.weight - part.weight, whole.posterior - part.posterior, whole.worth - part.worth,
          whole.rows - part.rows};
}

class Tree {
 public:
  explicit Tree(const ExplainedTables& tables) : tables_(tables) {
    const std::vector<double> shares = class_shares(tables.rows());
    for (std::size_t row = 0; row < shares.size(); ++row) {
      const double posterior = sigmoid(tables.log_odds[row]);
      const auto part = [](double p) { return p > 0 ? -p * std::log2(p) : 0; };
      target_.posterior.push_back(posterior);
      target_.worth.push_back(1 - part(posterior) - part(1 - posterior));
      target_.weight.push_back(0.5 * shares[row]);
    }
    least_rows_ = std::max(
        least_rows, static_cast<std::size_t>(least_share_of_rows * static_cast<double>(shares.size())));
    const RowList all = row_range(0, shares.size());
    Moments whole;
    double variation = 0;
    for (const std::uint32_t row : all) {
      whole.add(target_, row);
      variation += target_.weight[row] * (target_.posterior[row] * target_.posterior[row] +
                                          target_.worth[row] * target_.worth[row]);
    }
    least_gain_ = least_gain_share * std::max(0.0, variation - whole.explained());
    grow(all, {}, 0);
  }

  struct Leaf {
    RowList rows;
    std::vector<Step> steps;
  };
  std::vector<Leaf> leaves;

 private:
  void grow(const RowList& rows, const std::vector<Step>& steps, int depth) {
    const std::optional<Cut> cut = depth < most_depth ? best_cut(rows) : std::nullopt;
    if (!cut) {
      leaves.push_back({rows, steps});
      return;
    }
    const Column& column = tables_.sample.columns[cut->column];
    std::array<RowList, 2> parts;
    bool missing = false;
    for (const std::uint32_t row : rows) {
      const double value = column.values[row];
      parts[cut->meets(value) ? 0 : 1].push_back(row);
      missing = missing || std::isnan(value);
    }
    for (const std::size_t side : {0, 1}) {
      std::vector<Step> longer = steps;
      longer.push_back({*cut, side == 0, missing});
      grow(parts[side], longer, depth + 1);
    }
  }

  std::optional<Cut> best_cut(const RowList& rows) const {
    std::vector<std::optional<Cut>> best(tables_.sample.columns.size());
    parallel_for(best.size(), [&](std::size_t j) {
      const ColumnType type = tables_.sample.columns[j].type;
      best[j] = type == ColumnType::category || type == ColumnType::boolean ? best_levels(rows, j)
                                                                            : best_threshold(rows, j);
    });
    std::optional<Cut> result;
    for (const std::optional<Cut>& cut : best) {
      if (cut && cut->gain > least_gain_ && (!result || cut->gain > result->gain)) result = cut;
    }
    return result;
  }

  bool large_enough(const Moments& part, const Moments& whole) const {
    return part.rows >= least_rows_ && whole.rows - part.rows >= least_rows_;
  }

  std::optional<Cut> best_threshold(const RowList& rows, std::size_t column_index) const {
    const std::vector<double>& values = tables_.sample.columns[column_index].values;
    RowList sorted;
    Moments whole;
    for (const std::uint32_t row : rows) {
      whole.add(target_, row);
      if (!std::isnan(values[row])) sorted.push_back(row);
    }
    std::ranges::sort(sorted, [&](std::uint32_t a, std::uint32_t b) {
      return values[a] != values[b] ? values[a] < values[b] : a < b;
    });
    std::optional<Cut> best;
    Moments below;
    std::size_t distinct = 1;
    for (std::size_t i = 1; i < sorted.size(); ++i)
      distinct += values[sorted[i]] != values[sorted[i - 1]] ? 1 : 0;
    const std::size_t step = distinct <= most_thresholds ? 1 : sorted.size() / most_thresholds;
    std::size_t last = 0;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      below.add(target_, sorted[i - 1]);
      const double low = values[sorted[i - 1]];
      const double high = values[sorted[i]];
      if (low == high || i - last < step || !large_enough(below, whole)) continue;
      last = i;
      const double gain = below.explained() + difference(whole, below).explained() - whole.explained();
      if (best && gain <= best->gain) continue;
      // Among many values a neighbouring threshold with fewer digits does as well.
      const std::size_t leeway = step == 1 ? 0 : sorted.size() / 100;
      best = Cut{column_index,
                 false,
                 short_value_between(tables_.sample.columns[column_index].type,
                                     values[sorted[i - 1 - std::min(leeway, i - 1)]],
                                     values[sorted[std::min(i + leeway, sorted.size() - 1)]]),
                 {},
                 gain};
    }
    return best;
  }

  std::optional<Cut> best_levels(const RowList& rows, std::size_t column_index) const {
    const Column& column = tables_.sample.columns[column_index];
    const std::size_t levels = column.type == ColumnType::boolean ? 2 : column.levels.size();
    std::vector<Moments> by_level(levels + 1);  // the last one: missing
    Moments whole;
    for (const std::uint32_t row : rows) {
      const double value = column.values[row];
      by_level[std::isnan(value) ? levels : static_cast<std::size_t>(value)].add(target_, row);
      whole.add(target_, row);
    }
    std::vector<std::size_t> present;
    for (std::size_t level = 0; level <= levels; ++level) {
      if (by_level[level].rows > 0) present.push_back(level);
    }
    const auto value_of = [levels](std::size_t level) {
      return level == levels ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(level);
    };
    std::optional<Cut> best;
    const auto consider = [&](std::span<const std::size_t> chosen) {
      Moments part;
      for (const std::size_t level : chosen) part.add(by_level[level]);
      if (!large_enough(part, whole)) return;
      const double gain = part.explained() + difference(whole, part).explained() - whole.explained();
      if (best && gain <= best->gain) return;
      Cut cut{column_index, true, 0, {}, gain};
      for (const std::size_t level : chosen) cut.levels.push_back(value_of(level));
      best = std::move(cut);
    };
    for (std::size_t i = 0; i < present.size(); ++i) consider(std::span(present).subspan(i, 1));
    // The highest or the lowest few by the posterior, then by what a row is worth.
    for (const auto mean : {&Moments::posterior, &Moments::worth}) {
      std::vector<std::size_t> order = present;
      std::ranges::stable_sort(
          order, {}, [&](std::size_t level) { return by_level[level].*mean / by_level[level].weight; });
      for (std::size_t count = 2; count <= std::min(most_levels_listed, order.size() - 1); ++count) {
        consider(std::span(order).first(count));
        consider(std::span(order).last(count));
      }
    }
    return best;
  }

  const ExplainedTables& tables_;
  Target target_;
  std::size_t least_rows_ = 0;
  double least_gain_ = 0;
};

Slice slice_of(const ExplainedTables& tables, std::span<const double> shares, const RowList& rows,
               std::vector<std::string> conditions) {
  Slice slice;
  for (const std::string& condition : conditions) {
    slice.rule += (slice.rule.empty() ? "" : " and ") + condition;
  }
  if (slice.rule.empty()) slice.rule = "all rows";
  slice.conditions = std::move(conditions);
  std::array<double, 2> share{};
  std::array<std::size_t, 2> counts{};
  std::vector<double> terms(shares.size());
  for (const std::uint32_t row : rows) {
    const std::uint8_t label = tables.labels[row];
    share[label] += shares[row];
    ++counts[label];
    slice.bits += tables.bits[row];
    if (shares[row] > 0) terms[row] = tables.bits[row] / shares[row];
  }
  const std::uint8_t p = tables.label_p();
  slice.share_p = share[p];
  slice.share_q = share[1 - p];
  slice.rows_p = counts[p];
  slice.rows_q = counts[1 - p];
  slice.standard_error = sum_of_class_means(terms, tables.rows()).standard_error;
  return slice;
}

}  // namespace

std::vector<Slice> find_slices(const ExplainedTables& tables) {
  const Tree tree(tables);
  const std::vector<double> shares = class_shares(tables.rows());
  std::vector<Slice> slices;
  for (const Tree::Leaf& leaf : tree.leaves) {
    std::vector<std::string> conditions;
    std::vector<std::size_t> done;
    for (const Step& first : leaf.steps) {
      if (std::ranges::count(done, first.cut.column) > 0) continue;
      done.push_back(first.cut.column);
      std::vector<const Step*> same_column;
      for (const Step& step : leaf.steps) {
        if (step.cut.column == first.cut.column) same_column.push_back(&step);
      }
      conditions.push_back(condition(tables.sample.columns[first.cut.column], same_column));
    }
    slices.push_back(slice_of(tables, shares, leaf.rows, std::move(conditions)));
  }
  std::ranges::stable_sort(slices, std::greater<>(), &Slice::bits);
  return slices;
}

std::vector<Slice> slices_by(const ExplainedTables& tables, std::string_view name) {
  const auto found = std::ranges::find(tables.sample.columns, name, &Column::name);
  if (found == tables.sample.columns.end()) {
    std::vector<std::string> names;
    for (const Column& column : tables.sample.columns) names.push_back(column.name);
    throw InvalidInput("both tables must have the column to slice by, and there is no " + quoted(name) +
                       did_you_mean(name, names));
  }
  const Column& column = *found;
  const bool by_level = column.type == ColumnType::category || column.type == ColumnType::boolean;
  struct Part {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool missing = false;
    bool other = false;
    RowList rows;
  };
  const Cells cells = cut_into_cells(column, tables.labels, by_level ? 50 : ranges_of_by, Bins::common);
  std::vector<Part> parts(cells.count);
  for (std::uint32_t row = 0; row < tables.labels.size(); ++row) {
    Part& part = parts[cells.of_row[row]];
    const double value = column.values[row];
    part.rows.push_back(row);
    if (std::isnan(value)) {
      part.missing = true;
      continue;
    }
    part.low = std::min(part.low, value);
    part.high = std::max(part.high, value);
    part.other = by_level && part.low != part.high;
  }
  std::erase_if(parts, [](const Part& part) { return part.rows.empty(); });
  std::ranges::stable_sort(parts, [](const Part& a, const Part& b) {
    return std::tie(a.missing, a.other, a.low) < std::tie(b.missing, b.other, b.low);
  });
  const std::vector<double> shares = class_shares(tables.rows());
  std::vector<Slice> slices;
  for (const Part& part : parts) {
    std::string condition = column.name;
    if (part.missing) {
      condition += " is missing";
    } else if (part.other) {
      condition += " is one of the rarer levels";
    } else if (part.low == part.high) {
      condition += " = " + cell_text(column, part.low);
    } else {
      condition += " from " + cell_text(column, part.low) + " to " + cell_text(column, part.high);
    }
    slices.push_back(slice_of(tables, shares, part.rows, {condition}));
  }
  return slices;
}

}  // namespace jsdiv
