#include "sim/recorder.h"

#include <algorithm>

namespace tilescope {
namespace {

void add(AccessCounters& to, const AccessCounters& from) {
  to.programs += from.programs;
  to.times += from.times;
  to.lanes_active += from.lanes_active;
  to.lanes_masked += from.lanes_masked;
  to.bytes += from.bytes;
  to.requests += from.requests;
  to.sectors += from.sectors;
}

constexpr int kOff = -2;  // a lane that is masked off belongs to nobody

}  // namespace

void choose_layouts(const Function& f, std::vector<MemoryOp>& ops) {
  if (ops.empty()) return;
  const AxisAnalysis axes(f);
  for (MemoryOp& op : ops) op.layout = choose_access_layout(f, *op.op, f.num_warps, axes);
}

LaunchCounts::LaunchCounts(const std::vector<MemoryOp>& ops, Memory& memory, const std::vector<uint64_t>& arguments)
    : ops_(ops), memory_(memory) {
  for (const MemoryOp& op : ops) {
    const TensorRange* r = op.param < 0 ? nullptr : memory.find(arguments[static_cast<size_t>(op.param)]);
    tensors_.push_back(r == nullptr ? -1 : r->index);
  }
  for (int t = 0; t < memory.size(); ++t) {
    const TensorRange& r = memory.range(t);
    loaded_.emplace_back(r.begin, r.end, r.elem_bytes);
    written_.emplace_back(r.begin, r.end, r.elem_bytes);
  }
}

Recorder::OpState::OpState(const MemoryOp& op)
    : kind(op.code == OpCode::Load    ? 0
           : op.code == OpCode::Store ? 1
                                      : 2),
      elements(op.type.elements),
      costs(op.layout, op.type) {}

Recorder::Recorder(LaunchCounts& launch, ProgramMaps* maps) : launch_(launch), maps_(maps), tensors_(static_cast<size_t>(launch.memory().size())) {
  ops_.reserve(launch.ops().size());
  for (const MemoryOp& op : launch.ops()) ops_.emplace_back(op);
}

// Where an execution of the op in this tensor (-1: in none) is counted.
AccessCounters& Recorder::enter(int op, int tensor) {
  OpState& s = ops_[static_cast<size_t>(op)];
  if (tensor < 0) return s.rest;
  if (s.by_tensor.size() <= static_cast<size_t>(tensor)) s.by_tensor.resize(static_cast<size_t>(tensor) + 1);
  tensors_[static_cast<size_t>(tensor)].programs[s.kind].enter(program_);
  Tally& t = s.by_tensor[static_cast<size_t>(tensor)];
  t.enter(program_);
  return t.counters;
}

void Recorder::execute(int op) {
  OpState& s = ops_[static_cast<size_t>(op)];
  ++s.times;
  s.programs.enter(program_);
}

void Recorder::count(int op, int tensor, int64_t on, int64_t off, const RequestCount& cost) {
  AccessCounters& c = enter(op, tensor);
  ++c.times;
  c.lanes_active += static_cast<uint64_t>(on);
  c.lanes_masked += static_cast<uint64_t>(off);
  c.requests += cost.requests;
  c.sectors += cost.sectors;
}

void Recorder::affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& active) {
  OpState& s = ops_[static_cast<size_t>(op)];
  const AccessCost& cost = s.costs.affine(base, strides, active);
  execute(op);
  count(op, tensor, cost.lanes, s.elements - cost.lanes, cost.count);
  touch_cost(op, tensor, base, cost);
  if (maps_ != nullptr) [[unlikely]] map_affine(op, tensor, base, strides, active, cost);
}

// Apart from the above, so that counting without maps stays as quick as it was.
void Recorder::map_affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& active, const AccessCost& cost) {
  const MemoryOp& m = launch_.ops()[static_cast<size_t>(op)];
  maps_->count(program_, tensor, cost.lanes, m.type.elements - cost.lanes);
  maps_->affine(program_, tensor, m.code != OpCode::Load, m.type, base, strides, active, cost);
}
void Recorder::map_lanes(int tensor, int64_t on, int64_t off) {
  if (tensor >= 0) maps_->count(program_, tensor, on, off);
}

