#include "report/html.hpp"

#include <algorithm>
#include <cmath>

#include "core/embedded_files.hpp"
#include "core/format.hpp"
#include "core/safe_text.hpp"
#include "core/sha256.hpp"
#include "jsdiv/error.hpp"
#include "plot/page.hpp"
#include "plot/svg.hpp"
#include "report/replay.hpp"
#include "report/sentences.hpp"
#include "report/summary.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t longest_text = 300;
constexpr std::size_t beginning_of_long_text = 280;

/// How many of each kind go into the page.
struct Limits {
  std::size_t charts = 300;
  std::size_t columns = 2000;
  std::size_t others = 400;  ///< findings, pairs, slices, rows

  bool halve() {
    if (charts <= 4 && columns <= 25 && others <= 25) return false;
    charts /= 2;
    columns = std::max<std::size_t>(columns / 2, 25);
    others = std::max<std::size_t>(others / 2, 25);
    return true;
  }
};

/// Texts of any length in little room: the beginning, and a mark that tells two with the same beginning
/// apart.
std::string shortened(const std::string& text) {
  if (text.size() <= longest_text) return text;
  std::size_t end = beginning_of_long_text;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  Sha256 hash;
  hash.update(text.data(), text.size());
  return text.substr(0, end) + "… [" + hash.finish().substr(0, 8) + "]";
}

/// Six digits are more than a page shows.
void round_numbers_and_shorten(Json& json) {
  if (json.is_number_float()) {
    const auto value = json.get<double>();
    if (std::isfinite(value)) json = std::strtod(format("%.6g", value).c_str(), nullptr);
  } else if (json.is_string()) {
    json = shortened(safe_text(json.get<std::string>(), Medium::block));
  } else if (json.is_structured()) {
    for (Json& item : json) round_numbers_and_shorten(item);
  }
}

/// Keeps the first `most` entries of a list, and says in `totals` how many there were.
void cut(Json& parent, const char* key, std::size_t most, const char* name, Json& totals) {
  if (!parent.is_object() || !parent.contains(key) || !parent[key].is_array()) return;
  Json& list = parent[key];
  totals[name] = list.size();
  if (list.size() > most) list.erase(list.begin() + static_cast<std::ptrdiff_t>(most), list.end());
}

double value_or_zero(const Json& object, const char* key) {
  return object.at(key).is_number() ? object.at(key).get<double>() : 0;
}

/// The part of a result that the page shows, columns that differ most first.
Json result_for_page(Json result, const Limits& limits, Json& totals) {
  totals["used_columns"] = result.at("protocol").at("columns").size();
  result.at("protocol").erase("columns");
  for (Json& family : result.at("families")) family.erase("seeds");
  if (result.at("marginal").is_object()) {
    Json& columns = result["marginal"].at("columns");
    std::stable_sort(columns.begin(), columns.end(), [](const Json& a, const Json& b) {
      return value_or_zero(a, "synthcity") > value_or_zero(b, "synthcity");
    });
    for (Json& column : columns) column.erase("synthcity_upstream");
    cut(result["marginal"], "columns", limits.columns, "columns", totals);
  }
  if (result.at("support").is_object()) {
    cut(result["support"], "mismatches", limits.others, "findings", totals);
    if (result["support"].contains("date_parts"))  // results of 0.1.0 have none
      cut(result["support"], "date_parts", limits.others, "date_parts", totals);
  }
  return result;
}

Json explain_for_page(Json explain, const Limits& limits, Json& totals) {
  explain.erase("estimate");
  for (Json& column : explain.at("columns")) column.erase("histogram");
  cut(explain, "columns", limits.columns, "explained_columns", totals);
  for (const char* key : {"pairs", "repairs", "slices", "rows"})
    cut(explain, key, limits.others, key, totals);
  return explain;
}

/// The estimate that is shown: the one given, or the one that is explained.
const Json& result_of(const PageContent& content) {
  return content.result.is_null() && content.explain.is_object() ? content.explain.at("estimate")
                                                                 : content.result;
}

