#include <algorithm>

#include "core/format.hpp"
#include "plot/charts.hpp"
#include "plot/scale.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

constexpr double marker_radius = 3.6;
constexpr double legend_width = 130;

/// The rectangle that holds the data, with its scales.
struct Frame {
  double left, top, right, bottom;
  Scale x, y;

  double px(double value) const { return left + (right - left) * x.position(value); }
  double py(double value) const { return bottom - (bottom - top) * y.position(value); }
};

std::vector<double> values_of(const LineChart& chart, bool horizontal) {
  const Axis& axis = horizontal ? chart.x : chart.y;
  std::vector<double> values;
  if (axis.low) values.push_back(*axis.low);
  if (axis.high) values.push_back(*axis.high);
  for (const Series& series : chart.series) {
    const auto& own = horizontal ? series.x : series.y;
    values.insert(values.end(), own.begin(), own.end());
    if (horizontal) continue;
    for (std::size_t i = 0; i < series.spread.size(); ++i) values.push_back(series.y[i] + series.spread[i]);
  }
  return values;
}

void draw_axes(Svg& svg, const LineChart& chart, const Frame& frame) {
  for (const Scale::Tick& tick : frame.y.ticks()) {
    svg.line(frame.left, frame.py(tick.value), frame.right, frame.py(tick.value), "grid");
    svg.text(frame.left - 6, frame.py(tick.value) + 4, tick.label, Anchor::end, "tick");
  }
  for (const Scale::Tick& tick : frame.x.ticks()) {
    svg.line(frame.px(tick.value), frame.bottom, frame.px(tick.value), frame.bottom + 4, "axis");
    svg.text(frame.px(tick.value), frame.bottom + 17, tick.label, Anchor::middle, "tick");
  }
  svg.line(frame.left, frame.bottom, frame.right, frame.bottom, "axis");
  svg.text((frame.left + frame.right) / 2, frame.bottom + 34, chart.x.title, Anchor::middle, "label");
  if (!chart.y.title.empty()) svg.vertical_text(14, (frame.top + frame.bottom) / 2, chart.y.title, "label");
}

/// Finds room for the names that stand beside points: to the right, to the left, then above and below.
class Labels {
 public:
  void place(Svg& svg, const Frame& frame, double x, double y, const std::string& name) {
    const double width = 6.2 * static_cast<double>(name.size());
    for (const double dy : {4.0, -7.0, 15.0, -18.0, 26.0}) {
      for (const bool at_right : {true, false}) {
        const double left = at_right ? x + 7 : x - 7 - width;
        if (left + width > frame.right + 60 || left < frame.left) continue;
        const Box box{left, y + dy - 10, left + width, y + dy + 1};
        if (std::ranges::any_of(taken_, [&](const Box& other) { return box.meets(other); })) continue;
        taken_.push_back(box);
        svg.text(left, y + dy, name, Anchor::start, "mark");
        return;
      }
    }
    svg.text(x + 7, y + 4, name, Anchor::start, "mark");
  }
  void keep_free(double x, double y) {
    taken_.push_back({x - marker_radius, y - marker_radius, x + marker_radius, y + marker_radius});
  }

 private:
  struct Box {
    double left, top, right, bottom;
    bool meets(const Box& other) const {
      return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
  };

  std::vector<Box> taken_;
};

void draw_series(Svg& svg, const Series& series, const Frame& frame) {
  std::string points;
  const auto end_line = [&] {
    if (!points.empty() && series.line)
      svg.polyline(points, "line " + series.css + (series.dashed ? " dashed" : ""));
    points.clear();
  };
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (std::isnan(series.y[i])) {
      end_line();
      continue;
    }
    points += format("%.1f,%.1f ", frame.px(series.x[i]), frame.py(series.y[i]));
  }
  end_line();
  for (std::size_t i = 0; i < series.x.size(); ++i) {
    if (std::isnan(series.y[i])) continue;
    const double x = frame.px(series.x[i]);
    const double y = frame.py(series.y[i]);
    if (i < series.spread.size() && series.spread[i] > 0) {
      svg.line(x, frame.py(series.y[i] - series.spread[i]), x, frame.py(series.y[i] + series.spread[i]),
               "whisker " + series.css);
    }
    if (series.markers) {
      svg.circle(x, y, marker_radius, (series.hollow ? "hollow " : "dot ") + series.css,
                 format("%s: %.4g at %.4g", series.name.c_str(), series.y[i], series.x[i]));
    }
  }
}

/// The names of labelled series, each beside its first point.
void draw_labels(Svg& svg, const std::vector<Series>& series, const Frame& frame) {
  Labels labels;
  for (const Series& each : series) {
    if (each.labelled && !each.x.empty()) labels.keep_free(frame.px(each.x[0]), frame.py(each.y[0]));
  }
  for (const Series& each : series) {
    if (each.labelled && !each.x.empty())
      labels.place(svg, frame, frame.px(each.x[0]), frame.py(each.y[0]), each.name);
  }
}

void draw_legend(Svg& svg, const std::vector<Series>& series, double x, double top) {
  double y = top + 6;
  for (const Series& each : series) {
    if (each.labelled) continue;
    if (each.line) svg.line(x, y, x + 22, y, "line " + each.css + (each.dashed ? " dashed" : ""));
    if (each.markers) svg.circle(x + 11, y, marker_radius, (each.hollow ? "hollow " : "dot ") + each.css);
    svg.text(x + 28, y + 4, each.name, Anchor::start, "tick");
    y += 19;
  }
}

}  // namespace

std::string draw(const LineChart& chart) {
  const bool legend = chart.legend;
  const double left = chart.y.title.empty() ? 44 : 62;
  Frame frame{.left = left,
              .top = chart.title.empty() ? 12.0 : 28.0,
              .right = chart.width - (legend ? legend_width : 14),
              .bottom = chart.height - (chart.x.title.empty() ? 26 : 44),
              .x = Scale::covering(values_of(chart, true), chart.x.log, chart.x.smallest),
              .y = Scale::covering(values_of(chart, false), chart.y.log, chart.y.smallest)};
  Svg svg(chart.width, chart.height, chart.title.empty() ? chart.y.title : chart.title);
  if (!chart.title.empty()) svg.text(frame.left, 16, chart.title, Anchor::start, "name");
  draw_axes(svg, chart, frame);
  for (const Series& series : chart.series) draw_series(svg, series, frame);
  draw_labels(svg, chart.series, frame);
  if (legend) draw_legend(svg, chart.series, frame.right + 14, frame.top);
  return svg.finish();
}

}  // namespace jsdiv::plot
