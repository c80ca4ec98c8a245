#include "visualizer/window/panels/tile_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilescope::window {
namespace {

using model::Provenance;
using model::Strip;

template <class... Args>
std::string filled(const Ui& ui, Text id, Args&&... args) {
  return fmt::format(fmt::runtime(ui.t(id)), args...);
}

// Numbers read better spaced apart; code wraps at spaces. Returns the height used.
float code_paragraph(Ui& ui, const Rect& r, const std::string& s, TextSize size, ImU32 colour, int most_lines) {
  const float advance = ui.code_advance(size), line = ui.px(20);
  const auto room = static_cast<size_t>(std::max(8.0f, r.w / advance));
  const auto letters = [](const std::string& x) { return static_cast<size_t>(std::count_if(x.begin(), x.end(), [](char ch) { return (static_cast<unsigned char>(ch) & 0xC0) != 0x80; })); };
  std::vector<std::string> lines{""};
  for (size_t i = 0; i <= s.size();) {
    const size_t space = std::min(s.find(' ', i), s.size());
    const std::string word = s.substr(i, space - i);
    const bool first = lines.back().empty();
    if (!first && letters(lines.back()) + 1 + letters(word) > room) lines.push_back(word);
    else lines.back() += (first ? "" : " ") + word;
    i = space + 1;
  }
  float y = r.y;
  for (size_t i = 0; i < lines.size() && i < static_cast<size_t>(most_lines); ++i) {
    const bool cut = i + 1 == static_cast<size_t>(most_lines) && i + 1 < lines.size();
    ui.text_in({r.x, y, r.w, line}, cut ? lines[i] + " \u2026" : lines[i], size, colour, true);
    y += line;
  }
  return y - r.y;
}

void pair(Ui& ui, Rect& r, std::string_view label, const std::string& value, ImU32 colour) {
  const Theme& t = ui.theme();
  Rect row = r.take_top(ui.px(20));
  ui.text_in(row.take_left(ui.px(80)), label, TextSize::Caption, t.text3);
  ui.text_in(row, value, TextSize::Code, colour, true);
}

/// Where the parts of a strip lie: live lanes share the room, masked ones stand together at the end.
struct StripLayout {
  float cell = 0, off_width = 0;
  size_t on = 0;
};

StripLayout lay_out(Ui& ui, size_t n, size_t on, float width) {
  StripLayout out;
  out.on = on;
  if (on < n) out.off_width = on == 0 ? width : std::max(ui.px(40), std::min(width * 0.3f, width * static_cast<float>(n - on) / static_cast<float>(n)));
  // At least as wide as numbers need, if taking room from the masked part gets us there.
  out.cell = on > 0 ? std::min(ui.px(44), std::floor((width - out.off_width) / static_cast<float>(on))) : 0;
  if (on < n) out.off_width = width - out.cell * static_cast<float>(on);
  return out;
}

class OriginDrawer {
 public:
  OriginDrawer(const LanePainter& painter, int64_t lane, const Provenance& p) : c_(painter.c), ui_(painter.c.ui), t_(painter.c.ui.theme()), painter_(painter), lane_(lane), p_(p) {}

  void draw(Rect r) {
    const Rect uses = r.take_bottom(ui_.px(26));
    Rect title = r.take_top(ui_.px(22));
    ui_.text_in(title, ui_.t(Text::OriginTitle), TextSize::Caption, t_.text2);
    if (p_.line > 0 && p_.line != c_.scene.line) ui_.text_in(title, filled(ui_, Text::TileFollowsLine, p_.line), TextSize::Caption, t_.text3, false, Align::Right);
    // A scalar's equation stands above already.
    if (painter_.v.type.is_tile()) draw_equation(r.take_top(ui_.px(28)));
    ui_.clip(r);
    switch (p_.kind) {
      case Provenance::Kind::Dot: draw_dot(r); break;
      case Provenance::Kind::Load: draw_load(r); break;
      case Provenance::Kind::Reduce: case Provenance::Kind::Scan: draw_reduce(r); break;
      case Provenance::Kind::Parameter: ui_.text_in(r.take_top(ui_.px(20)), ui_.t(Text::OriginParameter), TextSize::Caption, t_.text2); break;
      case Provenance::Kind::Counter:
        draw_formula(r);
        ui_.text_in({r.x, r.y + ui_.px(20), r.w, ui_.px(20)}, filled(ui_, Text::OriginCounter, p_.iteration + 1), TextSize::Caption, t_.text2);
        break;
      default: draw_formula(r);
    }
    ui_.unclip();
    draw_uses(uses);
  }

