// The free corner: the accumulator before the dot, what the dot adds, and what comes out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/values.h"
#include "visualizer/window/panels/kloop_parts.h"

namespace tilescope::window::kloop {
namespace {

struct Strip {
  const char* id;
  std::string title;
  const std::vector<double>* values;
  bool known;
  bool outlined;
  std::string prefix;  ///< before the pointed number
};

/// How the three lie: one below the other, side by side, or two above and the result with the scale below.
struct Arrangement {
  enum class Form : uint8_t { Stacked, Beside, Square } form = Form::Stacked;
  float lane = 0;
};

/// The form with the largest lanes wins; of equals the first.
Arrangement arrange(const Ui& ui, const Rect& room, int64_t rows, int64_t cols) {
  const float title = ui.px(20), gap = ui.px(10), between = ui.px(14), scale = ui.px(34);
  const auto r = static_cast<float>(std::max<int64_t>(rows, 1)), c = static_cast<float>(std::max<int64_t>(cols, 1));
  const auto lanes = [&](float w, float h) {
    const float lane = std::min({w / c, h / r, ui.px(16)});
    return lane >= 1 ? std::floor(lane) : lane;
  };
  const Arrangement all[] = {{Arrangement::Form::Stacked, lanes(room.w, (room.h - scale - 3 * title - 2 * gap) / 3)},
                             {Arrangement::Form::Beside, lanes((room.w - 2 * between) / 3, room.h - scale - 2 * title)},
                             {Arrangement::Form::Square, lanes((room.w - between) / 2, (room.h - 2 * (2 * title) - gap) / 2)}};
  const Arrangement* best = &all[0];
  for (const Arrangement& a : all)
    if (a.lane > best->lane) best = &a;
  return *best;
}

std::string number(const Picture& p, double v) {
  const model::Accumulator& acc = p.loop.acc;
  return model::typographic(model::format_number(v, model::number_style(acc.reach, !is_float(acc.dtype), 8)));
}

void draw_strip(Picture& p, const Strip& s, const Rect& r, int64_t rows, int64_t cols, float lane) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const model::Accumulator& acc = p.loop.acc;
  if (!s.known) {
    ui.dashed_outline(r, t.text3, 1, 3);
    if (r.w > ui.width(ui.t(Text::KLoopNotYet), TextSize::Caption) && r.h >= ui.px(18)) ui.text_in(r, ui.t(Text::KLoopNotYet), TextSize::Caption, t.text3, false, Align::Centre);
    return;
  }
  const int w = static_cast<int>(std::min<int64_t>(cols, lane >= 1 ? 4096 : std::max(1.0f, r.w))), h = static_cast<int>(std::min<int64_t>(rows, lane >= 1 ? 4096 : std::max(1.0f, r.h)));
  const uint64_t version = hash_of({p.loop.identity, p.loop.site, p.c.scene.step, static_cast<uint64_t>(rows), static_cast<uint64_t>(cols), t.dark, bits_of(acc.reach)});
  const ImTextureID id = p.c.textures.get(std::string("kloop.acc.") + s.id, version, w, h, [&](std::vector<ImU32>& out) {
    const Scale scale(t, acc.reach, 0);
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x) {
        const auto i = static_cast<size_t>((y * rows / h) * acc.cols + x * cols / w);
        out[static_cast<size_t>(y * w + x)] = i < s.values->size() ? scale((*s.values)[i]) : 0;
      }
  });
  ui.draw().AddImage(id, r.min(), r.max());
  ui.outline(r, s.outlined ? t.compute : t.text3, s.outlined ? ui.px(2) : 1);
}

/// Lane of the accumulator that is pointed at.
std::optional<std::array<int64_t, 2>> pointed_lane(const Picture& p) {
  if (!p.pointed || p.pointed->letter != 'C') return std::nullopt;
  return model::lane_at(p.loop.c, p.pointed->row, p.pointed->col);
}

