#include "visualizer/model/kloop.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "visualizer/model/kloop_chunks.h"
#include "visualizer/model/kloop_plan.h"
#include "visualizer/model/memory_view.h"
#include "visualizer/model/tile_view.h"

namespace tilescope::model {
namespace {

// Up to so many multiply-adds of one loop all accumulators are looked at for the scale of colours, else the last one.
constexpr int64_t kScaleWork = int64_t{1} << 22;
constexpr int kMaxRank2 = 3;

const ValueRecord* find_record(const StepData* data, ValueId v) {
  if (data == nullptr) return nullptr;
  for (const ValueRecord& r : data->results)
    if (r.value == v) return &r;
  return nullptr;
}

/// A value as it is after a step, with what keeps it alive.
struct Held {
  std::shared_ptr<const StepData> data;
  const ValueRecord* record = nullptr;
  int64_t step = -1;
};

double number(const ValueRecord& r, int64_t lane) {
  return read_double(r.type.elem, r.data.data() + lane * r.type.storage_bytes());
}

std::vector<double> numbers(const ValueRecord& r) {
  // A batch shows its first matrix.
  const Shape& s = r.type.shape;
  const int64_t n = s.rank < 2 ? r.type.elements() : s[s.rank - 2] * s[s.rank - 1];
  std::vector<double> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = number(r, i);
  return out;
}

double largest(const std::vector<double>& x) {
  double m = 0;
  for (double v : x)
    if (std::isfinite(v)) m = std::max(m, std::fabs(v));
  return m;
}

Span around(const std::vector<int64_t>& index) {
  if (index.empty()) return {};
  const auto [lo, hi] = std::minmax_element(index.begin(), index.end());
  return {*lo, *hi + 1};
}

std::vector<int64_t> counted(int64_t from, int64_t n) {
  std::vector<int64_t> out(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) out[static_cast<size_t>(i)] = from + i;
  return out;
}

class Maker {
 public:
  Maker(const Scene& scene, KLoop& loop, KPlan& plan, const KPlan::Site& site, const KPlan::Instance& in)
      : scene_(scene), loop_(loop), plan_(plan), site_(site), in_(in), recording_(*scene.run.recorded->recording) {}

  void run() {
    find_iteration();
    const KPlan::Execution& e = in_.runs[static_cast<size_t>(loop_.iteration)];
    const KPlan::Dot& dot = site_.dots[e.dot];
    const Shape& shape = scene_.function->type(dot.op->results[0]).shape;
    if (shape.rank < 2 || shape.rank > kMaxRank2) return;
    lead_ = shape.rank - 2;
    for (int axis = 0; axis < lead_; ++axis) loop_.batch.push_back(shape[axis]);
    const Shape& a_shape = scene_.function->type(dot.op->operands[0]).shape;
    loop_.axis(KAxis::M).block = shape[lead_];
    loop_.axis(KAxis::N).block = shape[lead_ + 1];
    loop_.axis(KAxis::K).block = a_shape[lead_ + 1];
    loop_.computed = e.ran && phase_reached(e.step);
    loop_.computing = loop_.computed && is_now(e.step);

    set_axes(loop_.a, 'A', KAxis::M, KAxis::K);
    set_axes(loop_.b, 'B', KAxis::K, KAxis::N);
    set_axes(loop_.c, 'C', KAxis::M, KAxis::N);
    operand(loop_.a, dot.a, dot.op->operands[0], e);
    operand(loop_.b, dot.b, dot.op->operands[1], e);
    accumulator(dot, e);
    product(dot, e);
    share_axes();
    loop_.kind = KLoop::Kind::Product;
  }

 private:
  bool phase_reached(uint64_t step) const { return step <= scene_.step; }
  bool is_now(int64_t step) const {
    if (step < 0 || scene_.line_step >= scene_.timeline->lines.size()) return false;
    const LineStep& l = scene_.timeline->lines[scene_.line_step];
    return static_cast<uint64_t>(step) >= l.first && static_cast<uint64_t>(step) <= l.last;
  }

