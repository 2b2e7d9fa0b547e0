#include <algorithm>
#include <array>

#include "plot/charts.hpp"
#include "plot/scale.hpp"
#include "plot/svg.hpp"

namespace jsdiv::plot {
namespace {

constexpr double size = 230;
constexpr double histogram_height = 44;
constexpr double margin_left = 34;
constexpr double margin_top = 24;
constexpr double panel_width = margin_left + size + histogram_height + 24;
constexpr double panel_height = margin_top + histogram_height + size + 34;
constexpr std::size_t bins = 24;

/// Shares of the values in equal bins of the scale.
std::array<double, bins> histogram(const std::vector<double>& values, const Scale& scale) {
  std::array<double, bins> shares{};
  for (const double value : values) {
    const auto bin = static_cast<std::size_t>(scale.position(value) * static_cast<double>(bins));
    shares[std::min(bin, bins - 1)] += 1 / static_cast<double>(values.size());
  }
  return shares;
}

void draw_histograms(Svg& svg, const std::vector<double>& p, const std::vector<double>& q, const Scale& scale,
                     double x, double y, bool horizontal) {
  constexpr double tallest_share = 0.2;
  constexpr double step = size / static_cast<double>(bins);
  for (const auto& [values, css] : {std::pair(&p, "hist-p"), std::pair(&q, "hist-q")}) {
    const auto shares = histogram(*values, scale);
    for (std::size_t b = 0; b < bins; ++b) {
      const double length = std::min(1.0, shares[b] / tallest_share) * histogram_height;
      const double offset = step * static_cast<double>(b);
      if (horizontal) {
        svg.rectangle(x + offset, y - length, step - 0.5, length, css);
      } else {
        svg.rectangle(x, y - offset - step, length, step - 0.5, css);
      }
    }
  }
}

void draw_panel(Svg& svg, const PairPanel& panel, double x0, double y0) {
  std::vector<double> all_x = panel.p_x;
  all_x.insert(all_x.end(), panel.q_x.begin(), panel.q_x.end());
  std::vector<double> all_y = panel.p_y;
  all_y.insert(all_y.end(), panel.q_y.begin(), panel.q_y.end());
  const Scale x = Scale::covering(all_x, false);
  const Scale y = Scale::covering(all_y, false);
  const double left = x0 + margin_left;
  const double top = y0 + margin_top + histogram_height;
  const double bottom = top + size;
  svg.text(left, y0 + 14, panel.title, Anchor::start, "name");
  svg.rectangle(left, top, size, size, "frame");
  const auto points = [&](const std::vector<double>& xs, const std::vector<double>& ys, const char* css) {
    for (std::size_t i = 0; i < xs.size(); ++i) {
      svg.circle(left + size * x.position(xs[i]), bottom - size * y.position(ys[i]), 1.8, css);
    }
  };
  points(panel.p_x, panel.p_y, "point-p");
  points(panel.q_x, panel.q_y, "point-q");
  draw_histograms(svg, panel.p_x, panel.q_x, x, left, top, true);
  draw_histograms(svg, panel.p_y, panel.q_y, y, left + size, bottom, false);
  for (const Scale::Tick& tick : x.ticks()) {
    svg.text(left + size * x.position(tick.value), bottom + 16, tick.label, Anchor::middle, "tick");
  }
  for (const Scale::Tick& tick : y.ticks()) {
    svg.text(left - 6, bottom - size * y.position(tick.value) + 4, tick.label, Anchor::end, "tick");
  }
}

}  // namespace

std::string draw(const std::vector<PairPanel>& panels) {
  Svg svg(panel_width * static_cast<double>(panels.size()) + 60, panel_height, "samples of P and Q");
  double x = 0;
  for (const PairPanel& panel : panels) {
    draw_panel(svg, panel, x, 0);
    x += panel_width;
  }
  svg.circle(x + 8, margin_top + 6, 4, "legend-p");
  svg.text(x + 18, margin_top + 10, "P", Anchor::start, "tick");
  svg.circle(x + 8, margin_top + 26, 4, "legend-q");
  svg.text(x + 18, margin_top + 30, "Q", Anchor::start, "tick");
  return svg.finish();
}

}  // namespace jsdiv::plot