void Recorder::lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  int tensor = kOff;
  bool several = false;
  int64_t on = 0;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const int t = tensor_at(addresses[l]);
    if (tensor == kOff) tensor = t;
    several = several || t != tensor;
    ++on;
  }
  if (on == 0) return masked(op);
  if (several) return lanes_of_several(op, addresses, active, n);
  if (n == 1 && tensor >= 0) {
    constexpr int64_t kNone[kMaxRank] = {};
    return affine(op, tensor, addresses[0], kNone, launch_.ops()[static_cast<size_t>(op)].type.whole);
  }
  execute(op);
  count(op, tensor, on, n - on, ops_[static_cast<size_t>(op)].costs.lanes(addresses, active));
  if (maps_ != nullptr) map_lanes(tensor, on, n - on);
  if (tensor >= 0) touch_runs(op, tensor, addresses, active, n);
}

// A tile of pointers into more than one tensor: each gets its lanes; those that are off go to the first.
void Recorder::lanes_of_several(int op, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  OpState& s = ops_[static_cast<size_t>(op)];
  std::vector<int> owner(static_cast<size_t>(n), kOff), owners;
  int64_t off = n;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const int t = owner[static_cast<size_t>(l)] = tensor_at(addresses[l]);
    if (std::find(owners.begin(), owners.end(), t) == owners.end()) owners.push_back(t);
    --off;
  }
  execute(op);
  uint64_t requests = 0;
  std::vector<uint8_t> mine(static_cast<size_t>(n));
  for (int t : owners) {
    int64_t on = 0;
    for (size_t l = 0; l < mine.size(); ++l) on += mine[l] = owner[l] == t;
    const RequestCount cost = s.costs.lanes(addresses, mine.data());
    count(op, t, on, off, cost);
    if (maps_ != nullptr) map_lanes(t, on, off);
    if (t >= 0) touch_runs(op, t, addresses, mine.data(), n);
    off = 0;
    requests += cost.requests;
  }
  // A request that asks two tensors counts for both of them, but is one request of the op.
  s.rest.requests += s.costs.lanes(addresses, active).requests - requests;
}

void Recorder::masked(int op) {
  execute(op);
  const int tensor = launch_.tensor_of(op);
  const int64_t off = ops_[static_cast<size_t>(op)].elements;
  count(op, tensor, 0, off, {});
  if (maps_ != nullptr) [[unlikely]] map_lanes(tensor, 0, off);
}

int Recorder::tensor_at(uint64_t address) const {
  const uint64_t region = (address >> Memory::kRegionBits) - 1;
  return region < tensors_.size() ? static_cast<int>(region) : -1;
}

// ---- which bytes
// --------------------------------------------------------------------------------------------------------

void Recorder::touch(int op, int tensor, const ByteRect& rect) {
  OpState& s = ops_[static_cast<size_t>(op)];
  if (s.open_tensor == tensor && join(s.open, rect)) return;
  close(op);
  s.open = rect;
  s.open_tensor = tensor;
}

void Recorder::touch_cost(int op, int tensor, uint64_t base, const AccessCost& cost) {
  ByteRect rect = cost.covers;
  rect.start += base;
  if (cost.outer_rank == 0) return touch(op, tensor, rect);
  std::array<int64_t, kMaxRank> at{};
  for (int axis = 0; axis >= 0;) {
    touch(op, tensor, rect);
    for (axis = cost.outer_rank - 1; axis >= 0; --axis) {
      rect.start += static_cast<uint64_t>(cost.outer_strides[axis]);
      if (++at[axis] < cost.outer_dims[axis]) break;
      rect.start -= static_cast<uint64_t>(cost.outer_strides[axis] * cost.outer_dims[axis]);
      at[axis] = 0;
    }
  }
}

// Lanes at neighbouring addresses make runs. Where bounds are not checked, some lie outside the tensor.
void Recorder::touch_runs(int op, int tensor, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  const MemoryOp& m = launch_.ops()[static_cast<size_t>(op)];
  TensorState& state = tensors_[static_cast<size_t>(tensor)];
  const bool load = m.code == OpCode::Load;
  TouchLog& log = load ? state.loaded : state.written;
  TouchCounts& counts = load ? launch_.loaded(tensor) : launch_.written(tensor);
  const auto size = static_cast<uint64_t>(m.type.elem_bytes);
  uint64_t start = 0, end = 0;
  const auto add = [&] {
    start = std::max(start, counts.begin());
    end = std::min(end, counts.end());
    if (start >= end) return;
    log.add_run(start, end, counts);
    if (maps_ != nullptr) [[unlikely]] maps_->run(program_, tensor, !load, start, end);
  };
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const uint64_t address = addresses[l];
    if (address != end) {
      add();
      start = address;
    }
    end = address + size;
  }
  add();
}

