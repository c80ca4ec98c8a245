#include "sim/race_check.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "sim/words.h"

namespace tilescope {
namespace {

using Kind = AccessLogPlan::Kind;

/// One access with what its program and thread add to it.
struct Entry {
  const LoggedAccess* access = nullptr;
  const AccessLog* log = nullptr;
  int64_t program = 0;
  bool released = false;

  bool acquired() const { return (access->flags & LoggedAccess::kAfterAcquire) != 0; }
};

bool may_be_ordered(const Entry& a, const Entry& b) { return (a.released && b.acquired()) || (b.released && a.acquired()); }

/// One tensor's accesses in the order of the programs, whatever threads ran them.
class TensorRaces {
 public:
  TensorRaces(const AccessLogPlan& facts, const std::vector<const AccessLog*>& logs, int tensor, int64_t last_position)
      : facts_(facts), tensor_(tensor) {
    struct Stretch {
      const AccessLog* log;
      const AccessLog::Block* block;
    };
    std::vector<Stretch> stretches;
    size_t n = 0;
    for (const AccessLog* log : logs)
      for (const AccessLog::Block& b : log->log(tensor).blocks) {
        if (b.position > last_position) continue;
        stretches.push_back({log, &b});
        n += b.end - b.begin;
      }
    std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.block->program < b.block->program; });
    entries_.reserve(n);
    for (const Stretch& s : stretches)
      for (size_t i = s.block->begin; i < s.block->end; ++i)
        entries_.push_back({&s.log->log(tensor).accesses[i], s.log, s.block->program, i < s.block->released});
  }

  const std::vector<Entry>& entries() const { return entries_; }
  Kind kind(const Entry& e) const { return facts_.ops[static_cast<size_t>(e.access->op)].kind; }

  template <class Fn>
  void for_each_run(const Entry& e, Fn&& fn) const {
    const LoggedAccess& a = *e.access;
    if (a.flags & LoggedAccess::kRuns) {
      const std::vector<LaneRun>& runs = e.log->log(tensor_).runs;
      for (uint64_t r = a.base; r < a.base + a.shape; ++r) fn(runs[r].start, runs[r].start + runs[r].bytes);
    } else {
      e.log->shape(a.shape).for_each_run(a.base, fn);
    }
  }
  uint64_t runs_of(const Entry& e) const { return e.access->flags & LoggedAccess::kRuns ? e.access->shape : e.log->shape(e.access->shape).runs; }

  /// False: surely no two programs meet with a write among them. Looks at whole runs only.
  bool may_meet(uint64_t most_runs) const {
    struct Run {
      uint64_t start, end;
      int64_t program;
    };
    uint64_t total = 0;
    for (const Entry& e : entries_) total += runs_of(e);
    if (total > most_runs) return true;
    std::vector<Run> writes;
    for (const Entry& e : entries_)
      if (kind(e) != Kind::Load) for_each_run(e, [&](uint64_t start, uint64_t end) { writes.push_back({start, end, e.program}); });
    const auto before = [](const Run& a, const Run& b) { return a.start < b.start; };
    if (!std::is_sorted(writes.begin(), writes.end(), before)) std::sort(writes.begin(), writes.end(), before);
    std::vector<Run> merged;  // disjoint
    for (const Run& w : writes) {
      if (merged.empty() || w.start >= merged.back().end) {
        merged.push_back(w);
        continue;
      }
      if (w.program != merged.back().program) return true;
      merged.back().end = std::max(merged.back().end, w.end);
    }
    bool meet = false;
    for (const Entry& e : entries_) {
      if (kind(e) != Kind::Load) continue;
      for_each_run(e, [&](uint64_t start, uint64_t end) {
        auto w = std::upper_bound(merged.begin(), merged.end(), start, [](uint64_t at, const Run& r) { return at < r.end; });
        for (; !meet && w != merged.end() && w->start < end; ++w) meet = w->program != e.program;
      });
      if (meet) return true;
    }
    return false;
  }

 private:
  const AccessLogPlan& facts_;
  int tensor_;
  std::vector<Entry> entries_;
};