  void find_iteration() {
    loop_.iterations = static_cast<int64_t>(in_.runs.size());
    loop_.in_loop = in_.in_loop;
    loop_.loop_line = in_.line;
    const uint64_t step = scene_.step;
    loop_.phase = step < in_.first_step ? KLoop::Phase::Before : step >= in_.last_step ? KLoop::Phase::After : KLoop::Phase::Inside;
    int64_t now = 0;
    for (size_t i = 0; i < in_.runs.size(); ++i) {
      const KPlan::Execution& e = in_.runs[i];
      // An iteration begins with its loop's step; the pieces of an unrolled loop follow each other.
      const uint64_t begins = e.frame >= 0 && (i == 0 || in_.runs[i - 1].frame != e.frame) ? scene_.trace->frames[static_cast<size_t>(e.frame)].first_step
                              : i == 0 ? 0 : in_.runs[i - 1].step + 1;
      if (begins <= step) now = static_cast<int64_t>(i);
    }
    // A step right after the last of an unrolled row of dots still belongs to it.
    loop_.iteration = now;
  }

  void set_axes(KMatrix& m, char letter, KAxis rows, KAxis cols) {
    m.letter = letter;
    m.row_axis = rows;
    m.col_axis = cols;
  }

  Held value_at(ValueId v, uint64_t step) {
    Held h;
    h.step = recording_.last_definition(v, step);
    if (h.step < 0) return h;
    h.data = recording_.step(static_cast<uint64_t>(h.step));
    h.record = find_record(h.data.get(), v);
    return h;
  }

  const AccessSummary* summary_of(int64_t step) const {
    if (step < 0) return nullptr;
    const int32_t a = scene_.trace->steps[static_cast<size_t>(step)].access;
    return a < 0 ? nullptr : &scene_.trace->accesses[static_cast<size_t>(a)];
  }

  // ---- A and B

  void operand(KMatrix& m, const ValueFlow::Source& source, ValueId value, const KPlan::Execution& e) {
    m.variable = source.variable;
    m.dtype = scene_.function->type(value).elem;
    const bool loaded = source.op != nullptr && source.op->code == OpCode::Load && static_cast<int>(source.axes.size()) == lead_ + 2;
    if (loaded) {
      for (const KPlan::Execution& run : in_.runs) {
        const KPlan::Dot& dot = site_.dots[run.dot];
        const ValueFlow::Source& from = m.letter == 'A' ? dot.a : dot.b;
        m.steps.push_back(from.op == nullptr ? -1 : plan_.last_run(from.op, run.step));
      }
      const int64_t step = m.steps[static_cast<size_t>(loop_.iteration)];
      // The recording may end before the load of this iteration: the tile before it then tells what the matrix is.
      const bool missing = !e.ran && loop_.iteration > 0 && step == m.steps[static_cast<size_t>(loop_.iteration) - 1] && step >= static_cast<int64_t>(in_.first_step);
      m.done = step >= 0 && !missing && phase_reached(static_cast<uint64_t>(step));
      m.now = m.done && is_now(step);
      place(m, step, scene_.function->type(source.value).shape, source.axes, source.op->operands[0]);
      if (missing) forget_tile(m);
    }
    if (m.source == KMatrix::Source::Tensor) return;
    // Made by the program: only this iteration's tile exists. `p` rather than `p.to(tl.float16)`, which comes later.
    const bool named = source.named != kNoValue && scene_.function->type(source.named).shape == scene_.function->type(value).shape;
    const Held h = value_at(named ? source.named : value, e.step);
    if (h.record == nullptr) return;
    m.source = KMatrix::Source::Value;
    if (m.name.empty()) m.name = m.variable;
    m.done = phase_reached(static_cast<uint64_t>(h.step));
    m.now = m.done && is_now(h.step);
    m.steps.assign(in_.runs.size(), -1);
    m.on = static_cast<uint64_t>(h.record->type.elements());
    m.dtype = h.record->type.elem;
    m.data = h.data;
    m.tile = h.record;
    m.reach = std::max(largest(numbers(*h.record)), 1e-30);
  }

