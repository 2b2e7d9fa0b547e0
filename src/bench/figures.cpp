#include "bench/figures.hpp"

#include <algorithm>

#include "bench/published.hpp"
#include "bench/tables.hpp"
#include "core/format.hpp"
#include "jsdiv/error.hpp"
#include "plot/charts.hpp"

namespace jsdiv::bench {
namespace {

using plot::nothing;

/// Errors (×100) below this are drawn here: they say "none".
constexpr double smallest_error = 0.01;
/// Seconds below this are drawn here.
constexpr double smallest_seconds = 0.001;
/// Points of a cloud; more only make it denser.
constexpr std::size_t most_points = 600;

std::string css(const std::string& estimator) {
  return "c-" + estimator;
}

double or_nothing(const Maybe& value) {
  return value ? *value : nothing;
}

/// What the pictures are made from.
struct Source {
  const Plan& plan;
  const Cells& cells;

  const Experiment& experiment() const { return plan.experiment; }
  const Cell* cell(std::size_t setting, const std::string& family) const {
    const auto found = cells.find({setting, family});
    return found == cells.end() ? nullptr : &found->second;
  }
  /// Any estimator's cell: what belongs to the draws is the same in all of them.
  const Cell* any_cell(std::size_t setting) const {
    const auto found = cells.lower_bound({setting, ""});
    return found == cells.end() || found->first.first != setting ? nullptr : &found->second;
  }
  const Published* published(const char* source, std::size_t setting, const std::string& family) const {
    return find_published(source, experiment().published, experiment().settings[setting].label, family);
  }
};

std::size_t find_setting(const Experiment& experiment, const Json& values) {
  const auto& settings = experiment.settings;
  for (std::size_t s = 0; s < settings.size(); ++s) {
    if (matches(settings[s].axes, values)) return s;
  }
  throw InvalidInput(experiment.name + ": a plot asks for " + values.dump() + ", which no setting has");
}

/// Settings of a plot with a number on its axis, in its order.
struct Along {
  std::vector<std::size_t> settings;
  std::vector<double> x;
};

Along settings_along(const Experiment& experiment, const Plot& plot) {
  std::vector<std::pair<double, std::size_t>> found;
  for (std::size_t s = 0; s < experiment.settings.size(); ++s) {
    const Json& axes = experiment.settings[s].axes;
    const auto value = axes.find(plot.x);
    if (value != axes.end() && value->is_number() && matches(axes, plot.where))
      found.emplace_back(value->get<double>(), s);
  }
  if (found.empty())
    throw InvalidInput(experiment.name + ": a plot asks for the axis '" + plot.x + "', which no setting has");
  std::ranges::sort(found);
  Along along;
  for (const auto& [x, setting] : found) {
    along.x.push_back(x);
    along.settings.push_back(setting);
  }
  return along;
}

/// A tenfold range is read better on a logarithmic axis.
bool wide_range(const std::vector<double>& x) {
  return x.front() > 0 && x.back() / x.front() >= 20;
}

using CellValue = double (*)(const Cell&);
using PublishedValue = double (*)(const Published&);

double error_of(const Cell& cell) {
  return cell.error ? cell.error->mean : nothing;
}
double estimate_of(const Cell& cell) {
  return cell.estimate.mean;
}
double oracle_of(const Cell& cell) {
  return or_nothing(cell.oracle_error);
}
double reference_of(const Cell& cell) {
  return or_nothing(cell.reference);
}
double published_error(const Published& row) {
  return or_nothing(row.error);
}
double published_estimate(const Published& row) {
  return or_nothing(row.estimate);
}

plot::Series own_series(const Source& source, const Along& along, const std::string& family,
                        CellValue value) {
  plot::Series series{.name = display_name(family), .css = css(family), .x = along.x, .y = {}, .spread = {}};
  for (const std::size_t s : along.settings) {
    const Cell* cell = source.cell(s, family);
    series.y.push_back(cell == nullptr ? nothing : value(*cell));
  }
  return series;
}

/// The floor of the errors, or the truth.
plot::Series common_series(const Source& source, const Along& along, const char* name, CellValue value) {
  plot::Series series{.name = name, .css = "c-oracle", .x = along.x, .y = {}, .spread = {}};
  series.dashed = true;
  series.markers = false;
  for (const std::size_t s : along.settings) {
    const Cell* cell = source.any_cell(s);
    series.y.push_back(cell == nullptr ? nothing : value(*cell));
  }
  return series;
}

plot::Series published_series(const Source& source, const Along& along, const std::string& family,
                              const char* which, PublishedValue value) {
  plot::Series series{.name = which, .css = css(family), .x = along.x, .y = {}, .spread = {}};
  for (const std::size_t s : along.settings) {
    const Published* row = source.published(which, s, family);
    series.y.push_back(row == nullptr ? nothing : value(*row));
  }
  series.hollow = true;
  series.dashed = true;
  return series;
}

bool has_points(const plot::Series& series) {
  return std::ranges::any_of(series.y, [](double y) { return !std::isnan(y); });
}

/// One small picture for each estimator that was published: ours, the files', the paper's and the floor.
std::vector<std::string> panels_beside_published(const Source& source, const Along& along, const Plot& plot,
                                                 const plot::LineChart& common, CellValue value,
                                                 PublishedValue published) {
  std::vector<std::string> pictures;
  for (const std::string& family : source.experiment().families) {
    auto files = published_series(source, along, family, "files", published);
    auto paper = published_series(source, along, family, "paper", published);
    if (!has_points(files) && !has_points(paper)) continue;
    paper.line = false;
    plot::LineChart panel = common;
    panel.title = display_name(family);
    panel.x.title = plot.x;
    panel.y.title.clear();
    panel.width = 250;
    panel.height = 190;
    panel.legend = false;
    panel.series = {common.series.front(), files, paper, own_series(source, along, family, value)};
    pictures.push_back(draw(panel));
  }
  return pictures;
}

std::vector<plot::Figure> lines(const Source& source, const Plot& plot) {
  const bool errors = plot.kind == PlotKind::error;
  const Along along = settings_along(source.experiment(), plot);
  const CellValue value = errors ? error_of : estimate_of;
  plot::LineChart chart;
  chart.x = {.title = plot.x, .log = wide_range(along.x)};
  chart.y = {.title = errors ? "mean absolute error ×100" : "estimated JSD",
             .log = errors,
             .smallest = smallest_error};
  chart.series.push_back(
      common_series(source, along, errors ? "oracle" : "truth", errors ? oracle_of : reference_of));
  for (const std::string& family : source.experiment().families) {
    auto series = own_series(source, along, family, value);
    if (!errors) {
      for (const std::size_t s : along.settings) {
        const Cell* cell = source.cell(s, family);
        series.spread.push_back(cell == nullptr ? 0 : cell->estimate.sd.value_or(0));
      }
    }
    if (has_points(series)) chart.series.push_back(std::move(series));
  }
  const std::string floor =
      errors ? "Dashed: the error of a plug-in that knows the densities, on all rows of the same draws."
             : "Dashed: the true divergence. Whiskers: one standard deviation over the seeds.";
  std::vector<plot::Figure> figures = {{plot.title, floor, {draw(chart)}}};

  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const plot::Series& series : chart.series) {
    for (const double y : series.y) {
      if (std::isnan(y) || (errors && y <= 0)) continue;
      low = std::min(low, y);
      high = std::max(high, y);
    }
  }
  if (low <= high) {
    chart.y.low = low;
    chart.y.high = high;
  }
  auto panels = panels_beside_published(source, along, plot, chart, value,
                                        errors ? published_error : published_estimate);
  if (!panels.empty()) {
    figures.push_back(
        {plot.title + ", next to the published figures",
         "Filled: jsdiv. Hollow and dashed: means over the published per-seed files. Hollow alone: the "
         "paper's tables. Dashed black: " +
             std::string(errors ? "the all-data oracle of our draws." : "the true divergence."),
         std::move(panels)});
  }
  return figures;
}

plot::PairPanel pair_panel(const Source& source, std::size_t s) {
  const Setting& setting = source.experiment().settings[s];
  SimulateOptions options = setting.draw;
  const double ratio = options.ratio.value_or(1);
  options.n = std::min(*options.n, most_points);
  options.n_q = std::max<std::size_t>(1, static_cast<std::size_t>(ratio * static_cast<double>(*options.n)));
  options.ratio.reset();
  options.seed = source.experiment().first_seed;
  const Simulation drawn = simulate(setting.scenario, options);
  plot::PairPanel panel{
      .title = setting.label, .p_x = drawn.p.columns.at(0).values, .p_y = {}, .q_x = {}, .q_y = {}};
  panel.q_x = drawn.q.columns.at(0).values;
  if (drawn.p.columns.size() > 1) {
    panel.p_y = drawn.p.columns[1].values;
    panel.q_y = drawn.q.columns[1].values;
  } else {
    panel.p_y.assign(panel.p_x.size(), 0);
    panel.q_y.assign(panel.q_x.size(), 0);
  }
  return panel;
}

std::vector<plot::Figure> pairs(const Source& source, const Plot& plot) {
  std::vector<plot::PairPanel> panels;
  for (const Json& values : plot.at) {
    const std::size_t s = find_setting(source.experiment(), values);
    if (!source.experiment().settings[s].reads_tables()) panels.push_back(pair_panel(source, s));
  }
  if (panels.empty()) return {};
  return {{plot.title,
           "Samples of the two tables, first two columns, with the histograms of each column.",
           {draw(panels)}}};
}

std::vector<plot::Figure> pareto(const Source& source, const Plot& plot) {
  std::vector<std::string> pictures;
  for (const Json& values : plot.at) {
    const std::size_t s = find_setting(source.experiment(), values);
    plot::LineChart chart;
    chart.x = {.title = "seconds", .log = true, .smallest = smallest_seconds};
    chart.y = {.title = "mean absolute error ×100", .log = true, .smallest = smallest_error};
    for (const std::string& family : source.experiment().families) {
      const Cell* cell = source.cell(s, family);
      if (cell != nullptr && cell->error) {
        plot::Series own{.name = display_name(family),
                         .css = css(family),
                         .x = {cell->seconds},
                         .y = {cell->error->mean},
                         .spread = {}};
        own.line = false;
        own.labelled = true;
        chart.series.push_back(std::move(own));
      }
      const Published* row = source.published("files", s, family);
      if (row == nullptr || !row->error || !row->seconds) continue;
      plot::Series published{.name = display_name(family),
                             .css = css(family),
                             .x = {*row->seconds},
                             .y = {*row->error},
                             .spread = {}};
      published.line = false;
      published.hollow = true;
      published.labelled = true;
      chart.series.push_back(std::move(published));
    }
    chart.legend = false;
    pictures.push_back(draw(chart));
  }
  return {{plot.title,
           "Closer to the lower left is better. Filled: jsdiv, one core of this machine per job. Hollow: "
           "published, 32 cores and a GPU.",
           std::move(pictures)}};
}

/// Error without minus error with, for each estimator and each pair of settings that differ in the axis
/// alone.
std::vector<plot::Figure> gain(const Source& source, const Plot& plot) {
  const auto& settings = source.experiment().settings;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_of_settings;
  std::vector<std::string> columns;
  for (std::size_t without = 0; without < settings.size(); ++without) {
    Json wanted = settings[without].axes;
    if (wanted.value(plot.axis, Json()) != plot.without_value) continue;
    wanted[plot.axis] = plot.with_value;
    for (std::size_t with = 0; with < settings.size(); ++with) {
      if (settings[with].axes != wanted) continue;
      pairs_of_settings.emplace_back(without, with);
      std::string label;
      for (const auto& [key, value] : wanted.items()) {
        if (key != plot.axis && !value.is_string())
          label += (label.empty() ? "" : ", ") + key + " " + axis_text(value);
      }
      columns.push_back(label);
    }
  }
  const auto map_of = [&](const std::string& title, const auto& error_at) {
    plot::HeatMap map{.title = title, .rows = {}, .columns = columns, .values = {}};
    for (const std::string& family : source.experiment().families) {
      std::vector<double> row;
      row.reserve(pairs_of_settings.size());
      for (const auto& [without, with] : pairs_of_settings)
        row.push_back(error_at(without, family) - error_at(with, family));
      if (std::ranges::all_of(row, [](double value) { return std::isnan(value); })) continue;
      map.rows.push_back(display_name(family));
      map.values.push_back(std::move(row));
    }
    return map;
  };
  const auto own = map_of("jsdiv", [&](std::size_t s, const std::string& family) {
    const Cell* cell = source.cell(s, family);
    return cell == nullptr ? nothing : error_of(*cell);
  });
  const auto published = map_of("published (per-seed files)", [&](std::size_t s, const std::string& family) {
    const Published* row = source.published("files", s, family);
    return row == nullptr ? nothing : published_error(*row);
  });
  plot::Figure figure{
      plot.title, "Error without the correction minus error with it: blue is a gain, red a loss.", {}};
  if (!own.rows.empty()) figure.pictures.push_back(draw(own));
  if (!published.rows.empty()) figure.pictures.push_back(draw(published));
  return {std::move(figure)};
}

std::vector<plot::Figure> bars(const Source& source, const Plot& plot) {
  plot::BarChart chart;
  chart.y_title = "estimated JSD";
  bool any_published = false;
  for (std::size_t s = 0; s < source.experiment().settings.size(); ++s) {
    plot::BarChart::Group group{.name = source.experiment().settings[s].label, .bars = {}};
    for (const std::string& family : source.experiment().families) {
      const Published* row = source.published("paper", s, family);
      const Cell* cell = source.cell(s, family);
      if (row != nullptr && row->estimate) {
        group.bars.push_back({display_name(family) + " (paper)", css(family), *row->estimate,
                              row->estimate_sd.value_or(0), true});
        any_published = true;
      }
      if (cell != nullptr) {
        group.bars.push_back(
            {display_name(family), css(family), cell->estimate.mean, cell->estimate.sd.value_or(0), false});
      }
      if (family == "auto" && cell != nullptr && cell->harmonised_jsd)
        group.bars.push_back({"auto, harmonised", "c-oracle", *cell->harmonised_jsd, 0, false});
    }
    chart.groups.push_back(std::move(group));
  }
  return {{plot.title,
           std::string("Whiskers: one standard deviation over the seeds.") +
               (any_published ? " Pale bars: the paper's tables." : ""),
           {draw(chart)}}};
}

}  // namespace

std::vector<plot::Figure> figures(const Plan& plan, const Cells& cells) {
  const Source source{plan, cells};
  std::vector<plot::Figure> all;
  for (const Plot& plot : plan.experiment.plots) {
    const auto drawn = [&] {
      switch (plot.kind) {
        case PlotKind::pair:
          return pairs(source, plot);
        case PlotKind::error:
        case PlotKind::estimate:
          return lines(source, plot);
        case PlotKind::gain:
          return gain(source, plot);
        case PlotKind::pareto:
          return pareto(source, plot);
        case PlotKind::bars:
          return bars(source, plot);
      }
      return std::vector<plot::Figure>();
    }();
    all.insert(all.end(), drawn.begin(), drawn.end());
  }
  return all;
}

}  // namespace jsdiv::bench
