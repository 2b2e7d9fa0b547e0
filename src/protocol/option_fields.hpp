#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "jsdiv/options.hpp"

namespace jsdiv {

/// The spellings of an enumeration, on the command line and in JSON.
template <typename Enum>
struct Spelling;

template <>
struct Spelling<Protocol> {
  static constexpr std::array<std::pair<std::string_view, Protocol>, 2> values = {
      {{"auto", Protocol::automatic}, {"paper", Protocol::paper}}};
};

template <>
struct Spelling<Support> {
  static constexpr std::array<std::pair<std::string_view, Support>, 2> values = {
      {{"keep", Support::keep}, {"harmonise", Support::harmonise}}};
};

template <>
struct Spelling<Correction> {
  static constexpr std::array<std::pair<std::string_view, Correction>, 3> values = {
      {{"on", Correction::on}, {"off", Correction::off}, {"auto", Correction::automatic}}};
};

template <>
struct Spelling<Encoding> {
  static constexpr std::array<std::pair<std::string_view, Encoding>, 2> values = {
      {{"paper", Encoding::paper}, {"native", Encoding::native}}};
};

template <>
struct Spelling<TabPfnPreprocessing> {
  static constexpr std::array<std::pair<std::string_view, TabPfnPreprocessing>, 2> values = {
      {{"none", TabPfnPreprocessing::none}, {"default", TabPfnPreprocessing::standard}}};
};

template <typename Enum>
constexpr std::string_view spell(Enum value) {
  for (const auto& [name, candidate] : Spelling<Enum>::values) {
    if (candidate == value) return name;
  }
  return "";
}

/// visit(name, field, help) for every option of loading. Command line, JSON, Python and the tables of the
/// documentation are made from these lists.
template <typename Options, typename Visitor>
void visit_load_fields(Options& options, Visitor&& visit) {
  visit("columns", options.columns, "use these columns only (default: all that both tables have)");
  visit("ignore", options.ignore, "leave these columns out");
  visit("categorical", options.categorical, "treat these columns as categories");
  visit("numeric", options.numeric, "treat these columns as numbers");
  visit("group", options.group, "rows with the same value in this column stay together in every split");
  visit("weight", options.weight, "column of non-negative row weights");
}

/// visit(name, field, help) for every option that only Algorithm 1 of the paper has.
template <typename Options, typename Visitor>
void visit_paper_fields(Options& options, Visitor&& visit) {
  visit("correction", options.correction, "correct the posterior for tables of unequal size");
  visit("threshold", options.threshold, "with --correction auto: correct when |r - 1| exceeds this");
  visit("epsilon", options.epsilon, "clip posteriors to [epsilon, 1 - epsilon]");
  visit("train", options.train, "M: training rows of the larger table (default: half)");
  visit("eval", options.eval, "L: test rows, and as many validation rows (default: a quarter each)");
  visit("iterations", options.iterations, "configurations that the search looks at; 0: no search");
  visit("encoding", options.encoding,
        "paper: ordinals, scaled, imputed; native: one-hot, missing indicators");
  visit("reweighting", options.reweighting, "let the search choose class weights");
}

/// visit(name, field, help) for every option of a single family.
template <typename Options, typename Visitor>
void visit_family_fields(Options& options, Visitor&& visit) {
  visit("tabpfn-weights", options.tabpfn.weights, "converted v2 weights; the family tabpfn needs them");
  visit("tabpfn-members", options.tabpfn.members,
        "members of its ensemble (default: 4; 1 without preprocessing)");
  visit("tabpfn-preprocessing", options.tabpfn.preprocessing, "none: the bare forward pass at temperature 1");
}

/// visit(name, field, help) for every option of an estimate that all protocols share.
template <typename Options, typename Visitor>
void visit_estimate_fields(Options& options, Visitor&& visit) {
  visit("protocol", options.protocol, "auto: cross-fitted stack; paper: Algorithm 1 of the paper");
  visit("families", options.families,
        "classifier families, or all (default: auto: all; paper: logreg, lr-pol, rf, xgboost, mlp)");
  visit("exclude-families", options.exclude_families, "families to leave out");
  visit("seeds", options.seeds, "repetitions, each with splits of its own (default: 1, under paper 5)");
  visit("seed", options.seed, "the first seed");
  visit("level", options.level, "level of the intervals");
  visit("support", options.support,
        "auto: harmonise puts both tables on the same grids before anything else");
  visit("max-rows", options.max_rows, "auto: use at most this many rows of each table, drawn at random");
  visit("time-budget", options.time_budget,
        "seconds; auto: as many rows as fit; paper: families and iterations that do not fit are left out");
}

}  // namespace jsdiv
