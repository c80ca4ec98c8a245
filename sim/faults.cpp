#include "sim/faults.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/words.h"
#include "sim/words.h"

namespace tilescope {

std::string source_text(const SourceRange& r) {
  if (!r.valid() || r.end_line != r.line || r.end_column <= r.column) return {};
  const std::string_view line = r.file->line(r.line);
  const auto from = static_cast<size_t>(r.column) - 1, n = static_cast<size_t>(r.end_column - r.column);
  return from + n <= line.size() ? std::string(line.substr(from, n)) : std::string{};
}

namespace {

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

Words dims_name(size_t d, size_t rank) {
  if (rank == 1) return say(SimWords::Offsets);
  if (rank == 2) return say(d == 0 ? SimWords::Rows : SimWords::Columns);
  return say(SimWords::AxisIndices, {{"axis", static_cast<int64_t>(d)}});
}
/// "row 2, column 100", of a tensor of two axes or more.
Words index_words(const std::vector<int64_t>& index) {
  if (index.size() == 2) return element_words(index);
  Words out;
  for (size_t d = 0; d < index.size(); ++d) {
    if (d > 0) out += {", ", "，"};
    out += say(SimWords::AxisName, {{"axis", static_cast<int64_t>(d)}, {"n", index[d]}});
  }
  return out;
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

Words what_it_reads(OpCode code) { return say(code == OpCode::Load ? SimWords::Reads : code == OpCode::Store ? SimWords::Writes : SimWords::Updates); }

/// "load", "store", "atomic_rmw".
Words access_name(const Op& op) {
  if (op.code == OpCode::Load) return say(SimWords::Load);
  if (op.code == OpCode::Store) return say(SimWords::Store);
  return say(SimWords::AtomicNamed, {{"name", std::string(op.info().name)}});
}

Words lane_words(const RawFault& f, const std::vector<int64_t>& lane, SimWords it = SimWords::It, SimWords lane_n = SimWords::LaneN) {
  if (f.tile_lanes == 1 && lane.empty()) return say(it);
  const std::string at = index_text(lane);
  return say(lane_n, {{"lane", lane.size() > 1 ? at : at.substr(1, at.size() - 2)}});
}

// The text says so: a block pointer is gone by the time it is used.
bool is_block_access(const Op& op) {
  if (op.loc == nullptr || !op.loc->range.valid()) return false;
  const SourceRange& r = op.loc->range;
  for (int line = r.line; line <= r.end_line; ++line)
    if (r.file->line(line).find("boundary_check") != std::string_view::npos) return true;
  return false;
}

/// What an access past the end along axis `d` lacks; `bound`: "rows >= 17".
Words axis_hint(const RawFault& f, const Place& p, bool block, size_t d, const Words& access, const Words& tail) {
  const Tensor& t = *p.range->tensor;
  const size_t rank = t.layout.shape.size();
  const Words bound = say(SimWords::AtLeast, {{"dims", dims_name(d, rank)}, {"n", t.layout.shape[d]}});
  const Blank axis{"axis", static_cast<int64_t>(d)};
  if (block && f.masked) return say(SimWords::BlockShape, {{"bound", bound}, axis});
  if (f.masked) {
    const int64_t end = end_of_other_axis(f, *p.range, p.lane, p.meant, d);
    Words swapped;
    if (end == t.layout.shape[d] && end != t.layout.shape[1 - d]) swapped = say(SimWords::MaskSwapped, {{"dims", dims_name(1 - d, rank)}, {"end", end}});
    return say(SimWords::MaskLets, {{"access", access}, {"bound", bound}, {"swapped", swapped}});
  }
  if (block) return say(SimWords::NoBoundaryCheck, {{"access", access}, {"bound", bound}, axis});
  return say(SimWords::NoMaskFor, {{"access", access}, {"bound", bound}, {"tail", tail}});
}

// The likely cause of an access past the end.
Words bounds_hint(const RawFault& f, const Place& p, bool block) {
  if (f.wrapped) return say(SimWords::WrappedEarlier);
  if (p.range == nullptr) return say(SimWords::ForeignPointer);
  const Tensor& t = *p.range->tensor;
  const OpCode code = f.inst->op->code;
  const Words access = say(code == OpCode::Load ? SimWords::Load : code == OpCode::Store ? SimWords::Store : SimWords::Atomic);
  const Words lanes = lanes_words(static_cast<int64_t>(f.lanes));
  Words tail;
  if (f.tile_lanes > 1)
    tail = f.lanes == static_cast<uint64_t>(f.tile_lanes) ? say(SimWords::WholeTileOutside) : say(SimWords::UnmaskedTail, {{"lanes", lanes}});
  if (p.offset < t.layout.lowest()) return say(SimWords::BelowFirst);
  if (p.index_load != nullptr) {
    Words line, by;
    if (p.index_load->loc != nullptr) {
      line = say(SimWords::AtLine, {{"line", p.index_load->loc->range.line}});
      if (const std::string text = source_text(p.index_load->loc->range); !text.empty()) by = say(SimWords::LoadedBy, {{"text", text}});
    }
    return say(SimWords::IndexLoaded, {{"line", line}, {"text", by}, {"n", t.elements()}});
  }
  for (size_t d = 0; d < p.meant.size(); ++d)
    if (p.meant[d] >= t.layout.shape[d]) return axis_hint(f, p, block, d, access, tail);
  if (p.range->has_gaps && p.offset <= t.layout.highest()) return say(SimWords::BetweenRows);
  if (t.layout.lowest() < 0) return say(SimWords::StridesBackwards);
  if (f.masked) return say(SimWords::MaskLetsLanes, {{"lanes", lanes}});
  return say(SimWords::NoMask, {{"access", access}, {"tail", tail}});
}

Words explain_bounds(Fault& out, const RawFault& f, const Plan& plan, const Memory& memory) {
  Place p;
  const uint64_t region = (f.address >> Memory::kRegionBits) - 1;
  if (region < static_cast<uint64_t>(memory.size())) p.range = &memory.range(static_cast<int>(region));
  const Blank verb{"verb", what_it_reads(f.inst->op->code)}, access{"access", access_name(*f.inst->op)}, who{"who", lane_words(f, out.lane_index)};
  if (p.range == nullptr) {
    out.kind = FaultKind::BadAddress;
    char hex[32];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(f.address));
    out.hint = remember(bounds_hint(f, p, false));
    return say(SimWords::NoTensor, {access, who, verb, {"address", std::string(hex)}});
  }
  const Tensor& t = *p.range->tensor;
  out.tensor = t.name;
  p.offset = out.offset = p.range->element_offset(f.address);
  out.size = t.elements();
  p.meant = meant_index(f, *p.range, out.lane_index);
  out.element = p.meant;
  if (f.kind == FaultKind::Misaligned) {
    out.hint = remember(say(SimWords::MisalignedHint));
    return say(SimWords::Misaligned, {access, {"tensor", t.name}, who, verb, {"bytes", static_cast<int64_t>(f.inst->type->elem_bytes)}});
  }
  Words message = say(SimWords::OutOfBounds, {access, {"tensor", t.name}, who, verb, {"n", p.offset}, {"size", t.elements()}});
  // Counting from index 0 says little where the strides run backwards or repeat: name what they reach.
  if (t.layout.lowest() < 0 || t.layout.highest() - t.layout.lowest() + 1 < t.elements())
    message += say(SimWords::StridesReach, {{"low", t.layout.lowest()}, {"high", t.layout.highest()}});
  if (p.meant.size() > 1) {
    std::string shape;
    for (int64_t d : t.layout.shape) shape += (shape.empty() ? "" : ", ") + std::to_string(d);
    message += say(SimWords::OfShape, {{"index", index_words(p.meant)}, {"shape", shape}});
  }
  p.lane = out.lane_index;
  if (!f.inst->op->operands.empty()) p.index_load = load_behind(definitions(*plan.function), f.inst->op->operands[0]);
  const bool block = plan.options.check.block_pointers && is_block_access(*f.inst->op);
  if (block && f.kind == FaultKind::OutOfBounds) out.kind = FaultKind::BlockPointer;
  out.hint = remember(bounds_hint(f, p, block));
  return message;
}

/// What of an op is undefined, as the op called it.
SimWords part_of(const std::string& text) {
  return text == "mask" ? SimWords::PartMask : text == "address" ? SimWords::PartAddress : text == "condition" ? SimWords::PartCondition : SimWords::PartBound;
}

Words explain_poison(Fault& out, const RawFault& f) {
  const bool uninitialised = f.from_uninitialised && !f.from_masked;
  const Blank source{"source", say(uninitialised ? SimWords::NeverWritten : f.from_uninitialised ? SimWords::MaskedOrNeverWritten : SimWords::MaskedOff)};
  if (uninitialised) out.kind = FaultKind::UninitialisedRead;
  const Blank who{"who", lane_words(f, out.lane_index)};
  out.hint = remember(say(uninitialised ? SimWords::NeverWrittenHint : SimWords::MaskedOffHint));
  if (f.text == "value") return say(SimWords::UndefinedValue, {{"access", access_name(*f.inst->op)}, who, source});
  return say(SimWords::UndefinedPart, {{"part", say(part_of(f.text))}, who, source});
}

/// What the lanes of one store share, before what becomes of it.
Words duplicates_hint(const RawFault& f) {
  const Words rest = say(f.same_value ? SimWords::DuplicatesAgree : SimWords::DuplicatesDiffer);
  for (int a = 0; a < f.inst->type->rank; ++a) {
    if ((f.still >> a & 1) == 0) continue;
    if (f.inst->type->rank == 1) return say(SimWords::AllLanesShare, {{"rest", rest}});
    return say(SimWords::AxisShares, {{"axis", a}, {"n", f.inst->type->dims[a]}, {"rest", rest}});
  }
  return rest;
}

Words explain_duplicates(Fault& out, const RawFault& f, const Memory& memory) {
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
  const Words message = say(SimWords::Duplicates, {{"a", lane(other.lane_index, other.lane)}, {"b", lane(out.lane_index, out.lane)},
                                                   {"element", element_or_offset(out.element, out.offset)}, {"tensor", t.name},
                                                   {"how", say(f.same_value ? SimWords::SameValue : SimWords::DifferentValues)}});
  out.hint = remember(duplicates_hint(f));
  out.other = std::move(other);
  return message;
}

Words explain_overflow(Fault& out, const RawFault& f, const Memory& memory) {
  FaultPartner access;
  access.range = out.range;
  access.calls = out.calls;
  access.program = f.program;
  access.lane = f.lane;
  access.lane_index = out.lane_index;
  access.writes = f.inst->op->int_attr("writes") != 0;
  Words what = say(SimWords::AnOffset), values, goes;
  DType type = DType::Int32;
  if (f.wrapped_op != nullptr && f.wrapped_op->loc != nullptr) {
    out.range = f.wrapped_op->loc->range;
    out.calls = f.wrapped_op->loc->calls;
    if (const std::string text = source_text(out.range); !text.empty()) what = say(SimWords::QuotedFirst, {{"text", text}});
    type = f.wrapped_type;
  }
  if (f.wrapped_op != nullptr) values = say(SimWords::ShouldBe, {{"right", f.right_value}, {"got", f.got_value}});
  const uint64_t region = (f.right_address >> Memory::kRegionBits) - 1;
  if (region < static_cast<uint64_t>(memory.size())) {
    const TensorRange& r = memory.range(static_cast<int>(region));
    out.tensor = r.tensor->name;
    out.size = r.tensor->elements();
    out.offset = r.element_offset(f.right_address);
    out.element = r.tensor->layout.index_of(out.offset).value_or(std::vector<int64_t>{});
    goes = say(SimWords::GoesTo, {{"who", lane_words(f, out.lane_index, SimWords::ItOfAccess, SimWords::LaneOfAccess)},
                                  {"got", r.element_offset(f.address)}, {"tensor", out.tensor}, {"right", out.offset}});
  }
  out.hint = remember(say(SimWords::WrapsHint));
  out.other = std::move(access);
  return say(SimWords::Wraps, {{"what", what}, {"bits", dtype_bits(type)}, {"values", values}, {"goes", goes}});
}

Words loops_words(const std::vector<LoopPosition>& loops) {
  Words out;
  for (const LoopPosition& l : loops) {
    Words variable, loop;
    if (!l.variable.empty()) variable = say(SimWords::LoopVariable, {{"name", l.variable}, {"value", l.value}});
    if (l.line > 0) loop = say(SimWords::LoopLine, {{"line", l.line}});
    out += say(out.empty() ? SimWords::LoopFirst : SimWords::LoopNext, {{"i", l.iteration}, {"variable", variable}, {"loop", loop}});
  }
  return out;
}

/// Fills in what the kind of fault knows and returns the message.
Words explain_kind(Fault& out, const RawFault& f, const Op* op, const Plan& plan, const Memory& memory) {
  switch (f.kind) {
    case FaultKind::OutOfBounds:
      if (!f.text.empty()) return words_of(f.text);  // a gather from a tile
      return explain_bounds(out, f, plan, memory);
    case FaultKind::Misaligned: return explain_bounds(out, f, plan, memory);
    case FaultKind::PoisonedUse: return explain_poison(out, f);
    case FaultKind::UninitialisedRead:
      explain_bounds(out, f, plan, memory);
      out.hint = remember(say(SimWords::UpdatesNeverWrittenHint));
      return say(SimWords::UpdatesNeverWritten, {{"access", access_name(*op)}, {"tensor", out.tensor}, {"n", out.offset}});
    case FaultKind::OffsetOverflow: return explain_overflow(out, f, memory);
    case FaultKind::DuplicateLanes: return explain_duplicates(out, f, memory);
    case FaultKind::ZeroStep: out.hint = remember(say(SimWords::ZeroStepHint)); return say(SimWords::ZeroStep);
    case FaultKind::AssertFailed: return f.text.empty() ? say(SimWords::AssertFailed) : say(SimWords::AssertFailedText, {{"text", f.text}});
    case FaultKind::Limit:
      if (op != nullptr && (op->code == OpCode::While || op->code == OpCode::For)) out.hint = remember(say(SimWords::DoesItEnd));
      return words_of(f.text);
    default: return words_of(f.text);
  }
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
  Words message = explain_kind(out, f, op, plan, memory);
  message += loops_words(f.loops);
  out.message = remember(std::move(message));
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
    const auto n = static_cast<int64_t>(out.size() - most);
    notes.push_back(remember(n == 1 ? say(SimWords::OneMoreFault) : say(SimWords::MoreFaults, {{"n", n}})));
    out.resize(most);
  }
  return out;
}

}  // namespace tilescope