/// The lane of the access that touches the byte at `address`.
int64_t lane_at(const AccessLogPlan& facts, const Entry& e, int tensor, uint64_t address) {
  const LoggedAccess& a = *e.access;
  const TileType& type = facts.ops[static_cast<size_t>(a.op)].type;
  const auto size = static_cast<uint64_t>(type.elem_bytes);
  if (a.flags & LoggedAccess::kRuns) {
    const std::vector<LaneRun>& runs = e.log->log(tensor).runs;
    for (uint64_t r = a.base; r < a.base + a.shape; ++r)
      if (address - runs[r].start < runs[r].bytes) return runs[r].lane + static_cast<int64_t>((address - runs[r].start) / size);
    return 0;
  }
  const AccessShape& s = e.log->shape(a.shape);
  std::array<int32_t, kMaxRank> at = s.on.lo;
  for (int axis = 0; axis >= 0;) {
    uint64_t start = a.base;
    int64_t lane = 0;
    for (int x = 0; x < type.rank; ++x) {
      start += static_cast<uint64_t>(s.strides[x]) * static_cast<uint64_t>(at[x]);
      lane = lane * type.dims[x] + at[x];
    }
    if (address - start < size) return lane;
    for (axis = type.rank - 1; axis >= 0; --axis) {
      if (++at[axis] < s.on.hi[axis]) break;
      at[axis] = s.on.lo[axis];
    }
  }
  return 0;
}

/// Two stores write the same bytes to every element that both write, as far as can be told.
bool same_value(const AccessLogPlan& facts, const Entry& a, const Entry& b, int tensor) {
  const LoggedAccess &x = *a.access, &y = *b.access;
  const unsigned flags = x.flags & (LoggedAccess::kUniform | LoggedAccess::kRuns);
  if (((x.flags | y.flags) & LoggedAccess::kVaries) || flags != (y.flags & (LoggedAccess::kUniform | LoggedAccess::kRuns))) return false;
  const TileType &s = facts.ops[static_cast<size_t>(x.op)].type, &t = facts.ops[static_cast<size_t>(y.op)].type;
  if (x.value != y.value || s.elem_bytes != t.elem_bytes) return false;
  if (flags & LoggedAccess::kUniform) return true;
  if (flags & LoggedAccess::kRuns) {
    const std::vector<LaneRun>&p = a.log->log(tensor).runs, &q = b.log->log(tensor).runs;
    if (x.shape != y.shape) return false;
    for (uint64_t r = 0; r < x.shape; ++r)
      if (p[x.base + r].start != q[y.base + r].start || p[x.base + r].bytes != q[y.base + r].bytes) return false;
    return true;
  }
  const AccessShape &p = a.log->shape(x.shape), &q = b.log->shape(y.shape);
  if (x.base != y.base || s.rank != t.rank) return false;
  for (int d = 0; d < s.rank; ++d)
    if (p.strides[d] != q.strides[d] || p.on.lo[d] != q.on.lo[d] || p.on.hi[d] != q.on.hi[d]) return false;
  return true;
}

using OpPair = std::pair<int, int>;

/// All races of one pair of ops in one tensor; `a` is the access of the program with the lower number.
struct Race {
  Entry a, b;
  uint64_t address = 0;
  uint64_t elements = 0;         ///< different ones
  std::vector<bool> seen;        ///< elements of the window at `seen_from` that are counted already
  uint64_t seen_from = 0;
  bool same = true;
};

class Painter {
 public:
  Painter(const AccessLogPlan& facts, const TensorRaces& races, const TensorRange& range, int tensor)
      : facts_(facts), races_(races), range_(range), tensor_(tensor), unit_(static_cast<uint64_t>(range.elem_bytes)) {
    for (const Entry& e : races.entries()) unit_ = std::min(unit_, static_cast<uint64_t>(facts.ops[static_cast<size_t>(e.access->op)].type.elem_bytes));
  }

  /// By pair of ops; pairs that `same` maps to another one are taken as that one.
  std::map<OpPair, Race> find(std::map<OpPair, OpPair> same = {}) {
    same_ = std::move(same);
    for (const auto& [begin, end] : written_windows()) {
      window_ = begin;
      cells_.assign((end - begin + unit_ - 1) / unit_, Cell{});
      for (uint32_t i = 0; i < races_.entries().size(); ++i)
        if (races_.kind(races_.entries()[i]) != Kind::Load) paint(i, begin, end);
      for (uint32_t i = 0; i < races_.entries().size(); ++i)
        if (races_.kind(races_.entries()[i]) == Kind::Load) paint(i, begin, end);
    }
    return std::exchange(found_, {});
  }

