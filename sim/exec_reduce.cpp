// Reductions and scans: built-in combines through the kernel tables, users' combine functions level by level with all
// pairs of a level as lanes.
#include <algorithm>
#include <unordered_map>

#include "sim/exec_tile.h"

namespace tilescope {
namespace {

/// A combine function's region as straight-line code on whole rows of lanes.
struct RegionCode {
  struct Value {
    enum class From : uint8_t { Argument, Register, Constant, Step } from = From::Step;
    int32_t index = 0;  ///< argument or register
    uint64_t bits = 0;
    int elem_bytes = 4;
  };
  struct Step {
    ElementwiseFn kernel = nullptr;  ///< null: same bits under another type
    int operands = 0;
    std::array<int32_t, 3> in{};
    int32_t out = 0;
  };
  std::vector<Value> values;
  std::vector<Step> steps;
  std::vector<int32_t> yields;
};

struct ReduceExtra : Extra {
  int64_t outer = 1, axis = 1, inner = 1;
  bool reverse = false;
  ReduceFn reduce = nullptr;
  ArgReduceFn arg_reduce = nullptr;
  ScanFn scan = nullptr;
  RegionCode region;
  std::vector<TileType> results;
};

// ---- users' combine functions ----------------------------------------------------------------------------------------------

class RegionBuilder {
 public:
  RegionBuilder(PlanContext& c, RegionCode& code) : c_(c), code_(code) {}

  void build(const Block& b) {
    for (size_t i = 0; i < b.args.size(); ++i) {
      const int32_t v = add(b.args[i]);
      code_.values[static_cast<size_t>(v)].from = RegionCode::Value::From::Argument;
      code_.values[static_cast<size_t>(v)].index = static_cast<int32_t>(i);
    }
    for (const auto& op : b.ops) {
      if (op->code == OpCode::Yield)
        for (ValueId v : op->operands) code_.yields.push_back(use(v));
      else
        step(*op);
    }
  }

 private:
  int32_t add(ValueId v) {
    RegionCode::Value value;
    value.elem_bytes = c_.type(v).storage_bytes();
    code_.values.push_back(value);
    return index_[v] = static_cast<int32_t>(code_.values.size()) - 1;
  }
  // A value from outside the region is a scalar in a register.
  int32_t use(ValueId v) {
    auto it = index_.find(v);
    if (it != index_.end()) return it->second;
    const int32_t at = add(v);
    code_.values[static_cast<size_t>(at)].from = RegionCode::Value::From::Register;
    code_.values[static_cast<size_t>(at)].index = c_.slot(v).index;
    return at;
  }
  void step(const Op& op) {
    if (op.code == OpCode::Constant) {
      RegionCode::Value& v = code_.values[static_cast<size_t>(add(op.results[0]))];
      v.from = RegionCode::Value::From::Constant;
      v.bits = static_cast<uint64_t>(op.int_attr("bits"));
      return;
    }
    RegionCode::Step s;
    s.operands = static_cast<int>(op.operands.size());
    const bool fits = op.info().group == OpGroup::Elementwise && op.results.size() == 1 && op.operands.size() <= 3 && op.code != OpCode::AddPtr;
    if (!fits) {
      c_.error = "the simulator does not run `" + std::string(op.info().name) + "` inside a combine function";
      return;
    }
    for (size_t k = 0; k < op.operands.size(); ++k) s.in[k] = use(op.operands[k]);
    const DType from = kernel_dtype(c_.type(op.operands[0])), to = kernel_dtype(c_.type(op.results[0]));
    bool same_bits = op.code == OpCode::PtrToInt || op.code == OpCode::IntToPtr;
    if (op.code == OpCode::Cast) s.kernel = cast_kernel(from, to);
    else if (op.code == OpCode::Bitcast) s.kernel = bitcast_kernel(from, to), same_bits = s.kernel == nullptr;
    else if (op.code == OpCode::Select) s.kernel = elementwise_kernel(op.code, to);
    else if (!same_bits) s.kernel = elementwise_kernel(op.code, from);
    if (s.kernel == nullptr && !same_bits) c_.error = "`" + std::string(op.info().name) + "` does not take " + std::string(dtype_name(from));
    s.out = add(op.results[0]);
    code_.steps.push_back(s);
  }

