#include "core/format.hpp"
#include "guide/guide.hpp"

namespace jsdiv {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::recommended:
      return "recommended";
    case Verdict::caveats:
      return "caveats";
    case Verdict::not_recommended:
      return "not_recommended";
  }
  return "";
}

Json guide_json(const Guide& guide) {
  const DataFacts& facts = guide.facts;
  Json types = Json::object();
  for (const auto& [type, columns] : facts.types) types[type] = columns;
  Json regimes = Json::array();
  for (const Regime& regime : guide.regimes) {
    regimes.push_back({{"name", regime.name}, {"present", regime.present}, {"reason", regime.reason}});
  }
  Json estimators = Json::array();
  for (const Advice& advice : guide.advice) {
    estimators.push_back(
        {{"name", advice.estimator}, {"verdict", to_string(advice.verdict)}, {"reasons", advice.reasons}});
  }
  Json warnings = Json::array();
  for (const Warning& warning : guide.warnings) {
    warnings.push_back({{"code", warning.code}, {"message", warning.message}});
  }
  return {{"schema", "jsdiv.guide/1"},
          {"data",
           {{"rows_p", facts.rows_p},
            {"rows_q", facts.rows_q},
            {"ratio", facts.ratio()},
            {"columns", facts.columns},
            {"features", facts.features},
            {"types", std::move(types)},
            {"missing_share", facts.missing_share},
            {"exact_columns", facts.exact_columns},
            {"separated_share", facts.separated_share},
            {"repeated_share", facts.repeated_share}}},
          {"regimes", std::move(regimes)},
          {"estimators", std::move(estimators)},
          {"auto", guide.auto_plan},
          {"warnings", std::move(warnings)}};
}

std::string summary(const Guide& guide) {
  const DataFacts& facts = guide.facts;
  std::string text =
      format("P %zu rows, Q %zu rows, %zu columns (", facts.rows_p, facts.rows_q, facts.columns);
  const char* separator = "";
  for (const auto& [type, columns] : facts.types) {
    text += format("%s%zu %s", separator, columns, type.c_str());
    separator = ", ";
  }
  text += format("), %zu features, %.3g %% of cells missing\n\n", facts.features, 100 * facts.missing_share);
  for (const Regime& regime : guide.regimes) {
    text += format("  %s %-11s %s\n", regime.present ? "!" : " ", regime.name.c_str(), regime.reason.c_str());
  }
  for (const Verdict verdict : {Verdict::recommended, Verdict::caveats, Verdict::not_recommended}) {
    std::string lines;
    for (const Advice& advice : guide.advice) {
      if (advice.verdict != verdict) continue;
      const char* name = advice.estimator.c_str();
      for (const std::string& reason : advice.reasons) {
        lines += format("  %-10s %s\n", name, reason.c_str());
        name = "";
      }
    }
    if (lines.empty()) continue;
    text += verdict == Verdict::recommended ? "\nRecommended\n"
            : verdict == Verdict::caveats   ? "\nWith caveats\n"
                                            : "\nNot recommended\n";
    text += lines;
  }
  text += "\nWhat `jsdiv estimate P Q` (auto) does:\n";
  for (const std::string& step : guide.auto_plan) text += "  - " + step + "\n";
  return text;
}

}  // namespace jsdiv
