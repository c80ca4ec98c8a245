#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "core/affine.h"
#include "core/builder.h"
#include "core/fold.h"
#include "core/print.h"
#include "core/read.h"

using namespace tilescope;

namespace {

/// A kernel of these ops and the facts about the value named `r`.
AxisInfo facts(const std::string& ops) {
  const std::string header =
      "kernel k(%x: ptr<f32> {div=16}, %n: i32, %m: i32 {div=16}) num_warps=4 num_stages=3 {\n"
      "  %range: tile<64xi32> = make_range {start=0, end=64}\n  %ns: tile<64xi32> = splat %n\n  %ms: tile<64xi32> = splat %m\n";
  const auto f = read_ir(std::make_shared<SourceFile>(SourceFile{"k.ir", header + ops + "}\n"}));
  if (!f.ok()) FAIL(render(f.errors()));
  const AxisAnalysis axes(*f);
  for (size_t v = 0; v < f->values.size(); ++v)
    if (f->values[v].name == "r") return axes.of(static_cast<ValueId>(v));
  FAIL("no value %r");
  return {};
}

/// Integer tiles of 64 lanes computed one by one with the shared scalar meanings.
using Lanes = std::vector<int64_t>;

Lanes compute(OpCode op, const Lanes& a, const Lanes& b, DType result) {
  Lanes out(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    const uint64_t in[2] = {canonical_bits(DType::Int32, static_cast<uint64_t>(a[i])), canonical_bits(DType::Int32, static_cast<uint64_t>(b[i]))};
    out[i] = element_to_int(result, *evaluate(op, DType::Int32, DType::Int32, in));
  }
  return out;
}

void check_facts(const AxisFacts& f, const Lanes& lanes) {
  const auto n = static_cast<int64_t>(lanes.size());
  for (int64_t i = 0; i < n; ++i) {
    const int64_t run = i / f.contiguity * f.contiguity, steady = i / f.constancy * f.constancy;
    REQUIRE(lanes[static_cast<size_t>(i)] == lanes[static_cast<size_t>(run)] + (i - run));
    REQUIRE(lanes[static_cast<size_t>(i)] == lanes[static_cast<size_t>(steady)]);
    REQUIRE(lanes[static_cast<size_t>(run)] % std::min<int64_t>(f.divisibility, int64_t{1} << 31) == 0);
  }
}

}  // namespace

TEST_CASE("ranges, sums with a constant run and products keep Triton's facts") {
  CHECK(facts("  %r: tile<64xi32> = add %range, %ns\n").axes[0] == AxisFacts{64, 1, 1});
  CHECK(facts("  %r: tile<64xi32> = add %range, %ms\n").axes[0] == AxisFacts{64, 16, 1});
  CHECK(facts("  %r: tile<64xi32> = mul %range, %ms\n").axes[0] == AxisFacts{1, 16, 1});
  CHECK(facts("  %r: tile<64xi32> = mul %ns, %ms\n").axes[0] == AxisFacts{1, 16, 64});
  CHECK(facts("  %c: tile<64xi32> = constant 24\n  %r: tile<64xi32> = mul %range, %c\n").axes[0] == AxisFacts{1, 8, 1});
}

TEST_CASE("a pointer's divisibility is in bytes") {
  CHECK(facts("  %p: tile<64xptr<f32>> = splat %x\n  %r: tile<64xptr<f32>> = addptr %p, %range\n").axes[0] == AxisFacts{64, 16, 1});
  CHECK(facts("  %p: tile<64xptr<f32>> = splat %x\n  %o: tile<64xi32> = add %range, %ns\n  %r: tile<64xptr<f32>> = addptr %p, %o\n").axes[0] == AxisFacts{64, 4, 1});
}

