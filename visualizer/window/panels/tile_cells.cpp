#include "visualizer/window/panels/tile_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/model/provenance.h"
#include "visualizer/model/summary.h"

namespace tilescope::window {
namespace {

using model::LaneUse;
using model::ValueScale;

// Characters as they are drawn, not bytes.
int length_of(const std::string& s) {
  int n = 0;
  for (const char c : s) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return n;
}

}  // namespace

LanePainter::LanePainter(PanelContext& context, const model::Variable& variable)
    : c(context), v(variable), numbers(model::statistics_of(context.scene, variable)), lanes(model::lanes_of(context.scene, variable)),
      values(*model::program_values(context.scene)) {}

ImU32 LanePainter::colour(int64_t lane) const {
  const Theme& t = c.ui.theme();
  const double x = model::lane_number(*v.record, lane);
  switch (numbers.scale) {
    case ValueScale::Plain: return t.raised;
    case ValueScale::Bool: return t.text2;
    case ValueScale::Counts: return std::isfinite(x) ? viridis(x / numbers.reach) : t.raised;
    case ValueScale::Signed: return std::isfinite(x) ? signed_colour(t, x, numbers.reach) : t.raised;
  }
  return t.raised;
}

std::string LanePainter::text(int64_t lane, int characters, bool words) const {
  if (model::lane_poisoned(*v.record, lane)) {
    const std::string whole(c.ui.t(Text::Undefined)), brief(c.ui.t(Text::UndefinedShort));
    if (!words) return {};
    return length_of(whole) <= characters ? whole : length_of(brief) <= characters ? brief : "";
  }
  const std::string exact = values.lane_text(*v.record, lane);
  if (v.type.pointer) {
    if (length_of(exact) <= characters) return exact;
    const size_t bracket = exact.find('[');
    const std::string index = bracket == std::string::npos ? exact : exact.substr(bracket);
    return length_of(index) <= characters ? index : "";
  }
  if (is_int(v.type.elem)) {
    if (length_of(exact) <= characters) return exact;
    return model::format_number(model::lane_number(*v.record, lane), {0, true});
  }
  const std::string lined_up = model::format_number(model::lane_number(*v.record, lane), model::number_style(numbers.largest, numbers.whole, std::min(characters, 6)));
  return length_of(lined_up) <= characters ? lined_up : "";
}

std::string LanePainter::describe(int64_t lane) const {
  const Ui& ui = c.ui;
  std::string out = v.name + model::index_text(model::index_of_lane(v.type.shape, lane)) + " = ";
  out += model::lane_poisoned(*v.record, lane) ? std::string(ui.t(Text::Undefined)) : values.lane_text(*v.record, lane);
  if (!lanes.use.empty()) {
    const LaneUse use = lanes.use[static_cast<size_t>(lane)];
    const bool by_store = lanes.by == model::VariableLanes::By::Store;
    if (use == LaneUse::OutOfBounds) out += "\n" + std::string(ui.t(Text::TileOutOfBounds));
    else if (use == LaneUse::Off && lanes.by == model::VariableLanes::By::Load) out += "\n" + std::string(ui.t(Text::TileMaskedLane));
    else if (use == LaneUse::Off && by_store) out += "\n" + std::string(ui.t(Text::TileNotStored));
  }
  if (lanes.tensor >= 0 && static_cast<size_t>(lane) < lanes.offsets.size() && lanes.is_on(lane))
    out += "\n" + values.place_text(values.place(lanes.tensor, lanes.offsets[static_cast<size_t>(lane)]));
  return out;
}

void plate_text(Ui& ui, const Rect& r, const std::string& text, TextSize size, ImU32 colour, bool code, Align align) {
  if (text.empty()) return;
  const float w = ui.width(text, size, code), h = std::min(r.h, ui.line_height(size) + ui.px(1)), margin = ui.px(3);
  if (w > r.w) return;
  const float x = align == Align::Right ? r.right() - w : align == Align::Centre ? r.x + (r.w - w) / 2 : r.x;
  ui.fill({x - margin, r.y + (r.h - h) / 2, w + 2 * margin, h}, ui.theme().panel);
  ui.text_in({x, r.y, w + 1, r.h}, text, size, colour, code);
}

void LanePainter::cell(const Rect& r, int64_t lane, Align align) const {
  constexpr TextSize size = TextSize::Code;
  Ui& ui = c.ui;
  const Theme& t = ui.theme();
  const Rect inside{r.x + ui.px(3), r.y, r.w - 2 * ui.px(3), r.h};
  const bool numbers_fit = r.w >= ui.px(30) && r.h >= ui.px(17);
  const int characters = static_cast<int>(inside.w / ui.code_advance(size));
  const bool out_of_bounds = !lanes.use.empty() && lanes.use[static_cast<size_t>(lane)] == LaneUse::OutOfBounds;
  if (out_of_bounds) {
    ui.fill(r, mix(t.panel, t.fault, 0.15f));
    ui.outline(r, t.fault, 2);
    const float s = std::min(ui.px(12), std::min(r.w, r.h) - ui.px(6));
    if (s > 2) ui.cross({r.x + (r.w - s) / 2, r.y + (r.h - s) / 2, s, s}, t.fault);
    return;
  }
  if (off(lane)) {
    // The hatch itself is drawn for whole runs of lanes; here only its number.
    if (numbers_fit) plate_text(ui, inside, text(lane, characters), size, t.text2, true, align);
    return;
  }
  const ImU32 fill = colour(lane);
  ui.fill(r, fill);
  if (numbers_fit) {
    const bool centred = numbers.scale == ValueScale::Bool;
    ui.text_in(inside, text(lane, characters), size, numbers.scale == ValueScale::Plain ? t.text1 : ink_on(fill), true, centred ? Align::Centre : align);
  }
}

std::vector<OffBox> off_boxes(const model::VariableLanes& lanes, int64_t first, int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t stride, bool out_of_bounds) {
  std::vector<OffBox> out;
  if (lanes.use.empty()) return out;
  std::vector<OffBox> open;  // of the row above, that may grow downwards
  for (int64_t r = row; r < row + rows; ++r) {
    std::vector<OffBox> here;
    for (int64_t k = column; k < column + columns;) {
      const auto is_off = [&](int64_t at) {
        const size_t lane = static_cast<size_t>(first + r * stride + at);
        return lane < lanes.use.size() && lanes.use[lane] != LaneUse::On && (lanes.use[lane] == LaneUse::OutOfBounds) == out_of_bounds;
      };
      if (!is_off(k)) {
        ++k;
        continue;
      }
      const int64_t begin = k;
      while (k < column + columns && is_off(k)) ++k;
      here.push_back({r, begin, 1, k - begin});
    }
    for (OffBox& b : here)
      for (const OffBox& above : open)
        if (above.column == b.column && above.columns == b.columns) b.row = above.row, b.rows = above.rows + 1;
    for (const OffBox& above : open) {
      const bool grown = std::any_of(here.begin(), here.end(), [&](const OffBox& b) { return b.column == above.column && b.columns == above.columns; });
      if (!grown) out.push_back(above);
    }
    open = std::move(here);
    if (out.size() > 2000) break;
  }
  out.insert(out.end(), open.begin(), open.end());
  return out;
}

void draw_map(const LanePainter& p, const Rect& r, const std::string& key, int64_t first, int64_t rows, int64_t columns) {
  Ui& ui = p.c.ui;
  const Theme& t = ui.theme();
  // Larger tiles than the screen has pixels are thinned out.
  const int64_t step_y = std::max<int64_t>(1, rows / 1024), step_x = std::max<int64_t>(1, columns / 1024);
  const int width = static_cast<int>(columns / step_x), height = static_cast<int>(rows / step_y);
  const uint64_t version = (p.c.scene.run.version * 1000003 + p.c.scene.step) * 31 + static_cast<uint64_t>(first) * 2 + (t.dark ? 1 : 0);
  const ImTextureID texture = p.c.textures.get(key + p.v.name, version, width, height, [&](std::vector<ImU32>& texels) {
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x) {
        const int64_t lane = first + y * step_y * columns + x * step_x;
        texels[static_cast<size_t>(y) * static_cast<size_t>(width) + static_cast<size_t>(x)] = p.off(lane) ? t.panel : p.colour(lane);
      }
  });
  ui.draw().AddImage(texture, r.min(), r.max());
  const float w = r.w / static_cast<float>(columns), h = r.h / static_cast<float>(rows);
  const auto place = [&](const OffBox& b) {
    return Rect{r.x + w * static_cast<float>(b.column), r.y + h * static_cast<float>(b.row), w * static_cast<float>(b.columns), h * static_cast<float>(b.rows)};
  };
  for (const OffBox& b : off_boxes(p.lanes, first, 0, 0, rows, columns, columns)) ui.hatch(place(b), t.hatch);
  if (p.lanes.out_of_bounds == 0) return;
  for (const OffBox& b : off_boxes(p.lanes, first, 0, 0, rows, columns, columns, true)) {
    const Rect at = place(b);
    ui.fill(at, mix(t.panel, t.fault, 0.15f));
    ui.outline(at, t.fault, 2);
    const float s = std::min(ui.px(12), std::min(at.w, at.h) - ui.px(4));
    if (s > 3) ui.cross({at.x + (at.w - s) / 2, at.y + (at.h - s) / 2, s, s}, t.fault);
  }
}

void light(Ui& ui, const Rect& r) { ui.outline({r.x - 1, r.y - 1, r.w + 2, r.h + 2}, ui.theme().hover, ui.px(2)); }

model::Element element_of(const model::Variable& v, int64_t lane) {
  return {model::Element::Of::Variable, v.name, model::index_of_lane(v.type.shape, lane)};
}

}  // namespace tilescope::window
