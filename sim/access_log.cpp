#include "sim/access_log.h"

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

uint64_t mix(uint64_t h, uint64_t x) {
  h = (h ^ x) * 0x9e3779b97f4a7c15u;
  return h ^ (h >> 29);
}

// Four chains, so that the multiplications overlap.
uint64_t hash_bytes(const std::byte* p, size_t n, uint64_t h) {
  uint64_t chain[4] = {h, h + 1, h + 2, h + 3};
  for (; n >= 32; p += 32, n -= 32) {
    uint64_t x[4];
    std::memcpy(x, p, 32);
    for (int k = 0; k < 4; ++k) chain[k] = (chain[k] ^ x[k]) * 0x9e3779b97f4a7c15u;
    for (int k = 0; k < 4; ++k) chain[k] ^= chain[k] >> 31;
  }
  h = mix(mix(mix(chain[0], chain[1]), chain[2]), chain[3]);
  for (; n > 0;) {
    uint64_t x = 0;
    const size_t part = std::min<size_t>(n, 8);
    std::memcpy(&x, p, part);
    h = mix(h, x);
    p += part, n -= part;
  }
  return h;
}

bool same_shape(const AccessShape& s, int op, int rank, const int64_t* strides, const Box& on) {
  if (s.op != op) return false;
  for (int a = 0; a < rank; ++a)
    if (s.strides[a] != strides[a] || s.on.lo[a] != on.lo[a] || s.on.hi[a] != on.hi[a]) return false;
  return true;
}

// The lanes as the longest runs of bytes and the axes along which they repeat.
void find_runs(AccessShape& s, const TileType& type) {
  std::array<int64_t, kMaxRank> dims{}, strides{};
  int axes = 0;
  for (int a = 0; a < type.rank; ++a) {
    s.first += s.strides[a] * s.on.lo[a];
    const int64_t n = s.on.hi[a] - s.on.lo[a];
    if (n == 1 || s.strides[a] == 0) continue;
    dims[axes] = n;
    strides[axes] = s.strides[a];
    if (strides[axes] < 0) {
      s.first += strides[axes] * (n - 1);
      strides[axes] = -strides[axes];
    }
    ++axes;
  }
  s.bytes = static_cast<uint64_t>(type.elem_bytes);
  for (bool found = true; found;) {
    found = false;
    for (int a = 0; a < axes && !found; ++a) {
      if (strides[a] != static_cast<int64_t>(s.bytes)) continue;
      s.bytes *= static_cast<uint64_t>(dims[a]);
      --axes;
      dims[a] = dims[axes], strides[a] = strides[axes];
      found = true;
    }
  }
  s.extent = s.bytes;
  s.outer_rank = axes;
  for (int a = 0; a < axes; ++a) {
    s.outer_dims[a] = dims[a];
    s.outer_strides[a] = strides[a];
    s.runs *= static_cast<uint64_t>(dims[a]);
    s.extent += static_cast<uint64_t>(strides[a] * (dims[a] - 1));
  }
}

}  // namespace

uint64_t hash_lanes(const std::byte* data, const int64_t* strides, const TileType& type, const Box& on) {
  const int last = type.rank - 1;
  std::array<int32_t, kMaxRank> at = on.lo;
  const int64_t n = on.hi[last] - on.lo[last];
  std::vector<std::byte> row;
  uint64_t h = 0x8a5cd789635d2dffu;
  for (;;) {
    const std::byte* p = data;
    for (int a = 0; a < type.rank; ++a) p += at[a] * strides[a];
    if (strides[last] != type.elem_bytes) {
      row.resize(static_cast<size_t>(n * type.elem_bytes));
      for (int64_t l = 0; l < n; ++l)
        std::memcpy(row.data() + l * type.elem_bytes, p + l * strides[last], static_cast<size_t>(type.elem_bytes));
      p = row.data();
    }
    h = hash_bytes(p, static_cast<size_t>(n * type.elem_bytes), h);
    int axis = last - 1;
    for (; axis >= 0; --axis) {
      if (++at[axis] < on.hi[axis]) break;
      at[axis] = on.lo[axis];
    }
    if (axis < 0) return h;
  }
}

AccessLogPlan::AccessLogPlan(const Function& f, const std::vector<MemoryOp>& memory_ops, const std::vector<int>& tensor_of, int tensors)
    : logged(static_cast<size_t>(tensors), false) {
  std::vector<bool> used(f.values.size(), false);
  walk(f.body, [&](const Op& op) {
    for (ValueId v : op.operands) used[v] = true;
  });
  const auto n = static_cast<size_t>(tensors);
  std::vector<bool> loaded(n, false), stored(n, false), updated(n, false);
  for (size_t i = 0; i < memory_ops.size(); ++i) {
    const MemoryOp& m = memory_ops[i];
    OpFacts facts;
    facts.op = m.op;
    facts.type = m.type;
    facts.kind = m.code == OpCode::Load ? Kind::Load : m.code == OpCode::Store ? Kind::Store : Kind::Atomic;
    if (facts.kind == Kind::Atomic) {
      const std::string_view sem = m.op->str_attr("sem");
      const bool result_used = std::any_of(m.op->results.begin(), m.op->results.end(), [&](ValueId r) { return used[r]; });
      facts.acquires = result_used && (sem == "acquire" || sem == "acq_rel");
      facts.releases = sem == "release" || sem == "acq_rel";
    }
    ops.push_back(facts);
    std::vector<bool>& flags = facts.kind == Kind::Load ? loaded : facts.kind == Kind::Store ? stored : updated;
    if (tensor_of[i] < 0) flags.assign(n, true);
    else flags[static_cast<size_t>(tensor_of[i])] = true;
  }
  for (size_t t = 0; t < n; ++t) logged[t] = stored[t] || (updated[t] && loaded[t]);
}

