#include <algorithm>

#include "core/format.hpp"
#include "plot/charts.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

constexpr double cell_width = 84;
constexpr double cell_height = 28;
constexpr double left = 100;

/// From red over near-white to blue, by the share of the largest value.
std::string colour(double share) {
  const double strength = std::min(1.0, std::abs(share));
  const auto mix = [strength](double from, double to) {
    return static_cast<int>(from + (to - from) * strength);
  };
  return share < 0 ? format("#%02x%02x%02x", mix(246, 178), mix(246, 58), mix(246, 48))
                   : format("#%02x%02x%02x", mix(246, 33), mix(246, 102), mix(246, 172));
}

/// Its part before the first comma above the rest.
void draw_column_name(Svg& svg, double x, double bottom, const std::string& name) {
  const auto comma = name.find(", ");
  if (comma == std::string::npos) return svg.text(x, bottom, name, Anchor::middle, "tick");
  svg.text(x, bottom - 15, name.substr(0, comma), Anchor::middle, "tick");
  svg.text(x, bottom, name.substr(comma + 2), Anchor::middle, "tick");
}

}  // namespace

std::string draw(const HeatMap& map) {
  double largest = 0;
  for (const auto& row : map.values) {
    for (const double value : row) {
      if (!std::isnan(value)) largest = std::max(largest, std::abs(value));
    }
  }
  const double top = 60;
  const double width = left + cell_width * static_cast<double>(map.columns.size()) + 10;
  Svg svg(width, top + cell_height * static_cast<double>(map.rows.size()) + 10, map.title);
  svg.text(0, 16, map.title, Anchor::start, "name");
  for (std::size_t c = 0; c < map.columns.size(); ++c) {
    draw_column_name(svg, left + cell_width * (static_cast<double>(c) + 0.5), top - 8, map.columns[c]);
  }
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    const double y = top + cell_height * static_cast<double>(r);
    svg.text(left - 8, y + 18, map.rows[r], Anchor::end, "tick");
    for (std::size_t c = 0; c < map.columns.size(); ++c) {
      const double value = map.values[r][c];
      if (std::isnan(value)) continue;
      const double x = left + cell_width * static_cast<double>(c);
      const double share = largest > 0 ? value / largest : 0;
      svg.rectangle(x, y, cell_width - 2, cell_height - 2, "cell",
                    format("%s, %s: %.2f", map.rows[r].c_str(), map.columns[c].c_str(), value),
                    colour(share));
      svg.text(x + cell_width / 2 - 1, y + 17, format("%+.1f", value), Anchor::middle,
               std::abs(share) > 0.55 ? "on-dark" : "on-light");
    }
  }
  return svg.finish();
}

}  // namespace jsdiv::plot
