#include <doctest/doctest.h>

#include <bit>
#include <random>
#include <set>

#include "core/layout.h"
#include "core/read.h"

using namespace tilescope;

namespace {

Function read_kernel(const std::string& text) {
  Expected<Function> f = read_ir(std::make_shared<SourceFile>(SourceFile{"k.ir", text}));
  if (!f.ok()) FAIL(render(f.errors()));
  return std::move(*f);
}

std::vector<const Op*> ops_of(const Function& f, OpCode code) {
  std::vector<const Op*> found;
  walk(f.body, [&](const Op& op) { if (op.code == code) found.push_back(&op); });
  return found;
}

/// Runs both counts over a tile that starts at `origin` of a matrix with these strides (bytes) and this size.
RequestCount count_tile(const AccessLayout& l, uint64_t base, std::array<int64_t, 2> strides, std::array<int64_t, 2> origin,
                        std::array<int64_t, 2> size) {
  const int rank = l.shape.rank;
  AffineAddresses a;
  a.base = base;
  for (int d = 0; d < rank; ++d) {
    a.base += static_cast<uint64_t>(origin[d] * strides[d]);
    a.strides[d] = strides[d];
    a.end[d] = size[d] - origin[d];
  }
  std::vector<uint64_t> addresses;
  std::vector<uint8_t> mask;
  for (int64_t e = 0; e < l.shape.elements(); ++e) {
    int64_t at[kMaxRank] = {};
    l.coordinates(e, at);
    uint64_t address = a.base;
    bool on = true;
    for (int d = 0; d < rank; ++d) {
      address += static_cast<uint64_t>(at[d] * strides[d]);
      on = on && at[d] < a.end[d];
    }
    addresses.push_back(address);
    mask.push_back(on);
  }
  const RequestCount slow = count_requests(l, addresses.data(), mask.data());
  CHECK(count_requests(l, a) == slow);
  return slow;
}

RequestCount& operator+=(RequestCount& a, const RequestCount& b) {
  a.requests += b.requests;
  a.sectors += b.sectors;
  return a;
}

constexpr const char* kVectorAdd = R"(kernel add(%x: ptr<f32> {div=16}, %o: ptr<f32> {div=16}, %n: i32) num_warps=4 num_stages=3 {
  %pid: i32 = program_id {axis=0}
  %b: i32 = constant 256
  %start: i32 = mul %pid, %b
  %ss: tile<256xi32> = splat %start
  %r: tile<256xi32> = make_range {start=0, end=256}
  %offs: tile<256xi32> = add %ss, %r
  %ns: tile<256xi32> = splat %n
  %m: tile<256xi1> = lt %offs, %ns
  %xs: tile<256xptr<f32>> = splat %x
  %p: tile<256xptr<f32>> = addptr %xs, %offs
  %v: tile<256xf32> = load %p, %m
  %os: tile<256xptr<f32>> = splat %o
  %q: tile<256xptr<f32>> = addptr %os, %offs
  store %q, %v, %m
}
)";

/// One operand of a matmul of 32-tiles: rows and columns are both masked; `div` is the divisibility of the row stride.
std::string tile_kernel(const char* elem, const char* stride_div, bool masked) {
  const std::string e = elem;
  std::string text = "kernel tile(%a: ptr<" + e + "> {div=16}, %rows: i32, %cols: i32, %stride: i32" + stride_div +
                     ") num_warps=4 num_stages=3 {\n";
  text += R"(  %pid: i32 = program_id {axis=0}
  %k: i32 = program_id {axis=1}
  %b: i32 = constant 32
  %r0: i32 = mul %pid, %b
  %c0: i32 = mul %k, %b
  %range: tile<32xi32> = make_range {start=0, end=32}
  %r0s: tile<32xi32> = splat %r0
  %c0s: tile<32xi32> = splat %c0
  %rs: tile<32xi32> = add %r0s, %range
  %cs: tile<32xi32> = add %c0s, %range
  %re: tile<32x1xi32> = expand_dims %rs {axis=1}
  %ce: tile<1x32xi32> = expand_dims %cs {axis=0}
  %st: tile<32x1xi32> = splat %stride
  %ro: tile<32x1xi32> = mul %re, %st
  %rob: tile<32x32xi32> = broadcast %ro
  %ceb: tile<32x32xi32> = broadcast %ce
  %off: tile<32x32xi32> = add %rob, %ceb
)";
  text += "  %as: tile<32x32xptr<" + e + ">> = splat %a\n  %p: tile<32x32xptr<" + e + ">> = addptr %as, %off\n";
  if (masked)
    text += R"(  %rl: tile<32x1xi32> = splat %rows
  %cl: tile<1x32xi32> = splat %cols
  %rm: tile<32x1xi1> = lt %re, %rl
  %cm: tile<1x32xi1> = lt %ce, %cl
  %rmb: tile<32x32xi1> = broadcast %rm
  %cmb: tile<32x32xi1> = broadcast %cm
  %m: tile<32x32xi1> = and %rmb, %cmb
)";
  text += "  %v: tile<32x32x" + e + "> = load %p" + (masked ? ", %m" : "") + "\n  store %p, %v" + (masked ? ", %m" : "") + "\n}\n";
  return text;
}

