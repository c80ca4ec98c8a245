// A figure as SVG text, with the boxes of its texts, so that a test can see what overlaps. Colours are classes of the
// page's style sheet (html.cpp), so that a figure follows the reader's light or dark theme.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tilescope::report {

/// For text and attribute values of HTML, SVG and XML: & < > " ' as entities; what is not printable as U+FFFD.
std::string escaped(std::string_view text);

enum class Anchor { Start, Middle, End };

struct TextBox {
  double left = 0, top = 0, right = 0, bottom = 0;
  std::string text;
};

/// Width of a text in pixels, rather too much than too little; letters of East Asia are as wide as they are high.
double text_width(std::string_view text, double size, bool mono);
/// The text, or as much of it as fits with "..." behind.
std::string fitted(std::string_view text, double size, bool mono, double width);

class Svg {
 public:
  /// `label` tells what the figure shows, for those who do not see it.
  Svg(double width, double height, std::string label) : width_(width), height_(height), label_(std::move(label)) {}

  /// `style`: class names, "load", "line" ...; see the style sheet in html.cpp.
  void rect(double x, double y, double w, double h, const std::string& style, double radius = 0);
  void line(double x1, double y1, double x2, double y2, const std::string& style);
  void circle(double x, double y, double r, const std::string& style);
  /// Points as x, y pairs; closed when `style` fills.
  void polyline(const std::vector<std::pair<double, double>>& points, const std::string& style);
  void diamond(double x, double y, double r, const std::string& style);
  /// `y` is the baseline. `mono`: code, numbers, indices.
  void text(double x, double y, std::string_view text, const std::string& style, double size = 13,
            Anchor anchor = Anchor::Start, bool mono = false);

  double width() const { return width_; }
  double height() const { return height_; }
  void set_height(double h) { height_ = h; }
  const std::vector<TextBox>& texts() const { return texts_; }
  std::string str() const;

 private:
  double width_, height_;
  std::string label_, body_;
  std::vector<TextBox> texts_;
};

}  // namespace tilescope::report
