#pragma once

#include <optional>
#include <string>
#include <vector>

#include "jsdiv/error.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/simulate.hpp"
#include "report/json.hpp"

namespace jsdiv::bench {

/// One combination of the axes' values: which pair of tables, under which protocol.
struct Setting {
  std::string label;  ///< "gap=0.3 ratio=0.1 correction=on"
  Json axes;          ///< the values that make it
  std::string scenario;
  /// Its seed is the job's. Tables that are read: n rows of each.
  SimulateOptions draw = {.n = default_simulated_rows};
  bool rows_given = false;  ///< n was given, and does not follow from the split
  std::string path_p;       ///< tables that are read, instead of a scenario
  std::string path_q;
  PaperOptions paper;
  bool published_iterations = false;  ///< as many as the published tool gave the family
  std::vector<std::string> families;

  bool reads_tables() const { return scenario.empty(); }
};

enum class PlotKind { pair, error, estimate, gain, pareto, bars };

/// A picture of the report.
struct Plot {
  PlotKind kind = PlotKind::error;
  std::string title;
  std::string x;                                ///< error, estimate: the axis along the bottom
  Json where = Json::object();                  ///< error, estimate: the settings with these values only
  std::vector<Json> at;                         ///< pair, pareto: one panel for each
  std::string axis, without_value, with_value;  ///< gain: what is switched
};

/// An experiment as its file states it, with the settings written out.
struct Experiment {
  std::string name;
  std::string title;
  std::string source;
  std::string published;  ///< the published experiment to stand beside it; empty: none
  std::vector<std::string> families;
  int seeds = PaperOptions::default_seeds;
  std::uint64_t first_seed = 0;
  std::vector<Setting> settings;
  std::vector<Plot> plots;
  Json file;           ///< the file itself
  std::string folder;  ///< where it was read from; empty for one that is built in
};

/// Estimators that an experiment may name: the families of the registry, syndat, synthcity and auto.
std::vector<std::string> known_estimators();

/// Throws InvalidInput that lists the names there are.
void check_estimators(const std::vector<std::string>& names, const Message& where);

/// An experiment from its text. Throws InvalidInput that names `source` and the key that is wrong.
Experiment parse_experiment(std::string_view text, const std::string& source);
Experiment experiment_from_json(Json json, const std::string& source);

/// The built-in experiment of that name, or the one in the file of that path.
Experiment find_experiment(const std::string& name_or_path);

std::vector<std::string> built_in_experiments();

/// A number of an axis as labels show it: 0.3, 10.
std::string axis_text(const Json& value);

/// True if `axes` has each value of `wanted`.
bool matches(const Json& axes, const Json& wanted);

}  // namespace jsdiv::bench
