#include "bench/experiment.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/json_fields.hpp"
#include "bench/setting_fields.hpp"
#include "classify/registry.hpp"
#include "core/embedded_files.hpp"
#include "core/format.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::bench {
namespace {

constexpr std::string_view schema = "jsdiv.experiment/1";

PlotKind plot_kind(const std::string& name, const std::string& where) {
  constexpr std::pair<const char*, PlotKind> kinds[] = {
      {"pair", PlotKind::pair}, {"error", PlotKind::error},   {"estimate", PlotKind::estimate},
      {"gain", PlotKind::gain}, {"pareto", PlotKind::pareto}, {"bars", PlotKind::bars}};
  for (const auto& [spelling, kind] : kinds) {
    if (name == spelling) return kind;
  }
  throw InvalidInput(where + ": unknown kind '" + name +
                     "'; choose from: pair, error, estimate, gain, pareto, bars");
}

Plot parse_plot(const Json& json, const std::string& where) {
  Fields fields(json, where);
  Plot plot;
  plot.kind = plot_kind(fields.text("kind"), where);
  plot.title = fields.text("title");
  if (plot.kind == PlotKind::error || plot.kind == PlotKind::estimate) plot.x = fields.text("x");
  plot.where = fields.object_or_empty("where");
  if (plot.kind == PlotKind::pair || plot.kind == PlotKind::pareto) {
    for (const Json& values : fields.array("at")) plot.at.push_back(values);
  }
  if (plot.kind == PlotKind::gain) {
    plot.axis = fields.text("axis");
    plot.without_value = fields.text("without");
    plot.with_value = fields.text("with");
  }
  fields.refuse_others();
  return plot;
}

/// Every combination of the axes' values, the last axis running fastest.
std::vector<Json> combinations(const Json& axes, const std::string& where) {
  std::vector<Json> all = {Json::object()};
  for (const auto& [key, values] : axes.items()) {
    if (!values.is_array() || values.empty())
      throw InvalidInput(where + "." + key + " must be a list of values, for example [0.1, 0.5]");
    std::vector<Json> longer;
    for (const Json& begun : all) {
      for (const Json& value : values) {
        longer.push_back(begun);
        longer.back()[key] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

std::string label_of(const Json& axes) {
  std::string label;
  for (const auto& [key, value] : axes.items()) {
    label += (label.empty() ? "" : " ") + key + "=" + axis_text(value);
  }
  return label;
}

void add_grid(const Json& json, const Json& base, const std::string& where, Experiment& experiment) {
  Fields fields(json, where);
  const Json axes = fields.object("axes");
  const auto families = fields.has("families") ? fields.texts("families") : experiment.families;
  fields.refuse_others();
  check_estimators(families, where + ".families");
  for (const Json& combination : combinations(axes, where + ".axes")) {
    Setting setting;
    setting.axes = combination;
    setting.label = label_of(combination);
    setting.families = families;
    for (const auto& [key, value] : base.items()) set_field(setting, key, value, where + ".base");
    for (const auto& [key, value] : combination.items()) set_field(setting, key, value, where + ".axes");
    finish_setting(setting, where);
    const bool twice = std::ranges::count(experiment.settings, setting.label, &Setting::label) > 0;
    if (twice) throw InvalidInput(where + ": the setting '" + setting.label + "' is there twice");
    experiment.settings.push_back(std::move(setting));
  }
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InvalidInput("cannot read the experiment '" + path + "'");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::string axis_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return format("%g", value.get<double>());
  return value.dump();
}

bool matches(const Json& axes, const Json& wanted) {
  return std::ranges::all_of(wanted.items(), [&](const auto& item) {
    const auto found = axes.find(item.key());
    return found != axes.end() && *found == item.value();
  });
}

std::vector<std::string> known_estimators() {
  std::vector<std::string> names;
  for (const Family* family : families()) names.emplace_back(family->name());
  names.insert(names.end(), {"syndat", "synthcity", "auto"});
  return names;
}

void check_estimators(const std::vector<std::string>& names, const std::string& where) {
  const auto known = known_estimators();
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw InvalidInput(where + ": unknown family '" + name + "'; choose from: " + joined(known));
  }
}

Experiment parse_experiment(std::string_view text, const std::string& source) {
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InvalidInput(source + format(": is not JSON (byte %zu)", error.byte));
  }
  Fields fields(json, source);
  if (fields.text("schema") != schema)
    throw InvalidInput(source + ": schema is '" + fields.text("schema") + "'; this version reads " +
                       std::string(schema));
  Experiment experiment;
  experiment.name = fields.text("name");
  experiment.title = fields.text("title");
  experiment.source = fields.text_or("source", "");
  experiment.published = fields.text_or("published", "");
  experiment.families = fields.texts("families");
  check_estimators(experiment.families, source + ": families");
  experiment.seeds = fields.integer_or("seeds", 5);
  experiment.first_seed = static_cast<std::uint64_t>(fields.integer_or("first_seed", 0));
  const Json base = fields.object_or_empty("base");
  const Json grids = fields.array("grids");
  for (std::size_t i = 0; i < grids.size(); ++i) {
    add_grid(grids[i], base, source + format(": grids[%zu]", i), experiment);
  }
  if (fields.has("plots")) {
    const Json plots = fields.array("plots");
    for (std::size_t i = 0; i < plots.size(); ++i) {
      experiment.plots.push_back(parse_plot(plots[i], source + format(": plots[%zu]", i)));
    }
  }
  fields.refuse_others();
  if (experiment.settings.empty()) throw InvalidInput(source + ": grids has no setting");
  if (experiment.seeds < 1) throw InvalidInput(source + ": seeds must be at least 1");
  experiment.file = std::move(json);
  return experiment;
}

std::vector<std::string> built_in_experiments() {
  std::vector<std::string> names;
  for (const EmbeddedFile& file : embedded_files()) {
    const std::filesystem::path path(file.name);
    if (path.extension() == ".json") names.push_back(path.stem().string());
  }
  return names;
}

Experiment find_experiment(const std::string& name_or_path) {
  const std::string wanted = "experiments/" + name_or_path + ".json";
  for (const EmbeddedFile& file : embedded_files()) {
    if (file.name == wanted) return parse_experiment(file.content, name_or_path + ".json");
  }
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(name_or_path, ignored)) {
    throw InvalidInput("there is no experiment '" + name_or_path +
                       "'; choose from: " + joined(built_in_experiments()) + ", or give a file of your own");
  }
  Experiment experiment = parse_experiment(read_text(name_or_path), name_or_path);
  experiment.folder = std::filesystem::absolute(name_or_path).parent_path().string();
  return experiment;
}

}  // namespace jsdiv::bench