 private:
  /// The windows that are gone through, in order: where each begins, and where the last write in it ends. Without a write
  /// nothing races, and of a large tensor few windows may have one.
  std::map<uint64_t, uint64_t> written_windows() const {
    const uint64_t bytes = (uint64_t{1} << 20) * unit_;
    std::map<uint64_t, uint64_t> windows;
    for (const Entry& e : races_.entries()) {
      if (races_.kind(e) == Kind::Load) continue;
      races_.for_each_run(e, [&](uint64_t start, uint64_t stop) {
        start = std::max(start, range_.begin);
        stop = std::min(stop, range_.end);
        if (start >= stop) return;
        for (uint64_t at = start - (start - range_.begin) % bytes; at < stop; at += bytes) {
          uint64_t& end = windows[at];
          end = std::max(end, std::min(stop, at + bytes));
        }
      });
    }
    return windows;
  }

  /// Accesses of one unit of memory so far, as index + 1: the first store and the first one of another program, the
  /// same for atomics. `last`: the latest store of those two programs, 0 if it is their first: it decides what they
  /// leave there, and may come after a release that the first one comes before.
  struct Cell {
    uint32_t stores[2] = {0, 0}, last[2] = {0, 0}, atomics[2] = {0, 0};
  };

  void paint(uint32_t index, uint64_t begin, uint64_t end) {
    const Entry& e = races_.entries()[index];
    const Kind kind = races_.kind(e);
    races_.for_each_run(e, [&](uint64_t start, uint64_t stop) {
      start = std::max(start, begin);
      stop = std::min(stop, end);
      if (start >= stop) return;
      for (uint64_t u = (start - begin) / unit_; u < (stop - begin + unit_ - 1) / unit_; ++u) {
        Cell& c = cells_[u];
        for (uint32_t other : c.stores) meet(e, other, begin + u * unit_);
        for (uint32_t other : c.last) meet(e, other, begin + u * unit_);
        if (kind != Kind::Atomic)
          for (uint32_t other : c.atomics) meet(e, other, begin + u * unit_);
        if (kind == Kind::Load) continue;
        uint32_t* mine = kind == Kind::Store ? c.stores : c.atomics;
        if (mine[0] == 0) mine[0] = index + 1;
        else if (mine[1] == 0 && races_.entries()[mine[0] - 1].program != e.program) mine[1] = index + 1;
        else if (kind == Kind::Store) keep_last(c, index);
      }
    });
  }

  void keep_last(Cell& c, uint32_t index) const {
    for (int k = 0; k < 2; ++k)
      if (c.stores[k] != 0 && races_.entries()[c.stores[k] - 1].program == races_.entries()[index].program) c.last[k] = index + 1;
  }

  void meet(const Entry& e, uint32_t other, uint64_t address) {
    if (other == 0) return;
    const Entry& o = races_.entries()[other - 1];
    if (o.program == e.program || may_be_ordered(o, e)) return;
    const Entry &a = o.program < e.program ? o : e, &b = o.program < e.program ? e : o;
    const bool both = races_.kind(a) == Kind::Store && races_.kind(b) == Kind::Store;
    OpPair ops{std::min<int>(a.access->op, b.access->op), std::max<int>(a.access->op, b.access->op)};
    if (const auto it = same_.find(ops); it != same_.end()) ops = it->second;
    Race& r = found_[ops];
    const auto rank = [&](const Entry& x, const Entry& y, uint64_t at) { return std::tuple(y.program, x.program, at); };
    const bool same = both && same_value(facts_, a, b, tensor_);
    // The one that is shown: a harmful one if there is any, of the lowest programs.
    if (r.elements == 0 || (r.same && !same) || (r.same == same && rank(a, b, address) < rank(r.a, r.b, r.address))) {
      r.a = a;
      r.b = b;
      r.address = address;
    }
    r.same = r.same && same;
    count_element(r, address);
  }

