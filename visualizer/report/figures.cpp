#include "visualizer/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/report/text.h"
#include "visualizer/report/units.h"

namespace tilescope::report {
namespace {

constexpr double kWidth = 540;

/// A step of 1, 2 or 5 times a power of ten that divides `top` into at most `parts`.
double nice_step(double top, int parts) {
  const double raw = std::max(top, 1e-300) / parts, power = std::pow(10, std::floor(std::log10(raw)));
  for (double m : {1.0, 2.0, 5.0})
    if (m * power >= raw * (1 - 1e-9)) return m * power;
  return 10 * power;
}

/// A logarithmic axis.
struct LogAxis {
  double low = 0, high = 1;  ///< powers of ten
  double from = 0, to = 1;   ///< pixels
  LogAxis(double least, double most, double from_px, double to_px) : from(from_px), to(to_px) {
    low = std::log10(std::max(least, 1e-30));
    high = std::max(low + 1, std::log10(std::max(most, 1e-30)));
  }
  double at(double v) const {
    const double share = (std::log10(std::max(v, 1e-300)) - low) / (high - low);
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
  /// Powers of ten with a line and a text, whose texts take `label` pixels each.
  std::vector<int> decades(double label) const {
    const double decade = std::abs(to - from) / (high - low);
    const int stride = std::max(1, static_cast<int>(std::ceil(label / decade)));
    std::vector<int> out;
    for (int p = static_cast<int>(std::ceil(low - 1e-9)); p <= high + 1e-9; p += stride) out.push_back(p);
    return out;
  }
};

/// "1 GB": a power of ten of bytes, without decimals.
std::string decade_bytes(int power) {
  constexpr const char* kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  if (power < 0 || power > 20) return fmt::format("1e{} B", power);
  constexpr const char* kTens[] = {"1", "10", "100"};
  return std::string(kTens[power % 3]) + " " + kUnits[power / 3];
}

/// "0.1", "1,000"
std::string decade_number(int power) {
  if (power < -3 || power > 6) return fmt::format("1e{}", power);
  return power < 0 ? fmt::format("{:g}", std::pow(10, power))
                   : with_commas(static_cast<uint64_t>(std::llround(std::pow(10, power))));
}

/// An amount without the zeros behind its point: "2 GB", "2.5 GB".
std::string tick_bytes(double bytes) {
  std::string out = bytes_text(bytes);
  const size_t point = out.find('.'), blank = out.find(' ');
  if (point == std::string::npos) return out;
  size_t end = blank;
  while (out[end - 1] == '0') --end;
  if (out[end - 1] == '.') --end;
  return out.substr(0, end) + out.substr(blank);
}

}  // namespace

Svg ladder_figure(const cost::CostReport& r) {
  struct Step {
    const char* name;
    const char* what;
    double bytes;
    const char* style;
  };
  const double dram = r.dram_read.mean + r.dram_written.mean;
  std::vector<Step> steps = {{"No reuse", "each multiply-add reads two", r.traffic.naive_bytes, "muted"},
                             {"Tiles", "as the kernel loads and stores", r.traffic.tiled_bytes, "muted"},
                             {"L2", "sectors that the SMs ask for", r.l2_bytes, "load dim"},
                             {"DRAM", "past the L2", dram, "load"},
                             {"Each once", "all that is needed", r.traffic.ideal_bytes, "compute"}};
  if (r.traffic.work.dot_multiply_adds == 0) steps.erase(steps.begin());  // nothing that tiles could reuse
  double least = 1e300, most = 0;
  for (const Step& s : steps)
    if (s.bytes > 0) least = std::min(least, s.bytes), most = std::max(most, s.bytes);
  if (most <= 0) least = most = 1;
  constexpr double kLabels = 208, kRow = 40, kTop = 8;
  const double bottom = kTop + kRow * static_cast<double>(steps.size());
  Svg svg(kWidth, bottom + 30, "Bytes from no reuse to each byte once, on a logarithmic scale");
  const LogAxis x(least / 2.5, most * 1.02, kLabels, kWidth - 80);
  for (int p : x.decades(64)) {
    const double at = x.at(std::pow(10, p));
    svg.line(at, kTop, at, bottom, "grid");
    svg.text(at, bottom + 20, decade_bytes(p), "t3", 13, Anchor::Middle, true);
  }
  double y = kTop;
  for (const Step& s : steps) {
    svg.text(0, y + 17, s.name, "t1", 14);
    svg.text(0, y + 33, s.what, "t3", 13);
    if (s.bytes > 0) {
      const double end = std::max(x.at(s.bytes), x.from + 2);
      svg.rect(x.from, y + 6, end - x.from, kRow - 12, s.style, 2);
      svg.text(end + 8, y + 25, bytes_text(s.bytes), "t1", 14, Anchor::Start, true);
    } else {
      svg.text(x.from + 6, y + 25, "none", "t3", 13);
    }
    y += kRow;
  }
  return svg;
}

std::optional<Svg> dram_figure(const cost::CostReport& r, const std::vector<Measured>& measured) {
  if (r.alternatives.empty()) return std::nullopt;
  constexpr double kLabel = 216;
  const double ideal = r.traffic.ideal_loads;
  double most = ideal, labels = 0;
  for (const cost::Alternative& a : r.alternatives) {
    most = std::max({most, a.dram_read.high, a.dram_read.mean});
    labels = std::max(labels, text_width(fitted(a.label, 14, true, kLabel), 14, true));
  }
  for (const Measured& m : measured) most = std::max(most, m.dram_read);
  most = std::max(most, 1.0);
  constexpr double kRow = 38, kTop = 26;
  const double left = labels + 14, right = kWidth - 84,
               bottom = kTop + kRow * static_cast<double>(r.alternatives.size());
  Svg svg(kWidth, bottom + 30, "Bytes read from DRAM by " + r.alternatives[0].parameter);
  const double step = nice_step(most, 5), top = std::ceil(most / step - 1e-9) * step;
  const auto x = [&](double v) { return left + std::clamp(v / top, 0.0, 1.0) * (right - left); };
  for (int i = 0; i * step <= top * 1.0001; ++i) {
    svg.line(x(i * step), kTop, x(i * step), bottom, "grid");
    svg.text(x(i * step), bottom + 20, i == 0 ? "0" : tick_bytes(i * step), "t3", 13, Anchor::Middle, true);
  }
  double y = kTop;
  for (const cost::Alternative& a : r.alternatives) {
    svg.text(left - 10, y + 24, fitted(a.label, 14, true, kLabel), a.current ? "t1" : "t2", 14, Anchor::End, true);
    svg.rect(left, y + 5, x(a.dram_read.mean) - left, kRow - 10, a.current ? "load chosen" : "load dim", 2);
    const double mid = y + kRow / 2;
    double end = x(a.dram_read.mean);
    if (a.dram_read.high > a.dram_read.low) {
      svg.line(x(a.dram_read.low), mid, x(a.dram_read.high), mid, "whisker");
      for (double v : {a.dram_read.low, a.dram_read.high}) svg.line(x(v), mid - 4, x(v), mid + 4, "whisker");
      end = std::max(end, x(a.dram_read.high));
    }
    for (const Measured& m : measured)
      if (m.value == a.value && a.parameter != "order") {
        svg.diamond(x(m.dram_read), mid, 6, "mark");
        end = std::max(end, x(m.dram_read) + 6);
      }
    svg.text(end + 8, y + 24, bytes_text(a.dram_read.mean), a.current ? "t1" : "t2", 14, Anchor::Start, true);
    y += kRow;
  }
  if (ideal > 0) {
    svg.line(x(ideal), kTop - 4, x(ideal), bottom, "dashed");
    const std::string text = "each byte once, " + bytes_text(ideal);
    svg.text(std::min(x(ideal) + 2, kWidth - text_width(text, 13, false) - 2), 14, text, "t3", 13);
  }
  return svg;
}

namespace {

/// Ticks with texts at the foot of the roofline, stacked where they would touch.
void intensity_marks(Svg& svg, const LogAxis& x, double base,
                     const std::vector<std::pair<const char*, double>>& marks) {
  std::vector<TextBox> placed;
  for (const auto& [name, value] : marks) {
    if (!(value > 0)) continue;
    const std::string text = std::string(name) + " " + count_text(value);
    const double at = x.at(value), width = text_width(text, 13, false);
    // Not through the line of another mark, where the other side is free.
    const auto crossed = [&](double left) {
      return std::any_of(marks.begin(), marks.end(), [&](const auto& other) {
        const double line = other.second > 0 ? x.at(other.second) : -1;
        return line != at && line > left - 4 && line < left + width + 4;
      });
    };
    const bool flip = at + 6 + width > x.to || (crossed(at + 6) && at - 6 - width > x.from && !crossed(at - 6 - width));
    const double from = flip ? at - 6 - width : at + 6;
    double y = base - 8;
    const auto hits = [&](const TextBox& b) {
      return from < b.right + 8 && b.left < from + width + 8 && std::abs(b.top - (y - 11)) < 16;
    };
    while (std::any_of(placed.begin(), placed.end(), hits)) y -= 17;
    placed.push_back({std::min(from, at), y - 11, std::max(from + width, at), y + 3, text});
    svg.line(at, base, at, y - 10, "tick");
    svg.text(from, y, text, "t3", 13);
  }
}

}  // namespace

std::vector<RooflinePoint> roofline_points(const cost::CostReport& r) {
  std::vector<RooflinePoint> out;
  const double flops = r.traffic.work.total();
  if (r.roofline.estimated_flops > 0)
    out.push_back({"this launch", r.roofline.intensity, r.roofline.estimated_flops, true});
  for (const cost::Alternative& a : r.alternatives)
    if (!a.current && a.dram_read.mean > 0 && a.total_ms > 0)
      out.push_back({a.label, flops / (a.dram_read.mean + r.dram_written.mean), flops / (a.total_ms * 1e-3), false});
  return out;
}

std::optional<Svg> roofline_figure(const cost::CostReport& r) {
  const cost::Roofline& f = r.roofline;
  if (!(r.traffic.work.total() > 0) || !(f.peak_flops > 0) || !(f.dram_bytes_per_s > 0) || !(f.intensity > 0))
    return std::nullopt;
  const std::vector<RooflinePoint> points = roofline_points(r);
  const double balance = f.peak_flops / f.dram_bytes_per_s;
  double left = balance / 10, right = balance * 5, low = f.peak_flops / 30;
  for (double v : {f.naive_intensity, f.tiled_intensity, f.ideal_intensity})
    if (v > 0) left = std::min(left, v), right = std::max(right, v);
  for (const RooflinePoint& p : points) {
    left = std::min(left, p.intensity), right = std::max(right, p.intensity);
    low = std::min(low, p.rate);
  }
  // A band at the foot is kept free for the marks.
  constexpr double kTop = 30, kFoot = 214, kBottom = 266, kLeft = 70;
  Svg svg(kWidth, kBottom + 44, "Roofline: arithmetic rate over flop per byte of DRAM");
  const LogAxis x(left / 2, right * 1.6, kLeft, kWidth - 16), y(low / 2, f.peak_flops * 1.5, kFoot, kTop);
  for (int p : x.decades(64)) {
    const double at = x.at(std::pow(10, p));
    svg.line(at, kTop, at, kBottom, "grid");
    svg.text(at, kBottom + 20, decade_number(p), "t3", 13, Anchor::Middle, true);
  }
  for (int p : y.decades(22)) {
    const double at = y.at(std::pow(10, p));
    svg.line(kLeft, at, kWidth - 16, at, "grid");
    svg.text(kLeft - 8, at + 5, decade_number(p - 12), "t3", 13, Anchor::End, true);
  }
  svg.line(kLeft, kBottom, kWidth - 16, kBottom, "tick");
  svg.text(kLeft - 8, 14, "TFLOP/s", "t3", 13, Anchor::End);
  svg.text(kWidth - 16, kBottom + 40, "flop per byte of DRAM", "t3", 13, Anchor::End);
  intensity_marks(svg, x, kBottom,
                  {{"no reuse", r.traffic.work.dot_multiply_adds > 0 ? f.naive_intensity : 0},
                   {"tiles", f.tiled_intensity},
                   {"each once", f.ideal_intensity}});
  const double start = std::max(std::pow(10, x.low), std::pow(10, y.low) / f.dram_bytes_per_s);
  svg.polyline({{x.at(start), y.at(start * f.dram_bytes_per_s)},
                {x.at(balance), y.at(f.peak_flops)},
                {x.to, y.at(f.peak_flops)}},
               "roof");
  svg.text(x.to, y.at(f.peak_flops) - 8, flops_text(f.peak_flops) + ", " + std::string(cost::work_unit_name(f.unit)),
           "t2", 13, Anchor::End);
  // Along the slope, left of it where there is room.
  const double middle = std::sqrt(start * balance), at_x = x.at(middle), at_y = y.at(middle * f.dram_bytes_per_s);
  const std::string slope = rate_text(f.dram_bytes_per_s);
  if (at_x - 14 - text_width(slope, 13, false) > kLeft)
    svg.text(at_x - 14, at_y - 4, slope, "t2", 13, Anchor::End);
  else
    svg.text(at_x + 14, at_y + 16, slope, "t2", 13);
  for (bool current : {false, true})
    for (const RooflinePoint& p : points)
      if (p.current == current)
        svg.circle(x.at(p.intensity), y.at(p.rate), current ? 7 : 5, current ? "point" : "hollow");
  return svg;
}

namespace {

/// Counts of loads, those beyond `most` rows joined into ranges.
std::vector<std::pair<std::string, uint64_t>> histogram_rows(const ReuseCounts& reuse, size_t most) {
  std::vector<std::pair<std::string, uint64_t>> out;
  const size_t each = (reuse.histogram.size() + most - 1) / most;
  for (auto at = reuse.histogram.begin(); at != reuse.histogram.end();) {
    const uint64_t first = at->first;
    uint64_t last = first, elements = 0;
    for (size_t i = 0; i < each && at != reuse.histogram.end(); ++i, ++at) last = at->first, elements += at->second;
    out.push_back(
        {first == last ? times_text(first) : with_commas(first) + " to " + with_commas(last) + " times", elements});
  }
  return out;
}

}  // namespace

std::optional<Svg> reuse_figure(const RunTrace& run) {
  constexpr double kLeft = 170, kRow = 24;
  constexpr size_t kTensors = 8, kRows = 8;
  Svg svg(kWidth, 0, "Elements of each tensor by how often they were loaded");
  double y = 0;
  size_t shown = 0;
  for (const TensorReport& t : run.tensors) {
    if (t.reuse.histogram.empty() || shown == kTensors) continue;
    ++shown;
    svg.text(0, y + 18, fitted(t.name, 14, true, 200), "t1", 14, Anchor::Start, true);
    svg.text(kWidth, y + 18, fitted(shape_text(t.shape), 13, true, 300), "t3", 13, Anchor::End, true);
    y += 28;
    const auto rows = histogram_rows(t.reuse, kRows);
    uint64_t most = 1;
    for (const auto& [name, elements] : rows) most = std::max(most, elements);
    for (const auto& [name, elements] : rows) {
      const double width =
          std::max(1.0, (kWidth - kLeft - 110) * static_cast<double>(elements) / static_cast<double>(most));
      svg.text(kLeft - 10, y + 16, fitted(name, 13, false, kLeft - 12), "t2", 13, Anchor::End);
      svg.rect(kLeft, y + 4, width, kRow - 8, "load", 2);
      svg.text(kLeft + width + 8, y + 16, with_commas(elements), "t2", 13, Anchor::Start, true);
      y += kRow;
    }
    y += 12;
  }
  if (shown == 0) return std::nullopt;
  svg.set_height(y);
  return svg;
}

}  // namespace tilescope::report