  void forget_tile(KMatrix& m) {
    m.on = m.masked = m.out_of_bounds = 0;
    m.off.clear();
    m.steps.back() = -1;
    // Its place along K is that of the other operand, which share_axes fills in.
    (m.row_axis == KAxis::K ? m.row_index : m.col_index).clear();
  }

  /// Where the tile that `step` accessed lies.
  void place(KMatrix& m, int64_t step, const Shape& tile, const std::vector<int>& axes, ValueId pointers) {
    const AccessSummary* s = summary_of(step);
    if (s == nullptr) return;
    m.on = s->on;
    m.masked = s->masked;
    m.out_of_bounds = s->out_of_bounds;
    if (s->tensor < 0 || static_cast<size_t>(s->tensor) >= scene_.tensors.size()) return;
    const TensorNow& now = scene_.tensors[static_cast<size_t>(s->tensor)];
    const std::shared_ptr<const StepData> data = recording_.step(static_cast<uint64_t>(step));
    if (data == nullptr || !data->access || now.tensor == nullptr) return;
    m.name = now.name;
    m.tensor = s->tensor;
    m.dtype = now.tensor->dtype;
    m.reach = value_reach(scene_, s->tensor);
    const int row = axes[static_cast<size_t>(lead_)], col = axes[static_cast<size_t>(lead_ + 1)];
    TilePlace p = place_tile(now.tensor->layout, *data->access, tile, row, col);
    m.irregular = !p.regular;
    if (!p.regular) return;
    m.source = KMatrix::Source::Tensor;
    m.off = off_patches(*data->access, tile, row, col);
    m.rows = p.rows;
    m.cols = p.cols;
    m.base = p.base;
    m.row_stride = p.row_stride;
    m.col_stride = p.col_stride;
    m.transposed = p.transposed;
    m.runs_over = p.runs_over;
    m.column_major = p.column_major;
    m.row_index = p.row_index;
    m.col_index = p.col_index;
    name_axes(m, pointers, axes, step);
    p.row_index = m.row_index;
    p.col_index = m.col_index;
    walk_iterations(m, p, now.tensor->layout, *s);
  }

  /// The tiles of the other iterations, from the boxes of what they addressed.
  void walk_iterations(const KMatrix& m, const TilePlace& p, const TensorLayout& layout, const AccessSummary& here) {
    KAxisView &rows = loop_.axis(m.row_axis), &cols = loop_.axis(m.col_axis);
    const bool fill_rows = rows.tiles.empty() && m.letter != 'C', fill_cols = cols.tiles.empty() && m.letter != 'C';
    if (!fill_rows && !fill_cols) return;
    const Span row = around(p.row_index), col = around(p.col_index);
    const std::array<int64_t, 2> corner = here.box.empty() ? std::array<int64_t, 2>{row.lo, col.lo} : corner_of(p, layout, here.box);
    std::vector<Span> down, across;
    for (int64_t step : m.steps) {
      const AccessSummary* s = summary_of(step);
      Span r = row, c = col;
      if (s != nullptr && !s->box.empty()) {
        const std::array<int64_t, 2> at = corner_of(p, layout, s->box);
        r = {row.lo + at[0] - corner[0], row.hi + at[0] - corner[0]};
        c = {col.lo + at[1] - corner[1], col.hi + at[1] - corner[1]};
      }
      down.push_back(r);
      across.push_back(c);
    }
    if (fill_rows) rows.tiles = std::move(down);
    if (fill_cols) cols.tiles = std::move(across);
  }

  std::array<int64_t, 2> corner_of(const TilePlace& p, const TensorLayout& layout, const IndexBox& box) const {
    // With a negative stride the smallest index is at the other end, as it is in the matrix.
    return matrix_index(p, layout.offset_of(box.lo));
  }

