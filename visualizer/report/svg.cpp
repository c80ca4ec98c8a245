#include "visualizer/report/svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/report/text.h"

namespace tilescope::report {
namespace {

/// At most two decimals; never "nan", which no viewer reads.
std::string n(double v) {
  if (!std::isfinite(v)) v = 0;
  std::string out = fmt::format("{:.2f}", std::clamp(v, -1e6, 1e6));
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

double text_width(std::string_view text, double size, bool mono) {
  double ems = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c & 0xC0) == 0x80) continue;  // inside a character
    if (c >= 0xE0)
      ems += 1;
    else if (mono)
      ems += 0.61;
    else if (c == ' ' || c == '.' || c == ',' || c == ':' || c == ';' || c == '(' || c == ')' || c == 'i' || c == 'l')
      ems += 0.36;
    else
      ems += c >= 'A' && c <= 'Z' ? 0.72 : c == 'm' || c == 'w' ? 0.9 : 0.6;
  }
  return ems * size;
}

std::string fitted(std::string_view text, double size, bool mono, double width) {
  if (text_width(text, size, mono) <= width) return std::string(text);
  size_t columns = width_of(text);
  std::string out;
  do out = shortened(text, columns--);
  while (columns > 3 && text_width(out, size, mono) > width);
  return out;
}

void Svg::rect(double x, double y, double w, double h, const std::string& style, double radius) {
  body_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{} class=\"{}\"/>\n", n(x), n(y),
                       n(std::max(w, 0.0)), n(std::max(h, 0.0)), radius > 0 ? " rx=\"" + n(radius) + "\"" : "", style);
}

void Svg::line(double x1, double y1, double x2, double y2, const std::string& style) {
  body_ +=
      fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" class=\"{}\"/>\n", n(x1), n(y1), n(x2), n(y2), style);
}

void Svg::circle(double x, double y, double r, const std::string& style) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" class=\"{}\"/>\n", n(x), n(y), n(r), style);
}

void Svg::polyline(const std::vector<std::pair<double, double>>& points, const std::string& style) {
  std::string list;
  for (const auto& [x, y] : points) list += (list.empty() ? "" : " ") + n(x) + "," + n(y);
  body_ += fmt::format("<polyline points=\"{}\" class=\"{}\"/>\n", list, style);
}

void Svg::diamond(double x, double y, double r, const std::string& style) {
  body_ += fmt::format("<polygon points=\"{},{} {},{} {},{} {},{}\" class=\"{}\"/>\n", n(x - r), n(y), n(x), n(y - r),
                       n(x + r), n(y), n(x), n(y + r), style);
}

void Svg::text(double x, double y, std::string_view text, const std::string& style, double size, Anchor anchor,
               bool mono) {
  const double width = text_width(text, size, mono);
  const double left = anchor == Anchor::Start ? x : anchor == Anchor::Middle ? x - width / 2 : x - width;
  texts_.push_back({left, y - 0.8 * size, left + width, y + 0.22 * size, std::string(text)});
  const char* anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  body_ += fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{} class=\"{}{}\">{}</text>\n", n(x), n(y), n(size),
                       anchors[static_cast<int>(anchor)], style, mono ? " mono" : "", escaped(text));
}

std::string Svg::str() const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" width=\"{}\" height=\"{}\" role=\"img\" "
      "aria-label=\"{}\">\n{}</svg>\n",
      n(width_), n(height_), n(width_), n(height_), escaped(label_), body_);
}

}  // namespace tilescope::report