void Recorder::close(int op) {
  OpState& s = ops_[static_cast<size_t>(op)];
  if (s.open_tensor < 0) return;
  TensorState& t = tensors_[static_cast<size_t>(s.open_tensor)];
  if (launch_.ops()[static_cast<size_t>(op)].code == OpCode::Load)
    t.loaded.add(s.open, launch_.loaded(s.open_tensor));
  else
    t.written.add(s.open, launch_.written(s.open_tensor));
  s.open_tensor = -1;
}

// ---- the end of a launch
// --------------------------------------------------------------------------------------------------

void Recorder::merge(Recorder& other) {
  for (size_t op = 0; op < ops_.size(); ++op) {
    OpState& to = ops_[op];
    const OpState& from = other.ops_[op];
    other.close(static_cast<int>(op));
    to.times += from.times;
    to.programs.counters.programs += from.programs.counters.programs;
    add(to.rest, from.rest);
    if (to.by_tensor.size() < from.by_tensor.size()) to.by_tensor.resize(from.by_tensor.size());
    for (size_t t = 0; t < from.by_tensor.size(); ++t) add(to.by_tensor[t].counters, from.by_tensor[t].counters);
  }
  for (size_t t = 0; t < tensors_.size(); ++t) {
    const TensorState& from = other.tensors_[t];
    tensors_[t].loaded.take(from.loaded, launch_.loaded(static_cast<int>(t)));
    tensors_[t].written.take(from.written, launch_.written(static_cast<int>(t)));
    for (size_t k = 0; k < from.programs.size(); ++k)
      tensors_[t].programs[k].counters.programs += from.programs[k].counters.programs;
  }
}

void Recorder::report_lines(RunTrace& trace) {
  for (size_t op = 0; op < ops_.size(); ++op) {
    const OpState& s = ops_[op];
    const MemoryOp& m = launch_.ops()[op];
    const auto size = static_cast<uint64_t>(m.type.elem_bytes);
    LineReport line;
    if (m.op->loc != nullptr) {
      line.line = m.op->loc->range.line;
      line.column = m.op->loc->range.column;
    }
    line.op = m.op->info().name;
    line.counters = s.rest;
    for (size_t t = 0; t < s.by_tensor.size(); ++t) {
      AccessCounters c = s.by_tensor[t].counters;
      if (c.times == 0) continue;
      c.bytes = c.lanes_active * size;
      line.tensor = line.tensor.empty() ? trace.tensors[t].name : "several";
      add(line.counters, c);
      TensorReport& r = trace.tensors[t];
      add(m.code == OpCode::Load ? r.loads : m.code == OpCode::Store ? r.stores : r.atomics, c);
    }
    const int known = launch_.tensor_of(static_cast<int>(op));
    if (line.tensor.empty() && known >= 0) line.tensor = trace.tensors[static_cast<size_t>(known)].name;
    line.counters.times = s.times;
    line.counters.programs = s.programs.counters.programs;
    line.counters.bytes = line.counters.lanes_active * size;
    trace.lines.push_back(std::move(line));
  }
}

void Recorder::report(RunTrace& trace) {
  for (size_t op = 0; op < ops_.size(); ++op) close(static_cast<int>(op));
  report_lines(trace);
  for (size_t t = 0; t < tensors_.size(); ++t) {
    TensorState& s = tensors_[t];
    TouchCounts &loaded = launch_.loaded(static_cast<int>(t)), &written = launch_.written(static_cast<int>(t));
    s.loaded.flush(loaded);
    s.written.flush(written);
    loaded.settle();
    written.settle();
    TensorReport& r = trace.tensors[t];
    r.loads.programs = s.programs[0].counters.programs;
    r.stores.programs = s.programs[1].counters.programs;
    r.atomics.programs = s.programs[2].counters.programs;
    r.distinct_bytes = count_bytes(loaded, written);
    r.distinct_sectors_loaded = count_distinct({&loaded}).sectors;
    r.distinct_sectors_stored = count_distinct({&written}).sectors;
    TouchTotals counts = count_elements(loaded, launch_.memory().range(static_cast<int>(t)).elem_bytes);
    r.reuse.max = counts.max;
    r.reuse.mean = counts.elements == 0 ? 0 : counts.total / static_cast<double>(counts.elements);
    r.reuse.histogram = std::move(counts.histogram);
    if (maps_ == nullptr) continue;
    const TensorRange& range = launch_.memory().range(static_cast<int>(t));
    ElementCounts& elements = trace.element_counts.emplace_back();
    elements.elements_per_count = elements_per_count(range.tensor->storage_elements());
    elements.loads = expand_counts(loaded, range.elem_bytes, elements.elements_per_count);
    elements.stores = expand_counts(written, range.elem_bytes, elements.elements_per_count);
  }
}

}  // namespace tilescope
