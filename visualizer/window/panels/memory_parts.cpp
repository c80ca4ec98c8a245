#include "visualizer/window/panels/memory_parts.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "visualizer/window/lesson_guide.h"

namespace tilescope::window {
namespace {

constexpr int kSteps = 512;  // colours on each side of zero

uint64_t combine(uint64_t a, uint64_t b) { return (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdu; }

uint64_t bits_of(double x) { return static_cast<uint64_t>(std::llround(std::clamp(x, -1e12, 1e12) * 1e6)); }

// The scale of a tensor's values belongs to a recording, not to a step: it may have to look at everything stored.
double kept_reach(const model::Scene& scene, int tensor) {
  struct Kept {
    std::shared_ptr<const model::Recorded> recorded;
    std::shared_ptr<const model::Totals> totals;
    std::map<int, double> reach;
  };
  static Kept kept;
  if (kept.recorded != scene.run.recorded || kept.totals != scene.run.totals) kept = {scene.run.recorded, scene.run.totals, {}};
  const auto found = kept.reach.find(tensor);
  if (found != kept.reach.end()) return found->second;
  return kept.reach[tensor] = model::value_reach(scene, tensor);
}

MemoryTensors make_tensors(const model::Scene& scene) {
  MemoryTensors out;
  for (size_t i = 0; i < scene.tensors.size(); ++i) {
    auto m = std::make_unique<MemoryTensor>();
    m->index = static_cast<int>(i);
    m->now = &scene.tensors[i];
    m->tensor = scene.tensors[i].tensor;
    m->map = model::OffsetMap(m->tensor->layout);
    m->never = model::NeverStored(scene, m->index);
    m->reach = kept_reach(scene, m->index);
    m->negative = !(scene.tensors[static_cast<size_t>(m->index)].low >= 0);
    m->stored = model::stored_now(scene, m->index);
    m->address = model::tensor_address(*scene.run.launch, m->index);
    m->version = combine(reinterpret_cast<uintptr_t>(scene.run.recorded.get()), i);
    const auto& changes = scene.trace->changes;
    const auto end = std::upper_bound(changes.begin(), changes.end(), scene.step, [](uint64_t s, const MemoryChange& x) { return s < x.step; });
    for (auto last = end; last != changes.begin();)
      if ((--last)->tensor == m->index) {
        m->version = combine(m->version, last->step + 1);
        break;
      }
    if (scene.run.totals && i < scene.run.totals->trace.element_counts.size()) {
      m->counts = &scene.run.totals->trace.element_counts[i];
      m->most_loads = scene.run.totals->trace.tensors[i].reuse.max;
      if (!m->counts->stores.empty()) m->most_stores = *std::max_element(m->counts->stores.begin(), m->counts->stores.end());
    }
    out.all.push_back(std::move(m));
  }
  return out;
}

}  // namespace

const MemoryTensors& memory_tensors(const model::Scene& scene) { return scene.derived<MemoryTensors>(make_tensors); }

const std::vector<MemoryAccess>& MemoryTensor::accesses(const model::Scene& scene, const std::vector<int64_t>& slice) const {
  const model::Plane plane = model::make_plane(tensor->layout, slice);
  const std::vector<int64_t>& at = plane.at;
  const auto found = placed_.find(at);
  if (found != placed_.end()) return found->second;
  std::vector<MemoryAccess>& out = placed_[at];
  for (const model::CurrentAccess& a : scene.accesses)
    if (a.lanes != nullptr && a.summary != nullptr && a.lanes->tensor == index)
      out.push_back({&a, a.summary->writes, model::place_lanes(map, plane, *a.lanes, a.type.shape)});
  return out;
}

const MemoryAccess* MemoryTensor::nearest(const model::Scene& scene, const std::vector<int64_t>& at) const {
  const int access = model::nearest_access(scene, index);
  return access < 0 || !accesses(scene, at).empty() ? nullptr : recorded(scene, static_cast<size_t>(access), at);
}

std::vector<const MemoryAccess*> MemoryTensor::shown(const model::Scene& scene, const std::vector<int64_t>& at) const {
  std::vector<const MemoryAccess*> out;
  for (const MemoryAccess& a : accesses(scene, at)) out.push_back(&a);
  if (const MemoryAccess* near = nearest(scene, at)) out.push_back(near);
  return out;
}

const MemoryAccess* MemoryTensor::last(const model::Scene& scene, const std::vector<int64_t>& at) const {
  const std::vector<AccessSummary>& all = scene.trace->accesses;
  const auto last = std::find_if(all.rbegin(), all.rend(), [&](const AccessSummary& a) { return a.tensor == index; });
  return last == all.rend() ? nullptr : recorded(scene, static_cast<size_t>(all.rend() - last) - 1, at);
}

const MemoryAccess* MemoryTensor::recorded(const model::Scene& scene, size_t access, const std::vector<int64_t>& slice) const {
  const model::Plane plane = model::make_plane(tensor->layout, slice);
  const auto [place, fresh] = recorded_.try_emplace({access, plane.at});
  if (!fresh) return place->second.get();
  const AccessSummary& summary = scene.trace->accesses[access];
  const std::shared_ptr<const StepData> data = scene.run.recorded->recording->step(summary.step);
  if (data == nullptr || !data->access) return nullptr;
  // The tile's shape is that of the address operand, which every access has first.
  const Op& op = *scene.run.recorded->recording->ops()[static_cast<size_t>(scene.trace->steps[summary.step].op)];
  if (op.operands.empty()) return nullptr;
  const Shape& shape = scene.function->type(op.operands[0]).shape;
  place->second = std::make_unique<MemoryAccess>(MemoryAccess{nullptr, summary.writes, model::place_lanes(map, plane, *data->access, shape)});
  return place->second.get();
}

const model::Stored* MemoryTensor::stored_at(int64_t offset) const {
  const auto i = std::lower_bound(stored.begin(), stored.end(), offset, [](const model::Stored& s, int64_t o) { return s.offset < o; });
  return i != stored.end() && i->offset == offset ? &*i : nullptr;
}

// ---- colours

CellPainter::CellPainter(const Theme& theme, MemoryColour mode, const MemoryTensor& tensor) : theme_(theme), mode_(mode), tensor_(tensor) {
  if (mode_ != MemoryColour::Values && tensor.counts == nullptr) mode_ = MemoryColour::Values;
  const DType dtype = tensor.tensor->dtype;
  is_bool_ = mode_ == MemoryColour::Values && is_bool(dtype);
  is_unsigned_ = mode_ == MemoryColour::Values && is_unsigned_int(dtype);
  most_ = mode_ == MemoryColour::Loads ? static_cast<double>(tensor.most_loads) : mode_ == MemoryColour::Stores ? static_cast<double>(tensor.most_stores) : tensor.reach;
  version_ = combine(combine(tensor.version, bits_of(most_)), (theme.dark ? 1u : 0u) + 2 * static_cast<unsigned>(mode_));
  if (mode_ != MemoryColour::Values) version_ = combine(version_, reinterpret_cast<uintptr_t>(tensor.counts));
  if (mode_ == MemoryColour::Values && !is_unsigned_) {
    for (int i = -kSteps; i <= kSteps; ++i) signed_.push_back(signed_colour(theme, i, kSteps));
  } else {
    for (int i = 0; i <= kSteps; ++i) counted_.push_back(viridis(static_cast<double>(i) / kSteps));
  }
}

ImU32 CellPainter::colour(model::CellKind kind, double value) const {
  if (kind != model::CellKind::Value) return 0;
  if (mode_ != MemoryColour::Values) {
    if (value < 1) return theme_.raised;
    const double x = most_ > 1 ? 0.12 + 0.88 * (value - 1) / (most_ - 1) : 0.6;
    return counted_[static_cast<size_t>(std::clamp(x, 0.0, 1.0) * kSteps)];
  }
  if (!std::isfinite(value)) return mix(theme_.raised, theme_.text3, 0.35f);
  if (is_bool_) return value != 0 ? theme_.text2 : theme_.raised;
  if (is_unsigned_) return counted_[static_cast<size_t>(std::clamp(value / most_, 0.0, 1.0) * kSteps)];
  return signed_[static_cast<size_t>(std::lround((std::clamp(value / most_, -1.0, 1.0) + 1) * kSteps))];
}

std::string CellPainter::text(model::CellKind kind, double value, int characters) const {
  if (kind != model::CellKind::Value) return {};
  const DType dtype = tensor_.tensor->dtype;
  const bool whole = mode_ != MemoryColour::Values || is_int(dtype);
  return model::format_number(value, model::number_style(mode_ == MemoryColour::Values ? std::max(most_, std::abs(value)) : most_, whole, characters, mode_ == MemoryColour::Values && tensor_.negative));
}

void CellPainter::sample_plane(const model::Plane& plane, const model::PlaneWindow& window, model::Samples& out) const {
  if (mode_ == MemoryColour::Values) return model::sample_plane(*tensor_.tensor, plane, tensor_.never, window, out);
  const ElementCounts& n = *tensor_.counts;
  model::count_plane(*tensor_.tensor, plane, mode_ == MemoryColour::Loads ? n.loads : n.stores, n.elements_per_count, window, out);
}

void CellPainter::sample_line(double first, double step, int count, model::Samples& out) const {
  if (mode_ == MemoryColour::Values) return model::sample_line(*tensor_.tensor, tensor_.map, tensor_.never, first, step, count, out);
  const ElementCounts& n = *tensor_.counts;
  model::count_line(*tensor_.tensor, tensor_.map, mode_ == MemoryColour::Loads ? n.loads : n.stores, n.elements_per_count, first, step, count, out);
}

ImU32 access_mark(const Theme& t, const MemoryAccess& a) { return a.writes ? t.store : t.load; }
ImU32 access_text(const Theme& t, const MemoryAccess& a) { return a.writes ? t.store_text : t.load_text; }

std::string say(const PanelContext& c, Text id, const std::vector<std::string>& values) {
  fmt::dynamic_format_arg_store<fmt::format_context> args;
  for (const std::string& v : values) args.push_back(v);
  return fmt::vformat(c.ui.t(id), args);
}

std::string lanes_on_text(const PanelContext& c, uint64_t n) { return n == 1 ? std::string(c.ui.t(Text::MemoryLaneOn)) : say(c, Text::MemoryLanesOn, {std::to_string(n)}); }

// ---- hover

void hover_element(PanelContext& c, const MemoryTensor& m, const std::vector<int64_t>& index, const std::vector<MemoryAccess>& accesses) {
  c.state.hover = {model::Element::Of::Tensor, m.now->name, index};
  const Tensor& t = *m.tensor;
  const int64_t offset = t.layout.offset_of(index);
  std::string tip = model::element_name(m.now->name, index);
  const bool blank = m.never(t, t.origin + offset);
  tip += blank ? "  " + std::string(c.ui.t(Text::MemoryNeverStored)) : " = " + model::typographic(format_element(t.dtype, t.element(t.origin + offset)));
  if (const model::Stored* s = m.stored_at(offset))
    tip += "\n" + say(c, Text::MemoryStoredNow, {model::typographic(format_element(t.dtype, s->before))});
  tip += "\n" + say(c, Text::MemoryPlace, {std::to_string(t.origin + offset), std::to_string((t.origin + offset) * dtype_bytes(t.dtype))});
  tip += "\n" + say(c, Text::MemoryAddress,
                    {fmt::format("0x{:x}", m.address + static_cast<uint64_t>(offset) * static_cast<uint64_t>(dtype_bytes(t.dtype)))});
  for (const MemoryAccess& a : accesses) {
    const std::vector<int64_t> lanes = a.lanes.lanes_at(offset, 4);
    if (lanes.empty() || a.access->lanes == nullptr) continue;
    std::string names;
    for (const int64_t lane : lanes) {
      if (!names.empty()) names += ", ";
      const std::vector<int64_t> at = model::index_of_lane(a.access->type.shape, lane);
      names += at.size() == 1 ? std::to_string(at[0]) : model::element_name("", at);
    }
    const bool off = a.access->lanes->states[static_cast<size_t>(lanes.front())] == LaneState::Masked;
    tip += "\n" + say(c, off ? Text::MemoryLaneOff : a.writes ? Text::MemoryLaneStores : Text::MemoryLaneLoads, {names});
  }
  if (m.counts != nullptr) {
    const auto count_at = [&](const std::vector<uint32_t>& n) {
      const size_t i = static_cast<size_t>((t.origin + offset) / std::max<int64_t>(1, m.counts->elements_per_count));
      return std::to_string(i < n.size() ? n[i] : 0);
    };
    tip += "\n" + say(c, Text::MemoryTimes, {count_at(m.counts->loads), count_at(m.counts->stores)});
  }
  c.ui.tooltip(tip);
}

std::vector<int64_t> hovered_offsets(const PanelContext& c, const MemoryTensor& m) {
  const model::Element& h = c.hover;
  std::vector<int64_t> out;
  if (h.of == model::Element::Of::Tensor && h.name == m.now->name && h.index.size() == m.tensor->layout.shape.size())
    out.push_back(m.tensor->layout.offset_of(h.index));
  if (h.of != model::Element::Of::Variable) return out;
  const auto add = [&](const AccessLanes* lanes, const Shape& shape) {
    if (lanes == nullptr || lanes->tensor != m.index || static_cast<int>(h.index.size()) != shape.rank) return;
    const int64_t lane = model::lane_of(shape, h.index);
    if (lane >= 0 && static_cast<size_t>(lane) < lanes->offsets.size()) out.push_back(lanes->offsets[static_cast<size_t>(lane)]);
  };
  if (const model::Variable* v = c.scene.find_variable(h.name)) add(v->lanes, v->type.shape);
  for (const model::CurrentAccess& a : c.scene.accesses)
    if (a.variable == h.name) add(a.lanes, a.type.shape);
  return out;
}

std::optional<FailedElement> failed_element(const PanelContext& c, const MemoryTensor& m) {
  const lessons::Failure* f = c.lesson == nullptr ? nullptr : c.lesson->opened_failure(c.scene.run.text.get());
  if (f == nullptr || f->tensor != m.now->name) return std::nullopt;
  std::vector<int64_t> index;
  m.map.find_beyond(f->offset, index);
  const std::string name = index.size() == 1 ? model::typographic(std::to_string(index[0])) : model::element_name("", index);
  return FailedElement{f->offset, say(c, f->kind == lessons::Failure::Kind::Fault ? Text::MemoryFaultHere : Text::MemoryWrongHere, {name})};
}

void draw_out_of_bounds(Ui& ui, Rect r, float cell_w) {
  const Theme& t = ui.theme();
  ui.fill(r, mix(t.panel, t.fault, 0.16f));
  ui.outline(r, t.fault, ui.px(2));
  const float step = std::max(cell_w, std::min(r.w, ui.px(20)));
  const float size = std::min({r.h, step, ui.px(22)});
  if (size < ui.px(5)) return;
  const float count = std::clamp(std::floor((r.w + 0.5f) / step), 1.0f, 400.0f), start = cell_w >= step ? r.x : r.x + std::max(0.0f, (r.w - count * step) / 2);
  for (float x = start; x < start + (count - 0.5f) * step; x += step)
    ui.cross({x + (step - size) / 2, r.y + (r.h - size) / 2, size, size}, t.fault, ui.px(2));
}

void draw_dots(PanelContext& c, const std::string& key, Rect area, Rect part) {
  // The dots' phase is fixed to the screen, so the picture of them belongs to `area`; part is what is shown of it.
  const float x0 = std::max(area.x, part.x), y0 = std::max(area.y, part.y), x1 = std::min(area.right(), part.right()),
              y1 = std::min(area.bottom(), part.bottom());
  const int w = static_cast<int>(std::min(4096.0f, std::ceil(area.w))), h = static_cast<int>(std::min(4096.0f, std::ceil(area.h)));
  if (x1 <= x0 || y1 <= y0 || w < 1 || h < 1) return;
  const int step = static_cast<int>(std::max(4.0f, c.ui.px(4))), size = static_cast<int>(std::max(1.0f, c.ui.px(1)));
  const ImU32 ink = c.ui.theme().text3;
  const ImTextureID id = c.textures.get(key, combine(ink, static_cast<uint64_t>(step)), w, h, [&](std::vector<ImU32>& texels) {
    for (int y = 0; y < h; ++y)
      for (int x = 0; x < w; ++x)
        if (x % step < size && y % step < size) texels[static_cast<size_t>(y) * static_cast<size_t>(w) + static_cast<size_t>(x)] = ink;
  });
  c.ui.draw().AddImage(id, {x0, y0}, {x1, y1}, {(x0 - area.x) / static_cast<float>(w), (y0 - area.y) / static_cast<float>(h)},
                       {(x1 - area.x) / static_cast<float>(w), (y1 - area.y) / static_cast<float>(h)});
}

}  // namespace tilescope::window