 private:
  // acc[1, 2]  =  C[65, 2]  =  72          62 + 10
  void draw_equation(Rect r) {
    std::string name = p_.element;
    if (!p_.destination.empty() && p_.destination != p_.element) name += "  \u2192  " + p_.destination;
    const bool negative = p_.sum.rfind("\u2212", 0) == 0;
    const std::string right = p_.kind == Provenance::Kind::Dot && !p_.before.empty() ? p_.before + (negative ? " \u2212 " + p_.sum.substr(3) : " + " + p_.sum) : std::string();
    std::string value = p_.text == "undefined" ? std::string(ui_.t(Text::Undefined)) : p_.text;
    // Seven digits in large type say less than five; the lane's tooltip has them all.
    if (is_float(painter_.v.type.elem) && !painter_.v.type.pointer && value.size() > 8 && !model::lane_poisoned(*painter_.v.record, lane_))
      value = fmt::format("{}", model::typographic(fmt::format("{:.5g}", model::lane_number(*painter_.v.record, lane_))));
    // A pointer's value is itself a name: it needs no large type.
    const bool large = !painter_.v.type.pointer;
    const float value_width = ui_.width(value, large ? TextSize::Result : TextSize::Code, !large) + ui_.px(4);
    const float equals = ui_.width(" = ", TextSize::Code, true);
    const float name_width = std::min(ui_.width(name, TextSize::Code, true), std::max(ui_.px(40), r.w - value_width - equals));
    ui_.text_in(r.take_left(name_width), name, TextSize::Code, t_.text1, true);
    if (value.empty()) return;  // out of bounds: there is none
    ui_.text_in(r.take_left(equals), " = ", TextSize::Code, t_.text3, true);
    ui_.text_in(r.take_left(std::min(r.w, value_width)), value, large ? TextSize::Result : TextSize::Code, t_.text1, !large);
    r.take_left(ui_.px(10));
    if (!right.empty() && ui_.width(right, TextSize::Code, true) <= r.w) ui_.text_in(r, right, TextSize::Code, t_.text2, true, Align::Right);
  }

  void draw_formula(Rect r) {
    if (p_.formula.empty() || p_.formula == p_.text) return;
    r.y += code_paragraph(ui_, r, "= " + p_.formula, TextSize::Code, t_.text2, 2);
    if (!p_.with_values.empty() && p_.with_values != p_.formula) code_paragraph(ui_, r, "= " + p_.with_values, TextSize::Code, t_.text1, 2);
  }

  void draw_load(Rect r) {
    const std::string place = p_.place.tensor >= 0 || p_.address != 0 ? painter_.values.place_text(p_.place, p_.address) : std::string();
    const bool read = p_.state == LaneState::On || p_.state == LaneState::Uninitialised;
    if (!place.empty()) {
      const Rect row{r.x, r.y, r.w, ui_.px(20)};
      const Hit h = ui_.hit("tile.origin.element", row);
      if (p_.place.inside && h.hovered && read) {
        ui_.fill(row, t_.raised, ui_.px(3));
        c_.state.hover = {model::Element::Of::Tensor, painter_.values.launch().tensors[static_cast<size_t>(p_.place.tensor)].name, p_.place.index};
      }
      pair(ui_, r, ui_.t(Text::OriginElement), read ? place : filled(ui_, Text::OriginNotRead, place), read ? t_.text1 : t_.text3);
    }
    if (p_.address != 0) {
      std::string address = fmt::format("{:#x}", p_.address);
      if (p_.place.tensor >= 0)
        address = model::typographic(fmt::format("{} {} {}", painter_.values.launch().tensors[static_cast<size_t>(p_.place.tensor)].name, p_.place.offset < 0 ? "-" : "+",
                                                 p_.place.offset < 0 ? 0 - static_cast<uint64_t>(p_.place.offset) : static_cast<uint64_t>(p_.place.offset)));
      pair(ui_, r, ui_.t(Text::OriginAddress), address, t_.text2);
    }
    Rect row = r.take_top(ui_.px(20));
    ui_.text_in(row.take_left(ui_.px(80)), ui_.t(Text::OriginLane), TextSize::Caption, t_.text3);
    const bool off = p_.state == LaneState::Masked;
    if (off) {
      const Rect swatch{row.x, row.y + ui_.px(4), ui_.px(16), ui_.px(12)};
      ui_.hatch(swatch, t_.hatch, 4);
      ui_.outline(swatch, t_.hatch);
      row.take_left(ui_.px(22));
    }
    const Text state = off ? (p_.has_other ? Text::OriginMaskedOther : Text::OriginMaskedUndefined)
                           : p_.state == LaneState::OutOfBounds ? Text::OriginOutOfBounds
                                                                : p_.state == LaneState::Uninitialised ? Text::OriginUninitialised : Text::OriginOn;
    ui_.text_in(row, ui_.t(state), TextSize::Caption, p_.state == LaneState::OutOfBounds ? t_.fault_text : off ? t_.text2 : t_.load_text);
  }