  /// The kernel's variables whose values are the rows or columns.
  void name_axes(KMatrix& m, ValueId pointers, const std::vector<int>& axes, int64_t step) {
    if (m.source != KMatrix::Source::Tensor || step < 0) return;
    const std::vector<std::vector<ValueId>> by_axis = plan_.flow().index_variables(pointers);
    using Visit = std::function<void(ValueId, const std::vector<int64_t>&)>;
    auto each = [&](int tile_axis, size_t lanes, const Visit& visit) {
      if (static_cast<size_t>(tile_axis) >= by_axis.size()) return;
      for (ValueId v : by_axis[static_cast<size_t>(tile_axis)]) {
        const Held h = value_at(v, static_cast<uint64_t>(step));
        if (h.record == nullptr || h.record->type.elements() != static_cast<int64_t>(lanes)) continue;
        std::vector<int64_t> values(lanes);
        for (size_t i = 0; i < lanes; ++i)
          values[i] = read_int64(h.record->type.elem, h.record->data.data() + static_cast<int64_t>(i) * h.record->type.storage_bytes());
        visit(v, values);
      }
    };
    auto name = [&](std::string& out, int tile_axis, const std::vector<int64_t>& index) {
      size_t best_rank = 0;
      each(tile_axis, index.size(), [&](ValueId v, const std::vector<int64_t>& values) {
        const size_t rank = static_cast<size_t>(scene_.function->type(v).shape.rank);
        if (values != index || (!out.empty() && rank >= best_rank)) return;  // `rows` rather than `r = rows[:, None]`
        out = scene_.function->values[v].name;
        best_rank = rank;
      });
    };
    const int row = axes[static_cast<size_t>(lead_)], col = axes[static_cast<size_t>(lead_ + 1)];
    name(m.row_name, row, m.row_index);
    name(m.col_name, col, m.col_index);
    if (m.row_index.empty() || m.col_index.empty() || (!m.row_name.empty() && !m.col_name.empty())) return;
    // Column 64 of rows with 50 elements is column 14 of the next row: the kernel's numbers lead to the same address.
    // What reads there shows the next row; a tile that reads nothing keeps the kernel's numbers, beyond the edge.
    const bool reads = m.on + m.out_of_bounds > 0;
    std::vector<Axes> found;
    each(row, m.row_index.size(), [&](ValueId, const std::vector<int64_t>& r) {
      if (const auto c = other_axis(m, r, true)) found.push_back({r, *c});
    });
    each(col, m.col_index.size(), [&](ValueId, const std::vector<int64_t>& c) {
      if (const auto r = other_axis(m, c, false)) found.push_back({*r, c});
    });
    auto is_named = [&](int axis, const std::vector<int64_t>& index) {
      bool named = false;
      each(axis, index.size(), [&](ValueId, const std::vector<int64_t>& values) { named = named || values == index; });
      return named;
    };
    const Axes* best = nullptr;
    for (const Axes& x : found) {
      if (is_named(row, x.rows) && is_named(col, x.cols)) best = &x;
      else if (best == nullptr && !reads) best = &x;
    }
    if (best == nullptr || best->rows == m.row_index) return;
    if (reads) {
      m.wrapped = true;
      return;
    }
    m.row_index = best->rows;
    m.col_index = best->cols;
    m.row_name.clear();
    m.col_name.clear();
    name(m.row_name, row, m.row_index);
    name(m.col_name, col, m.col_index);
  }

  struct Axes {
    std::vector<int64_t> rows, cols;
  };

  /// The columns with which rows `index` lead to the same addresses (or, not `rows`, the other way round).
  static std::optional<std::vector<int64_t>> other_axis(const KMatrix& m, const std::vector<int64_t>& index, bool rows) {
    const std::vector<int64_t>& mine = rows ? m.row_index : m.col_index;
    const int64_t moved = mine[0] - index[0], stride = rows ? m.row_stride : m.col_stride, other = rows ? m.col_stride : m.row_stride;
    for (size_t i = 0; i < mine.size(); ++i)
      if (mine[i] - index[i] != moved) return std::nullopt;
    if (other == 0 || moved * stride % other != 0) return std::nullopt;
    std::vector<int64_t> out = rows ? m.col_index : m.row_index;
    for (int64_t& i : out) i += moved * stride / other;
    return out;
  }

