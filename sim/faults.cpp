#include "sim/faults.h"

#include <algorithm>
#include <tuple>

namespace tilescope {
namespace {

std::string plural(int64_t n, const std::string& one) { return std::to_string(n) + " " + one + (n == 1 ? "" : "s"); }

std::vector<int64_t> split_lane(const TileType& type, int64_t lane) {
  std::vector<int64_t> at(static_cast<size_t>(type.rank));
  for (int a = type.rank - 1; a >= 0; --a) {
    at[static_cast<size_t>(a)] = lane % type.dims[a];
    lane /= type.dims[a];
  }
  return at;
}

std::string dim_name(size_t d, size_t rank) {
  if (rank == 1) return "offset";
  if (rank == 2) return d == 0 ? "row" : "column";
  return "index on axis " + std::to_string(d);
}
std::string dims_name(size_t d, size_t rank) {
  if (rank == 1) return "offsets";
  if (rank == 2) return d == 0 ? "rows" : "columns";
  return "indices on axis " + std::to_string(d);
}

// What the program seems to have meant: the logical index of the lane, when each tile axis walks along one axis of the
// tensor and lane 0 is at an element. Empty when the addresses do not look like that.
std::vector<int64_t> meant_index(const RawFault& f, const TensorRange& r, const std::vector<int64_t>& lane) {
  const TensorLayout& l = r.tensor->layout;
  const int64_t first = static_cast<int64_t>(f.first - r.origin);
  if (first % r.elem_bytes != 0) return {};
  std::optional<std::vector<int64_t>> index = l.index_of(first / r.elem_bytes);
  if (!index) return {};
  std::vector<bool> taken(l.shape.size(), false);
  for (size_t a = 0; a < lane.size(); ++a) {
    if (f.steps[a] == 0 || lane[a] == 0) continue;
    if (f.steps[a] % r.elem_bytes != 0) return {};
    const int64_t step = f.steps[a] / r.elem_bytes;
    size_t best = l.shape.size();
    for (size_t d = 0; d < l.shape.size(); ++d)
      if (!taken[d] && l.strides[d] == step) best = d;
    if (best == l.shape.size()) return {};
    taken[best] = true;
    (*index)[best] += lane[a];
  }
  return *index;
}

struct Place {
  const TensorRange* range = nullptr;
  std::vector<int64_t> meant;
  int64_t offset = 0;
};

std::string what_it_reads(OpCode code) { return code == OpCode::Load ? "reads" : code == OpCode::Store ? "writes" : "updates"; }

std::string lane_text(const RawFault& f, const std::vector<int64_t>& lane) {
  if (f.tile_lanes == 1 && lane.empty()) return "it ";
  std::string at;
  for (size_t a = 0; a < lane.size(); ++a) at += (a ? ", " : "") + std::to_string(lane[a]);
  return "lane " + (lane.size() > 1 ? "[" + at + "]" : at) + " ";
}

// The likely cause of an access past the end.
std::string bounds_hint(const RawFault& f, const Place& p) {
  if (f.wrapped) return "a 32-bit integer wrapped around earlier in this program: compute offsets in 64 bits, as in `pid.to(tl.int64)`";
  if (p.range == nullptr) return "the pointer does not come from a tensor argument, or was moved far outside it";
  const Tensor& t = *p.range->tensor;
  const std::string op = f.inst->op->code == OpCode::Load ? "load" : f.inst->op->code == OpCode::Store ? "store" : "atomic";
  const std::string lanes = plural(static_cast<int64_t>(f.lanes), "lane");
  if (p.offset < t.layout.lowest()) return "the offset is below the tensor's first element: check the sign of the strides and of the shift";
  const size_t rank = t.layout.shape.size();
  for (size_t d = 0; d < p.meant.size(); ++d) {
    if (p.meant[d] < t.layout.shape[d]) continue;
    const std::string bound = dims_name(d, rank) + " >= " + std::to_string(t.layout.shape[d]);
    if (f.masked) return "the mask of this " + op + " lets " + bound + " through";
    return "this " + op + " has no mask for " + bound + (f.tile_lanes > 1 ? ": an unmasked tail of " + lanes : "");
  }
  if (p.range->has_gaps && p.offset <= t.layout.highest())
    return "the element lies between the rows of a strided view, which does not reach it: check the strides";
  if (t.layout.lowest() < 0) return "the strides run backwards from the pointer: offsets above 0 lie outside";
  if (f.masked) return "the mask lets " + lanes + " past the end";
  return "this " + op + " has no mask" + (f.tile_lanes > 1 ? ": an unmasked tail of " + lanes : "");
}

void explain_bounds(Fault& out, const RawFault& f, const Memory& memory) {
  Place p;
  const uint64_t region = (f.address >> Memory::kRegionBits) - 1;
  if (region < static_cast<uint64_t>(memory.size())) p.range = &memory.range(static_cast<int>(region));
  const std::string verb = what_it_reads(f.inst->op->code), op(f.inst->op->info().name);
  const std::string who = lane_text(f, out.lane_index);
  if (p.range == nullptr) {
    out.kind = FaultKind::BadAddress;
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(f.address));
    out.message = op + " at an address of no tensor: " + who + verb + " address " + hex;
    out.hint = bounds_hint(f, p);
    return;
  }
  const Tensor& t = *p.range->tensor;
  out.tensor = t.name;
  p.offset = out.offset = p.range->element_offset(f.address);
  out.size = t.elements();
  p.meant = meant_index(f, *p.range, out.lane_index);
  out.element = p.meant;
  if (f.kind == FaultKind::Misaligned) {
    out.message = "misaligned " + op + " of `" + t.name + "`: " + who + verb + " at a byte address that is no multiple of " +
                  std::to_string(f.inst->type->elem_bytes);
    out.hint = "a GPU can only access elements at multiples of their size";
    return;
  }
  out.message = op + " out of bounds of `" + t.name + "`: " + who + verb + " element " + std::to_string(p.offset) + " of " + std::to_string(t.elements());
  // Counting from index 0 says little where the strides run backwards or repeat: name what they reach.
  if (t.layout.lowest() < 0 || t.layout.highest() - t.layout.lowest() + 1 < t.elements())
    out.message += " (its strides reach offsets " + std::to_string(t.layout.lowest()) + " to " + std::to_string(t.layout.highest()) + ")";
  if (p.meant.size() > 1) {
    std::string shape;
    for (int64_t d : t.layout.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(d);
    out.message += " (";
    for (size_t d = 0; d < p.meant.size(); ++d) out.message += (d ? ", " : "") + dim_name(d, p.meant.size()) + " " + std::to_string(p.meant[d]);
    out.message += " of shape [" + shape + "])";
  }
  out.hint = bounds_hint(f, p);
}

void explain_poison(Fault& out, const RawFault& f) {
  const bool value = f.text == "value";
  const bool uninitialised = f.from_uninitialised && !f.from_masked;
  const std::string source = uninitialised          ? "an element that was never written"
                             : f.from_uninitialised ? "a masked-off lane of a load without `other`, or an element that was never written"
                                                    : "a masked-off lane of a load without `other`";
  if (uninitialised) out.kind = FaultKind::UninitialisedRead;
  const std::string who = lane_text(f, out.lane_index);
  if (value) out.message = std::string(f.inst->op->info().name) + " of an undefined value: " + who + "comes from " + source;
  else out.message = "the " + f.text + " is undefined: " + who + "comes from " + source;
  out.hint = uninitialised ? "the launch gave this tensor no values (init \"empty\"): store to it first, or give it an init"
                           : "give the load an `other`, or use the same mask here";
}

std::string loops_text(const std::vector<LoopPosition>& loops) {
  std::string out;
  for (const LoopPosition& l : loops) {
    out += out.empty() ? ", in iteration " : " of iteration ";
    out += std::to_string(l.iteration);
    if (!l.variable.empty()) out += " (" + l.variable + " = " + std::to_string(l.value) + ")";
    if (l.line > 0) out += " of the loop at line " + std::to_string(l.line);
  }
  return out;
}

Fault explain(const RawFault& f, const Memory& memory) {
  Fault out;
  out.kind = f.kind;
  out.program = f.program;
  out.lane = f.lane;
  out.count = f.lanes;
  out.loops = f.loops;
  const Op* op = f.inst != nullptr ? f.inst->op : nullptr;
  if (op != nullptr && op->loc != nullptr) {
    out.range = op->loc->range;
    out.calls = op->loc->calls;
  }
  if (f.inst != nullptr && f.inst->type != nullptr) out.lane_index = split_lane(*f.inst->type, f.lane);
  switch (f.kind) {
    case FaultKind::OutOfBounds:
      if (f.text.empty()) explain_bounds(out, f, memory);
      else out.message = f.text;  // a gather from a tile
      break;
    case FaultKind::Misaligned: explain_bounds(out, f, memory); break;
    case FaultKind::PoisonedUse: explain_poison(out, f); break;
    case FaultKind::UninitialisedRead: {
      explain_bounds(out, f, memory);
      out.message = std::string(op->info().name) + " of `" + out.tensor + "` updates element " + std::to_string(out.offset) + ", which was never written";
      out.hint = "give the tensor an init such as \"zeros\"";
      break;
    }
    case FaultKind::ZeroStep:
      out.message = "the step of this loop is 0";
      out.hint = "a loop with step 0 would not end";
      break;
    case FaultKind::AssertFailed:
      out.message = "device_assert failed" + (f.text.empty() ? "" : ": " + f.text);
      break;
    case FaultKind::Limit:
      out.message = f.text;
      if (op != nullptr && (op->code == OpCode::While || op->code == OpCode::For))
        out.hint = "does the loop end? does it wait for another program? programs run one after the other here";
      break;
    default: out.message = f.text;
  }
  out.message += loops_text(f.loops);
  return out;
}

// Two entries of one place in the text (an unrolled loop, say) are one fault to the reader.
bool same_place(const Fault& a, const Fault& b) {
  return a.kind == b.kind && a.range.line == b.range.line && a.range.column == b.range.column && a.range.end_column == b.range.end_column &&
         a.tensor == b.tensor;
}

}  // namespace

void FaultTable::add(RawFault f) {
  const auto key = std::make_pair(f.inst != nullptr ? f.inst->op : nullptr, f.kind);
  auto it = faults_.find(key);
  if (it == faults_.end()) {
    faults_.emplace(key, Entry{f, f});
    return;
  }
  Entry& e = it->second;
  const uint64_t lanes = e.first.lanes + f.lanes;
  if (f.position < e.soonest.position) e.soonest = f;
  if (f.order < e.first.order) e.first = std::move(f);
  e.first.lanes = lanes;
}

void FaultTable::merge(const FaultTable& other, int64_t last_position) {
  for (const auto& [key, e] : other.faults_) {
    if (last_position == INT64_MAX) {
      add(e.first);
      auto& mine = faults_.find(key)->second;
      if (e.soonest.position < mine.soonest.position) mine.soonest = e.soonest;
    } else if (e.soonest.position <= last_position) {
      add(e.soonest);  // how many later programs ran before the launch stopped is chance: they do not count
    }
  }
}

std::vector<Fault> FaultTable::report(const Plan&, const Memory& memory, uint64_t most, std::vector<std::string>& notes) const {
  std::vector<std::pair<int64_t, Fault>> all;
  for (const auto& [key, e] : faults_) all.push_back({e.first.order, explain(e.first, memory)});
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.range.line, a.second.range.column, a.second.kind, a.second.message) <
           std::tie(b.first, b.second.range.line, b.second.range.column, b.second.kind, b.second.message);
  });
  std::vector<Fault> out;
  for (auto& [order, f] : all) {
    auto same = std::find_if(out.begin(), out.end(), [&](const Fault& o) { return f.range.valid() && same_place(o, f); });
    if (same != out.end()) same->count += f.count;
    else out.push_back(std::move(f));
  }
  if (out.size() > most) {
    notes.push_back(plural(static_cast<int64_t>(out.size() - most), "further fault") + " not shown");
    out.resize(most);
  }
  return out;
}

}  // namespace tilescope
