#include <algorithm>

#include "core/format.hpp"
#include "plot/charts.hpp"
#include "plot/scale.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

constexpr double left = 62;
constexpr double top = 28;
constexpr double plot_height = 250;
constexpr double bar_width = 11;
constexpr double group_gap = 30;

double group_width(const BarChart::Group& group) {
  return bar_width * static_cast<double>(group.bars.size());
}

}  // namespace

std::string draw(const BarChart& chart) {
  std::vector<double> values = {chart.smallest, 1};
  double width = left + 10;
  for (const BarChart::Group& group : chart.groups) {
    for (const BarChart::Bar& bar : group.bars) values.push_back(bar.value);
    width += group_width(group) + group_gap;
  }
  const Scale scale = Scale::covering(values, true, chart.smallest);
  const double bottom = top + plot_height;
  const auto py = [&](double value) { return bottom - plot_height * scale.position(value); };
  Svg svg(width, bottom + 74, chart.title);
  if (!chart.title.empty()) svg.text(left, 16, chart.title, Anchor::start, "name");
  for (const Scale::Tick& tick : scale.ticks()) {
    svg.line(left, py(tick.value), width, py(tick.value), "grid");
    svg.text(left - 6, py(tick.value) + 4, tick.label, Anchor::end, "tick");
  }
  svg.vertical_text(14, (top + bottom) / 2, chart.y_title, "label");
  double x = left + group_gap / 2;
  for (const BarChart::Group& group : chart.groups) {
    double begin = x;
    for (const BarChart::Bar& bar : group.bars) {
      if (!std::isnan(bar.value)) {
        const double y = std::min(py(bar.value), bottom - 1);
        svg.rectangle(x + 0.5, y, bar_width - 1.5, bottom - y,
                      (bar.hollow ? "hollow-bar " : "bar ") + bar.css,
                      format("%s, %s: %.4g", group.name.c_str(), bar.name.c_str(), bar.value));
        if (bar.spread > 0) {
          const double centre = x + bar_width / 2;
          svg.line(centre, py(bar.value - bar.spread), centre, py(bar.value + bar.spread), "whisker ink");
        }
      }
      x += bar_width;
    }
    svg.text((begin + x) / 2, bottom + 18, group.name, Anchor::middle, "tick");
    x += group_gap;
  }
  svg.line(left, bottom, width, bottom, "axis");

  // The legend names each estimator once, below the groups.
  double legend_x = left;
  double legend_y = bottom + 42;
  std::vector<std::string> named;
  for (const BarChart::Group& group : chart.groups) {
    for (const BarChart::Bar& bar : group.bars) {
      if (bar.hollow || std::ranges::count(named, bar.name) > 0) continue;
      named.push_back(bar.name);
      if (legend_x + 92 > width) {
        legend_x = left;
        legend_y += 18;
      }
      svg.rectangle(legend_x, legend_y - 9, 10, 10, "bar " + bar.css);
      svg.text(legend_x + 15, legend_y, bar.name, Anchor::start, "tick");
      legend_x += 92;
    }
  }
  return svg.finish();
}

}  // namespace jsdiv::plot