TEST_CASE("a mask is constant over runs that cannot straddle its bound") {
  CHECK(facts("  %r: tile<64xi1> = lt %range, %ms\n").axes[0].constancy == 16);
  CHECK(facts("  %r: tile<64xi1> = lt %range, %ns\n").axes[0].constancy == 1);
  CHECK(facts("  %r: tile<64xi1> = gt %ms, %range\n").axes[0].constancy == 16);
  CHECK(facts("  %r: tile<64xi1> = le %range, %ms\n").axes[0].constancy == 1);
  CHECK(facts("  %r: tile<64xi1> = lt %ns, %ms\n").axes[0].constancy == 64);
  CHECK(facts("  %a: tile<64xi1> = lt %range, %ms\n  %b: tile<64xi1> = lt %ns, %ms\n  %r: tile<64xi1> = and %a, %b\n").axes[0].constancy == 16);
}

TEST_CASE("remainder and quotient keep runs, and say when that needs a dividend that is not negative") {
  const AxisInfo rem = facts("  %r: tile<64xi32> = rem %range, %ms\n");
  CHECK(rem.axes[0] == AxisFacts{16, 16, 1});
  CHECK_FALSE(rem.assumes_non_negative);
  const AxisInfo shifted = facts("  %s: tile<64xi32> = add %range, %ms\n  %r: tile<64xi32> = rem %s, %ms\n");
  CHECK(shifted.axes[0] == AxisFacts{16, 16, 1});
  CHECK(shifted.assumes_non_negative);
  CHECK(facts("  %c: tile<64xi32> = constant 8\n  %r: tile<64xi32> = div %range, %c\n").axes[0].constancy == 8);
}

TEST_CASE("axes of a tile are told apart") {
  const AxisInfo r = facts("  %e: tile<64x1xi32> = expand_dims %range {axis=1}\n  %b: tile<64x32xi32> = broadcast %e\n"
                           "  %m2: tile<64x32xi32> = splat %m\n  %rows: tile<64x32xi32> = mul %b, %m2\n"
                           "  %k: tile<32xi32> = make_range {start=0, end=32}\n  %ke: tile<1x32xi32> = expand_dims %k {axis=0}\n"
                           "  %kb: tile<64x32xi32> = broadcast %ke\n  %r: tile<64x32xi32> = add %rows, %kb\n");
  CHECK(r.axes[0].contiguity == 1);
  CHECK(r.axes[1] == AxisFacts{32, 16, 1});
  const AxisInfo t = facts("  %e: tile<64x1xi32> = expand_dims %range {axis=1}\n  %b: tile<64x32xi32> = broadcast %e\n  %r: tile<32x64xi32> = trans %b {order=[1, 0]}\n");
  CHECK(t.axes[1].contiguity == 64);
  CHECK(t.axes[0].constancy == 32);
}

TEST_CASE("a loop's carried values have the facts that every iteration keeps") {
  const std::string before = "  %z: i32 = constant 0\n  %o: i32 = constant 1\n  %p: tile<64xptr<f32>> = splat %x\n  %q: tile<64xptr<f32>> = addptr %p, %range\n"
                             "  %end: tile<64xptr<f32>> = for %z, %n, %o, %q (%i: i32, %r: tile<64xptr<f32>>) {\n    %s: tile<64xptr<f32>> = addptr %r, ";
  CHECK(facts(before + "%ms\n    yield %s\n  }\n").axes[0] == AxisFacts{64, 16, 1});
  CHECK(facts(before + "%ns\n    yield %s\n  }\n").axes[0] == AxisFacts{64, 4, 1});
  CHECK(facts(before + "%range\n    yield %s\n  }\n").axes[0].contiguity == 1);
}

TEST_CASE("deeply nested loops are analysed in few walks") {
  std::string text = "kernel k(%n: i32 {div=16}) num_warps=4 num_stages=3 {\n  %v0: i32 = mul %n, %n\n";
  const int depth = 60;
  for (int i = 0; i < depth; ++i)
    text += "  %w" + std::to_string(i) + ": i32 = for %n, %n, %n, %v" + std::to_string(i) + " (%i" + std::to_string(i) + ": i32, %v" +
            std::to_string(i + 1) + ": i32) {\n";
  for (int i = depth; i > 0; --i)
    text += "  %y" + std::to_string(i) + ": i32 = add %v" + std::to_string(i) + ", %i" + std::to_string(i - 1) + "\n  yield %y" + std::to_string(i) + "\n}\n";
  text += "}\n";
  const auto f = read_ir(std::make_shared<SourceFile>(SourceFile{"k.ir", text}));
  if (!f.ok()) FAIL(render(f.errors()));
  const AxisAnalysis axes(*f);
  CHECK(axes.of(1).axes[0].divisibility == 256);
}