  // One strip of cells; the masked part as one hatched block.
  void draw_strip(const Rect& r, const Strip& s, const StripLayout& l, const std::vector<bool>& off, const std::string& name) {
    if (!s.found) return;
    const ValueRecord& rec = *s.found.record;
    double reach = 0;
    bool whole = true;
    for (const int64_t lane : s.lanes) {
      const double x = model::lane_number(rec, lane);
      if (std::isfinite(x)) reach = std::max(reach, std::fabs(x)), whole = whole && x == std::rint(x);
    }
    const auto style = model::number_style(reach, whole, static_cast<int>(l.cell / ui_.code_advance(TextSize::Caption)));
    float x = r.x;
    for (size_t i = 0; i < s.lanes.size(); ++i) {
      if (!off.empty() && off[i]) continue;
      const double v = model::lane_number(rec, s.lanes[i]);
      number_cell({x, r.y, l.cell, r.h}, v, reach, style);
      strip_hover({x, r.y, l.cell, r.h}, s, i, name);
      x += l.cell;
    }
    if (l.on < s.lanes.size()) ui_.hatch({x, r.y, r.right() - x, r.h}, t_.hatch);
  }

  void number_cell(const Rect& r, double v, double reach, const model::NumberStyle& style) {
    const ImU32 fill = std::isfinite(v) ? signed_colour(t_, v, reach) : t_.raised;
    const float gap = r.w >= 6 ? 1 : 0;
    ui_.fill({r.x, r.y, r.w - gap, r.h - 1}, fill);
    const std::string text = model::format_number(v, style);
    if (ui_.width(text, TextSize::Caption, true) <= r.w - ui_.px(2)) ui_.text_in({r.x, r.y, r.w - gap - ui_.px(1), r.h - 1}, text, TextSize::Caption, ink_on(fill), true, Align::Right);
  }

  void strip_hover(const Rect& r, const Strip& s, size_t i, const std::string& name) {
    const Hit h = ui_.hit(fmt::format("tile.origin.{}.{}", name, i), r);
    if (!h.hovered) return;
    ui_.outline(r, t_.hover, ui_.px(2));
    std::string tip = (s.varying.empty() ? std::string("k") : s.varying) + " = " + std::to_string(s.first + static_cast<int64_t>(i));
    tip += "\n" + painter_.values.lane_text(*s.found.record, s.lanes[i]);
    if (p_.kind == Provenance::Kind::Dot && i < p_.products.size()) {
      const Strip &a = p_.strips[0], &b = p_.strips[1];
      if (a.found && b.found)
        tip = fmt::format("{}\n{} \u00d7 {} = {}", tip.substr(0, tip.find('\n')), painter_.values.lane_text(*a.found.record, a.lanes[i]),
                          painter_.values.lane_text(*b.found.record, b.lanes[i]), model::short_number(p_.products[i]));
    }
    ui_.tooltip(tip);
    // The operand's element lights up in every panel.
    const std::string& variable = painter_.values.name(s.found.record->value);
    if (!variable.empty()) c_.state.hover = {model::Element::Of::Variable, variable, model::index_of_lane(s.found.record->type.shape, s.lanes[i])};
  }