AccessLayout layout_of(const Function& f, OpCode code) {
  const AxisAnalysis axes(f);
  return choose_access_layout(f, *ops_of(f, code)[0], f.num_warps, axes);
}

}  // namespace

TEST_CASE("vector add of 1000 in blocks of 256: 64 requests and 500 sectors loaded, 32 and 250 stored, as measured") {
  const Function f = read_kernel(kVectorAdd);
  const AccessLayout load = layout_of(f, OpCode::Load), store = layout_of(f, OpCode::Store);
  CHECK(load.contiguous == 2);    // 256 elements in 128 threads
  CHECK(load.vector_width == 1);  // n may end anywhere
  RequestCount x, y, out;
  for (int64_t pid = 0; pid < 4; ++pid) {
    x += count_tile(load, 4096, {4, 0}, {pid * 256, 0}, {1000, 0});
    y += count_tile(load, 1 << 20, {4, 0}, {pid * 256, 0}, {1000, 0});
    out += count_tile(store, 1 << 22, {4, 0}, {pid * 256, 0}, {1000, 0});
  }
  x += y;
  CHECK(x == RequestCount{64, 500});
  CHECK(out == RequestCount{32, 250});
}

TEST_CASE("matmul 70 x 45 x 50 in masked 32-tiles: 550 requests and 1311 sectors loaded, 140 and 341 stored, as measured") {
  const Function f = read_kernel(tile_kernel("f16", "", true));
  const AccessLayout load = layout_of(f, OpCode::Load), store = layout_of(f, OpCode::Store);
  CHECK(load.contiguous == 1);
  CHECK(load.element_of(0, 31, 0) == 31);
  CHECK(load.element_of(0, 0, 1) == 32);
  const int64_t m = 70, k = 45, n = 50;
  RequestCount loads, stores;
  for (int64_t i = 0; i < 3; ++i)
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t step = 0; step < 2; ++step) {
        loads += count_tile(load, 1 << 16, {k * 2, 2}, {i * 32, step * 32}, {m, k});
        loads += count_tile(load, 1 << 20, {n * 2, 2}, {step * 32, j * 32}, {k, n});
      }
      stores += count_tile(store, 1 << 22, {n * 2, 2}, {i * 32, j * 32}, {m, n});
    }
  CHECK(loads == RequestCount{550, 1311});
  CHECK(stores == RequestCount{140, 341});
}

TEST_CASE("aligned 32-tiles of fp16 are loaded by 16 bytes a lane: 4 requests and 64 sectors, as measured") {
  const Function f = read_kernel(tile_kernel("f16", " {div=16}", false));
  const AccessLayout load = layout_of(f, OpCode::Load);
  CHECK(load.contiguous == 8);
  CHECK(load.vector_width == 8);
  // 2048^3: 4096 programs x 64 steps x two tiles; 4096 stores.
  const RequestCount one = count_tile(load, 1 << 16, {4096, 2}, {32, 64}, {2048, 2048});
  CHECK(one.requests * 4096 * 64 * 2 == 2097152);
  CHECK(one.sectors * 4096 * 64 * 2 == 33554432);
}

TEST_CASE("a row whose stride is no multiple of 16 is loaded element by element: 4096 requests, 16000 sectors, as measured") {
  const Function f = read_kernel(R"(kernel softmax(%x: ptr<f32> {div=16}, %stride: i32, %n: i32) num_warps=4 num_stages=3 {
  %row: i32 = program_id {axis=0}
  %o: i32 = mul %row, %stride
  %rp: ptr<f32> = addptr %x, %o
  %c: tile<1024xi32> = make_range {start=0, end=1024}
  %ps: tile<1024xptr<f32>> = splat %rp
  %p: tile<1024xptr<f32>> = addptr %ps, %c
  %ns: tile<1024xi32> = splat %n
  %m: tile<1024xi1> = lt %c, %ns
  %v: tile<1024xf32> = load %p, %m
}
)");
  const AccessLayout load = layout_of(f, OpCode::Load);
  CHECK(load.contiguous == 1);
  RequestCount all;
  for (int64_t row = 0; row < 128; ++row) all += count_tile(load, (1 << 16) + static_cast<uint64_t>(row) * 4000, {4, 0}, {0, 0}, {1000, 0});
  CHECK(all == RequestCount{4096, 16000});
}

TEST_CASE("a tile smaller than the block of threads is loaded by every copy but stored once") {
  const Function f = read_kernel(R"(kernel small(%x: ptr<f32> {div=16}) num_warps=4 num_stages=3 {
  %c: tile<16xi32> = make_range {start=0, end=16}
  %ps: tile<16xptr<f32>> = splat %x
  %p: tile<16xptr<f32>> = addptr %ps, %c
  %v: tile<16xf32> = load %p
  store %p, %v
  %s: f32 = load %x
  store %x, %s
}
)");
  const AxisAnalysis axes(f);
  std::vector<RequestCount> counts;
  for (OpCode code : {OpCode::Load, OpCode::Store})
    for (const Op* op : ops_of(f, code))
      counts.push_back(count_tile(choose_access_layout(f, *op, 4, axes), 4096, {4, 0}, {0, 0}, {16, 0}));
  CHECK(counts == std::vector<RequestCount>{{4, 8}, {4, 4}, {1, 2}, {1, 1}});
}