/// Violet to yellow with its ends: what the colours of the accumulator mean.
void draw_scale(Picture& p, Rect r) {
  Ui& ui = p.ui();
  const model::Accumulator& acc = p.loop.acc;
  const Scale scale(p.theme(), acc.reach, 0);
  const float bar = ui.px(8);
  const int n = std::max(2, static_cast<int>(r.w / 2));
  for (int i = 0; i < n; ++i)
    ui.fill({r.x + r.w * static_cast<float>(i) / static_cast<float>(n), r.y, r.w / static_cast<float>(n) + 0.5f, bar}, scale((2.0 * i / (n - 1) - 1) * acc.reach));
  const float y = r.y + bar + ui.px(2);
  const std::string end = model::short_number(acc.reach);
  ui.text({r.x, y}, "\u2212" + end, TextSize::Caption, p.theme().text3, true);
  ui.text({r.x + r.w / 2, y}, "0", TextSize::Caption, p.theme().text3, true, Align::Centre);
  ui.text({r.right(), y}, end, TextSize::Caption, p.theme().text3, true, Align::Right);
}

std::string live_text(const Picture& p) {
  Ui& ui = p.ui();
  const model::Accumulator& acc = p.loop.acc;
  if (!p.loop.c.in_memory() || (acc.live_rows == acc.rows && acc.live_cols == acc.cols)) return {};
  if (acc.live_cols == acc.cols) return fmt::format(fmt::runtime(ui.t(Text::KLoopLiveRows)), acc.live_rows, acc.rows, p.loop.c.name);
  return fmt::format(fmt::runtime(ui.t(Text::KLoopLiveLanes)), acc.live_rows, acc.live_cols, acc.rows, acc.cols, p.loop.c.name);
}

}  // namespace