  // ---- the accumulator and C

  void accumulator(const KPlan::Dot& dot, const KPlan::Execution& e) {
    Accumulator& acc = loop_.acc;
    const Type& type = scene_.function->type(dot.op->results[0]);
    acc.name = scene_.function->values[dot.op->results[0]].name;
    acc.dtype = type.elem;
    acc.live_rows = acc.rows = type.shape[lead_];
    acc.live_cols = acc.cols = type.shape[lead_ + 1];
    acc.reach = accumulator_reach(dot.op->results[0]);
    const Op* from = plan_.flow().definition(dot.op->operands[2]);
    acc.carried = from == nullptr || from->code != OpCode::Constant;
    acc.as_left = from == nullptr || from->code == OpCode::Dot;
    const Held before = value_at(dot.op->operands[2], e.step);
    if (before.record != nullptr && phase_reached(static_cast<uint64_t>(before.step))) {
      acc.before = numbers(*before.record);
      acc.has_before = true;
    }
    if (!loop_.computed || !acc.has_before) return;  // an iteration that the recording breaks off has no result
    const Held after = value_at(dot.op->results[0], e.step);
    if (after.record == nullptr) return;
    acc.after = numbers(*after.record);
    acc.has_after = true;
    acc.change.resize(acc.after.size());
    for (size_t i = 0; i < acc.after.size(); ++i) acc.change[i] = acc.after[i] - acc.before[i];
  }

  double accumulator_reach(ValueId result) {
    // That of the variable, as Tile has it.
    const Variable* v = scene_.find_variable(loop_.acc.name);
    if (v != nullptr && v->type.shape == scene_.function->type(result).shape) {
      const double reach = variable_reach(scene_, *v);
      if (reach > 0) return reach;
    }
    const auto [kept, fresh] = plan_.reach.try_emplace(in_.runs[0].step, 0);
    if (!fresh) return kept->second;
    const int64_t work = loop_.iterations * loop_.axis(KAxis::M).block * loop_.axis(KAxis::N).block * loop_.axis(KAxis::K).block;
    const bool all = work <= kScaleWork && loop_.iterations <= 256;
    double reach = 1e-30;
    for (size_t i = all ? 0 : in_.runs.size() - 1; i < in_.runs.size(); ++i) {
      const ValueId sum = site_.dots.size() == 1 ? result : site_.dots[in_.runs[i].dot].op->results[0];
      const Held h = value_at(sum, in_.runs[i].step);
      if (h.record != nullptr) reach = std::max(reach, largest(numbers(*h.record)));
    }
    return kept->second = reach;
  }

  void product(const KPlan::Dot& dot, const KPlan::Execution& e) {
    KMatrix& m = loop_.c;
    m.variable = loop_.acc.name;
    m.dtype = loop_.acc.dtype;
    // An unrolled loop's last dot is the one whose sum is stored.
    ValueFlow::Sink sink = dot.c;
    if (sink.op == nullptr) sink = site_.dots[in_.runs.back().dot].c;
    const int64_t step = sink.op == nullptr ? -1 : plan_.next_run(sink.op, e.step);
    if (step >= 0 && static_cast<int>(sink.axes.size()) == lead_ + 2) {
      const Type& stored = scene_.function->type(sink.op->operands[1]);
      m.steps.assign(in_.runs.size(), step);
      m.done = phase_reached(static_cast<uint64_t>(step));
      m.now = m.done && is_now(step);
      place(m, step, stored.shape, sink.axes, sink.op->operands[0]);
      loop_.acc.live_rows = live(m, true);
      loop_.acc.live_cols = live(m, false);
    }
    m.reach = loop_.acc.reach;
    if (m.source == KMatrix::Source::Tensor) return;
    m.source = KMatrix::Source::Value;
    m.unreached = sink.op != nullptr && step < 0;
    if (m.name.empty()) m.name = m.variable;
    m.steps.assign(in_.runs.size(), -1);
    m.on = static_cast<uint64_t>(loop_.acc.rows * loop_.acc.cols);
  }