TEST_CASE("every element of a tile is held by a register of some lane and warp, once among first copies") {
  for (Shape shape : {Shape{256}, Shape{32, 32}, Shape{8, 4, 64}, Shape{16}, Shape{1, 128}, Shape{2, 2}})
    for (int warps : {1, 4, 8})
      for (int contiguous : {1, 2, 4}) {
        std::vector<int> order(static_cast<size_t>(shape.rank));
        for (int i = 0; i < shape.rank; ++i) order[static_cast<size_t>(i)] = shape.rank - 1 - i;
        if (contiguous > shape[order[0]]) continue;
        const AccessLayout l = blocked_layout(Type::tile(DType::Float32, shape), warps, order, contiguous);
        std::multiset<int64_t> held;
        for (int w = 0; w < warps; ++w)
          for (int lane = 0; lane < kLanesPerWarp; ++lane)
            for (int r = 0; r < l.registers(); ++r)
              if (l.is_first_copy(lane, w)) held.insert(l.element_of(r, lane, w));
        CAPTURE(to_string(shape));
        CHECK(held.size() == static_cast<size_t>(shape.elements()));
        CHECK(std::set<int64_t>(held.begin(), held.end()).size() == held.size());
      }
}

TEST_CASE("a column-major tile is walked along its rows' axis") {
  const Function f = read_kernel(R"(kernel columns(%x: ptr<f32> {div=16}, %stride: i32 {div=16}) num_warps=4 num_stages=3 {
  %r: tile<64xi32> = make_range {start=0, end=64}
  %c: tile<32xi32> = make_range {start=0, end=32}
  %re: tile<64x1xi32> = expand_dims %r {axis=1}
  %ce: tile<1x32xi32> = expand_dims %c {axis=0}
  %s: tile<1x32xi32> = splat %stride
  %co: tile<1x32xi32> = mul %ce, %s
  %a: tile<64x32xi32> = broadcast %re
  %b: tile<64x32xi32> = broadcast %co
  %o: tile<64x32xi32> = add %a, %b
  %ps: tile<64x32xptr<f32>> = splat %x
  %p: tile<64x32xptr<f32>> = addptr %ps, %o
  %v: tile<64x32xf32> = load %p
}
)");
  const AccessLayout load = layout_of(f, OpCode::Load);
  CHECK(load.order == std::vector<int>{0, 1});
  CHECK(load.vector_width == 4);
  CHECK(count_tile(load, 4096, {4, 64 * 4}, {0, 0}, {64, 32}) == RequestCount{16, 256});
}

TEST_CASE("the affine count equals the count by elements for random strides, boxes and layouts") {
  std::mt19937_64 random(7);
  const auto pick = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  for (int i = 0; i < 3000; ++i) {
    const Shape shape = i % 3 == 0 ? Shape{int64_t{1} << pick(10)} : Shape{int64_t{1} << pick(6), int64_t{1} << pick(7)};
    const DType types[] = {DType::Int8, DType::Float16, DType::Float32, DType::Float64};
    std::vector<int> order = shape.rank == 1 ? std::vector<int>{0} : pick(2) ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
    const int contiguous = 1 << pick(std::min(3, static_cast<int>(std::bit_width(static_cast<uint64_t>(shape[order[0]])))));
    AccessLayout l = blocked_layout(Type::tile(types[pick(4)], shape), 1 << pick(4), order, contiguous);
    l.vector_width = 1 << pick(static_cast<int64_t>(std::bit_width(static_cast<unsigned>(contiguous))));
    l.all_threads = pick(2) == 1;
    AffineAddresses a;
    a.base = random() % 100000;
    for (int d = 0; d < shape.rank; ++d) {
      const int64_t choices[] = {0, l.elem_bytes, -l.elem_bytes, pick(200) - 100, 4096, pick(9) * 16};
      a.strides[d] = choices[pick(6)];
      a.begin[d] = pick(3) == 0 ? pick(shape[d] + 1) : 0;
      a.end[d] = pick(2) == 0 ? pick(shape[d] + 2) : shape[d];
    }
    std::vector<uint64_t> addresses;
    std::vector<uint8_t> mask;
    for (int64_t e = 0; e < shape.elements(); ++e) {
      int64_t at[kMaxRank] = {};
      l.coordinates(e, at);
      uint64_t address = a.base + (uint64_t{1} << 40);
      bool on = true;
      for (int d = 0; d < shape.rank; ++d) {
        address += static_cast<uint64_t>(at[d] * a.strides[d]);
        on = on && at[d] >= a.begin[d] && at[d] < a.end[d];
      }
      addresses.push_back(address);
      mask.push_back(on);
    }
    a.base += uint64_t{1} << 40;
    CAPTURE(i);
    CAPTURE(to_string(shape));
    REQUIRE(count_requests(l, a) == count_requests(l, addresses.data(), mask.data()));
  }
}
