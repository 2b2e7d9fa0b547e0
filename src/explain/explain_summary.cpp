#include "explain/explain_summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/number_text.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_columns = 12;
constexpr std::size_t most_pairs = 5;
constexpr std::size_t most_repairs = 3;
constexpr std::size_t most_rows = 5;
constexpr std::size_t widest_name = 28;
constexpr std::size_t longest_text = 240;  ///< of a rule or a message, which may hold long names
constexpr std::size_t bar_width = 20;
constexpr std::size_t shortest_bar = 5;
constexpr double printed_as_zero = 0.00005;

std::string bits(double value) {
  return format("%+.4f", std::abs(value) < printed_as_zero ? 0.0 : value);
}

/// A name in a table or a list: half of a narrow line is left for the rest.
std::string name_text(const std::string& name, const TextStyle& style) {
  return label(name, style.width == 0 ? widest_name
                                      : std::min(widest_name, std::max<std::size_t>(8, style.width / 2)));
}

/// The bars of values, as long as the lines before them leave room.
void add_bars(std::vector<std::string>& lines, const std::vector<double>& values, const TextStyle& style) {
  std::size_t end = 0;
  for (const std::string& line : lines) end = std::max(end, text_width(line));
  const std::size_t begin = end + 3;
  const std::size_t room = style.width == 0      ? bar_width
                           : style.width > begin ? std::min(bar_width, style.width - begin)
                                                 : 0;
  const double largest = values.empty() ? 0 : *std::ranges::max_element(values);
  if (room < shortest_bar || largest < printed_as_zero) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string bar = text_bar(values[i] / largest, room);
    if (!bar.empty()) lines[i + 1] = padded(lines[i + 1], begin) + bar;
  }
}

std::string column_table(const ExplainResult& result, const TextStyle& style) {
  const std::size_t shown = std::min(result.columns.size(), most_columns);
  TextColumn names{.heading = "column"};
  TextColumn shares{.heading = "share"};
  TextColumn errors{.heading = "± error"};
  TextColumn alone{.heading = "alone"};
  TextColumn only_here{.heading = "only here"};
  std::vector<double> values;
  for (std::size_t j = 0; j < shown; ++j) {
    const ExplainedColumn& column = result.columns[j];
    names.cells.push_back(name_text(column.name, style));
    shares.cells.push_back(bits(column.share.value));
    errors.cells.push_back(format("%.4f", column.share.standard_error));
    alone.cells.push_back(bits(column.alone.value));
    only_here.cells.push_back(column.only_here ? bits(column.only_here->value) : "-");
    values.push_back(column.share.value);
  }
  std::vector<std::string> lines = table_lines(
      {std::move(names), std::move(shares), std::move(errors), std::move(alone), std::move(only_here)},
      style);
  add_bars(lines, values, style);
  std::string text = "\n" + lines[0] + "\n";
  for (std::size_t j = 0; j < shown; ++j) {
    text += lines[j + 1] + "\n";
    if (const auto& how = result.columns[j].how; !how.empty())
      text += wrapped("      " + label(how[0].message, longest_text), style, "      ");
  }
  if (result.columns.size() > shown) {
    text += format("  and %zu more (the JSON lists them all)\n", result.columns.size() - shown);
  }
  return text + wrapped(
                    "  (in bits; the shares add up; alone: the column by itself; only here: what is lost "
                    "without it)",
                    style, "  ");
}

std::string pair_text(const ExplainedPair& pair, const TextStyle& style) {
  return name_text(pair.columns[0], style) + " with " + name_text(pair.columns[1], style);
}

std::string pair_lines(const ExplainResult& result, const TextStyle& style) {
  std::string text;
  for (std::size_t i = 0; i < std::min(result.pairs.size(), most_pairs); ++i) {
    const ExplainedPair& pair = result.pairs[i];
    if (!pair.evident) break;
    text += wrapped("  " + bits(pair.beyond_columns.value) + "   " + pair_text(pair, style), style,
                    "            ");
  }
  if (result.pairs_examined == 0) return {};
  if (text.empty())
    return "\n" +
           wrapped(format("No pair of columns clearly differs in its dependence (%zu pair%s examined).",
                          result.pairs_examined, result.pairs_examined == 1 ? "" : "s"),
                   style);
  return "\n" +
         wrapped("Pairs of columns whose dependence differs (bits beyond the columns themselves):", style) +
         text;
}

bool may_be_chance(const ExplainResult& result) {
  return std::ranges::count(result.warnings, "nothing_to_explain", &Warning::code) > 0;
}

