#include "bench/experiment.hpp"

#include <algorithm>
#include <filesystem>

#include "bench/json_fields.hpp"
#include "bench/setting_fields.hpp"
#include "classify/registry.hpp"
#include "core/embedded_files.hpp"
#include "core/format.hpp"
#include "core/message.hpp"
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

/// What the pictures ask for must be there, before hours of work go into the rest.
void check_plot(const Plot& plot, const Experiment& experiment, const std::string& where) {
  const auto any_setting = [&](const auto& condition) {
    return std::ranges::any_of(experiment.settings, condition);
  };
  const auto has_axis = [&](const Setting& setting, const std::string& axis) {
    const auto value = setting.axes.find(axis);
    return value != setting.axes.end() && (plot.kind == PlotKind::gain || value->is_number()) &&
           matches(setting.axes, plot.where);
  };
  const std::string& axis = plot.kind == PlotKind::gain ? plot.axis : plot.x;
  if (!axis.empty() && !any_setting([&](const Setting& setting) { return has_axis(setting, axis); }))
    throw InvalidInput(where + ": no setting has the axis '" + axis + "'" +
                       (plot.where.empty() ? "" : " where " + plot.where.dump()));
  for (const Json& values : plot.at) {
    if (!values.is_object()) throw InvalidInput(where + ": 'at' must be a list of objects {…}");
    const auto wanted = std::ranges::find_if(
        experiment.settings, [&](const Setting& setting) { return matches(setting.axes, values); });
    if (wanted == experiment.settings.end()) throw InvalidInput(where + ": no setting has " + values.dump());
    if (plot.kind == PlotKind::pair && wanted->reads_tables())
      throw InvalidInput(where + ": only simulated settings have a picture of their pair");
  }
}

/// Every combination of the axes' values, the last axis running fastest.
std::vector<Json> combinations(const Json& axes, const std::string& where) {
  constexpr std::size_t most = 10'000;
  std::vector<Json> all = {Json::object()};
  for (const auto& [key, values] : axes.items()) {
    if (!values.is_array() || values.empty())
      throw InvalidInput(where + "." + key + " must be a list of values, for example [0.1, 0.5]");
    if (values.size() > most / all.size())
      throw InvalidInput(where + format(": makes more than %zu settings; give shorter lists", most));
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
    if (twice) throw InvalidInput(where + ": the setting '" + setting.label + "' appears twice");
    experiment.settings.push_back(std::move(setting));
  }
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

void check_estimators(const std::vector<std::string>& names, const Message& where) {
  const auto known = known_estimators();
  for (const std::string& name : names) {
    if (std::ranges::count(known, name) > 0) continue;
    throw InvalidInput(where + ": " + unknown_name("family", name, known));
  }
}

Experiment parse_experiment(std::string_view text, const std::string& source) {
  return experiment_from_json(parse_json(text, source), source);
}

Experiment experiment_from_json(Json json, const std::string& source) {
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
  experiment.seeds = fields.integer_or("seeds", PaperOptions::default_seeds);
  experiment.first_seed = static_cast<std::uint64_t>(fields.integer_or("first_seed", 0));
  const Json base = fields.object_or_empty("base");
  const Json grids = fields.array("grids");
  for (std::size_t i = 0; i < grids.size(); ++i) {
    add_grid(grids[i], base, source + format(": grids[%zu]", i), experiment);
  }
  if (fields.has("plots")) {
    const Json plots = fields.array("plots");
    for (std::size_t i = 0; i < plots.size(); ++i) {
      const std::string where = source + format(": plots[%zu]", i);
      experiment.plots.push_back(parse_plot(plots[i], where));
      check_plot(experiment.plots.back(), experiment, where);
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
    throw InvalidInput(unknown_name("experiment", name_or_path, built_in_experiments()) +
                       "; or give your own file");
  }
  Experiment experiment = experiment_from_json(read_json(name_or_path), name_or_path);
  experiment.folder = std::filesystem::absolute(name_or_path).parent_path().string();
  return experiment;
}

}  // namespace jsdiv::bench