  /// Many programs may meet in one element; it counts once.
  void count_element(Race& r, uint64_t address) const {
    const auto size = static_cast<uint64_t>(range_.elem_bytes);
    if (r.seen.empty() || r.seen_from != window_) {
      r.seen.assign(cells_.size() * unit_ / size + 1, false);
      r.seen_from = window_;
    }
    const size_t at = (address - window_) / size;
    if (r.seen[at]) return;
    r.seen[at] = true;
    ++r.elements;
  }

  const AccessLogPlan& facts_;
  const TensorRaces& races_;
  const TensorRange& range_;
  int tensor_;
  uint64_t unit_;
  uint64_t window_ = 0;  ///< address of the first cell
  std::vector<Cell> cells_;
  std::map<OpPair, OpPair> same_;
  std::map<OpPair, Race> found_;
};

// ---- the report ---------------------------------------------------------------------------------------------------------

ProgramIndex program_index(int64_t program, std::array<int64_t, 3> grid) {
  return {program % grid[0], program / grid[0] % grid[1], program / grid[0] / grid[1]};
}
std::string program_text(const ProgramIndex& p, std::array<int64_t, 3> grid) {
  const int axes = grid[2] > 1 ? 3 : grid[1] > 1 ? 2 : 1;
  std::string out = std::to_string(p[0]);
  for (size_t a = 1; a < static_cast<size_t>(axes); ++a) out += ", " + std::to_string(p[a]);
  return axes == 1 ? "program " + out : "program (" + out + ")";
}

bool asks_for_program_id(const Function& f, int axis) {
  bool asks = false;
  walk(f.body, [&](const Op& op) { asks = asks || (op.code == OpCode::ProgramId && op.int_attr("axis") == axis); });
  return asks;
}

std::vector<int64_t> split_lane(const TileType& type, int64_t lane) {
  std::vector<int64_t> at(static_cast<size_t>(type.rank));
  for (int a = type.rank - 1; a >= 0; --a) {
    at[static_cast<size_t>(a)] = lane % type.dims[a];
    lane /= type.dims[a];
  }
  return at;
}

Words verb(Kind k) { return say(k == Kind::Load ? SimWords::Reads : k == Kind::Store ? SimWords::Writes : SimWords::Updates); }
/// What the second program does.
Words other_verb(Kind k) { return say(k == Kind::Load ? SimWords::Reads : k == Kind::Store ? SimWords::WritesToo : SimWords::UpdatesToo); }

std::map<ValueId, const Op*> definitions(const Function& f) {
  std::map<ValueId, const Op*> out;
  walk(f.body, [&](const Op& op) {
    for (ValueId r : op.results) out[r] = &op;
  });
  return out;
}

bool has_mask(const Op& op) { return op.operands.size() > (op.code == OpCode::Load ? 1u : 2u); }

bool same_range(const SourceRange& a, const SourceRange& b) {
  return a.file == b.file && a.line == b.line && a.column == b.column && a.end_column == b.end_column;
}

class Reporter {
 public:
  Reporter(const Plan& plan, const Memory& memory, const AccessLogPlan& facts, std::array<int64_t, 3> grid)
      : plan_(plan), memory_(memory), facts_(facts), grid_(grid), defs_(definitions(*plan.function)) {}

  Fault fault(const Race& race, int tensor) const {
    // The write comes first in the message; of two writes the one of the higher program.
    const bool a_writes = kind(race.a) != Kind::Load, b_writes = kind(race.b) != Kind::Load;
    const Entry &main = b_writes ? race.b : race.a, &other = b_writes ? race.a : race.b;
    (void)a_writes;
    const TensorRange& range = memory_.range(tensor);
    const Tensor& t = *range.tensor;
    Fault f;
    f.kind = FaultKind::Race;
    f.tensor = t.name;
    f.offset = range.element_offset(race.address);
    f.size = t.elements();
    f.element = t.layout.index_of(f.offset).value_or(std::vector<int64_t>{});
    f.count = race.elements;
    f.same_value = race.same;
    place(main, race.address, tensor, f.range, f.calls, f.program, f.lane, f.lane_index);
    FaultPartner partner;
    place(other, race.address, tensor, partner.range, partner.calls, partner.program, partner.lane, partner.lane_index);
    partner.writes = kind(other) != Kind::Load;
    const bool one_place = same_range(f.range, partner.range);
    const Blank what{"kind", say(race.same ? SimWords::SameValueRaceKind : SimWords::RaceKind)}, on{"tensor", t.name};
    const Blank p{"p", program_text(f.program, grid_)}, q{"q", program_text(partner.program, grid_)};
    const Blank does{"verb", verb(kind(main))}, element{"element", element_or_offset(f.element, f.offset)};
    if (race.same && one_place) {
      f.message = remember(say(SimWords::RaceSameThere, {what, on, p, q, does, element}));
    } else {
      Words line, same;
      if (partner.range.valid() && !one_place) line = say(SimWords::AtLine, {{"line", partner.range.line}});
      else if (!race.same && one_place) line = say(SimWords::Too);
      if (race.same) same = say(SimWords::BothSame);
      f.message = remember(say(SimWords::RaceBoth, {what, on, p, q, does, element, {"other", other_verb(kind(other))}, {"line", line}, {"same", same}}));
    }
    f.hint = remember(hint(race, main, other, f.program, partner.program));
    f.other = std::move(partner);
    return f;
  }

