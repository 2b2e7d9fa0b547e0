#pragma once

#include <string>
#include <string_view>

namespace jsdiv::plot {

/// Text safe between tags and in attributes of SVG and HTML: markup is escaped, characters that act unseen
/// are written out.
std::string escape(std::string_view text);

/// Where text hangs on its position.
enum class Anchor { start, middle, end };

/// Collects the elements of one SVG picture. Looks come from CSS classes, see page.cpp; positions are pixels
/// from the top left.
class Svg {
 public:
  Svg(double width, double height, std::string_view description);

  void line(double x1, double y1, double x2, double y2, std::string_view css);
  /// `points` as "x,y x,y …".
  void polyline(std::string_view points, std::string_view css);
  void circle(double x, double y, double radius, std::string_view css, std::string_view tip = {});
  void rectangle(double x, double y, double width, double height, std::string_view css,
                 std::string_view tip = {}, std::string_view fill = {});
  void text(double x, double y, std::string_view words, Anchor anchor, std::string_view css);
  /// Text that runs upwards.
  void vertical_text(double x, double y, std::string_view words, std::string_view css);

  std::string finish() const { return body_ + "</svg>\n"; }

 private:
  void tipped(std::string_view element, std::string_view attributes, std::string_view tip);

  std::string body_;
};

}  // namespace jsdiv::plot
