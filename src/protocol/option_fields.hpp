#pragma once

#include <algorithm>
#include <array>
#include <string>
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

/// The field's name, as C++, Python and the JSON have it: exclude_families for exclude-families.
inline std::string field_name(std::string_view option_name) {
  std::string name(option_name);
  std::ranges::replace(name, '-', '_');
  return name;
}

/// visit(name, field, help) for every option that determines an estimate.
template <typename Options, typename Visitor>
void visit_all_fields(Options& options, Visitor&& visit) {
  visit_load_fields(options.load, visit);
  visit_estimate_fields(options, visit);
  visit_paper_fields(options.paper, visit);
  visit_family_fields(options.family, visit);
}

/// The options of an estimate that mean nothing to `score`: one model of all rows, where nothing is split,
/// repeated or measured.
inline constexpr std::array<std::string_view, 9> unused_by_score = {
    "protocol", "exclude-families", "seeds", "level", "support", "max-rows", "time-budget", "train", "eval"};

}  // namespace jsdiv
