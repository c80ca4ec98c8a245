// Addresses taken apart into column, row and scalars, in recorded programs.
#include "visualizer/model/addresses.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

AddressTable table_at(const std::string& lesson, ProgramIndex program, size_t line_step, size_t choice = 0) {
  auto c = opened_lesson(lesson);
  c->select_program(program);
  settle(*c);
  c->go_to_line_step(line_step);
  const auto s = c->scene();
  REQUIRE(s->ready);
  return address_table(*program_values(*s), *s, choice);
}

/// "rows[:, None] * K (0: rows x K=50)".
std::string terms(const AddressTable& t) {
  std::string out;
  for (const AddressTerm& a : t.terms) {
    if (!out.empty()) out += "; ";
    out += a.text + " @" + std::to_string(a.axis);
    if (!a.index.empty()) out += " = " + a.index_name + " x " + a.factor_name + "=" + std::to_string(a.factor);
  }
  return out;
}

void check_sums(const AddressTable& t) {
  const auto columns = static_cast<int64_t>(t.row.size());
  for (size_t i = 0; i < t.total.size(); ++i) {
    const auto lane = static_cast<int64_t>(i);
    CHECK(t.total[i] == t.scalar + (t.column.empty() ? 0 : t.column[static_cast<size_t>(lane / columns)]) + t.row[static_cast<size_t>(lane % columns)]);
  }
}

}  // namespace

TEST_CASE("rows[:, None] * K + ks[None, :] is a column plus a row") {
  const AddressTable t = table_at("matmul", {2, 0, 0}, 10);
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.expression == "a_ptr + rows[:, None] * K + ks[None, :]");
  CHECK(t.base == "a_ptr");
  CHECK(t.variable == "a");
  CHECK(terms(t) == "rows[:, None] * K @0 = rows x K=50; ks[None, :] @1");
  CHECK(t.terms[0].index[1] == 65);
  CHECK(t.column[1] == 65 * 50);
  CHECK(t.row[13] == 45);
  CHECK(t.total[32 + 13] == 65 * 50 + 45);
  CHECK(t.states[32 + 13] == LaneState::On);
  CHECK(t.states[6 * 32] == LaneState::Masked);
  check_sums(t);
}

TEST_CASE("a vector's addresses are a line: pid * BLOCK + arange, written out behind its name") {
  const AddressTable t = table_at("vector_add", {3, 0, 0}, 3);
  REQUIRE(t.kind == AddressTable::Kind::Line);
  CHECK(t.base == "x_ptr");
  CHECK(t.scalar == 768);
  CHECK(terms(t) == "tl.arange(0, BLOCK) @0; pid * BLOCK @-1 = pid x BLOCK=256");
  CHECK(t.row[5] == 5);
  check_sums(t);
}

TEST_CASE("an offset expression without an access is taken apart as well") {
  const AddressTable t = table_at("vector_add", {3, 0, 0}, 1);
  REQUIRE(t.kind == AddressTable::Kind::Line);
  CHECK(t.access == nullptr);
  CHECK(t.base.empty());
  CHECK(t.variable == "offsets");
  CHECK(t.expression == "pid * BLOCK + tl.arange(0, BLOCK)");
  check_sums(t);
}

TEST_CASE("pointers that walk with the loop: where they started, and how far they have come") {
  const AddressTable t = table_at("grouped_matmul", {0, 0, 0}, 23);  // load a, iteration 2
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.base == "a_ptr");
  CHECK(terms(t) == "rows[:, None] * stride_am @0 = rows x stride_am=136; ks[None, :] * stride_ak @1 = ks x stride_ak=1; 1 \u00d7 (BLOCK_K * stride_ak) @-1");
  CHECK(t.scalar == 32);
  CHECK(t.expression == "a_tile = a_ptr + rows[:, None] * stride_am + ks[None, :] * stride_ak");
  check_sums(t);
}

TEST_CASE("softmax's row is a scalar, its columns a line") {
  const AddressTable t = table_at("softmax", {3, 0, 0}, 3);
  REQUIRE(t.kind == AddressTable::Kind::Line);
  CHECK(t.scalar == 3000);
  CHECK(t.row[999] == 999);
  check_sums(t);
}