  /// Lane rows (or columns) that reach memory somewhere, counted up to the last one.
  static int64_t live(const KMatrix& m, bool rows) {
    const int64_t n = static_cast<int64_t>(rows ? m.row_index.size() : m.col_index.size());
    const int64_t other = static_cast<int64_t>(rows ? m.col_index.size() : m.row_index.size());
    if (m.source != KMatrix::Source::Tensor) return n;
    std::vector<int64_t> off(static_cast<size_t>(n), 0);
    for (const LanePatch& p : m.off) {
      if (p.state == LaneState::Uninitialised) continue;
      const int64_t lo = rows ? p.row : p.col, hi = rows ? p.row_end : p.col_end, count = rows ? p.col_end - p.col : p.row_end - p.row;
      for (int64_t i = lo; i < hi; ++i) off[static_cast<size_t>(i)] += count;
    }
    int64_t last = 0;
    for (int64_t i = 0; i < n; ++i)
      if (off[static_cast<size_t>(i)] < other) last = i + 1;
    return last;
  }

  // ---- what the three have in common

  void share_axes() {
    for (KAxis axis : {KAxis::M, KAxis::N, KAxis::K}) share(axis);
    // What is only in the program has the size of its axes.
    for (KMatrix* m : {&loop_.a, &loop_.b, &loop_.c}) {
      if (m->row_index.empty()) m->row_index = loop_.axis(m->row_axis).index;
      if (m->col_index.empty()) m->col_index = loop_.axis(m->col_axis).index;
      if (m->in_memory()) continue;
      m->row_name = loop_.axis(m->row_axis).name;
      m->col_name = loop_.axis(m->col_axis).name;
      m->rows = loop_.axis(m->row_axis).size;
      m->cols = loop_.axis(m->col_axis).size;
    }
  }

  void share(KAxis axis) {
    KAxisView& view = loop_.axis(axis);
    const auto i = static_cast<size_t>(loop_.iteration);
    for (KMatrix* m : {&loop_.a, &loop_.b, &loop_.c}) {
      if (!m->in_memory()) continue;
      if (m->row_axis == axis) {
        view.size = std::max(view.size, m->rows);
        if (view.index.empty()) view.index = m->row_index;  // of the first one that has it
      } else if (m->col_axis == axis) {
        view.size = std::max(view.size, m->cols);
        if (view.index.empty()) view.index = m->col_index;
      }
    }
    if (view.index.empty()) view.index = counted(0, view.block);
    if (view.tiles.empty()) view.tiles.assign(in_.runs.size(), around(view.index));
    for (const Span& s : view.tiles) view.moves = view.moves || !(s == view.tiles[i]);
    share_name(axis, view);
    name_size(axis, view);
    // Room for whole tiles, as the grid of tiles lies.
    view.extent = std::max<int64_t>(view.size, 1);
    const int64_t phase = view.block > 0 ? ((view.tiles[i].lo % view.block) + view.block) % view.block : 0;
    if (view.block > 0) view.extent = (view.extent - phase + view.block - 1) / view.block * view.block + phase;
    for (const Span& s : view.tiles)
      if (s.hi <= view.extent + 4 * view.block) view.extent = std::max(view.extent, s.hi);
    for (const KMatrix* m : {&loop_.a, &loop_.b, &loop_.c}) {
      if (!m->in_memory() || (m->row_axis != axis && m->col_axis != axis)) continue;
      const Span s = around(m->index_along(axis));
      if (s.hi <= view.extent + 4 * view.block) view.extent = std::max(view.extent, s.hi);
    }
  }