bool AccessLogPlan::any() const { return std::find(logged.begin(), logged.end(), true) != logged.end(); }

uint32_t AccessLog::shape_of(int op, const int64_t* strides, const Box& on) {
  const TileType& type = plan_.ops[static_cast<size_t>(op)].type;
  uint32_t& last = last_[static_cast<size_t>(op)];
  if (last != 0 && same_shape(shapes_[last - 1], op, type.rank, strides, on)) return last - 1;
  uint64_t h = static_cast<uint64_t>(op);
  for (int a = 0; a < type.rank; ++a)
    h = mix(mix(h, static_cast<uint64_t>(strides[a])), static_cast<uint64_t>(on.lo[a]) << 32 | static_cast<uint64_t>(on.hi[a]));
  auto [from, to] = by_hash_.equal_range(h);
  for (; from != to; ++from) {
    if (!same_shape(shapes_[from->second], op, type.rank, strides, on)) continue;
    last = from->second + 1;
    return from->second;
  }
  AccessShape s;
  s.op = op;
  for (int a = 0; a < type.rank; ++a) s.strides[a] = strides[a];
  s.on = on;
  find_runs(s, type);
  by_hash_.emplace(h, static_cast<uint32_t>(shapes_.size()));
  shapes_.push_back(s);
  bytes_ += sizeof s;
  last = static_cast<uint32_t>(shapes_.size());
  return last - 1;
}

void AccessLog::add(int tensor, LoggedAccess a) {
  TensorLog& log = tensors_[static_cast<size_t>(tensor)];
  if (acquired_) a.flags |= LoggedAccess::kAfterAcquire;
  if (log.blocks.empty() || log.blocks.back().program != program_)
    log.blocks.push_back({program_, position_, log.accesses.size(), log.accesses.size(), log.accesses.size()});
  Block& block = log.blocks.back();
  // The same place again, as in a loop that accumulates there.
  if (block.end > block.begin && block.released < block.end) {
    LoggedAccess& before = log.accesses.back();
    constexpr unsigned kSame = LoggedAccess::kAfterAcquire | LoggedAccess::kRuns;
    if (before.base == a.base && before.shape == a.shape && before.op == a.op && (before.flags & kSame) == (a.flags & kSame)) {
      if (before.value != a.value) before.flags |= LoggedAccess::kVaries;
      return;
    }
  }
  if (bytes_ >= kMostBytes) {
    overflowed_ = true;
    return;
  }
  bytes_ += sizeof a;
  log.accesses.push_back(a);
  block.end = log.accesses.size();
}

void AccessLog::affine(int op, int tensor, uint64_t base, const int64_t* strides, const Box& on, StoredValue value) {
  if (!wants(tensor)) return;
  LoggedAccess a;
  a.base = base;
  a.op = op;
  a.shape = shape_of(op, strides, on);
  a.value = value.bits;
  if (value.uniform) a.flags |= LoggedAccess::kUniform;
  add(tensor, a);
}

void AccessLog::lanes(int op, const Memory& memory, const uint64_t* addresses, const uint8_t* active, int64_t n, StoredValue value) {
  const TileType& type = plan_.ops[static_cast<size_t>(op)].type;
  const auto size = static_cast<uint32_t>(type.elem_bytes);
  int open = -1;  // the tensor of the runs that are being collected
  LoggedAccess a;
  const auto close = [&] {
    if (open < 0) return;
    a.shape = static_cast<uint32_t>(tensors_[static_cast<size_t>(open)].runs.size() - a.base);
    add(open, a);
    open = -1;
  };
  for (int64_t l = 0; l < n; ++l) {
    if (active != nullptr && !active[l]) continue;
    const uint64_t region = (addresses[l] >> Memory::kRegionBits) - 1;
    if (region >= tensors_.size() || !wants(static_cast<int>(region))) continue;
    const TensorRange& r = memory.range(static_cast<int>(region));
    if (addresses[l] - r.begin >= r.end - r.begin) continue;  // only when bounds are not checked
    std::vector<LaneRun>& runs = tensors_[region].runs;
    if (open != static_cast<int>(region)) {
      close();
      if (bytes_ >= kMostBytes) {
        overflowed_ = true;
        return;
      }
      open = static_cast<int>(region);
      a = LoggedAccess{};
      a.op = op;
      a.base = runs.size();
      a.value = value.bits;
      a.flags = LoggedAccess::kRuns | (value.uniform ? LoggedAccess::kUniform : 0);
    } else if (LaneRun& last = runs.back(); last.start + last.bytes == addresses[l] && last.lane + last.bytes / size == l) {
      last.bytes += size;
      continue;
    }
    runs.push_back({addresses[l], size, static_cast<uint32_t>(l)});
    bytes_ += sizeof(LaneRun);
  }
  close();
}

void AccessLog::synchronise(int op) {
  const AccessLogPlan::OpFacts& facts = plan_.ops[static_cast<size_t>(op)];
  if (facts.acquires) acquired_ = true;
  if (!facts.releases) return;
  for (TensorLog& log : tensors_)
    if (!log.blocks.empty() && log.blocks.back().program == program_) log.blocks.back().released = log.blocks.back().end;
}

}  // namespace tilescope
