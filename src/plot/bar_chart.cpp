#include <algorithm>
#include <sstream>

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
constexpr double legend_width = 116;
constexpr double group_gap = 30;

constexpr double character_width = 6.4;
constexpr double line_height = 15;

double bars_width(const BarChart::Group& group) {
  return bar_width * static_cast<double>(group.bars.size());
}

/// The words of a group's name, as many in a line as its bars leave room for.
std::vector<std::string> lines_of(const BarChart::Group& group) {
  const double room = bars_width(group) + group_gap;
  std::vector<std::string> lines(1);
  std::istringstream words(group.name);
  for (std::string word; words >> word;) {
    const std::string longer = lines.back().empty() ? word : lines.back() + " " + word;
    if (!lines.back().empty() && character_width * static_cast<double>(longer.size()) > room) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

/// Wide enough for its bars and for the longest word of its name.
double group_width(const BarChart::Group& group) {
  double width = bars_width(group);
  for (const std::string& line : lines_of(group)) {
    width = std::max(width, character_width * static_cast<double>(line.size()) - group_gap / 2);
  }
  return width;
}

/// One bar of each colour, a hollow one only where there is no other.
std::vector<BarChart::Bar> legend_of(const BarChart& chart) {
  std::vector<BarChart::Bar> entries;
  for (const BarChart::Group& group : chart.groups) {
    for (const BarChart::Bar& bar : group.bars) {
      const auto known = std::ranges::find(entries, bar.css, &BarChart::Bar::css);
      if (known == entries.end()) {
        entries.push_back(bar);
      } else if (known->hollow && !bar.hollow) {
        *known = bar;
      }
    }
  }
  return entries;
}

}  // namespace

std::string draw(const BarChart& chart) {
  std::vector<double> values = {chart.smallest, 1};
  double width = left + 10;
  std::size_t most_lines = 1;
  for (const BarChart::Group& group : chart.groups) {
    for (const BarChart::Bar& bar : group.bars) values.push_back(bar.value);
    width += group_width(group) + group_gap;
    most_lines = std::max(most_lines, lines_of(group).size());
  }
  const Scale scale = Scale::covering(values, true, chart.smallest);
  const double bottom = top + plot_height;
  const auto py = [&](double value) { return bottom - plot_height * scale.position(value); };
  const double legend_top = bottom + 26 + line_height * static_cast<double>(most_lines);
  Svg svg(width, legend_top + 50, chart.title);
  if (!chart.title.empty()) svg.text(left, 16, chart.title, Anchor::start, "name");
  for (const Scale::Tick& tick : scale.ticks()) {
    svg.line(left, py(tick.value), width, py(tick.value), "grid");
    svg.text(left - 6, py(tick.value) + 4, tick.label, Anchor::end, "tick");
  }
  svg.vertical_text(14, (top + bottom) / 2, chart.y_title, "label");
  double x = left + group_gap / 2;
  for (const BarChart::Group& group : chart.groups) {
    const double centre_of_group = x + group_width(group) / 2;
    const double end = x + group_width(group);
    x = centre_of_group - bars_width(group) / 2;
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
    double line_y = bottom + 18;
    for (const std::string& line : lines_of(group)) {
      svg.text(centre_of_group, line_y, line, Anchor::middle, "tick");
      line_y += line_height;
    }
    x = end + group_gap;
  }
  svg.line(left, bottom, width, bottom, "axis");

  double legend_x = left;
  double legend_y = legend_top;
  for (const BarChart::Bar& bar : legend_of(chart)) {
    if (legend_x + legend_width > width) {
      legend_x = left;
      legend_y += 18;
    }
    svg.rectangle(legend_x, legend_y - 9, 10, 10, (bar.hollow ? "hollow-bar " : "bar ") + bar.css);
    svg.text(legend_x + 15, legend_y, bar.name, Anchor::start, "tick");
    legend_x += legend_width;
  }
  return svg.finish();
}

}  // namespace jsdiv::plot
