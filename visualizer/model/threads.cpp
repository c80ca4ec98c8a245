#include "visualizer/model/threads.h"

#include <algorithm>
#include <cstring>

namespace tilescope::model {
namespace {

constexpr int64_t kMostBytes = 16;  // of one access of a thread

// The bytes [address, address + n) in sectors.
void add_bytes(uint64_t address, int n, std::vector<SectorUse>& out) {
  while (n > 0) {
    const int first = static_cast<int>(address % kSectorBytes), here = std::min(n, kSectorBytes - first);
    const auto mask = static_cast<uint32_t>(((uint64_t{1} << here) - 1) << first);
    if (!out.empty() && out.back().sector == address / kSectorBytes) out.back().bytes |= mask;
    else out.push_back({address / kSectorBytes, mask});
    address += static_cast<uint64_t>(here);
    n -= here;
  }
}

// Each sector once, rising.
void merge(std::vector<SectorUse>& v) {
  const auto before = [](const SectorUse& a, const SectorUse& b) { return a.sector < b.sector; };
  if (!std::is_sorted(v.begin(), v.end(), before)) std::sort(v.begin(), v.end(), before);
  size_t n = 0;
  for (const SectorUse& s : v) {
    if (n > 0 && v[n - 1].sector == s.sector) v[n - 1].bytes |= s.bytes;
    else v[n++] = s;
  }
  v.resize(n);
}

// The smallest register, lane or warp number whose bits give the element's.
int index_in(const std::vector<int64_t>& bits, int64_t element) {
  int index = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (bits[i] != 0 && (element & bits[i]) != 0) index |= 1 << i;
  return index;
}

// Elements of memory between neighbours along each axis, where it is the same everywhere.
std::vector<std::optional<int64_t>> strides_of(const AccessLanes& lanes, const Shape& shape) {
  std::vector<std::optional<int64_t>> out(static_cast<size_t>(shape.rank));
  const auto n = static_cast<int64_t>(lanes.offsets.size());
  int64_t pitch = 1;
  for (int a = shape.rank - 1; a >= 0; --a) {
    if (shape[a] > 1) {
      // Unsigned: stray offsets may be anything.
      const auto step = [&](int64_t lane) {
        return static_cast<uint64_t>(lanes.offsets[static_cast<size_t>(lane + pitch)]) - static_cast<uint64_t>(lanes.offsets[static_cast<size_t>(lane)]);
      };
      const uint64_t first = step(0);
      bool same = true;
      for (int64_t lane = 0; same && lane + pitch < n; ++lane)
        if (lane / pitch % shape[a] + 1 < shape[a]) same = step(lane) == first;
      if (same) out[static_cast<size_t>(a)] = static_cast<int64_t>(first);
    }
    pitch *= shape[a];
  }
  return out;
}

// The same facts that choose_access_layout() takes the smallest of.
WidthReason reason_of(const Function& f, const Op& op, const AccessLayout& l, const AxisAnalysis& axes) {
  using Limit = WidthReason::Limit;
  WidthReason r;
  if (l.shape.rank == 0) return r;
  r.axis = l.order[0];
  const auto fast = static_cast<size_t>(r.axis);
  const AxisFacts& facts = axes.of(op.operands[0]).axes[fast];
  r.contiguity = facts.contiguity;
  r.divisibility = facts.divisibility;
  r.share = std::min(std::max<int64_t>(1, l.shape.elements() / (int64_t{l.num_warps} * kLanesPerWarp)), l.shape[r.axis]);
  const size_t mask = op.code == OpCode::Load ? 1 : 2;
  const bool atomic = op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas;
  if (!atomic && op.operands.size() > mask && f.type(op.operands[mask]).shape.rank > 0) r.mask = axes.of(op.operands[mask]).axes[fast].constancy;
  const int64_t width = l.vector_width;
  if (atomic) r.limit = Limit::Atomic;
  else if (r.contiguity == width) r.limit = Limit::Contiguity;
  else if (std::max<int64_t>(1, r.divisibility / l.elem_bytes) == width) r.limit = Limit::Divisibility;
  else if (r.share == width) r.limit = Limit::Share;
  else if (width * l.elem_bytes >= kMostBytes) r.limit = Limit::Widest;
  else r.limit = Limit::Mask;
  // What holds for everybody is the better explanation than what happens to be as large.
  if (!atomic && width * l.elem_bytes >= kMostBytes) r.limit = Limit::Widest;
  return r;
}

bool touches(LaneState s) { return s == LaneState::On || s == LaneState::Uninitialised; }

bool is_access(const Op& op) {
  return op.code == OpCode::Load || op.code == OpCode::Store || op.code == OpCode::AtomicRmw || op.code == OpCode::AtomicCas;
}

void count_all(AccessThreads& a) {
  a.counted = a.summary->out_of_bounds == 0;
  if (!a.counted) return;
  for (int warp = 0; warp < a.layout.num_warps; ++warp)
    for (int i = 0; i < a.instructions(); ++i) {
      const WarpRequest r = a.request(warp, i);
      a.requests += r.issued();
      a.sectors += r.sectors.size();
      a.bytes_used += static_cast<uint64_t>(r.bytes_used());
    }
}

}  // namespace

int64_t WarpRequest::bytes_used() const {
  int64_t n = 0;
  for (const SectorUse& s : sectors) n += s.used();
  return n;
}

int AccessThreads::copies() const {
  const auto zeros = [](const std::vector<int64_t>& bits) { return std::count(bits.begin(), bits.end(), 0); };
  return 1 << (zeros(layout.lane_bits) + zeros(layout.warp_bits));
}

Thread AccessThreads::holder(int64_t element) const {
  return {index_in(layout.warp_bits, element), index_in(layout.lane_bits, element), index_in(layout.register_bits, element)};
}

std::optional<Thread> AccessThreads::holder_in(int warp, int64_t element) const {
  Thread t = holder(element);
  for (size_t i = 0; i < layout.warp_bits.size(); ++i)
    if (layout.warp_bits[i] != 0 && ((t.warp ^ warp) >> i & 1) != 0) return std::nullopt;
  t.warp = warp;
  return t;
}

bool AccessThreads::on(int64_t element) const { return touches(lanes->states[static_cast<size_t>(element)]); }

WarpRequest AccessThreads::request(int warp, int instruction) const {
  WarpRequest r;
  r.warp = warp;
  r.instruction = instruction;
  // Lane 0 is a first copy whenever its warp is one.
  r.copy = !layout.all_threads && !layout.is_first_copy(0, warp);
  if (r.copy) return r;
  r.sectors.reserve(static_cast<size_t>(kLanesPerWarp * layout.vector_width));
  // The layout is linear over bits: what the parts of a thread's number contribute is put together by "or".
  const int64_t shared = layout.element_of(instruction * layout.vector_width, 0, warp);
  for (int lane = 0; lane < kLanesPerWarp; ++lane) {
    if (!takes_part(warp, lane)) continue;
    const int64_t of_lane = shared | layout.element_of(0, lane, 0);
    bool any = false;
    for (int i = 0; i < layout.vector_width; ++i) {
      const int64_t e = i == 0 ? of_lane : of_lane | layout.element_of(i, 0, 0);
      if (!on(e)) continue;
      any = true;
      add_bytes(addresses[static_cast<size_t>(e)], layout.elem_bytes, r.sectors);
    }
    r.lanes_on += any;
  }
  merge(r.sectors);
  return r;
}

Thread AccessThreads::first_issued() const {
  for (int warp = 0; warp < layout.num_warps; ++warp)
    for (int i = 0; i < instructions(); ++i)
      if (request(warp, i).issued()) return {warp, 0, i};
  return {};
}

std::optional<AccessThreads> access_threads(const ProgramValues& values, const AxisAnalysis& axes, uint64_t step) {
  const ProgramTrace& trace = values.trace();
  if (step >= trace.steps.size() || trace.steps[step].access < 0) return std::nullopt;
  AccessThreads a;
  a.step = step;
  a.op = values.recording().ops()[static_cast<size_t>(trace.steps[step].op)];
  a.summary = &trace.accesses[static_cast<size_t>(trace.steps[step].access)];
  a.data = values.data(step);
  if (a.data == nullptr || !a.data->access || !is_access(*a.op)) return std::nullopt;
  a.lanes = &*a.data->access;
  const Function& f = values.flow().function();
  a.layout = choose_access_layout(f, *a.op, f.num_warps, axes);
  const auto n = static_cast<size_t>(a.elements());
  const ProgramValues::Found pointers = values.at(a.op->operands[0], step);
  if (!pointers || a.lanes->states.size() != n || a.lanes->offsets.size() != n) return std::nullopt;
  if (pointers.record->data.size() != n * sizeof(uint64_t)) return std::nullopt;
  a.addresses.resize(n);
  std::memcpy(a.addresses.data(), pointers.record->data.data(), n * sizeof(uint64_t));
  a.why = reason_of(f, *a.op, a.layout, axes);
  a.why.strides = strides_of(*a.lanes, a.layout.shape);
  count_all(a);
  return a;
}

const std::vector<AccessThreads>& current_threads(const Scene& scene) {
  struct Kept {
    std::vector<AccessThreads> all;
  };
  return scene
      .derived<Kept>([](const Scene& s) {
        Kept kept;
        const ProgramValues* values = program_values(s);
        if (values == nullptr || s.accesses.empty()) return kept;
        const AxisAnalysis axes(*s.function);
        for (const CurrentAccess& a : s.accesses)
          if (auto threads = access_threads(*values, axes, a.step)) kept.all.push_back(std::move(*threads));
        return kept;
      })
      .all;
}

NearbyAccesses nearby_accesses(const Scene& scene) {
  NearbyAccesses out;
  if (!scene.ready || scene.line_step >= scene.timeline->lines.size()) return out;
  const LineStep& line = scene.timeline->lines[scene.line_step];
  for (const AccessSummary& a : scene.trace->accesses) {
    if (a.step < line.first) out.last = static_cast<int64_t>(a.step);
    if (a.step > scene.step && out.next < 0) out.next = static_cast<int64_t>(a.step);
  }
  return out;
}

std::vector<int64_t> elements_at(const Scene& scene, const CurrentAccess& access, const Element& e, size_t limit) {
  if (!e || access.lanes == nullptr) return {};
  const Shape& shape = access.type.shape;
  if (e.of == Element::Of::Variable) {
    if (e.name != access.variable || access.variable.empty() || static_cast<int>(e.index.size()) != shape.rank) return {};
    for (int a = 0; a < shape.rank; ++a)
      if (e.index[static_cast<size_t>(a)] < 0 || e.index[static_cast<size_t>(a)] >= shape[a]) return {};
    return {lane_of(shape, e.index)};
  }
  const int tensor = access.lanes->tensor;
  if (tensor < 0 || static_cast<size_t>(tensor) >= scene.tensors.size()) return {};
  const TensorNow& t = scene.tensors[static_cast<size_t>(tensor)];
  if (t.name != e.name || t.tensor == nullptr || t.tensor->layout.shape.size() != e.index.size()) return {};
  const int64_t offset = t.tensor->layout.offset_of(e.index);
  std::vector<int64_t> out;
  for (size_t i = 0; i < access.lanes->offsets.size() && out.size() < limit; ++i)
    if (access.lanes->offsets[i] == offset && touches(access.lanes->states[i])) out.push_back(static_cast<int64_t>(i));
  return out;
}

}  // namespace tilescope::model
