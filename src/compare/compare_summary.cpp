#include "compare/compare_summary.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/number_text.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t widest_name = 32;
constexpr std::size_t narrowest_name = 8;
constexpr std::size_t longest_path = 60;
constexpr std::size_t most_named = 10;
constexpr std::size_t bar_width = 24;

/// The length of the folders that all names begin with, which tell nothing apart.
std::size_t common_folder(const std::vector<Candidate>& candidates) {
  const std::string& first = candidates.at(0).name;
  if (candidates.size() == 1) return 0;
  std::size_t end = first.rfind('/') + 1;  // npos + 1 is 0
  const auto shared = [&](const Candidate& each) { return each.name.compare(0, end, first, 0, end) == 0; };
  while (end > 0 && !std::ranges::all_of(candidates, shared))
    end = end < 2 ? 0 : first.rfind('/', end - 2) + 1;
  return end;
}

std::string range_text(const std::optional<Interval>& interval) {
  return interval ? divergence_text(interval->low) + " to " + divergence_text(interval->high) : "-";
}

std::string p_text(const Result& estimate) {
  if (!estimate.p_value) return "-";
  return (estimate.p_value_is_bound ? "≤ " : "") + format("%.2g", *estimate.p_value);
}

bool formats_differ(const Candidate& candidate) {
  return candidate.estimate.ladder.size() > 1;
}

/// How the tables are named: without the folders that all of them share.
class Names {
 public:
  Names(const CompareResult& result, const TextStyle& style)
      : folder_(common_folder(result.candidates)),
        width_(style.width == 0 ? widest_name
                                : std::clamp<std::size_t>(style.width / 2, narrowest_name, widest_name)) {}

  std::string of(const std::string& candidate) const { return path_label(candidate.substr(folder_), width_); }
  std::string of_reference(const std::string& reference) const { return path_label(reference, longest_path); }

 private:
  std::size_t folder_;
  std::size_t width_;
};

std::string table_of(const CompareResult& result, const Names& name, const TextStyle& style) {
  TextColumn names{.heading = "table"};
  TextColumn values{.heading = "JSD"};
  TextColumn intervals{.heading = "interval"};
  TextColumn p_values{.heading = "p"};
  TextColumn bars{.heading = ""};
  double largest = 0;
  for (const Candidate& candidate : result.candidates) largest = std::max(largest, candidate.estimate.jsd);
  const auto add = [&](std::string label_of_line, const Result& estimate) {
    names.cells.push_back(std::move(label_of_line));
    values.cells.push_back(divergence_text(estimate.jsd));
    intervals.cells.push_back(range_text(estimate.confidence_interval));
    p_values.cells.push_back(p_text(estimate));
    bars.cells.push_back(text_bar(largest > 0 ? estimate.jsd / largest : 0, bar_width));
  };
  for (const Candidate& candidate : result.candidates) add(name.of(candidate.name), candidate.estimate);
  if (result.yardstick) add("(two halves)", result.yardstick->estimate);
  return text_table(
      {std::move(names), std::move(values), std::move(intervals), std::move(p_values), std::move(bars)},
      style);
}

/// Where number formats alone tell tables from the reference: what is left without them.
std::string format_lines(const CompareResult& result, const Names& name, const TextStyle& style) {
  TextColumn names{.heading = "table"};
  TextColumn values{.heading = "JSD"};
  TextColumn intervals{.heading = "interval"};
  for (const Candidate& candidate : result.candidates) {
    if (!formats_differ(candidate)) continue;
    const Rung& content = candidate.estimate.ladder.back();
    names.cells.push_back(name.of(candidate.name));
    values.cells.push_back(divergence_text(content.jsd));
    intervals.cells.push_back(range_text(content.confidence_interval));
  }
  if (names.cells.empty()) return {};
  return "\n" +
         wrapped("Number formats differ from those of " + name.of_reference(result.reference) +
                     ", which can be enough to tell the tables apart. Apart from format:",
                 style) +
         text_table({std::move(names), std::move(values), std::move(intervals)}, style);
}

std::string ranking_lines(const CompareResult& result, const Names& name, const TextStyle& style) {
  std::string supported;
  std::string open;
  for (const PairedDifference& difference : result.differences) {
    const std::string by =
        divergence_text(difference.value) + " (" + range_text(difference.confidence_interval) + ")";
    const std::string closer = name.of(difference.closer);
    const std::string farther = name.of(difference.farther);
    if (difference.supported) {
      supported += wrapped("  " + closer + " is closer than " + farther + ", by " + by, style, "    ");
    } else {
      open += wrapped("  " + closer + " and " + farther + ": " + by, style, "    ");
    }
  }
  std::string text;
  if (!supported.empty())
    text += "\n" + wrapped("Supported by the data (all of these hold simultaneously):", style) + supported;
  if (!open.empty()) text += "\n" + wrapped("The data do not settle which is closer:", style) + open;
  return text;
}

std::string differing_line(const CompareResult& result, const Names& name, const TextStyle& style) {
  std::vector<std::string> names;
  for (const Candidate& candidate : result.candidates) {
    if (candidate.differs) names.push_back(name.of(candidate.name));
  }
  const std::string reference = name.of_reference(result.reference);
  if (names.empty())
    return wrapped("No table differs from " + reference + " by more than chance explains.", style);
  if (names.size() == result.candidates.size())
    return wrapped("Every table differs from " + reference + " by more than chance explains.", style);
  std::string list = names[0];
  const std::size_t shown = std::min(names.size(), most_named);
  for (std::size_t i = 1; i < shown; ++i) list += ", " + names[i];
  if (shown < names.size()) list += format(" and %zu more", names.size() - shown);
  return wrapped(format("%zu of %zu tables differ from ", names.size(), result.candidates.size()) +
                     reference + " by more than chance explains: " + list,
                 style, "  ");
}

std::string drift_lines(const CompareResult& result, const Names& name, const TextStyle& style) {
  std::string changes;
  for (const PairedDifference& difference : result.differences) {
    if (!difference.supported) continue;
    changes += wrapped("  from " + name.of(difference.closer) + " to " + name.of(difference.farther) + ": " +
                           (difference.value > 0 ? "farther away by " : "closer by ") +
                           divergence_text(std::abs(difference.value)),
                       style, "    ");
  }
  return "\n" + differing_line(result, name, style) +
         (changes.empty()
              ? wrapped("No single step from one table to the next is larger than chance explains.", style)
              : wrapped("Steps from one table to the next that chance does not explain:", style) + changes);
}

}  // namespace

std::string summary(const CompareResult& result, const TextStyle& style) {
  const Names name(result, style);
  const std::string reference = name.of_reference(result.reference);
  std::string text = wrapped("Divergence of each table from " + reference +
                                 (result.over_time ? ", in the given order:" : ", closest first:"),
                             style) +
                     "\n" + table_of(result, name, style);
  if (result.yardstick) {
    text += wrapped("  (two halves: one half of " + reference + " against the other, as a yardstick)", style,
                    "  ");
  }
  text += format_lines(result, name, style);
  text += result.over_time ? drift_lines(result, name, style) : ranking_lines(result, name, style);
  return text + "\n" +
         wrapped(format("%zu rows of ", result.candidates.at(0).estimate.protocol.inputs.at(0).rows) +
                     reference +
                     format(", %zu column%s; total time %.1f s", result.columns.size(),
                            result.columns.size() == 1 ? "" : "s", result.runtime.seconds),
                 style);
}

std::string summary(const CompareResult& result) {
  return summary(result, TextStyle{});
}

}  // namespace jsdiv