TEST_CASE("addresses that come out of memory are a gather: only the offsets are told") {
  const auto c = opened_kernel(
      R"({"kernel": "k", "grid": [1], "args": {"i_ptr": {"tensor": "int32", "shape": [4, 4], "init": {"randint": [0, 16, 5]}},
          "x_ptr": {"tensor": "float32", "shape": [16], "init": "arange"}, "out_ptr": {"tensor": "float32", "shape": [4, 4], "init": "empty"}}})",
      R"(
@triton.jit
def k(i_ptr, x_ptr, out_ptr):
    r = tl.arange(0, 4)
    at = r[:, None] * 4 + r[None, :]
    i = tl.load(i_ptr + at)
    x = tl.load(x_ptr + i)
    tl.store(out_ptr + at, x)
)");
  REQUIRE(c->scene()->ready);
  c->go_to_line_step(3);
  const auto s = c->scene();
  const AddressTable t = address_table(*program_values(*s), *s, 0);
  REQUIRE(t.kind == AddressTable::Kind::Gather);
  REQUIRE(t.total.size() == 16);
  const ValueRecord& i = *s->find_variable("i")->record;
  for (int64_t lane = 0; lane < 16; ++lane) CHECK(t.total[static_cast<size_t>(lane)] == lane_integer(i, lane));
  CHECK(t.terms.empty());
}

TEST_CASE("a name that stands for a sum over both axes is followed to the sum") {
  const auto table = [](const std::string& body, size_t line_step) {
    const auto c = opened_kernel(
        R"({"kernel": "k", "grid": [1], "args": {"x_ptr": {"tensor": "float32", "shape": [8, 8], "init": "arange"}, "s": 8}})",
        "@triton.jit\ndef k(x_ptr, s):\n    rows = tl.arange(0, 4)\n    cols = tl.arange(0, 8)\n" + body);
    REQUIRE(c->scene()->ready);
    c->go_to_line_step(line_step);
    const auto shown = c->scene();
    AddressTable t = address_table(*program_values(*shown), *shown, 0);
    t.access = nullptr;  // lives with the scene
    return t;
  };
  const std::string offs = "    offs = rows[:, None] * s + cols[None, :]\n";
  AddressTable t = table(offs + "    x = tl.load(x_ptr + offs)\n", 3);
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.expression == "x_ptr + offs,  offs = rows[:, None] * s + cols[None, :]");
  CHECK(terms(t) == "rows[:, None] * s @0 = rows x s=8; cols[None, :] @1");
  check_sums(t);
  // Through two names and a cast.
  t = table(offs + "    wide = offs.to(tl.int64)\n    at = wide + 2\n    x = tl.load(x_ptr + at)\n", 5);
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.scalar == 2);
  check_sums(t);
  // Offsets that a loop carries.
  t = table(offs + "    for i in range(2):\n        x = tl.load(x_ptr + offs)\n        offs += 4 * s\n", 7);
  CHECK(t.variable == "x");
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.scalar == 32);
  check_sums(t);
  // A product of a sum is not taken apart, and nothing false is said about it.
  t = table(offs + "    x = tl.load(x_ptr + offs * 1 % 64)\n", 3);
  REQUIRE(t.kind == AddressTable::Kind::Gather);
  CHECK(t.separable);
  t = table(offs + "    x = tl.load(x_ptr + offs % 9)\n", 3);
  REQUIRE(t.kind == AddressTable::Kind::Gather);
  CHECK_FALSE(t.separable);
}

TEST_CASE("a line without addresses shows those of the access before it") {
  const AddressTable t = table_at("matmul", {2, 0, 0}, 12);  // dot
  REQUIRE(t.kind == AddressTable::Kind::Sum);
  CHECK(t.elsewhere);
  CHECK(t.line == 15);
  CHECK(t.base == "b_ptr");
  CHECK(t.variable == "b");
  check_sums(t);
}

TEST_CASE("choices are the accesses of the line, then the offsets that it computes; beyond them is nothing") {
  auto c = opened_lesson("matmul");
  c->go_to_line_step(5);
  const auto s = c->scene();
  REQUIRE(address_choices(*s) >= 1);
  CHECK(address_choice_name(*s, 0) == "load a_ptr");
  CHECK(address_table(*program_values(*s), *s, 99).kind == AddressTable::Kind::Nothing);
  c->go_to_line_step(0);
  CHECK(address_choice_name(*c->scene(), 0) == "rows");
}

}  // namespace tilescope::model