TEST_CASE("every fact holds for every lane of random integer expressions") {
  std::mt19937 random(3);
  const OpCode codes[] = {OpCode::Add, OpCode::Sub, OpCode::Mul, OpCode::Div, OpCode::Rem, OpCode::Shl, OpCode::Shr, OpCode::Minimum,
                          OpCode::Maximum, OpCode::BitAnd, OpCode::BitOr, OpCode::BitXor};
  const OpCode compares[] = {OpCode::CmpLt, OpCode::CmpLe, OpCode::CmpGt, OpCode::CmpGe, OpCode::CmpEq, OpCode::CmpNe};
  for (int trial = 0; trial < 1000; ++trial) {
    Function f;
    f.name = "k";
    Builder b(f);
    const Type scalar = Type::scalar(DType::Int32), tile = scalar.with_shape({64});
    const ValueId n = b.param("n", scalar), m = b.param("m", scalar, 16);
    std::vector<std::pair<ValueId, Lanes>> values;
    const int64_t n_value = static_cast<int64_t>(random() % 2000) - 300, m_value = 16 * (static_cast<int64_t>(random() % 100) - 20);
    values.emplace_back(b.splat(n, {64}), Lanes(64, n_value));
    values.emplace_back(b.splat(m, {64}), Lanes(64, m_value));
    for (int64_t start : {0, 8, -32}) {
      Lanes lanes;
      for (int64_t i = 0; i < 64; ++i) lanes.push_back(start + i);
      values.emplace_back(b.make_range(start, start + 64), lanes);
    }
    for (int64_t c : {1, 4, 48, 0})
      values.emplace_back(b.constant_int(tile, c), Lanes(64, c));
    const size_t leaves = values.size();
    for (int i = 0; i < 5; ++i) {
      const auto [av, al] = values[random() % values.size()];
      const auto [bv, bl] = values[random() % values.size()];
      OpCode code = codes[random() % std::size(codes)];
      const bool divides = code == OpCode::Div || code == OpCode::Rem;
      if (divides && std::find(bl.begin(), bl.end(), 0) != bl.end()) code = OpCode::Add;
      values.emplace_back(b.elementwise(code, {av, bv}), compute(code, al, bl, DType::Int32));
    }
    const AxisAnalysis axes(f);
    CAPTURE(print(f));
    CAPTURE(n_value);
    CAPTURE(m_value);
    for (size_t i = leaves; i < values.size(); ++i) {
      const AxisInfo& info = axes.of(values[i].first);
      bool small = true;  // the analysis ignores sums that wrap, as Triton's does
      for (size_t j = leaves; j <= i; ++j)
        for (int64_t lane : values[j].second) small = small && std::abs(lane) < (1 << 28);
      if (small && !info.assumes_non_negative) check_facts(info.axes[0], values[i].second);
      if (small && info.non_negative && !info.assumes_non_negative)
        for (int64_t lane : values[i].second) REQUIRE(lane >= 0);
    }
    const auto &a = values[random() % values.size()], &c = values[random() % values.size()];
    const OpCode compare = compares[random() % std::size(compares)];
    const ValueId mask = b.elementwise(compare, {a.first, c.first});
    const AxisAnalysis with_mask(f);
    bool small = true;
    for (auto& [v, lanes] : values)
      for (int64_t lane : lanes) small = small && std::abs(lane) < (1 << 28);
    if (small && !with_mask.of(mask).assumes_non_negative) check_facts(with_mask.of(mask).axes[0], compute(compare, a.second, c.second, DType::Int1));
  }
}