  PlanContext& c_;
  RegionCode& code_;
  std::unordered_map<ValueId, int32_t> index_;
};

/// Evaluates the region on n pairs; `args` are the left values, then the right values. Results go to `out`.
void run_region(Machine& m, const RegionCode& code, int64_t n, const std::byte* const* args, std::byte* const* out) {
  std::vector<Storage*> storage(code.values.size(), nullptr);
  std::vector<Lanes> lanes(code.values.size());
  for (size_t v = 0; v < code.values.size(); ++v) {
    const RegionCode::Value& value = code.values[v];
    switch (value.from) {
      case RegionCode::Value::From::Argument: lanes[v] = {args[value.index], 1}; break;
      case RegionCode::Value::From::Register: lanes[v] = {&m.reg(value.index), 0}; break;
      case RegionCode::Value::From::Constant: lanes[v] = {&value.bits, 0}; break;
      case RegionCode::Value::From::Step:
        storage[v] = m.acquire(n * value.elem_bytes);
        lanes[v] = {storage[v]->data, 1};
    }
  }
  for (const RegionCode::Step& s : code.steps) {
    Lanes in[3];
    for (int k = 0; k < s.operands; ++k) in[k] = lanes[static_cast<size_t>(s.in[static_cast<size_t>(k)])];
    Lanes& to = lanes[static_cast<size_t>(s.out)];
    if (s.kernel != nullptr) s.kernel(n, storage[static_cast<size_t>(s.out)]->data, in);
    else to = in[0];
  }
  for (size_t k = 0; k < code.yields.size(); ++k) {
    const auto v = static_cast<size_t>(code.yields[k]);
    const int bytes = code.values[v].elem_bytes;
    if (lanes[v].step != 0) std::memcpy(out[k], lanes[v].data, static_cast<size_t>(n * bytes));
    else fill(bytes, out[k], n, read_bits(bytes == 8 ? DType::UInt64 : int_type(bytes * 8, false), lanes[v].data));
  }
  for (Storage* s : storage)
    if (s != nullptr) m.pool.release(s);
}

/// The arrays that one tuple reduction or scan works on.
struct Columns {
  std::vector<int> bytes;
  std::vector<std::byte*> data;
};

void copy_pairs(const Columns& c, size_t k, int64_t rows, int64_t inner, std::byte* left, std::byte* right) {
  const int64_t row = inner * c.bytes[k];
  if (inner == 1) {
    copy_strided(c.bytes[k], rows, left, c.data[k], 2 * c.bytes[k]);
    copy_strided(c.bytes[k], rows, right, c.data[k] + c.bytes[k], 2 * c.bytes[k]);
    return;
  }
  for (int64_t r = 0; r < rows; ++r) {
    std::memcpy(left + r * row, c.data[k] + 2 * r * row, static_cast<size_t>(row));
    std::memcpy(right + r * row, c.data[k] + (2 * r + 1) * row, static_cast<size_t>(row));
  }
}

struct Buffers {
  Machine& m;
  std::vector<Storage*> all;
  std::byte* get(int64_t bytes) {
    all.push_back(m.acquire(bytes));
    return all.back()->data;
  }
  ~Buffers() {
    for (Storage* s : all) m.pool.release(s);
  }
};

// In place: level by level, the results of a level are the first rows of the next.
void reduce_by_region(Machine& m, const ReduceExtra& e, const Columns& c) {
  const size_t count = c.bytes.size();
  Buffers buffers{m, {}};
  std::vector<std::byte*> args(2 * count);
  const int64_t half = e.outer * e.axis * e.inner / 2;
  for (size_t k = 0; k < 2 * count && e.axis > 1; ++k) args[k] = buffers.get(half * c.bytes[k % count]);
  for (int64_t n = e.axis / 2; n >= 1; n /= 2) {
    const int64_t rows = e.outer * n;
    for (size_t k = 0; k < count; ++k) copy_pairs(c, k, rows, e.inner, args[k], args[count + k]);
    run_region(m, e.region, rows * e.inner, args.data(), c.data.data());
  }
}

void scan_by_region(Machine& m, const ReduceExtra& e, const Columns& c) {
  const size_t count = c.bytes.size();
  Buffers buffers{m, {}};
  std::vector<std::byte*> args(2 * count), results(count);
  const int64_t pairs = e.outer * (e.axis / 2), lanes = pairs * e.inner;
  for (size_t k = 0; k < 2 * count && e.axis > 1; ++k) args[k] = buffers.get(lanes * c.bytes[k % count]);
  for (size_t k = 0; k < count && e.axis > 1; ++k) results[k] = buffers.get(lanes * c.bytes[k]);
  auto for_each_pair = [&](int64_t half, auto&& fn) {
    int64_t at = 0;
    for (int64_t o = 0; o < e.outer; ++o)
      for (int64_t block = half; block < e.axis; block += 2 * half)
        for (int64_t r = 0; r < half; ++r, ++at) fn(at, o * e.axis + block - 1, o * e.axis + block + r);
  };
  for (int64_t half = 1; half < e.axis; half *= 2) {
    for (size_t k = 0; k < count; ++k) {
      const int64_t row = e.inner * c.bytes[k];
      for_each_pair(half, [&](int64_t at, int64_t left, int64_t right) {
        std::memcpy(args[k] + at * row, c.data[k] + left * row, static_cast<size_t>(row));
        std::memcpy(args[count + k] + at * row, c.data[k] + right * row, static_cast<size_t>(row));
      });
    }
    run_region(m, e.region, lanes, args.data(), results.data());
    for (size_t k = 0; k < count; ++k) {
      const int64_t row = e.inner * c.bytes[k];
      for_each_pair(half, [&](int64_t at, int64_t, int64_t right) {
        std::memcpy(c.data[k] + right * row, results[k] + at * row, static_cast<size_t>(row));
      });
    }
  }
}

// ---- poison -----------------------------------------------------------------------------------------------------------------

std::vector<uint8_t> operand_poison(Machine& m, const Inst* i) {
  std::vector<uint8_t> out;
  if (!m.poisoned) return out;
  for (int k = 0; k < i->operands; ++k) {
    const Tile& t = m.tile(i->in[static_cast<size_t>(k)]);
    const TileType& type = m.type(i->in[static_cast<size_t>(k)]);
    if (!any_poison(t)) continue;
    std::vector<uint8_t> p(static_cast<size_t>(type.elements));
    write_poison(t, type, p.data());
    if (out.empty()) out.resize(p.size());
    for (size_t l = 0; l < p.size(); ++l) out[l] |= p[l];
  }
  return out;
}

void set_lane_poison(Machine& m, Tile& out, const std::vector<uint8_t>& lanes) {
  Poison p;
  p.kind = PoisonKind::Lanes;
  p.lanes = m.acquire(static_cast<int64_t>(lanes.size()));
  std::memcpy(p.lanes->data, lanes.data(), lanes.size());
  set_poison(out, p);
}

// ---- reduce -----------------------------------------------------------------------------------------------------------------

// A result's place: its tile, or a register.
std::byte* result_lanes(Machine& m, const Inst* i, int k, const TileType& type, uint64_t& word) {
  if (type.rank == 0) return reinterpret_cast<std::byte*>(&word);
  return allocate(m, m.tile(i->out + k), type);
}

const Inst* run_reduce(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const ReduceExtra*>(i->extra);
  const int count = i->operands;
  std::vector<uint8_t> poison = operand_poison(m, i);
  uint64_t words[Inst::kMaxOperands] = {};
  std::byte* out[Inst::kMaxOperands];
  const std::vector<TileType>& types = e.results;
  for (int k = 0; k < count; ++k) out[k] = result_lanes(m, i, k, types[static_cast<size_t>(k)], words[k]);
  const int64_t lanes = e.outer * e.axis * e.inner;
  if (e.reduce != nullptr) {
    const std::byte* in = operand_lanes(m, i, 0);
    Storage* scratch = m.acquire(lanes * types.front().elem_bytes);
    e.reduce(e.outer, e.axis, e.inner, in, out[0], scratch->data);
    m.pool.release(scratch);
  } else if (e.arg_reduce != nullptr) {
    const std::byte *in = operand_lanes(m, i, 0), *index = operand_lanes(m, i, 1);
    Storage *scratch = m.acquire(lanes * types.front().elem_bytes), *scratch_index = m.acquire(lanes * 4);
    e.arg_reduce(e.outer, e.axis, e.inner, in, reinterpret_cast<const int32_t*>(index), out[0], reinterpret_cast<int32_t*>(out[1]),
                 scratch->data, reinterpret_cast<int32_t*>(scratch_index->data));
    m.pool.release(scratch);
    m.pool.release(scratch_index);
  } else {
    Buffers buffers{m, {}};
    Columns c;
    for (int k = 0; k < count; ++k) {
      const int32_t slot = i->in[static_cast<size_t>(k)];
      c.bytes.push_back(m.type(slot).elem_bytes);
      c.data.push_back(buffers.get(lanes * c.bytes.back()));
      write_lanes(m, m.tile(slot), m.type(slot), c.data.back());
    }
    reduce_by_region(m, e, c);
    for (int k = 0; k < count; ++k)
      std::memcpy(out[k], c.data[static_cast<size_t>(k)], static_cast<size_t>(e.outer * e.inner * types[static_cast<size_t>(k)].elem_bytes));
  }
  std::vector<uint8_t> reduced(poison.empty() ? 0 : static_cast<size_t>(e.outer * e.inner));
  for (size_t l = 0; l < poison.size(); ++l) {
    const auto at = static_cast<int64_t>(l);
    reduced[static_cast<size_t>(at / (e.axis * e.inner) * e.inner + at % e.inner)] |= poison[l];
  }
  for (int k = 0; k < count; ++k) {
    if (types[static_cast<size_t>(k)].rank == 0) {
      m.reg(i->out + k) = canonical(types[static_cast<size_t>(k)].dtype, words[k]);
      if (m.poisoned) m.reg_poison(i->out + k) = reduced.empty() ? 0 : reduced[0];
    } else if (!reduced.empty()) {
      set_lane_poison(m, m.tile(i->out + k), reduced);
    }
  }
  m.finish(i);
  return i + 1;
}

// ---- scan -------------------------------------------------------------------------------------------------------------------

void flip_axis(const ReduceExtra& e, int bytes, std::byte* data) {
  const int64_t row = e.inner * bytes;
  for (int64_t o = 0; o < e.outer; ++o) {
    std::byte* x = data + o * e.axis * row;
    for (int64_t a = 0; a < e.axis / 2; ++a) std::swap_ranges(x + a * row, x + (a + 1) * row, x + (e.axis - 1 - a) * row);
  }
}

const Inst* run_scan(Machine& m, const Inst* i) {
  m.current = i;
  const auto& e = *static_cast<const ReduceExtra*>(i->extra);
  std::vector<uint8_t> poison = operand_poison(m, i);
  Columns c;
  for (int k = 0; k < i->operands; ++k) {
    const int32_t slot = i->in[static_cast<size_t>(k)];
    const TileType& type = m.type(slot);
    c.bytes.push_back(type.elem_bytes);
    c.data.push_back(allocate(m, m.tile(i->out + k), type));
    write_lanes(m, m.tile(slot), type, c.data.back());
    if (e.reverse) flip_axis(e, type.elem_bytes, c.data.back());
  }
  if (e.scan != nullptr) e.scan(e.outer, e.axis, e.inner, c.data[0]);
  else scan_by_region(m, e, c);
  for (size_t k = 0; k < c.data.size() && e.reverse; ++k) flip_axis(e, c.bytes[k], c.data[k]);
  if (!poison.empty()) {
    if (e.reverse) flip_axis(e, 1, reinterpret_cast<std::byte*>(poison.data()));
    for (int64_t o = 0; o < e.outer; ++o)
      for (int64_t l = e.inner; l < e.axis * e.inner; ++l)
        poison[static_cast<size_t>(o * e.axis * e.inner + l)] |= poison[static_cast<size_t>(o * e.axis * e.inner + l - e.inner)];
    if (e.reverse) flip_axis(e, 1, reinterpret_cast<std::byte*>(poison.data()));
    for (int k = 0; k < i->operands; ++k) set_lane_poison(m, m.tile(i->out + k), poison);
  }
  m.finish(i);
  return i + 1;
}

}  // namespace

bool plan_reduce(PlanContext& c, const Op& op, Inst& inst) {
  if (op.code != OpCode::Reduce && op.code != OpCode::Scan) return false;
  auto* e = c.extra<ReduceExtra>();
  inst.extra = e;
  const Shape& shape = c.type(op.operands[0]).shape;
  const int axis = static_cast<int>(op.int_attr("axis"));
  for (int a = 0; a < shape.rank; ++a) (a < axis ? e->outer : a == axis ? e->axis : e->inner) *= shape[a];
  e->reverse = op.int_attr("reverse") != 0;
  inst.run = op.code == OpCode::Reduce ? run_reduce : run_scan;
  for (ValueId r : op.results) e->results.push_back(tile_type(c.type(r)));
  const std::string_view name = op.str_attr("combine");
  if (name == "user") {
    RegionBuilder(c, e->region).build(op.regions[0]);
    return true;
  }
  const int which = find_combine(name);
  if (which >= 0) {
    const auto combine = static_cast<Combine>(which);
    if (op.code == OpCode::Scan) e->scan = scan_kernel(combine, inst.dtype);
    else if (op.operands.size() == 2) e->arg_reduce = arg_reduce_kernel(combine, inst.dtype);
    else e->reduce = reduce_kernel(combine, inst.dtype);
  }
  if (e->reduce == nullptr && e->arg_reduce == nullptr && e->scan == nullptr)
    c.error = std::string(op.info().name) + " with `" + std::string(name) + "` on " + std::string(dtype_name(inst.dtype)) + " is not supported by the simulator";
  return true;
}

}  // namespace tilescope
