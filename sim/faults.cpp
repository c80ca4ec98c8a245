#include "sim/faults.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace tilescope {

std::string source_text(const SourceRange& r) {
  if (!r.valid() || r.end_line != r.line || r.end_column <= r.column) return {};
  const std::string_view line = r.file->line(r.line);
  const auto from = static_cast<size_t>(r.column) - 1, n = static_cast<size_t>(r.end_column - r.column);
  return from + n <= line.size() ? std::string(line.substr(from, n)) : std::string{};
}

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

std::string index_text(const std::vector<int64_t>& at) {
  std::string out;
  for (size_t a = 0; a < at.size(); ++a) out += (a ? ", " : "") + std::to_string(at[a]);
  return "[" + out + "]";
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

/// Which op makes a value; null for parameters and arguments of regions.
using Definitions = std::map<ValueId, const Op*>;
Definitions definitions(const Function& f) {
  Definitions out;
  walk(f.body, [&](const Op& op) {
    for (ValueId r : op.results) out[r] = &op;
  });
  return out;
}

// The load whose values the address is made of; null for addresses that are only computed.
const Op* load_behind(const Definitions& defs, ValueId address) {
  std::vector<ValueId> queue{address};
  std::set<ValueId> seen;
  while (!queue.empty()) {
    const ValueId v = queue.back();
    queue.pop_back();
    auto it = defs.find(v);
    if (it == defs.end() || !seen.insert(v).second) continue;
    const Op& op = *it->second;
    if (op.code == OpCode::Load) return &op;
    if (op.info().group == OpGroup::Elementwise || op.info().group == OpGroup::Shape) queue.insert(queue.end(), op.operands.begin(), op.operands.end());
  }
  return nullptr;
}

// Where a masked access of rank 2 ends along the other axis of the tensor, as a logical index; -1 when that is not clear.
int64_t end_of_other_axis(const RawFault& f, const TensorRange& r, const std::vector<int64_t>& lane, const std::vector<int64_t>& meant, size_t d) {
  if (lane.size() != 2 || meant.size() != 2) return -1;
  const size_t other = 1 - d;
  for (size_t a = 0; a < 2; ++a)
    if (f.steps[a] == r.tensor->layout.strides[other] * r.elem_bytes) return meant[other] - lane[a] + f.on_end[a];
  return -1;
}

struct Place {
  const TensorRange* range = nullptr;
  std::vector<int64_t> lane;
  const Op* index_load = nullptr;  ///< what the lane's index was loaded by
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

// The text says so: a block pointer is gone by the time it is used.
bool is_block_access(const Op& op) {
  if (op.loc == nullptr || !op.loc->range.valid()) return false;
  const SourceRange& r = op.loc->range;
  for (int line = r.line; line <= r.end_line; ++line)
    if (r.file->line(line).find("boundary_check") != std::string_view::npos) return true;
  return false;
}

// The likely cause of an access past the end.
std::string bounds_hint(const RawFault& f, const Place& p, bool block) {
  if (f.wrapped) return "a 32-bit integer wrapped around earlier in this program: compute offsets in 64 bits, as in `pid.to(tl.int64)`";
  if (p.range == nullptr) return "the pointer does not come from a tensor argument, or was moved far outside it";
  const Tensor& t = *p.range->tensor;
  const std::string op = f.inst->op->code == OpCode::Load ? "load" : f.inst->op->code == OpCode::Store ? "store" : "atomic";
  const std::string lanes = plural(static_cast<int64_t>(f.lanes), "lane");
  const std::string unmasked =
      f.tile_lanes <= 1 ? ""
      : f.lanes == static_cast<uint64_t>(f.tile_lanes)
          ? ", and the whole tile lies outside: perhaps there are more programs than the tensor needs, or the offsets step too far"
          : ": an unmasked tail of " + lanes;
  if (p.offset < t.layout.lowest()) return "the offset is below the tensor's first element: check the sign of the strides and of the shift";
  if (p.index_load != nullptr) {
    const std::string text = p.index_load->loc != nullptr ? source_text(p.index_load->loc->range) : std::string{};
    return "the index was loaded" + (p.index_load->loc != nullptr ? " at line " + std::to_string(p.index_load->loc->range.line) : "") +
           (text.empty() ? "" : " by `" + text + "`") + ": is every value in there below " + std::to_string(t.elements()) + "?";
  }
  const size_t rank = t.layout.shape.size();
  for (size_t d = 0; d < p.meant.size(); ++d) {
    if (p.meant[d] < t.layout.shape[d]) continue;
    const std::string bound = dims_name(d, rank) + " >= " + std::to_string(t.layout.shape[d]);
    if (block && f.masked)
      return "the shape given to the block pointer lets " + bound + " through, or boundary_check leaves axis " + std::to_string(d) + " out";
    if (f.masked) {
      const int64_t end = end_of_other_axis(f, *p.range, p.lane, p.meant, d);
      const std::string swapped = end == t.layout.shape[d] && end != t.layout.shape[1 - d]
                                      ? "; it stops " + dims_name(1 - d, rank) + " at " + std::to_string(end) + ": are rows and columns swapped in it?"
                                      : "";
      return "the mask of this " + op + " lets " + bound + " through" + swapped;
    }
    if (block) return "this " + op + " has no boundary_check for axis " + std::to_string(d) + ", and its block reaches " + bound;
    return "this " + op + " has no mask for " + bound + unmasked;
  }
  if (p.range->has_gaps && p.offset <= t.layout.highest())
    return "the element lies between the rows of a strided view, which does not reach it: check the strides";
  if (t.layout.lowest() < 0) return "the strides run backwards from the pointer: offsets above 0 lie outside";
  if (f.masked) return "the mask lets " + lanes + " past the end";
  return "this " + op + " has no mask" + unmasked;
}

void explain_bounds(Fault& out, const RawFault& f, const Plan& plan, const Memory& memory) {
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
    out.hint = bounds_hint(f, p, false);
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
  p.lane = out.lane_index;
  if (!f.inst->op->operands.empty()) p.index_load = load_behind(definitions(*plan.function), f.inst->op->operands[0]);
  const bool block = plan.options.check.block_pointers && is_block_access(*f.inst->op);
  if (block && f.kind == FaultKind::OutOfBounds) out.kind = FaultKind::BlockPointer;
  out.hint = bounds_hint(f, p, block);
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

void explain_duplicates(Fault& out, const RawFault& f, const Memory& memory) {
  const TensorRange& r = memory.range(static_cast<int>((f.address >> Memory::kRegionBits) - 1));
  const Tensor& t = *r.tensor;
  out.tensor = t.name;
  out.offset = r.element_offset(f.address);
  out.size = t.elements();
  out.element = t.layout.index_of(out.offset).value_or(std::vector<int64_t>{});
  out.same_value = f.same_value;
  FaultPartner other;
  other.range = out.range;
  other.calls = out.calls;
  other.program = f.program;
  other.lane = f.other_lane;
  other.lane_index = split_lane(*f.inst->type, f.other_lane);
  other.writes = true;
  const auto lane = [](const std::vector<int64_t>& at, int64_t flat) { return at.size() > 1 ? index_text(at) : std::to_string(flat); };
  const std::string element = out.element.empty() ? "offset " + std::to_string(out.offset) : index_in_words(out.element);
  out.message = "lanes " + lane(other.lane_index, other.lane) + " and " + lane(out.lane_index, out.lane) + " of one store write " + element + " of `" +
                t.name + "`, " + (f.same_value ? "the same value" : "with different values");
  out.hint = f.same_value ? "the result is right as long as they agree; a mask or fewer lanes would write each element once" : "which of them stays is up to the GPU";
  for (int a = 0; a < f.inst->type->rank; ++a) {
    if ((f.still >> a & 1) == 0) continue;
    const std::string axis = f.inst->type->rank == 1 ? "all lanes share" : "the addresses do not move along axis " + std::to_string(a) + " of the tile: its " + std::to_string(f.inst->type->dims[a]) + " lanes share";
    out.hint = axis + " one element; " + out.hint;
    break;
  }
  out.other = std::move(other);
}

void explain_overflow(Fault& out, const RawFault& f, const Memory& memory) {
  FaultPartner access;
  access.range = out.range;
  access.calls = out.calls;
  access.program = f.program;
  access.lane = f.lane;
  access.lane_index = out.lane_index;
  access.writes = f.inst->op->int_attr("writes") != 0;
  std::string what = "an offset";
  DType type = DType::Int32;
  if (f.wrapped_op != nullptr && f.wrapped_op->loc != nullptr) {
    out.range = f.wrapped_op->loc->range;
    out.calls = f.wrapped_op->loc->calls;
    if (const std::string text = source_text(out.range); !text.empty()) what = "`" + text + "`";
    type = f.wrapped_type;
  }
  const std::string bits = std::to_string(dtype_bits(type));
  out.message = what + " wraps in " + bits + " bits";
  if (f.wrapped_op != nullptr)
    out.message += ": it should be " + std::to_string(f.right_value) + " and is " + std::to_string(f.got_value);
  const uint64_t region = (f.right_address >> Memory::kRegionBits) - 1;
  if (region < static_cast<uint64_t>(memory.size())) {
    const TensorRange& r = memory.range(static_cast<int>(region));
    out.tensor = r.tensor->name;
    out.size = r.tensor->elements();
    out.offset = r.element_offset(f.right_address);
    out.element = r.tensor->layout.index_of(out.offset).value_or(std::vector<int64_t>{});
    out.message += "; " + lane_text(f, out.lane_index) + "of the access goes to offset " + std::to_string(r.element_offset(f.address)) + " of `" +
                   out.tensor + "` instead of " + std::to_string(out.offset);
  }
  out.hint = "convert a factor to 64 bits before the arithmetic, as in `tl.program_id(0).to(tl.int64)`";
  out.other = std::move(access);
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

Fault explain(const RawFault& f, const Plan& plan, const Memory& memory) {
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
      if (f.text.empty()) explain_bounds(out, f, plan, memory);
      else out.message = f.text;  // a gather from a tile
      break;
    case FaultKind::Misaligned: explain_bounds(out, f, plan, memory); break;
    case FaultKind::PoisonedUse: explain_poison(out, f); break;
    case FaultKind::UninitialisedRead: {
      explain_bounds(out, f, plan, memory);
      out.message = std::string(op->info().name) + " of `" + out.tensor + "` updates element " + std::to_string(out.offset) + ", which was never written";
      out.hint = "give the tensor an init such as \"zeros\"";
      break;
    }
    case FaultKind::OffsetOverflow: explain_overflow(out, f, memory); break;
    case FaultKind::DuplicateLanes: explain_duplicates(out, f, memory); break;
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

void FaultTable::add(RawFault f, uint64_t lanes) {
  const auto key = std::make_pair(f.inst != nullptr ? f.inst->op : nullptr, f.kind);
  auto it = faults_.find(key);
  if (it == faults_.end()) {
    faults_.emplace(key, Entry{f, f, lanes});
    return;
  }
  Entry& e = it->second;
  // A harmful one is shown before a harmless one.
  const auto before = [](const RawFault& a, const RawFault& b, bool sooner) { return a.same_value != b.same_value ? b.same_value : sooner; };
  if (before(f, e.soonest, f.position < e.soonest.position)) e.soonest = f;
  if (before(f, e.first, f.order < e.first.order)) e.first = std::move(f);
  e.lanes += lanes;
}

void FaultTable::merge(const FaultTable& other, int64_t last_position) {
  for (const auto& [key, e] : other.faults_) {
    if (last_position == INT64_MAX) {
      add(e.first, e.lanes);
      auto& mine = faults_.find(key)->second;
      if (e.soonest.position < mine.soonest.position) mine.soonest = e.soonest;
    } else if (e.soonest.position <= last_position) {
      add(e.soonest);  // how many later programs ran before the launch stopped is chance: they do not count
    }
  }
}

std::vector<Fault> FaultTable::report(const Plan& plan, const Memory& memory, std::vector<Fault> more, uint64_t most, std::vector<std::string>& notes) const {
  std::vector<std::pair<int64_t, Fault>> all;
  for (const auto& [key, e] : faults_) {
    all.push_back({e.first.order, explain(e.first, plan, memory)});
    all.back().second.count = e.lanes;
  }
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return std::tie(a.first, a.second.range.line, a.second.range.column, a.second.kind, a.second.message) <
           std::tie(b.first, b.second.range.line, b.second.range.column, b.second.kind, b.second.message);
  });
  for (Fault& f : more) all.push_back({INT64_MAX, std::move(f)});
  std::vector<Fault> out;
  for (auto& [order, f] : all) {
    auto same = std::find_if(out.begin(), out.end(), [&](const Fault& o) { return f.range.valid() && same_place(o, f); });
    if (same != out.end()) {
      same->count += f.count;
      same->same_value = same->same_value && f.same_value;
    }
    else out.push_back(std::move(f));
  }
  if (out.size() > most) {
    notes.push_back(plural(static_cast<int64_t>(out.size() - most), "further fault") + " not shown");
    out.resize(most);
  }
  return out;
}

}  // namespace tilescope