  void draw_dot(Rect r) {
    if (p_.strips.size() < 2 || p_.products.empty()) return;
    const Strip &a = p_.strips[0], &b = p_.strips[1];
    const size_t n = p_.products.size();
    std::vector<bool> off(n, false);
    for (size_t i = 0; i < n; ++i) off[i] = (i < a.off.size() && a.off[i]) || (i < b.off.size() && b.off[i]);
    const size_t on = static_cast<size_t>(std::count(off.begin(), off.end(), false));
    const float label = std::min(r.w * 0.4f, std::max({ui_.width(a.label, TextSize::Caption, true), ui_.width(b.label, TextSize::Caption, true), ui_.width(ui_.t(Text::OriginProduct), TextSize::Caption)}) + ui_.px(12));
    const float width = r.w - label;
    const StripLayout l = lay_out(ui_, n, on, width);
    // Which k the live and the masked part are.
    Rect head = r.take_top(ui_.px(18));
    const bool leading = on > 0 && !off[0];
    const std::string axis = a.varying.empty() ? "k" : a.varying;
    const auto last_on = static_cast<int64_t>(on);
    if (leading) ui_.text_in({head.x + label, head.y, l.cell * static_cast<float>(on), head.h}, fmt::format("{} {}..{}", axis, a.first, a.first + last_on - 1), TextSize::Caption, t_.text3, true);
    if (on < n) ui_.text_in({head.x + label + l.cell * static_cast<float>(on), head.y, l.off_width, head.h}, leading ? fmt::format("{}..{}", a.first + last_on, a.first + static_cast<int64_t>(n) - 1) : std::string(ui_.t(Text::OriginMaskedPart)), TextSize::Caption, t_.text3, true, Align::Right);
    const float h = std::min(ui_.px(19), std::floor((r.h - ui_.px(2)) / 3));
    const auto row = [&](std::string_view text, bool code) {
      Rect line = r.take_top(h);
      ui_.text_in(line.take_left(label), text, TextSize::Caption, t_.text2, code);
      return line;
    };
    draw_strip(row(a.label, true), a, l, off, "a");
    draw_strip(row(b.label, true), b, l, off, "b");
    draw_products(row(ui_.t(Text::OriginProduct), false), l, off);
    if (r.h >= ui_.px(22)) draw_sum(r, off);
  }

  void draw_products(const Rect& r, const StripLayout& l, const std::vector<bool>& off) {
    double reach = 0;
    bool whole = true;
    for (const double x : p_.products)
      if (std::isfinite(x)) reach = std::max(reach, std::fabs(x)), whole = whole && x == std::rint(x);
    const auto style = model::number_style(reach, whole, static_cast<int>(l.cell / ui_.code_advance(TextSize::Caption)));
    float x = r.x;
    for (size_t i = 0; i < p_.products.size(); ++i) {
      if (off[i]) continue;
      number_cell({x, r.y, l.cell, r.h}, p_.products[i], reach, style);
      strip_hover({x, r.y, l.cell, r.h}, p_.strips[0], i, "product");
      x += l.cell;
    }
    if (l.on < p_.products.size()) ui_.hatch({x, r.y, r.right() - x, r.h}, t_.hatch);
  }

  // 1.25 x -0.5 + 0.3 x 1.1 + ... = 10.2, as far as there is room.
  void draw_sum(Rect r, const std::vector<bool>& off) {
    const Strip &a = p_.strips[0], &b = p_.strips[1];
    const std::string end = p_.sum.empty() ? "" : " = " + p_.sum;
    std::string text;
    size_t written = 0, on = 0;
    for (size_t i = 0; i < off.size(); ++i) on += off[i] ? 0 : 1;
    for (size_t i = 0; i < off.size(); ++i) {
      if (off[i]) continue;
      const std::string y = model::short_number(model::lane_number(*b.found.record, b.lanes[i]));
      const bool minus = y.rfind("\u2212", 0) == 0;
      std::string next = (text.empty() ? "" : " + ") + model::short_number(model::lane_number(*a.found.record, a.lanes[i])) + "\u00d7" + (minus ? "(" + y + ")" : y);
      if (ui_.width(text + next + " + \u2026" + end, TextSize::Caption, true) > r.w) break;
      text += next;
      ++written;
    }
    if (text.empty()) return;
    if (written < on) text += " + \u2026";
    ui_.text_in(r.take_top(ui_.px(22)), text + end, TextSize::Caption, t_.text2, true);
  }

