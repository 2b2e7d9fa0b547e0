#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/number_text.hpp"
#include "jsdiv/explain.hpp"
#include "report/text_layout.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_columns = 12;
constexpr std::size_t most_pairs = 5;
constexpr std::size_t most_repairs = 3;
constexpr std::size_t most_rows = 5;
constexpr std::size_t widest_name = 28;
constexpr std::size_t bar_width = 20;

std::string bits(double value) {
  return format("%+.4f", std::abs(value) < 0.00005 ? 0.0 : value);
}

std::string column_table(const ExplainResult& result) {
  const std::size_t shown = std::min(result.columns.size(), most_columns);
  std::size_t width = 6;
  for (std::size_t j = 0; j < shown; ++j) {
    width = std::max(width, std::min(widest_name, text_width(result.columns[j].name)));
  }
  std::string text = "\n  " + padded("column", width) + "   share     ± error   alone     only here\n";
  const double largest = shown > 0 ? result.columns[0].share.value : 0;
  for (std::size_t j = 0; j < shown; ++j) {
    const ExplainedColumn& column = result.columns[j];
    text += "  " + padded(fitted(column.name, width), width) + "   " + bits(column.share.value) + "   " +
            format("%.4f", column.share.standard_error) + "    " + bits(column.alone.value) + "   " +
            (column.only_here ? bits(column.only_here->value) : std::string("-      ")) + "   " +
            text_bar(largest > 0 ? column.share.value / largest : 0, bar_width) + "\n";
    if (!column.how.empty()) text += "  " + std::string(width, ' ') + "     " + column.how[0].message + "\n";
  }
  if (result.columns.size() > shown) {
    text += format("  and %zu more (the JSON lists them all)\n", result.columns.size() - shown);
  }
  return text +
         "  (in bits; the shares add up; alone: the column by itself; only here: what is lost without it)\n";
}

std::string pair_lines(const ExplainResult& result) {
  std::string text;
  for (std::size_t i = 0; i < std::min(result.pairs.size(), most_pairs); ++i) {
    const ExplainedPair& pair = result.pairs[i];
    if (!pair.evident) break;
    text +=
        "  " + bits(pair.beyond_columns.value) + "   " + pair.columns[0] + " with " + pair.columns[1] + "\n";
  }
  if (result.pairs_examined == 0) return {};
  if (text.empty())
    return format("\nNo pair of columns clearly differs in its dependence (%zu pair%s examined).\n",
                  result.pairs_examined, result.pairs_examined == 1 ? "" : "s");
  return "\nPairs of columns whose dependence differs (bits beyond the columns themselves):\n" + text;
}

std::string repair_lines(const ExplainResult& result) {
  std::string text;
  if (result.margins) {
    text += "\nIf every column's own distribution were repaired, " +
            format("%.4f bits would remain; if the dependence were repaired instead, %.4f.\n",
                   std::max(0.0, result.margins->if_margins_repaired.value),
                   std::max(0.0, result.margins->if_dependence_repaired.value));
  }
  std::string best;
  std::size_t named = 0;
  for (const Repair& repair : result.repairs) {
    if (repair.gain.confidence_interval.low <= 0 || named == most_repairs) break;
    best += (named++ == 0 ? "" : ", ") + repair.column + " (" + bits(-repair.gain.value) + ")";
  }
  if (!best.empty()) return text + "Repair first: " + best + "\n";
  return result.repairs.empty() ? text
                                : text +
                                      "Repairing a single column does not help: columns that depend on each "
                                      "other must be repaired together.\n";
}

std::string slice_lines(const std::vector<Slice>& slices, const std::string& title) {
  if (slices.empty()) return {};
  std::string text = "\n" + title + "\n";
  for (const Slice& slice : slices) {
    text += "  " + bits(slice.bits) + "   " + slice.rule + ": " + percent(slice.share_p) + " of P, " +
            percent(slice.share_q) + " of Q\n";
  }
  return text;
}

std::string row_line(const ExplainResult& result) {
  std::string text;
  std::size_t shown = 0;
  for (const TellingRow& row : result.rows) {
    if (row.table != 'Q' || row.bits <= 0 || shown == most_rows) continue;
    text += (shown++ == 0 ? "" : ", ") + std::to_string(row.row) + format(" (D = %.3g)", row.posterior);
  }
  return text.empty() ? text : "\nMost revealing rows of Q: " + text + "\n";
}

}  // namespace

std::string summary(const ExplainResult& result) {
  std::string text =
      format("On held-out rows the classifiers found %.4f ± %.4f bits of divergence. They come from:\n",
             result.held_out.value, result.held_out.standard_error);
  if (result.rung != "as_stored") text += "(rung " + result.rung + ": " + result.rung_reason + ")\n";
  text += column_table(result) + pair_lines(result) + repair_lines(result);
  text += slice_lines(result.slices, "Slices of the data (bits add up):");
  if (!result.by_column.empty()) text += slice_lines(result.by, "By " + result.by_column + " (bits add up):");
  text += row_line(result);
  const std::vector<InputRecord>& inputs = result.estimate.protocol.inputs;
  text += format("\n%zu rows of P, %zu rows of Q, %zu column%s", inputs.at(0).rows, inputs.at(1).rows,
                 result.columns.size(), result.columns.size() == 1 ? "" : "s");
  return text + "\nShares computed with " + result.explainer.family +
         format(", %zu column orders for each of %zu rows; total time %.1f s\n", result.explainer.orders,
                result.explainer.rows, result.runtime.seconds);
}

}  // namespace jsdiv
