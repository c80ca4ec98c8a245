#include "sim/recorder.h"

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

AccessCounters& kind_of(TensorReport& t, OpCode code) {
  return code == OpCode::Load ? t.loads : code == OpCode::Store ? t.stores : t.atomics;
}

}  // namespace

void Recorder::count(int op, int tensor, int64_t on, int64_t off) {
  Counts& c = counts_[static_cast<size_t>(op)];
  const bool first = c.last_program != program_;
  c.last_program = program_;
  AccessCounters one;
  one.programs = first ? 1 : 0;
  one.times = 1;
  one.lanes_active = static_cast<uint64_t>(on);
  one.lanes_masked = static_cast<uint64_t>(off);
  one.bytes = one.lanes_active * static_cast<uint64_t>(ops_[static_cast<size_t>(op)].type.elem_bytes);
  add(c.total, one);
  if (tensor < 0) return;
  if (c.by_tensor.size() <= static_cast<size_t>(tensor)) c.by_tensor.resize(static_cast<size_t>(tensor) + 1);
  add(c.by_tensor[static_cast<size_t>(tensor)], one);
}

void Recorder::affine(int op, int tensor, uint64_t, const int64_t*, const Box& active) {
  const TileType& type = ops_[static_cast<size_t>(op)].type;
  const int64_t on = active.lanes(type.rank);
  count(op, tensor, on, type.elements - on);
}

void Recorder::lanes(int op, const uint64_t* addresses, const uint8_t* active, int64_t n) {
  int64_t on = 0;
  int tensor = -1;
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    ++on;
    if (tensor < 0) tensor = static_cast<int>((addresses[l] >> Memory::kRegionBits) - 1);
  }
  count(op, tensor < memory_.size() ? tensor : -1, on, n - on);
}

void Recorder::masked(int op) { count(op, -1, 0, ops_[static_cast<size_t>(op)].type.elements); }

void Recorder::merge(const Recorder& other) {
  for (size_t op = 0; op < counts_.size(); ++op) {
    const Counts& from = other.counts_[op];
    add(counts_[op].total, from.total);
    if (counts_[op].by_tensor.size() < from.by_tensor.size()) counts_[op].by_tensor.resize(from.by_tensor.size());
    for (size_t t = 0; t < from.by_tensor.size(); ++t) add(counts_[op].by_tensor[t], from.by_tensor[t]);
  }
}

void Recorder::report(RunTrace& trace) const {
  for (size_t op = 0; op < counts_.size(); ++op) {
    const Counts& c = counts_[op];
    LineReport line;
    const Op& o = *ops_[op].op;
    if (o.loc != nullptr) {
      line.line = o.loc->range.line;
      line.column = o.loc->range.column;
    }
    line.op = o.info().name;
    line.counters = c.total;
    for (size_t t = 0; t < c.by_tensor.size(); ++t) {
      if (c.by_tensor[t].times == 0) continue;
      line.tensor = line.tensor.empty() ? trace.tensors[t].name : "several";
      add(kind_of(trace.tensors[t], ops_[op].code), c.by_tensor[t]);
    }
    trace.lines.push_back(std::move(line));
  }
}

}  // namespace tilescope