  void draw_reduce(Rect r) {
    if (p_.strips.empty() || !p_.strips[0].found) return draw_formula(r);
    const Strip& s = p_.strips[0];
    const bool scan = p_.kind == Provenance::Kind::Scan;
    const auto n = s.lanes.size();
    ui_.text_in(r.take_top(ui_.px(20)), filled(ui_, scan ? Text::OriginScan : Text::OriginReduce, p_.combine, n), TextSize::Caption, t_.text2);
    Rect label = r.take_top(ui_.px(20));
    ui_.text_in(label, s.label, TextSize::Caption, t_.text2, true);
    std::vector<bool> none;
    // Long axes get fewer than a pixel a lane: samples of them.
    Strip thin = s;
    const auto room = static_cast<size_t>(std::max(1.0f, r.w / 2));
    if (n > room) {
      thin.lanes.clear();
      for (size_t i = 0; i < room; ++i) thin.lanes.push_back(s.lanes[i * n / room]);
    }
    const StripLayout l{std::max(2.0f, std::min(ui_.px(44), std::floor(r.w / static_cast<float>(thin.lanes.size())))), 0, thin.lanes.size()};
    draw_strip({r.x, r.y, l.cell * static_cast<float>(thin.lanes.size()), ui_.px(19)}, thin, l, none, "row");
  }

  void draw_uses(Rect r) {
    ui_.text_in(r.take_left(ui_.width(ui_.t(Text::UsedLaterBy), TextSize::Caption) + ui_.px(10)), ui_.t(Text::UsedLaterBy), TextSize::Caption, t_.text2);
    if (p_.used_by.empty()) {
      ui_.text_in(r, ui_.t(Text::UsedByNothing), TextSize::Caption, t_.text3);
      return;
    }
    for (const model::LaterUse& u : p_.used_by) {
      const std::string label = u.label + (u.lanes.empty() ? "" : " " + u.lanes);
      const std::string text = u.iteration >= 0 ? filled(ui_, Text::UsedByIteration, u.line, label, u.iteration + 1) : filled(ui_, Text::UsedByLine, u.line, label);
      const float w = ui_.width(text, TextSize::Caption) + ui_.px(18);
      if (w > r.w) {
        ui_.text_in(r, "\u2026", TextSize::Caption, t_.text3);
        return;
      }
      const Rect part = r.take_left(w);
      r.take_left(ui_.px(6));
      const Rect button{part.x, part.y + ui_.px(2), part.w, part.h - ui_.px(4)};
      const Hit h = ui_.hit(fmt::format("tile.use.{}", u.line), button);
      ui_.fill(button, h.hovered ? mix(t_.raised, t_.text1, 0.12f) : t_.raised, ui_.px(3));
      ui_.fill({button.x, button.y, ui_.px(3), button.h}, mark_of(t_, u.kind));
      ui_.text_in({button.x + ui_.px(9), button.y, button.w - ui_.px(12), button.h}, text, TextSize::Caption, t_.text1);
      if (h.clicked) c_.control.go_to_step(u.step);
    }
  }

  PanelContext& c_;
  Ui& ui_;
  const Theme& t_;
  const LanePainter& painter_;
  int64_t lane_;
  const Provenance& p_;
};

}  // namespace

float origin_height(Ui& ui, const Provenance& p) {
  const float frame = ui.px(22 + 28 + 30);
  switch (p.kind) {
    case Provenance::Kind::Dot: return frame + ui.px(18 + 3 * 19 + 22);
    case Provenance::Kind::Load: return frame + ui.px(62);
    case Provenance::Kind::Reduce: case Provenance::Kind::Scan: return frame + ui.px(64);
    default: return frame + ui.px(62);
  }
}

void draw_origin(const LanePainter& painter, int64_t lane, const Provenance& p, Rect r) { OriginDrawer(painter, lane, p).draw(r); }

}  // namespace tilescope::window