/// Where formats differ: which reading of the tables is explained, and how it compares with the tables as
/// stored.
std::string rung_line(const ExplainResult& result, const TextStyle& style) {
  const std::vector<Rung>& ladder = result.estimate.ladder;
  const auto explained = std::ranges::find(ladder, result.rung, &Rung::rung);
  if (ladder.size() < 2 || explained == ladder.end()) return {};
  std::string text = "The rung explained is " + result.rung + format(" (estimate %.3f", explained->jsd);
  if (explained != ladder.begin()) text += format("; as stored %.3f", ladder[0].jsd);
  return wrapped(text + "): " + result.rung_reason + ".", style);
}

std::string repair_advice(const ExplainResult& result, const TextStyle& style) {
  std::string best;
  std::size_t named = 0;
  for (const Repair& repair : result.repairs) {
    if (repair.gain.confidence_interval.low <= 0 || named == most_repairs) break;
    best += (named == 0 ? "" : ", ") + name_text(repair.column, style) +
            format(named == 0 ? " (gains %.4f bits)" : " (%.4f)", repair.gain.value);
    ++named;
  }
  if (!best.empty()) return "Repair first: " + best;
  if (!result.repairs.empty()) {
    return "Repairing a single column does not help: columns that depend on each other must be repaired "
           "together.";
  }
  if (!result.margins) return {};
  const bool has_pair = !result.pairs.empty() && result.pairs[0].evident;
  return "No column needs repair on its own; repair how the columns depend on each other" +
         (has_pair ? ", first " + pair_text(result.pairs[0], style) : "") + ".";
}

std::string repair_lines(const ExplainResult& result, const TextStyle& style) {
  std::string text;
  if (result.margins) {
    text +=
        "\n" + wrapped("If every column's own distribution were repaired, " +
                           format("%.4f bits would remain; if the dependence were repaired instead, %.4f.",
                                  std::max(0.0, result.margins->if_margins_repaired.value),
                                  std::max(0.0, result.margins->if_dependence_repaired.value)),
                       style);
  }
  const std::string advice = repair_advice(result, style);
  return advice.empty() ? text : text + wrapped(advice, style, "  ");
}

std::string slice_lines(const std::vector<Slice>& slices, const std::string& title, const TextStyle& style) {
  if (slices.empty()) return {};
  std::string text = "\n" + wrapped(title, style);
  for (const Slice& slice : slices) {
    text += wrapped("  " + bits(slice.bits) + "   " + label(slice.rule, longest_text) + ": " +
                        percent(slice.share_p) + " of P, " + percent(slice.share_q) + " of Q",
                    style, "            ");
  }
  return text;
}

std::string row_line(const ExplainResult& result, const TextStyle& style) {
  std::string text;
  std::size_t shown = 0;
  for (const TellingRow& row : result.rows) {
    if (row.table != 'Q' || row.bits <= 0 || shown == most_rows) continue;
    text += (shown++ == 0 ? "" : ", ") + std::to_string(row.row) + format(" (D = %.3g)", row.posterior);
  }
  if (text.empty()) return text;
  return "\n" + wrapped("Most revealing rows of Q (D: probability of P): " + text, style, "  ");
}

}  // namespace

std::string summary(const ExplainResult& result, const TextStyle& style) {
  std::string text = wrapped(
      "On held-out rows the classifiers found " + bold(format("%.4f", result.held_out.value), style) +
          format(" ± %.4f bits of divergence", result.held_out.standard_error) +
          (may_be_chance(result) ? ", which chance alone can explain. Do not read anything into what follows."
                                 : ". They come from:"),
      style);
  text += rung_line(result, style) + column_table(result, style) + pair_lines(result, style);
  if (!may_be_chance(result)) text += repair_lines(result, style);
  text += slice_lines(result.slices, "Slices of the data (bits add up):", style);
  if (!result.by_column.empty())
    text += slice_lines(result.by, "By " + name_text(result.by_column, style) + " (bits add up):", style);
  text += row_line(result, style);
  const std::vector<InputRecord>& inputs = result.estimate.protocol.inputs;
  text +=
      "\n" + wrapped(format("%zu rows of P, %zu rows of Q, %zu column%s", inputs.at(0).rows,
                            inputs.at(1).rows, result.columns.size(), result.columns.size() == 1 ? "" : "s"),
                     style);
  return text + wrapped("Shares computed with " + result.explainer.family +
                            format(", %zu column orders for each of %zu rows; total time %.1f s",
                                   result.explainer.orders, result.explainer.rows, result.runtime.seconds),
                        style);
}

std::string summary(const ExplainResult& result) {
  return summary(result, TextStyle{});
}

}  // namespace jsdiv