 private:
  Kind kind(const Entry& e) const { return facts_.ops[static_cast<size_t>(e.access->op)].kind; }

  void place(const Entry& e, uint64_t address, int tensor, SourceRange& range, CallChain& calls, ProgramIndex& program, int64_t& lane,
             std::vector<int64_t>& lane_index) const {
    const AccessLogPlan::OpFacts& op = facts_.ops[static_cast<size_t>(e.access->op)];
    if (op.op->loc != nullptr) range = op.op->loc->range, calls = op.op->loc->calls;
    program = program_index(e.program, grid_);
    lane = lane_at(facts_, e, tensor, address);
    lane_index = split_lane(op.type, lane);
  }

  Words hint(const Race& race, const Entry& main, const Entry& other, const ProgramIndex& p, const ProgramIndex& q) const {
    if (kind(main) == Kind::Atomic || kind(other) == Kind::Atomic)
      return say(kind(other) == Kind::Load || kind(main) == Kind::Load ? SimWords::ProtectLoad : SimWords::ProtectStore);
    // Tiles that merely reach into each other are another mistake.
    const bool shifted = !((main.access->flags | other.access->flags) & LoggedAccess::kRuns) && main.access->base != other.access->base;
    const bool adds = !shifted && (adds_to_what_it_loads(op(main)) || adds_to_what_it_loads(op(other)));
    if (kind(other) == Kind::Load) {
      if (adds) return say(SimWords::AtomicMeant);
      if (forgets_mask(main, other)) return say(SimWords::StoreForgetsMask, {{"line", at_line(other)}});
      return say(SimWords::LoadMaySeeEither);
    }
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<size_t>(axis);
      if (p[a] == q[a] || asks_for_program_id(*plan_.function, axis)) continue;
      return say(SimWords::NeverAsks, {{"n", grid_[a]}, {"axis", axis}});
    }
    if (adds) return say(SimWords::AtomicMeant);
    if (race.same) return say(SimWords::EveryProgramSame);
    if (Words tiles = overlap(main, other, p, q); !tiles.empty()) return tiles;
    return say(SimWords::OneOwner);
  }

  /// The store's value is a sum with what was loaded from the very pointer that it stores to.
  bool adds_to_what_it_loads(const Op& store) const {
    if (store.code != OpCode::Store) return false;
    std::vector<ValueId> queue{store.operands[1]};
    std::set<ValueId> seen;
    bool sum = false, loaded = false;
    while (!queue.empty()) {
      const ValueId v = queue.back();
      queue.pop_back();
      const auto it = defs_.find(v);
      if (it == defs_.end() || !seen.insert(v).second) continue;
      const Op& op = *it->second;
      sum = sum || op.code == OpCode::Add;
      loaded = loaded || (op.code == OpCode::Load && op.operands[0] == store.operands[0]);
      if (op.code == OpCode::Add || op.code == OpCode::Cast) queue.insert(queue.end(), op.operands.begin(), op.operands.end());
    }
    return sum && loaded;
  }

  /// A store without a mask meets a load of the same tile that has one.
  bool forgets_mask(const Entry& store, const Entry& load) const {
    const TileType &s = facts_.ops[static_cast<size_t>(store.access->op)].type, &l = facts_.ops[static_cast<size_t>(load.access->op)].type;
    return s.rank > 0 && s.rank == l.rank && std::equal(s.dims.begin(), s.dims.begin() + s.rank, l.dims.begin()) && !has_mask(op(store)) && has_mask(op(load));
  }

  Words at_line(const Entry& e) const {
    const Op& o = op(e);
    return o.loc != nullptr && o.loc->range.valid() ? say(SimWords::AtLine, {{"line", o.loc->range.line}}) : Words();
  }

  // Neighbours whose tiles reach into each other.
  Words overlap(const Entry& main, const Entry& other, const ProgramIndex& p, const ProgramIndex& q) const {
    if (((main.access->flags | other.access->flags) & LoggedAccess::kRuns) || main.access->op != other.access->op) return {};
    int axes = 0;
    for (size_t a = 0; a < 3; ++a) axes += p[a] != q[a] ? 1 + (std::abs(p[a] - q[a]) > 1) : 0;
    const TileType& type = facts_.ops[static_cast<size_t>(main.access->op)].type;
    const AccessShape& s = main.log->shape(main.access->shape);
    const auto apart = static_cast<int64_t>(main.access->base - other.access->base);
    if (main.access->base == other.access->base)
      return say(SimWords::SameTile);
    if (axes != 1) return {};
    for (int a = 0; a < type.rank; ++a) {
      if (s.strides[a] == 0 || apart % s.strides[a] != 0) continue;
      const int64_t step = std::abs(apart / s.strides[a]);
      if (step >= type.dims[a]) continue;
      return say(has_mask(op(main)) ? SimWords::NeighboursStep : SimWords::NeighboursMask, {{"step", step}, {"axis", a}, {"tile", type.dims[a]}});
    }
    return {};
  }

  const Op& op(const Entry& e) const { return *facts_.ops[static_cast<size_t>(e.access->op)].op; }

  const Plan& plan_;
  const Memory& memory_;
  const AccessLogPlan& facts_;
  const std::array<int64_t, 3> grid_;
  const std::map<ValueId, const Op*> defs_;
};

}  // namespace