  /// One name for all tiles with the same indices; a tile that lies elsewhere keeps only the name of its own values.
  void share_name(KAxis axis, KAxisView& view) {
    std::vector<KMatrix*> along;
    for (KMatrix* m : {&loop_.a, &loop_.b, &loop_.c})
      if (m->in_memory() && (m->row_axis == axis || m->col_axis == axis)) along.push_back(m);
    auto name_of = [&](KMatrix& m) -> std::string& { return m.row_axis == axis ? m.row_name : m.col_name; };
    const bool agree = std::all_of(along.begin(), along.end(), [&](KMatrix* m) { return m->index_along(axis) == view.index; });
    // Backwards, so that the first one's name stays.
    for (auto m = along.rbegin(); m != along.rend(); ++m)
      for (KMatrix* other : along)
        if (!name_of(**m).empty() && other->index_along(axis) == (*m)->index_along(axis)) name_of(*other) = name_of(**m);
    for (KMatrix* m : along)
      if (view.name.empty() && m->index_along(axis) == view.index) view.name = name_of(*m);
    const char* word = axis == KAxis::M ? "rows" : axis == KAxis::N ? "cols" : "k";
    if (!view.name.empty() || !agree || is_name_of_kernel(word)) return;
    view.name = word;
    for (KMatrix* m : along) name_of(*m) = word;
  }

  bool is_name_of_kernel(const std::string& word) const {
    const auto& values = scene_.function->values;
    if (std::any_of(values.begin(), values.end(), [&](const auto& v) { return v.name == word; })) return true;
    if (scene_.run.launch == nullptr) return false;
    const auto& args = scene_.run.launch->spec.args;
    return std::any_of(args.begin(), args.end(), [&](const LaunchArg& a) { return a.name == word; });
  }

  /// The integer argument that is as long as the axis: one that is called so, else the only one.
  void name_size(KAxis axis, KAxisView& view) {
    if (view.size == 0 || scene_.run.launch == nullptr) return;
    const char letter = axis == KAxis::M ? 'm' : axis == KAxis::N ? 'n' : 'k';
    std::vector<std::string> candidates;
    for (const LaunchArg& arg : scene_.run.launch->spec.args) {
      const int64_t* n = std::get_if<int64_t>(&arg.value);
      if (n == nullptr || *n != view.size) continue;
      if (arg.name.size() == 1 && std::tolower(static_cast<unsigned char>(arg.name[0])) == letter) {
        view.size_name = arg.name;
        return;
      }
      if (arg.name.rfind("stride", 0) != 0) candidates.push_back(arg.name);
    }
    if (candidates.size() == 1) view.size_name = candidates[0];
  }

  const Scene& scene_;
  KLoop& loop_;
  KPlan& plan_;
  const KPlan::Site& site_;
  const KPlan::Instance& in_;
  ProgramRecording& recording_;
  int lead_ = 0;  ///< batch axes in front
};

}  // namespace

KLoop make_kloop(const Scene& scene, int site) {
  KLoop loop;
  if (!scene.ready || scene.run.recorded == nullptr || scene.trace == nullptr || scene.timeline == nullptr || scene.function == nullptr) return loop;
  const std::shared_ptr<KPlan> plan = KPlan::of(scene);
  loop.identity = reinterpret_cast<uintptr_t>(scene.run.recorded.get());
  for (const KPlan::Site& s : plan->sites()) loop.sites.push_back(s.shown);
  loop.site = site >= 0 && static_cast<size_t>(site) < plan->sites().size() ? static_cast<size_t>(site) : plan->choose_site(scene);
  const KPlan::Instance* in = plan->instance(loop.site, scene.step);
  if (in != nullptr) Maker(scene, loop, *plan, plan->sites()[loop.site], *in).run();
  if (loop.kind == KLoop::Kind::NotReady) describe_chunks(scene, loop);
  return loop;
}

}  // namespace tilescope::model
