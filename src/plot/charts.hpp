#pragma once

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace jsdiv::plot {

inline constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Points, joined by a line or not. `css` names its colour class, see page.cpp.
struct Series {
  std::string name;
  std::string css;
  std::vector<double> x;
  std::vector<double> y;       ///< NaN: no point
  std::vector<double> spread;  ///< of y, drawn as whiskers; may be empty
  bool line = true;
  bool dashed = false;
  bool hollow = false;
  bool markers = true;
  bool labelled = false;  ///< its name stands beside its first point
};

struct Axis {
  std::string title;
  bool log = false;
  double smallest = 0;              ///< logarithmic: values below are drawn here
  std::optional<double> low, high;  ///< include these
};

struct LineChart {
  std::string title;
  Axis x, y;
  std::vector<Series> series;
  double width = 760;
  double height = 400;
  bool legend = true;
};
std::string draw(const LineChart& chart);

/// Values in cells; red below 0, blue above, NaN empty.
struct HeatMap {
  std::string title;
  std::vector<std::string> rows;
  std::vector<std::string> columns;
  std::vector<std::vector<double>> values;  ///< [rows][columns]
};
std::string draw(const HeatMap& map);

/// Groups of bars on a logarithmic scale. Published values stand beside ours as hollow bars.
struct BarChart {
  std::string title;
  std::string y_title;
  double smallest = 1e-3;
  struct Bar {
    std::string name;
    std::string css;
    double value = nothing;
    double spread = 0;
    bool hollow = false;
  };
  struct Group {
    std::string name;
    std::vector<Bar> bars;
  };
  std::vector<Group> groups;
};
std::string draw(const BarChart& chart);

/// Two clouds of points with the histograms of their coordinates.
struct PairPanel {
  std::string title;
  std::vector<double> p_x, p_y, q_x, q_y;
};
std::string draw(const std::vector<PairPanel>& panels);

}  // namespace jsdiv::plot
