// Reductions, scans, dots and conversions as kernels built by hand.
#include <cmath>
#include <cstring>
#include <random>

#include "core/builder.h"
#include "core/dot_contract.h"
#include "core/op_domain.h"
#include "tests/parity/suite.h"
#include "tests/sim_dot_data.h"

namespace tilescope::parity {
namespace {

Tensor tensor(const std::string& name, DType t, int64_t elements) {
  auto made = allocate_tensor(name, t, TensorLayout::contiguous({elements}));
  if (!made) internal_error("no memory for a test tensor");
  std::memset(made->storage.data(), 0, made->storage.size());
  return std::move(*made);
}

/// Random elements: the numbers that sums are sensitive to; hostile ones are any bits, and zeros of both signs,
/// infinities and NaNs.
void randomise(Tensor& t, std::mt19937& random, bool hostile) {
  const double special[] = {0.0, -0.0, 0.0, -0.0, 1.0, -1.0, INFINITY, -INFINITY, NAN};
  const bool zeros = random() % 2 == 0;
  for (int64_t i = 0; i < t.storage_elements(); ++i) {
    uint64_t bits = random() | static_cast<uint64_t>(random()) << 32;
    const bool number = is_float(t.dtype);
    if (number && hostile && (zeros || random() % 2 == 0))
      write_double(t.dtype, t.element(i), special[random() % (zeros ? 4 : 9)]);
    else if (number && !hostile)
      write_double(t.dtype, t.element(i), static_cast<double>(static_cast<int32_t>(bits)) / (1 << 28));
    else {
      if (t.dtype == DType::Int1) bits &= 1;
      std::memcpy(t.element(i), &bits, static_cast<size_t>(dtype_bytes(t.dtype)));
    }
  }
}

/// Loads a tile, row-major, from where program pid's part of x begins.
ValueId place(Builder& b, ValueId base, const Type& tile) {
  const int64_t n = tile.elements();
  const ValueId pid = b.program_id(0);
  const ValueId start = b.elementwise(OpCode::Mul, {pid, b.constant_int(Type::scalar(DType::Int32), n)});
  const ValueId flat = b.elementwise(OpCode::Add, {b.splat(start, {n}), b.make_range(0, n)});
  const ValueId offsets = tile.shape.rank == 1 ? flat : b.reshape(flat, tile.shape);
  return b.addptr(b.splat(base, tile.shape), offsets);
}
ValueId scalar_place(Builder& b, ValueId base) { return b.addptr(base, b.program_id(0)); }

struct Collective {
  OpCode code;
  const char* combine;
  DType t;
  Shape shape;
  int axis;
  bool reverse;
  int num_warps;
};

Case collective_case(const Collective& s, std::mt19937& random) {
  Case c;
  c.rung = "L3";
  c.group = s.code == OpCode::Reduce ? "reductions" : "scans";
  c.name = std::string(s.combine) + " " + to_string(Type::tile(s.t, s.shape)) + " axis " + std::to_string(s.axis) +
           ", " + std::to_string(s.num_warps) + " warps" + (s.reverse ? ", reversed" : "");
  Function& f = c.function;
  f.name = "collective";
  f.num_warps = s.num_warps;
  Builder b(f);
  const ValueId x = b.param("x", Type::pointer_to(s.t), 16), y = b.param("y", Type::pointer_to(s.t), 16),
                z = b.param("z", Type::pointer_to(DType::Int32), 16);
  const Type tile = Type::tile(s.t, s.shape);
  const ValueId value = b.load(place(b, x, tile));
  Shape out = s.shape;
  if (s.code == OpCode::Reduce) {
    out = {};
    for (int i = 0; i < s.shape.rank; ++i)
      if (i != s.axis) out.push_back(s.shape[i]);
  }
  const bool with_index = std::string(s.combine).starts_with("arg");
  std::vector<ValueId> operands = {value};
  std::vector<Type> results = {tile.with_shape(out)};
  if (with_index) {
    ValueId index = b.make_range(0, s.shape[s.axis]);
    for (int i = 0; i < s.shape.rank; ++i)
      if (i != s.axis) index = b.expand_dims(index, i);
    operands.push_back(b.broadcast(index, s.shape));
    results.push_back(Type::tile(DType::Int32, out));
  }
  const std::vector<Attr> attrs = {
      {"axis", int64_t{s.axis}}, {"combine", std::string(s.combine)}, {"reverse", int64_t{s.reverse}}};
  const Op& op = b.create(s.code, operands, results, attrs);
  const std::vector<ValueId> given = op.results;
  for (size_t i = 0; i < given.size(); ++i)
    b.store(out.rank == 0 ? scalar_place(b, i == 0 ? y : z) : place(b, i == 0 ? y : z, results[i]), given[i]);
  b.create(OpCode::Return, {}, {});
  constexpr int64_t kPrograms = 24;
  c.grid = {kPrograms, 1, 1};
  c.tensors.push_back(tensor("x", s.t, kPrograms * s.shape.elements()));
  c.tensors.push_back(tensor("y", s.t, kPrograms * out.elements()));
  c.tensors.push_back(tensor("z", DType::Int32, kPrograms * out.elements()));
  randomise(c.tensors[0], random, random() % 3 == 0);
  c.args = {{0, 0}, {1, 0}, {2, 0}};
  return c;
}

}  // namespace

void add_collectives(std::vector<Case>& cases) {
  std::mt19937 random(7);
  const Shape shapes[] = {{1},    {2},     {16},    {32},      {128},     {512},      {1024},
                          {4096}, {8, 64}, {64, 8}, {32, 128}, {128, 32}, {4, 16, 32}};
  const DType types[] = {DType::Float32,  DType::Float16, DType::Int32, DType::Float64,
                         DType::BFloat16, DType::Int64,   DType::UInt8};
  const char* combines[] = {"sum", "max", "min",    "prod",   "max_nan",      "min_nan",     "xor",
                            "and", "or",  "argmax", "argmin", "argmax_right", "argmin_right"};
  int pick = 0;
  for (const Shape& shape : shapes)
    for (int warps : {1, 2, 4, 8})
      for (int axis = 0; axis < shape.rank; ++axis)
        for (OpCode code : {OpCode::Reduce, OpCode::Scan}) {
          // Sums of float32 everywhere; the other combinations take turns.
          for (int turn = 0; turn < 3; ++turn) {
            Collective s{code, turn == 1 ? (pick % 2 == 0 ? "max" : "min") : "sum", DType::Float32, shape, axis, false,
                         warps};
            if (turn == 2) {
              s.combine = combines[pick % 13];
              s.t = types[pick % 7];
              s.reverse = code == OpCode::Scan && pick % 3 == 0;
              ++pick;
              const std::string name = s.combine;
              if (code == OpCode::Scan && name.starts_with("arg")) s.combine = "max";
              if (name.ends_with("_nan") && !is_float(s.t)) s.t = DType::Float16;
              if ((name == "xor" || name == "and" || name == "or") && is_float(s.t)) s.t = DType::Int32;
            }
            cases.push_back(collective_case(s, random));
          }
        }
}

namespace {

struct DotSpec {
  DType t, out;
  InputPrecision precision;
  int64_t M, N, K;
  int num_warps, programs;
  dot_test::Data data;
  const char* group;
};

Case dot_case(const DotSpec& s, std::mt19937& random) {
  Case c;
  const auto contract = choose_dot_contract(s.t, s.t, s.out, s.precision);
  const DType acc = accumulator_dtype(*contract);
  c.rung = "L4";
  c.group = s.group;
  c.name = to_string(*contract) + " " + to_string(Shape{s.M, s.N, s.K}) + ", " + std::to_string(s.num_warps) +
           " warps, data " + std::to_string(static_cast<int>(s.data));
  Function& f = c.function;
  f.name = "dot";
  f.num_warps = s.num_warps;
  Builder b(f);
  const ValueId x = b.param("a", Type::pointer_to(s.t), 16), y = b.param("b", Type::pointer_to(s.t), 16),
                z = b.param("c", Type::pointer_to(acc), 16);
  const ValueId p = b.load(place(b, x, Type::tile(s.t, {s.M, s.K}))),
                q = b.load(place(b, y, Type::tile(s.t, {s.K, s.N})));
  const Type tile = Type::tile(acc, {s.M, s.N});
  const ValueId at = place(b, z, tile), old = b.load(at);
  b.store(at, b.create1(OpCode::Dot, {p, q, old}, tile, {{"contract", to_string(*contract)}}));
  b.create(OpCode::Return, {}, {});
  c.grid = {s.programs, 1, 1};
  c.tensors.push_back(tensor("a", s.t, s.programs * s.M * s.K));
  c.tensors.push_back(tensor("b", s.t, s.programs * s.K * s.N));
  c.tensors.push_back(tensor("c", acc, s.programs * s.M * s.N));
  for (Tensor& t : c.tensors) {
    if (!is_float(t.dtype) || t.dtype == DType::Float64) {
      randomise(t, random, false);
      continue;
    }
    for (int64_t i = 0; i < t.storage_elements(); ++i) {
      const uint32_t code = dot_test::random_code(s.data, dot_test::format_of(t.dtype), random);
      std::memcpy(t.element(i), &code, static_cast<size_t>(dtype_bytes(t.dtype)));
    }
  }
  c.args = {{0, 0}, {1, 0}, {2, 0}};
  return c;
}

struct Kind {
  DType t, out;
  InputPrecision precision;
  const char* group;
};
constexpr Kind kKinds[] = {
    {DType::Float16, DType::Float32, InputPrecision::Ieee, "dot fp16 -> fp32"},
    {DType::BFloat16, DType::Float32, InputPrecision::Ieee, "dot bf16 -> fp32"},
    {DType::Float32, DType::Float32, InputPrecision::Tf32, "dot tf32 -> fp32"},
    {DType::Float16, DType::Float16, InputPrecision::Ieee, "dot fp16 -> fp16"},
    {DType::Float8E4NV, DType::Float32, InputPrecision::Ieee, "dot e4m3 -> fp32 (through fp16)"},
    {DType::Float8E5, DType::Float32, InputPrecision::Ieee, "dot e5m2 -> fp32 (through fp16)"},
    {DType::Int8, DType::Int32, InputPrecision::Ieee, "dot int8 -> int32"},
    {DType::Float32, DType::Float32, InputPrecision::Ieee, "dot fp32 ieee"},
    {DType::Float64, DType::Float64, InputPrecision::Ieee, "dot fp64"},
    {DType::Float32, DType::Float32, InputPrecision::Tf32x3, "dot tf32x3"},
    {DType::Float32, DType::Float32, InputPrecision::Bf16x3, "dot bf16x3"},
    {DType::Float32, DType::Float32, InputPrecision::Bf16x6, "dot bf16x6"},
};

}  // namespace

void add_dots(std::vector<Case>& cases) {
  std::mt19937 random(11);
  constexpr auto kData = static_cast<int>(dot_test::Data::kCount);
  for (const Kind& k : kKinds) {
    // 10 million dots of 64 products: 128 x 64 of them a program, 160 programs, 8 kinds of data.
    // Four warps multiply 16-bit operands by wgmma where the GPU has it, two by mma.sync.
    for (int warps : {4, 2})
      for (int data = 0; data < kData && (warps == 4 || (is_float(k.t) && dtype_bits(k.t) <= 16)); ++data)
        cases.push_back(dot_case(
            {k.t, k.out, k.precision, 128, 64, 64, warps, 160, static_cast<dot_test::Data>(data), k.group}, random));
    // Odd tiles: narrow, short, one warp to eight.
    const int64_t sizes[][3] = {{1, 1, 32},  {16, 8, 32}, {8, 16, 32},  {16, 16, 32}, {32, 32, 32},
                                {64, 4, 32}, {4, 64, 64}, {2, 128, 32}, {128, 2, 32}, {64, 64, 32}};
    int i = 0;
    for (const auto& s : sizes)
      for (int warps : {1, 2, 4, 8})
        if ((i++ & 1) == 0 || warps == 4)
          cases.push_back(dot_case(
              {k.t, k.out, k.precision, s[0], s[1], s[2], warps, 16, static_cast<dot_test::Data>(i % kData), k.group},
              random));
  }
}

namespace {

/// y[i] = cast(bits of i) for all 2^width inputs of a narrow type.
Case conversion_case(DType from, DType to) {
  Case c;
  c.rung = "L1";
  c.group = "conversions of 8- and 16-bit types, all inputs";
  c.name = std::string(dtype_name(from)) + " to " + std::string(dtype_name(to));
  constexpr int64_t kBlock = 256;
  const int64_t n = int64_t{1} << dtype_bits(from);
  Function& f = c.function;
  f.name = "convert";
  Builder b(f);
  const ValueId x = b.param("x", Type::pointer_to(from), 16), y = b.param("y", Type::pointer_to(to), 16);
  const ValueId value = b.load(place(b, x, Type::tile(from, {kBlock})));
  b.store(place(b, y, Type::tile(to, {kBlock})), b.cast(value, to));
  b.create(OpCode::Return, {}, {});
  c.grid = {n / kBlock, 1, 1};
  c.tensors.push_back(tensor("x", from, n));
  c.tensors.push_back(tensor("y", to, n));
  for (int64_t i = 0; i < n; ++i) std::memcpy(c.tensors[0].element(i), &i, static_cast<size_t>(dtype_bytes(from)));
  c.args = {{0, 0}, {1, 0}};
  return c;
}

}  // namespace

void add_conversions(std::vector<Case>& cases) {
  const DType all[] = {
#define X(name, canonical, shorthand, bits, kind) DType::name,
      TILESCOPE_DTYPES(X)
#undef X
  };
  for (DType from : all)
    for (DType to : all)
      if (from != to && (dtype_bits(from) == 8 || dtype_bits(from) == 16)) cases.push_back(conversion_case(from, to));
}

}  // namespace tilescope::parity
