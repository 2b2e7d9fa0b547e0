#include "report/summary.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/format.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/error.hpp"
#include "report/sentences.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t widest_name = 40;
constexpr std::size_t columns_shown = 5;
constexpr std::size_t longest_bar = 20;

std::string headline(const Json& result, const TextStyle& style) {
  std::string text = "Jensen-Shannon divergence  " + bold(number_text(result.at("jsd")), style);
  if (const Json& interval = result.at("confidence_interval"); !interval.is_null()) {
    const std::string range =
        format("%.4g %% interval ", 100 * interval.at("level").get<double>()) + interval_text(interval);
    const bool fits = style.width == 0 || style.width >= 34 + 3 + range.size();
    text += (fits ? "   " : "\n") + range;
  }
  return text + "\n";
}

std::string family_table(const Json& result, const TextStyle& style) {
  const Json& families = result.at("families");
  if (families.empty()) return "";
  const bool stacked = result.at("selected_family").is_null();
  TextColumn names{.heading = "family"};
  TextColumn values{.heading = "JSD"};
  TextColumn errors{.heading = "± error"};
  TextColumn weights{.heading = "weight"};
  TextColumn losses{.heading = "log-loss"};
  TextColumn aucs{.heading = "AUC"};
  TextColumn seconds{.heading = "seconds"};
  bool unused = false;
  for (const Json& family : families) {
    const auto name = family.at("name").get<std::string>();
    const double weight = family.at("weight").is_null() ? 0 : family.at("weight").get<double>();
    const bool marked = stacked ? weight == 0 : result.at("selected_family") == name;
    unused = unused || (stacked && marked);
    names.cells.push_back(fitted(name, widest_name) + (marked ? (stacked ? " *" : " <") : ""));
    values.cells.push_back(number_text(family.at("jsd")));
    errors.cells.push_back(number_text(family.at("standard_error")));
    weights.cells.push_back(format("%.2f", weight));
    losses.cells.push_back(number_text(family.at("validation_log_loss")));
    aucs.cells.push_back(number_text(family.at("auc")));
    seconds.cells.push_back(format("%.2f", family.at("seconds").get<double>()));
  }
  std::vector<TextColumn> columns = {std::move(names), std::move(values), std::move(errors)};
  if (stacked) columns.push_back(std::move(weights));
  columns.insert(columns.end(), {std::move(losses), std::move(aucs), std::move(seconds)});
  std::string text = "\n" + text_table(columns, style);
  if (stacked) {
    text += wrapped("  Each family on its own; the estimate above combines them with these weights.", style,
                    "  ");
    if (unused) {
      text += wrapped(
          "  * adds nothing to the combination; if it was dropped early, its figures come from half of the "
          "training rows.",
          style, "    ");
    }
  } else if (families.size() > 1) {
    text += wrapped("  < lowest log-loss on the validation rows; the estimate above comes from this family.",
                    style, "    ");
  }
  return text;
}

std::string support_lines(const Json& support, bool has_ladder, const TextStyle& style) {
  constexpr std::size_t most_lines = 6;
  std::string values;
  std::string repeats;
  std::size_t columns = 0;
  for (const Json& mismatch : support.at("mismatches")) {
    const std::string line =
        wrapped("  - " + safe_text(mismatch.at("message").get<std::string>(), Medium::line), style, "    ");
    if (mismatch.at("column").is_null()) {
      repeats += line;
    } else if (++columns <= most_lines) {
      values += line;
    }
  }
  std::string text;
  if (columns > 0) text += "\nValues or relations found in only one table:\n" + values;
  if (columns > most_lines)
    text += format("  - and %zu more (the JSON lists them all)\n", columns - most_lines);
  if (const Json& harmonised = support.at("harmonised_jsd"); !harmonised.is_null() && !has_ladder) {
    text += wrapped("With both tables on common grids, the divergence is " + number_text(harmonised) + ".",
                    style);
  }
  if (const auto parts = support.find("date_parts"); parts != support.end() && !parts->empty()) {
    text += "\nDate parts that differ:\n";
    for (const Json& each : *parts) {
      const std::string line =
          each.at("column").get<std::string>() + ": " + each.at("message").get<std::string>();
      text += wrapped("  - " + safe_text(line, Medium::line), style, "    ");
    }
  }
  return text + (repeats.empty() ? repeats : "\nRows that occur more than once:\n" + repeats);
}

