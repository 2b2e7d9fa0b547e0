#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/number_text.hpp"
#include "jsdiv/compare.hpp"
#include "report/text_layout.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t widest_name = 32;
constexpr std::size_t bar_width = 24;

struct Line {
  std::string name;
  const Result& estimate;
};

std::string table_of(const std::vector<Line>& lines) {
  std::size_t width = 5;
  double largest = 0;
  for (const Line& line : lines) {
    width = std::max(width, std::min(widest_name, text_width(line.name)));
    largest = std::max(largest, line.estimate.jsd);
  }
  std::string text = "  " + padded("table", width) + "   JSD      interval           p\n";
  for (const Line& line : lines) {
    const Result& estimate = line.estimate;
    const Interval interval = estimate.confidence_interval.value_or(Interval{});
    text += "  " + padded(fitted(line.name, width), width) + "   " +
            padded(divergence_text(estimate.jsd), 8) + " " +
            padded(divergence_text(interval.low) + " to " + divergence_text(interval.high), 18) + " " +
            padded(estimate.p_value ? format("%.2g", *estimate.p_value) : "-", 8) + " " +
            text_bar(largest > 0 ? estimate.jsd / largest : 0, bar_width) + "\n";
  }
  return text;
}

std::string ranking_lines(const CompareResult& result) {
  std::string supported;
  std::string open;
  for (const PairedDifference& difference : result.differences) {
    const Interval& interval = difference.confidence_interval;
    const std::string by = divergence_text(difference.value) + " (" + divergence_text(interval.low) + " to " +
                           divergence_text(interval.high) + ")";
    if (difference.supported) {
      supported += "  " + difference.closer + " is closer than " + difference.farther + ", by " + by + "\n";
    } else {
      open += "  " + difference.closer + " and " + difference.farther + ": " + by + "\n";
    }
  }
  std::string text;
  if (!supported.empty()) text += "\nSupported by the data (all of these hold simultaneously):\n" + supported;
  if (!open.empty()) text += "\nThe data do not settle which is closer:\n" + open;
  return text;
}

std::string drift_lines(const CompareResult& result) {
  std::string text;
  for (const PairedDifference& difference : result.differences) {
    if (!difference.supported) continue;
    text += "  from " + difference.closer + " to " + difference.farther + ": " +
            (difference.value > 0 ? "farther away by " : "closer by ") +
            divergence_text(std::abs(difference.value)) + "\n";
  }
  return text.empty() ? "\nNo change from one table to the next is larger than chance explains.\n"
                      : "\nChanges that chance does not explain:\n" + text;
}

}  // namespace

std::string summary(const CompareResult& result) {
  std::vector<Line> lines;
  for (const Candidate& candidate : result.candidates) lines.push_back({candidate.name, candidate.estimate});
  if (result.yardstick) lines.push_back({"(two halves)", result.yardstick->estimate});
  std::string text = "Divergence of each table from " + result.reference +
                     (result.over_time ? ", in the given order:\n\n" : ", closest first:\n\n") +
                     table_of(lines);
  if (result.yardstick) {
    text += "  (two halves: one half of " + result.reference + " against the other, as a yardstick)\n";
  }
  if (result.over_time) {
    text += drift_lines(result);
  } else {
    text += ranking_lines(result);
  }
  return text + format("\n%zu rows of %s, %zu column%s; total time %.1f s\n",
                       result.candidates.at(0).estimate.protocol.inputs.at(0).rows, result.reference.c_str(),
                       result.columns.size(), result.columns.size() == 1 ? "" : "s", result.runtime.seconds);
}

}  // namespace jsdiv
