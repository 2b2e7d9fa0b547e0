#include "explain/explain_json.hpp"

namespace jsdiv {
namespace {

Json maybe(const Maybe& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json measured_json(const Measured& measured) {
  return {{"value", measured.value}, {"standard_error", measured.standard_error}};
}

Json bits_json(const Bits& bits) {
  const Interval& interval = bits.confidence_interval;
  return {
      {"value", bits.value},
      {"standard_error", bits.standard_error},
      {"confidence_interval", {{"level", interval.level}, {"low", interval.low}, {"high", interval.high}}}};
}

Json two_tables(const std::array<double, 2>& values) {
  return {{"p", values[0]}, {"q", values[1]}};
}

Json histogram_json(const ColumnHistogram& histogram, ColumnType type) {
  const bool by_level = type == ColumnType::category || type == ColumnType::boolean;
  return {{"edges", by_level ? Json(nullptr) : Json(histogram.edges)},
          {"levels", by_level ? Json(histogram.levels) : Json(nullptr)},
          {"p", histogram.p},
          {"q", histogram.q},
          {"below", two_tables(histogram.below)},
          {"above", two_tables(histogram.above)},
          {"missing", two_tables(histogram.missing)}};
}

Json difference_json(const ColumnDifference& difference) {
  return {{"kind", difference.kind},
          {"bits", maybe(difference.bits)},
          {"value", difference.value.empty() ? Json(nullptr) : Json(difference.value)},
          {"p", maybe(difference.p)},
          {"q", maybe(difference.q)},
          {"message", difference.message}};
}

Json column_json(const ExplainedColumn& column) {
  Json how = Json::array();
  for (const ColumnDifference& difference : column.how) how.push_back(difference_json(difference));
  Json alone = bits_json(column.alone);
  alone["p_value"] = column.alone_p_value;
  return {{"name", column.name},
          {"type", to_string(column.type)},
          {"share", bits_json(column.share)},
          {"alone", std::move(alone)},
          {"only_here", column.only_here ? bits_json(*column.only_here) : Json(nullptr)},
          {"how", std::move(how)},
          {"histogram", histogram_json(column.histogram, column.type)}};
}

Json pair_json(const ExplainedPair& pair) {
  return {{"columns", pair.columns},
          {"beyond_columns", bits_json(pair.beyond_columns)},
          {"together", pair.together},
          {"p_value", pair.p_value},
          {"evident", pair.evident}};
}

/// Rows of numbers; null on the diagonal.
Json matrix_json(const PairMatrix& matrix) {
  const std::size_t count = matrix.columns.size();
  Json values = Json::array();
  for (std::size_t i = 0; i < count; ++i) {
    Json row = Json::array();
    for (std::size_t j = 0; j < count; ++j) {
      row.push_back(i == j ? Json(nullptr) : Json(matrix.values[i * count + j]));
    }
    values.push_back(std::move(row));
  }
  return {{"columns", matrix.columns}, {"values", std::move(values)}};
}

Json slice_json(const Slice& slice) {
  return {{"rule", slice.rule},       {"conditions", slice.conditions},
          {"share_p", slice.share_p}, {"share_q", slice.share_q},
          {"rows_p", slice.rows_p},   {"rows_q", slice.rows_q},
          {"bits", slice.bits},       {"standard_error", slice.standard_error}};
}

Json row_json(const TellingRow& row) {
  Json values = nullptr;
  if (!row.values.empty()) {
    values = Json::array();
    for (const auto& [column, cell] : row.values) values.push_back({{"column", column}, {"value", cell}});
  }
  return {{"table", std::string(1, row.table)},
          {"row", row.row},
          {"posterior", row.posterior},
          {"bits", row.bits},
          {"values", std::move(values)}};
}

Json explainer_json(const Explainer& explainer) {
  return {{"family", explainer.family},
          {"held_out", explainer.held_out},
          {"folds", explainer.folds},
          {"rows", explainer.rows},
          {"orders", explainer.orders},
          {"background", explainer.background},
          {"sum_before_scaling", measured_json(explainer.sum_before_scaling)},
          {"scale", explainer.scale}};
}

/// By the names of the command's options; null: not asked for.
Json choices_json(const ExplainChoices& choices) {
  return {{"by", choices.by.empty() ? Json(nullptr) : Json(choices.by)},
          {"rung", choices.rung.empty() ? Json(nullptr) : Json(choices.rung)},
          {"show_rows", choices.show_rows},
          {"telling_rows", choices.telling_rows}};
}

template <typename Items, typename Writer>
Json array_of(const Items& items, const Writer& write) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(write(item));
  return json;
}

}  // namespace

Json explain_json(const ExplainResult& result) {
  Json json = {{"schema", "jsdiv.explain/1"},
               {"options", choices_json(result.choices)},
               {"held_out", result.held_out.value},
               {"held_out_standard_error", result.held_out.standard_error},
               {"rung", result.rung},
               {"rung_reason", result.rung_reason},
               {"explainer", explainer_json(result.explainer)},
               {"columns", array_of(result.columns, column_json)},
               {"pairs", array_of(result.pairs, pair_json)},
               {"pairs_examined", result.pairs_examined},
               {"pair_matrix", matrix_json(result.pair_matrix)},
               {"marginal_part", nullptr},
               {"dependence_part", nullptr},
               {"if_margins_repaired", nullptr},
               {"if_dependence_repaired", nullptr},
               {"repairs", Json::array()},
               {"slices", array_of(result.slices, slice_json)},
               {"by", nullptr},
               {"rows", array_of(result.rows, row_json)},
               {"estimate", result_json(result.estimate)},
               {"warnings", warnings_json(result.warnings)},
               {"runtime", runtime_json(result.runtime)}};
  if (result.margins) {
    json["marginal_part"] = result.margins->marginal_part;
    json["dependence_part"] = result.margins->dependence_part;
    json["if_margins_repaired"] = bits_json(result.margins->if_margins_repaired);
    json["if_dependence_repaired"] = bits_json(result.margins->if_dependence_repaired);
  }
  for (const Repair& repair : result.repairs) {
    json["repairs"].push_back({{"column", repair.column}, {"gain", bits_json(repair.gain)}});
  }
  if (!result.by_column.empty()) {
    json["by"] = {{"column", result.by_column}, {"slices", array_of(result.by, slice_json)}};
  }
  return json;
}

std::string to_json(const ExplainResult& result) {
  return dump(explain_json(result));
}

}  // namespace jsdiv