Json data_for_page(const PageContent& content, const Limits& limits) {
  Json totals = Json::object();
  const Json& result = result_of(content);
  const bool drift = content.compare.is_object() && content.compare.value("over_time", false);
  Json data = {{"title", drift                         ? "How far has the table drifted?"
                         : content.compare.is_object() ? "Which table is closest?"
                         : content.explain.is_object() ? "What tells the two tables apart?"
                                                       : "How far apart are the two tables?"},
               {"sentences", Json::array()},
               {"command", ""},
               {"result", nullptr},
               {"explain", nullptr},
               {"compare", content.compare},
               {"charts", content.charts.is_array() ? content.charts : Json::array()}};
  if (result.is_object()) {
    for (const std::string& text : meaning_sentences(result)) data["sentences"].push_back(text);
    for (const std::string& text : evidence_sentences(result)) data["sentences"].push_back(text);
    data["result"] = result_for_page(result, limits, totals);
  }
  for (const Json* shown : {&content.compare, &content.explain, &result}) {
    if (!shown->is_object()) continue;
    data["command"] = replay_command(*shown);
    break;
  }
  if (content.explain.is_object()) data["explain"] = explain_for_page(content.explain, limits, totals);
  cut(data, "charts", limits.charts, "charts", totals);
  data["totals"] = std::move(totals);
  const std::string command = data["command"];
  round_numbers_and_shorten(data);
  data["command"] = safe_text(command, Medium::block);
  return data;
}

/// JSON inside a script element: nothing in it can end the element or begin a comment.
std::string inert(const std::string& text) {
  std::string result;
  result.reserve(text.size());
  for (const char letter : text) letter == '<' ? result += "\\u003c" : result += letter;
  return result;
}

std::string page_of(const PageContent& content, const Limits& limits) {
  const Json data = data_for_page(content, limits);
  const std::string_view page_style = embedded_file("src/report/page/page.css");
  const std::string_view page_script = embedded_file("src/report/page/page.js");
  const auto title = plot::escape(data.at("title").get<std::string>());
  // What is left where scripts do not run.
  const std::string plain = result_of(content).is_object()
                                ? summary(result_of(content), {.width = 80, .colour = false})
                                : "This page needs JavaScript.";
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; base-uri 'none'; "
         "form-action 'none'; style-src " +
         plot::policy_hash(page_style) + "; script-src " + plot::policy_hash(page_script) +
         "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" + title +
         " – jsdiv</title>\n<style>" + std::string(page_style) +
         "</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the answer</a>\n"
         "<header id=\"header\"></header>\n<nav aria-label=\"Sections\"><ul id=\"contents\"></ul></nav>\n"
         "<main id=\"main\" tabindex=\"-1\"></main>\n<footer>Made by jsdiv " JSDIV_VERSION
         ". This page is self-contained and loads nothing from the network.</footer>\n<noscript><pre>" +
         plot::escape(plain) + "</pre></noscript>\n<script type=\"application/json\" id=\"data\">" +
         inert(data.dump(-1, ' ', false, Json::error_handler_t::replace)) + "</script>\n<script>" +
         std::string(page_script) + "</script>\n</body>\n</html>\n";
}

}  // namespace

Json column_charts_json(const std::vector<ColumnChart>& charts) {
  Json json = Json::array();
  for (const ColumnChart& chart : charts) {
    Json entry = {{"name", chart.name},
                  {"type", to_string(chart.type)},
                  {"p", chart.p},
                  {"q", chart.q},
                  {"missing", {chart.missing_p, chart.missing_q}}};
    if (chart.edges.empty()) {
      entry["labels"] = chart.labels;
    } else {
      entry["edges"] = chart.edges;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

std::string to_html(const Result& result) {
  return html_page({.result = result_json(result),
                    .explain = nullptr,
                    .compare = nullptr,
                    .charts = column_charts_json(result.column_charts)});
}

std::string html_page(const PageContent& content) {
  try {
    Limits limits;
    std::string page = page_of(content, limits);
    while (page.size() > largest_page && limits.halve()) page = page_of(content, limits);
    return page;
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput(std::string("this is not a valid jsdiv result: ") + error.what());
  }
}

}  // namespace jsdiv
