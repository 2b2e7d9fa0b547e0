#include "report/sentences.hpp"

#include <algorithm>
#include <cmath>

#include "core/format.hpp"
#include "core/message.hpp"
#include "core/number_text.hpp"
#include "uncertainty/evidence.hpp"

namespace jsdiv {
namespace {

/// Rungs of the ladder that differ by less say the same.
constexpr double rungs_agree_within = 0.005;
/// What is left of the divergence without formats, if they hardly matter.
constexpr double nearly_all = 0.9;
/// A p-value up to which the tables are said to differ.
constexpr double clear_evidence = 0.05;
/// What is printed as 0 needs no sentence.
constexpr double printed_as_zero = 0.00005;
/// An upper end that needs an explanation where no difference is clear.
constexpr double far_above_zero = 0.05;

std::string percent_of_rows(double share) {
  const double percent = 100 * share;
  return percent > 0 && percent < 10 ? format("%.2g", percent) : format("%.0f", percent);
}

bool is_number_format(const Json& mismatch) {
  const Json& kind = mismatch.at("kind");
  return kind == "lattice" || kind == "precision" || kind == "atoms";
}

/// "(age, fnlwgt)" in the order of the findings, or nothing.
std::string format_columns(const Json& result) {
  std::vector<std::string> columns;
  if (result.at("support").is_null()) return "";
  for (const Json& mismatch : result.at("support").at("mismatches")) {
    if (!is_number_format(mismatch) || mismatch.at("column").is_null()) continue;
    const auto column = mismatch.at("column").get<std::string>();
    if (std::ranges::count(columns, column) == 0) columns.push_back(column);
  }
  return columns.empty() ? "" : " (" + quoted_list(columns) + ")";
}

std::string ladder_sentence(const Json& result) {
  const auto found = result.find("ladder");
  if (found == result.end() || !found->is_array() || found->size() < 2) return "";
  const Json& stored = found->front();
  const Json& content = found->back();
  const double as_stored = stored.at("jsd").get<double>();
  const double apart_from_format = content.at("jsd").get<double>();
  if (as_stored - apart_from_format < rungs_agree_within) return "";
  std::string text = "The number formats differ" + format_columns(result);
  if (apart_from_format >= nearly_all * as_stored) {
    text += ", but this explains little";
  } else {
    text += as_stored >= 0.995 ? ", so the tables are fully distinguishable"
                               : ", so the divergence of the tables as stored is " + number_text(as_stored);
  }
  text += "; apart from format the divergence is " + number_text(apart_from_format);
  if (!content.at("confidence_interval").is_null()) {
    text += " (" + interval_text(content.at("confidence_interval")) + ")";
  }
  return text + ".";
}

/// The best classifier is right for (1 + total variation) / 2 of the rows: it knows that share of them and
/// guesses the rest. A held-out total variation is a lower bound, and so is the divergence (Lin 1991), which
/// may be extrapolated beyond it.
std::string classifier_sentence(const Json& result) {
  const double jsd = result.at("jsd").get<double>();
  const Json& divergences = result.at("divergences");
  const auto variation = divergences.is_null() ? divergences.end() : divergences.find("total_variation");
  if (divergences.is_null() || variation == divergences.end() || variation->is_null()) {
    return format(
        "On average a row carries %.3g of the 1 bit that identifies its table (0: same distribution, 1: "
        "nothing in common).",
        jsd);
  }
  const double share = std::clamp(std::max(variation->at("value").get<double>(), jsd), 0.0, 1.0);
  if (share >= 0.995) return "A perfect classifier could identify the source of practically every row.";
  return "A perfect classifier could identify the source of at least " + percent_of_rows(share) +
         " % of the rows and would have to guess the rest.";
}

/// A column that was left out may yet tell the tables apart.
std::string where_compared(const Json& result) {
  const Json left_out = result.at("protocol").value("left_out_columns", Json::array());
  if (left_out.empty()) return "";
  return " in the columns compared; " + quoted_list(left_out.get<std::vector<std::string>>()) +
         (left_out.size() == 1 ? " was" : " were") + " left out (see the warnings)";
}

bool is_clear(const Json& result) {
  const Json& p_value = result.at("p_value");
  return p_value.is_null() || p_value.get<double>() <= clear_evidence;
}

}  // namespace

std::string number_text(double value) {
  return divergence_text(value);
}

std::string number_text(const Json& value) {
  return value.is_null() ? "-" : number_text(value.get<double>());
}

std::string p_value_text(double p_value, bool is_bound) {
  return format(is_bound ? "p ≤ %.2g" : "p = %.2g", p_value);
}

std::string interval_text(const Json& interval) {
  return number_text(interval.at("low")) + " to " + number_text(interval.at("high"));
}

std::vector<std::string> meaning_sentences(const Json& result) {
  const Json& held_out = result.at("held_out");
  const bool broken = !held_out.is_null() && is_broken({held_out.at("jsd").get<double>(),
                                                        held_out.at("standard_error").get<double>()});
  if (broken)
    return {
        "On unseen rows the classifiers do worse than guessing, so the divergence is unknown; see the "
        "warning."};
  if (result.at("jsd").get<double>() <= 0) {
    return {"No difference between the two tables was found" + where_compared(result) + "."};
  }
  if (!is_clear(result)) {
    return {"No clear difference between the two tables was found" + where_compared(result) + "."};
  }
  std::vector<std::string> sentences;
  if (std::string ladder = ladder_sentence(result); !ladder.empty()) sentences.push_back(std::move(ladder));
  sentences.push_back(classifier_sentence(result));
  return sentences;
}

std::vector<std::string> evidence_sentences(const Json& result) {
  std::vector<std::string> sentences;
  if (!result.at("p_value").is_null()) {
    const bool is_bound = result.at("p_value_is_bound").get<bool>();
    const double p_value = result.at("p_value").get<double>();
    sentences.push_back((is_clear(result)
                             ? "The tables differ by more than chance explains: "
                             : "Two samples of the same distribution can differ as much by chance: ") +
                        p_value_text(p_value, is_bound) + ".");
  }
  const Json& bound = result.at("lower_bound");
  if (!bound.is_null() && bound.at("value").get<double>() >= printed_as_zero) {
    sentences.push_back("Whatever the classifiers missed, the divergence is at least " +
                        number_text(bound.at("value")) +
                        format(" (%.4g %% confidence).", 100 * bound.at("level").get<double>()));
  }
  if (const Json& held_out = result.at("held_out"); !held_out.is_null()) {
    const double found = held_out.at("jsd").get<double>();
    const double jsd = result.at("jsd").get<double>();
    if (found <= -printed_as_zero) {
      sentences.push_back("On held-out rows the classifiers did no better than guessing (" +
                          number_text(found) + ").");
    } else if (const std::string text = number_text(std::max(found, 0.0));
               jsd > found && text != number_text(jsd)) {
      sentences.push_back("On held-out rows the classifiers found " + text +
                          "; the rest is an estimate of what they missed, based on their learning curve and "
                          "on similar pairs of tables with a known divergence.");
    }
  }
  const Json& interval = result.at("confidence_interval");
  if (!is_clear(result) && !interval.is_null() && interval.at("high").get<double>() >= far_above_zero) {
    sentences.push_back("The interval extends to " + number_text(interval.at("high")) +
                        " because differences that only show in several columns together may go unnoticed "
                        "with this many rows.");
  }
  return sentences;
}

}  // namespace jsdiv