void draw_accumulator(Picture& p) {
  Ui& ui = p.ui();
  const Theme& t = p.theme();
  const model::Accumulator& acc = p.loop.acc;
  Rect room = p.corner;
  if (room.w < ui.px(90) || room.h < ui.px(110)) return;
  // What it is, and how much of it counts.
  Rect row = room.take_top(ui.px(20));
  const std::string title = fmt::format(fmt::runtime(ui.t(Text::KLoopAccumulator)), acc.name);
  const float w = ui.width(title, TextSize::Caption);
  ui.text_in(row, title, TextSize::Caption, t.text1);
  const std::string live = live_text(p);
  if (!live.empty()) {
    if (ui.width(live, TextSize::Caption) > row.w - w - ui.px(12)) {
      row = room.take_top(ui.px(18));
      ui.text_in(row, live, TextSize::Caption, t.text3);
    } else {
      ui.text_in({row.x + w + ui.px(12), row.y, row.w - w - ui.px(12), row.h}, live, TextSize::Caption, t.text3);
    }
  }
  room.take_top(ui.px(4));

  const int64_t k = p.loop.iteration;
  const std::string before = k == 0 || !acc.carried ? std::string(ui.t(Text::KLoopAccStart))
                             : acc.as_left          ? fmt::format(fmt::runtime(ui.t(Text::KLoopAccAfter)), k)
                                                    : std::string(ui.t(Text::KLoopAccBefore));
  const std::string product = fmt::format(fmt::runtime(ui.t(Text::KLoopProduct)), p.loop.a.variable.empty() ? "a" : p.loop.a.variable, p.loop.b.variable.empty() ? "b" : p.loop.b.variable);
  const std::vector<Strip> strips{{"before", before, &acc.before, acc.has_before, false, ""},
                                  {"change", product, &acc.change, acc.has_after, false, "+"},
                                  {"after", std::string(ui.t(Text::KLoopNow)), &acc.after, acc.has_after, true, ""}};
  const int64_t rows = std::max<int64_t>(acc.live_rows, 1), cols = std::max<int64_t>(acc.live_cols, 1);
  const Arrangement a = arrange(ui, room, rows, cols);
  if (a.lane <= 0) return;
  const float sw = std::round(static_cast<float>(cols) * a.lane), sh = std::round(static_cast<float>(rows) * a.lane), head = ui.px(20);
  const auto lane = pointed_lane(p);
  const bool stacked = a.form == Arrangement::Form::Stacked, square = a.form == Arrangement::Form::Square;
  const float column = stacked ? std::max(sw, std::min(room.w, ui.px(190))) : std::round((room.w - (square ? 1 : 2) * ui.px(14)) / (square ? 2 : 3));
  float x = room.x, y = room.y, right = room.x, bottom = room.y;
  for (const Strip& s : strips) {
    const Rect title_row{x, y, stacked ? column : std::max(column, sw), head};
    const Rect r{x, y + head, sw, sh};
    std::string value;
    if (lane && s.known) {
      const double v = (*s.values)[static_cast<size_t>((*lane)[0] * acc.cols + (*lane)[1])];
      value = (s.prefix == "+" && !(v < 0) ? "+" : "") + number(p, v);
      if (stacked) value = fmt::format("[{}, {}]  {}", (*lane)[0], (*lane)[1], value);
    }
    // Where it is narrow, the shorter words.
    const std::string_view name = ui.width(s.title, TextSize::Caption) > title_row.w && s.values == &acc.before ? ui.t(Text::KLoopAccBefore) : std::string_view(s.title);
    const float vw = value.empty() ? 0 : ui.width(value, TextSize::Code, true);
    if (stacked) {
      ui.text_in({title_row.x, title_row.y, title_row.w - vw, head}, name, TextSize::Caption, t.text2);
      if (vw > 0) ui.text_in({title_row.right() - vw, title_row.y, vw, head}, value, TextSize::Code, t.text1, true);
    } else {
      ui.text_in(title_row, name, TextSize::Caption, t.text2);
      if (vw > 0) ui.text({r.x, r.bottom() + ui.px(3)}, value, TextSize::Code, t.text1, true);
    }
    draw_strip(p, s, r, rows, cols, a.lane);
    const Hit h = ui.hit(std::string("kloop.acc.") + s.id, r);
    if (h.hovered && !acc.name.empty()) {
      const auto i = std::clamp<int64_t>(static_cast<int64_t>((h.mouse.y - r.y) / a.lane), 0, rows - 1), j = std::clamp<int64_t>(static_cast<int64_t>((h.mouse.x - r.x) / a.lane), 0, cols - 1);
      p.c.state.hover = {model::Element::Of::Variable, acc.name, {i, j}};
      p.c.state.shown_variable = acc.name;
      if (h.clicked) p.c.state.selected = p.c.state.hover;
      if (s.known) ui.tooltip(fmt::format("{}  {}[{}, {}] {}", s.title, acc.name, i, j, number(p, (*s.values)[static_cast<size_t>(i * acc.cols + j)])));
    }
    if (lane && (*lane)[0] < rows && (*lane)[1] < cols) {
      Rect m{r.x + static_cast<float>((*lane)[1]) * a.lane, r.y + static_cast<float>((*lane)[0]) * a.lane, a.lane, a.lane};
      const float least = ui.px(8);
      if (m.w < least) m = {std::round(m.x + m.w / 2 - least / 2), std::round(m.y + m.h / 2 - least / 2), least, least};
      ui.outline(m, t.hover, ui.px(2));
    }
    right = std::max(right, r.right());
    bottom = std::max(bottom, r.bottom() + (stacked ? 0 : ui.px(20)));
    if (stacked) y = r.bottom() + ui.px(10);
    else if (square && s.prefix == "+") x = room.x, y = r.bottom() + ui.px(20) + ui.px(10);
    else x += column + ui.px(14);
  }
  if (square) draw_scale(p, {x, y + head, std::min(column, std::max(sw, ui.px(110))), ui.px(26)});
  else draw_scale(p, {room.x, bottom + ui.px(10), std::min(room.w, std::max(ui.px(160), right - room.x)), ui.px(26)});
}

}  // namespace tilescope::window::kloop