struct NamedValue {
  std::string name;
  double value = 0;
};

/// Names, values and bars, as wide as the longest of them need.
std::string bar_lines(const std::vector<NamedValue>& values, const TextStyle& style) {
  std::size_t name_width = 0;
  double largest = 1e-12;
  for (const NamedValue& each : values) {
    name_width = std::max(name_width, text_width(fitted(each.name, widest_name)));
    largest = std::max(largest, each.value);
  }
  const std::size_t before = 2 + name_width + 3 + 6 + 2;
  const std::size_t room = style.width == 0       ? longest_bar
                           : style.width > before ? std::min(style.width - before, longest_bar)
                                                  : 0;
  std::string text;
  for (const NamedValue& each : values) {
    std::string line = "  " + padded(fitted(each.name, widest_name), name_width) + "   " +
                       padded(number_text(each.value), 8) + text_bar(each.value / largest, room);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string marginal_lines(const Json& marginal, const Json& left_out, const TextStyle& style) {
  std::string text = "\n" + wrapped("Column by column (ignoring dependence between columns): syndat " +
                                        number_text(marginal.at("syndat")) + ", synthcity " +
                                        number_text(marginal.at("synthcity")) + " on average",
                                    style);
  std::vector<NamedValue> columns;
  for (const Json& column : marginal.at("columns")) {
    const Json& value = column.at("synthcity");
    if (value.is_null()) continue;
    const bool used = std::ranges::find(left_out, column.at("name")) == left_out.end();
    columns.push_back(
        {safe_text(column.at("name").get<std::string>(), Medium::line) + (used ? "" : " (left out)"),
         value.get<double>()});
  }
  std::ranges::stable_sort(columns, std::greater{}, &NamedValue::value);
  const std::size_t all = columns.size();
  columns.resize(std::min(all, columns_shown));
  text += bar_lines(columns, style);
  if (all > columns_shown) text += format("  … and %zu more columns\n", all - columns_shown);
  return text;
}

std::string self_check_line(const Json& check, const Json& source) {
  const std::string known = source.at("source") == "stack" ? "Re-split by the fitted log-odds"
                                                           : "Re-split by random functions of the columns";
  std::string text = known + format(
                                 ": the interval contains the known divergence in %d of %d refits; on "
                                 "average, the estimate is %.4f too %s.",
                                 source.at("covered").get<int>(), source.at("refits").get<int>(),
                                 std::abs(source.at("bias").get<double>()),
                                 source.at("bias").get<double>() < 0 ? "low" : "high");
  if (const Json& implied = source.at("implied_jsd"); implied.is_null()) {
    text += " The observed estimate of " + number_text(check.at("observed")) +
            " is outside the range of these refits.";
  } else {
    text += " A true divergence of " + number_text(implied) + " would give estimates like the observed " +
            number_text(check.at("observed")) + ".";
  }
  return text;
}

std::string self_check_lines(const Json& check, const TextStyle& style) {
  TextColumn divided{.heading = "split by"};
  TextColumn known{.heading = "known"};
  TextColumn estimates{.heading = "estimate"};
  TextColumn intervals{.heading = "interval"};
  TextColumn holds{.heading = "covered"};
  std::vector<Json> refits(check.at("refits").begin(), check.at("refits").end());
  std::ranges::stable_sort(refits, {}, [](const Json& refit) {
    return std::pair(refit.at("source") == "random", refit.at("known").get<double>());
  });
  for (const Json& refit : refits) {
    divided.cells.push_back(refit.at("strength").is_null()
                                ? refit.at("log_ratio").get<std::string>()
                                : format("log-odds × %.2f", refit.at("strength").get<double>()));
    known.cells.push_back(number_text(refit.at("known")));
    estimates.cells.push_back(number_text(refit.at("jsd")));
    intervals.cells.push_back(interval_text(refit.at("confidence_interval")));
    holds.cells.push_back(refit.at("covered").get<bool>() ? "yes" : "no");
  }
  std::string title = "Self-check: the same rows, re-split into P and Q so that the true divergence is known";
  if (check.at("rung") != "as_stored") title += " (rung " + check.at("rung").get<std::string>() + ")";
  std::string text = "\n" + wrapped(title + ":", style) +
                     text_table({std::move(divided), std::move(known), std::move(estimates),
                                 std::move(intervals), std::move(holds)},
                                style);
  for (const Json& source : check.at("sources")) text += wrapped(self_check_line(check, source), style);
  return text;
}

std::string size_text(const Json& input, std::size_t columns, std::size_t left_out) {
  const auto path = input.at("path").get<std::string>();
  return (path.empty() ? "" : path_label(path, 60) + ", ") +
         format("%zu rows × %zu column%s", input.at("rows").get<std::size_t>(), columns,
                columns == 1 ? "" : "s") +
         (left_out > 0 ? format(" (%zu left out)", left_out) : "");
}

std::string protocol_lines(const Json& result, const TextStyle& style) {
  const Json& protocol = result.at("protocol");
  std::string text = "\n";
  const Json& inputs = protocol.at("inputs");
  for (std::size_t i = 0; i < inputs.size() && i < 2; ++i) {
    text +=
        wrapped(format("%c: ", "PQ"[i]) + size_text(inputs[i], protocol.at("columns").size(),
                                                    protocol.value("left_out_columns", Json::array()).size()),
                style, "   ");
  }
  std::string how = "Protocol: " + protocol.at("name").get<std::string>();
  if (protocol.at("name") != "auto") {
    const int seeds = protocol.at("seeds").get<int>();
    how += format(", %d seed%s", seeds, seeds == 1 ? "" : "s");
  }
  how += "; " + protocol.at("split").get<std::string>();
  if (protocol.at("name") != "auto" && protocol.at("corrected").get<bool>())
    how += format("; corrected for |Q|/|P| = %.3g", protocol.at("r").get<double>());
  const Json& runtime = result.at("runtime");
  const auto threads = runtime.at("threads").get<std::size_t>();
  return text + wrapped(how, style, "  ") +
         format("Time: %.1f s on %zu thread%s\n", runtime.at("seconds").get<double>(), threads,
                threads == 1 ? "" : "s");
}

std::string summary_of(const Json& result, const TextStyle& style) {
  std::string text = headline(result, style);
  for (const std::string& sentence : meaning_sentences(result)) text += wrapped(sentence, style);
  for (const std::string& sentence : evidence_sentences(result)) text += wrapped(sentence, style);
  text += family_table(result, style);
  const auto ladder = result.find("ladder");
  const bool has_ladder = ladder != result.end() && ladder->is_array() && ladder->size() > 1;
  if (const Json& support = result.at("support"); !support.is_null())
    text += support_lines(support, has_ladder, style);
  if (const Json& marginal = result.at("marginal"); !marginal.is_null())
    text += marginal_lines(marginal, result.at("protocol").value("left_out_columns", Json::array()), style);
  if (const auto check = result.find("self_check"); check != result.end() && !check->is_null())
    text += self_check_lines(*check, style);
  return text + protocol_lines(result, style);
}

}  // namespace

std::string summary(const Json& result, const TextStyle& style) {
  try {
    return summary_of(result, style);
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(std::string("this is not a valid jsdiv result: ") + error.what());
  }
}

std::string summary(const Result& result, const TextStyle& style) {
  return summary_of(result_json(result), style);
}

std::string summary(const MarginalResult& marginal, const TextStyle& style) {
  TextColumn names{.heading = "column"};
  TextColumn syndat{.heading = "syndat"};
  TextColumn synthcity{.heading = "synthcity"};
  TextColumn upstream{.heading = "synthcity_upstream"};
  const auto add = [&](const std::string& name, const Maybe& a, const Maybe& b, const Maybe& c) {
    const auto text = [](const Maybe& value) { return value ? number_text(*value) : std::string("-"); };
    names.cells.push_back(fitted(name, widest_name));
    syndat.cells.push_back(text(a));
    synthcity.cells.push_back(text(b));
    upstream.cells.push_back(text(c));
  };
  for (const MarginalColumn& column : marginal.columns)
    add(safe_text(column.name, Medium::line), column.syndat, column.synthcity, column.synthcity_upstream);
  add("average", marginal.syndat, marginal.synthcity, marginal.synthcity_upstream);
  return text_table({std::move(names), std::move(syndat), std::move(synthcity), std::move(upstream)}, style) +
         "\n" +
         wrapped(
             "Each column is compared on its own, so dependence between columns goes unnoticed; `jsdiv "
             "estimate` measures it.",
             style);
}

}  // namespace jsdiv
