#include "plot/svg.hpp"

#include "core/format.hpp"
#include "core/safe_text.hpp"

namespace jsdiv::plot {
namespace {

const char* to_text(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      return "end";
  }
  return "start";
}

std::string classes(std::string_view css) {
  return " class=\"" + std::string(css) + "\"";
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : safe_text(text, Medium::block)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

Svg::Svg(double width, double height, std::string_view description)
    : body_(format("<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
                   "viewBox=\"0 0 %.0f %.0f\" aria-label=\"",
                   width, height, width, height) +
            escape(description) + "\">\n") {
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view css) {
  body_ +=
      format("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"", x1, y1, x2, y2) + classes(css) + "/>\n";
}

void Svg::polyline(std::string_view points, std::string_view css) {
  body_ += "<polyline points=\"" + std::string(points) + "\"" + classes(css) + "/>\n";
}

void Svg::tipped(std::string_view element, std::string_view attributes, std::string_view tip) {
  const std::string name(element);
  body_ += "<" + name + std::string(attributes);
  body_ += tip.empty() ? "/>\n" : "><title>" + escape(tip) + "</title></" + name + ">\n";
}

void Svg::circle(double x, double y, double radius, std::string_view css, std::string_view tip) {
  tipped("circle", format(" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"", x, y, radius) + classes(css), tip);
}

void Svg::rectangle(double x, double y, double width, double height, std::string_view css,
                    std::string_view tip, std::string_view fill) {
  std::string attributes =
      format(" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, width, height);
  if (!fill.empty()) attributes += " fill=\"" + std::string(fill) + "\"";
  tipped("rect", attributes + classes(css), tip);
}

void Svg::text(double x, double y, std::string_view words, Anchor anchor, std::string_view css) {
  body_ += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"", x, y, to_text(anchor)) + classes(css) +
           ">" + escape(words) + "</text>\n";
}

void Svg::vertical_text(double x, double y, std::string_view words, std::string_view css) {
  body_ += format("<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\" transform=\"rotate(-90 %.1f %.1f)\"", x,
                  y, x, y) +
           classes(css) + ">" + escape(words) + "</text>\n";
}

}  // namespace jsdiv::plot