namespace {

/// Races that are reported at one place in the text are one fault (the load and the store of an update race with the
/// store): an element that is in several of them counts once.
std::vector<Fault> faults_of(Painter& painter, const Reporter& reporter, int tensor) {
  std::vector<std::pair<OpPair, Fault>> kept;
  std::map<OpPair, OpPair> same;
  for (const auto& [ops, race] : painter.find()) {
    Fault f = reporter.fault(race, tensor);
    const auto before = std::find_if(kept.begin(), kept.end(), [&](const auto& k) { return f.range.valid() && same_range(k.second.range, f.range); });
    if (before == kept.end()) {
      kept.push_back({ops, std::move(f)});
      continue;
    }
    same[ops] = before->first;
    if (before->second.same_value && !f.same_value) before->second = std::move(f);  // the harmful one is shown
  }
  std::map<OpPair, Race> merged;
  if (!same.empty()) merged = painter.find(std::move(same));
  std::vector<Fault> out;
  for (auto& [ops, f] : kept) {
    if (const auto it = merged.find(ops); it != merged.end()) f.count = it->second.elements;
    out.push_back(std::move(f));
  }
  return out;
}

}  // namespace

std::vector<Fault> find_races(const Plan& plan, const Memory& memory, const AccessLogPlan& facts,
                              const std::vector<const AccessLog*>& logs, std::array<int64_t, 3> grid, int64_t last_position) {
  std::vector<Fault> out;
  const Reporter reporter(plan, memory, facts, grid);
  for (int t = 0; t < memory.size(); ++t) {
    if (!facts.logged[static_cast<size_t>(t)]) continue;
    const TensorRaces races(facts, logs, t, last_position);
    const TensorRange& range = memory.range(t);
    // Sorting a run costs as much as painting some ten elements.
    constexpr uint64_t kAlways = uint64_t{1} << 16;
    const uint64_t units = (range.end - range.begin) / static_cast<uint64_t>(range.elem_bytes);
    if (races.entries().empty() || !races.may_meet(std::max(kAlways, units / 8))) continue;
    Painter painter(facts, races, range, t);
    for (Fault& f : faults_of(painter, reporter, t)) out.push_back(std::move(f));
  }
  return out;
}

}  // namespace tilescope
