// Where an element came from, and what uses it later: lanes through every kind of op, in recorded programs.
#include <cstring>
#include <numeric>

#include "visualizer/model/provenance.h"
#include "visualizer/model/summary.h"
#include "window_session.h"

namespace tilescope::model {
namespace {

const char* const kShapes = R"(
@triton.jit
def shapes(x_ptr, y_ptr, out_ptr, n: tl.constexpr):
    i = tl.arange(0, 16)
    x = tl.load(x_ptr + i)
    column = x[:, None]
    table = tl.broadcast_to(column, (16, 4))
    flat = tl.reshape(table, (64,))
    square = tl.reshape(x, (4, 4))
    turned = tl.trans(square)
    pair = tl.join(x, x + 100)
    left, right = tl.split(pair)
    both = tl.cat(left, right, can_reorder=True)
    back = tl.flip(x, 0)
    total = tl.sum(square, axis=1)
    running = tl.cumsum(square, axis=1)
    late = tl.cumsum(square, axis=0, reverse=True)
    big = tl.where(x > 7, x, 0 - x)
    small = big.to(tl.float16)
    tl.store(out_ptr + i, x + right)
)";
const char* const kShapesLaunch = R"({"kernel": "shapes", "grid": [1], "args": {
  "x_ptr": {"tensor": "int32", "shape": [16], "init": "arange"}, "y_ptr": {"tensor": "int32", "shape": [16], "init": "zeros"},
  "out_ptr": {"tensor": "int32", "shape": [16], "init": "empty"}, "n": 16}})";

std::unique_ptr<Controller> at_end(std::unique_ptr<Controller> c) {
  c->go_to_end();
  return c;
}

const Variable& variable(const Scene& s, const std::string& name) {
  const Variable* v = s.find_variable(name);
  REQUIRE_MESSAGE(v != nullptr, name);
  REQUIRE_MESSAGE(v->record != nullptr, name);
  return *v;
}

Provenance explained(const Scene& s, const std::string& name, const std::vector<int64_t>& index) {
  const Variable& v = variable(s, name);
  return explain(*program_values(s), v.value, lane_of(v.type.shape, index), s.step, s.timeline);
}

std::string uses(const Provenance& p) {
  std::string out;
  for (const LaterUse& u : p.used_by)
    out += (out.empty() ? "" : "; ") + std::to_string(u.line) + " " + u.label + u.lanes + (u.iteration >= 0 ? " in " + std::to_string(u.iteration) : "");
  return out;
}

/// Lanes of an operand, as numbers.
std::vector<double> numbers(const ValueRecord& r, const std::vector<int64_t>& lanes) {
  std::vector<double> out;
  for (const int64_t l : lanes) out.push_back(lane_number(r, l));
  return out;
}

std::unique_ptr<Controller> matmul_at(size_t line_step, ProgramIndex program = {2, 0, 0}) {
  auto c = opened_lesson("matmul");
  c->select_program(program);
  settle(*c);
  c->go_to_line_step(line_step);
  return c;
}

}  // namespace

TEST_CASE("every shape op's lane holds the value of the operand's lane that it is mapped to") {
  const auto c = at_end(opened_kernel(kShapesLaunch, kShapes));
  const auto s = c->scene();
  REQUIRE(s->ready);
  const ProgramValues& values = *program_values(*s);
  const Function& f = values.flow().function();
  std::map<std::string, int> checked;
  for (size_t step = 0; step < s->trace->steps.size(); ++step) {
    const Op& op = *values.flow().ops()[static_cast<size_t>(s->trace->steps[step].op)];
    if (op.info().group != OpGroup::Shape || op.operands.empty()) continue;
    ++checked[std::string(op.info().name)];
    for (size_t r = 0; r < op.results.size(); ++r) {
      const auto result = values.at(op.results[r], step);
      REQUIRE(result);
      for (int64_t lane = 0; lane < result.record->type.elements(); ++lane) {
        const auto from = source_lanes(f, op, static_cast<int>(r), lane);
        REQUIRE(from.size() == 1);
        const auto operand = values.at(op.operands[static_cast<size_t>(from[0].operand)], step);
        REQUIRE(from[0].lanes.size() == 1);
        REQUIRE(lane_number(*operand.record, from[0].lanes[0]) == lane_number(*result.record, lane));
      }
    }
  }
  for (const char* op : {"expand_dims", "broadcast", "reshape", "trans", "join", "split", "splat"}) CHECK_MESSAGE(checked[op] > 0, op);
}

TEST_CASE("a reduction is made of its whole row, a scan of the elements up to it, in their order") {
  const auto c = at_end(opened_kernel(kShapesLaunch, kShapes));
  const auto s = c->scene();
  const Provenance total = explained(*s, "total", {2});
  REQUIRE(total.kind == Provenance::Kind::Reduce);
  CHECK(total.combine == "sum");
  REQUIRE(total.strips.size() == 1);
  CHECK(numbers(*total.strips[0].found.record, total.strips[0].lanes) == std::vector<double>{8, 9, 10, 11});
  CHECK(total.text == "38");
  const Provenance running = explained(*s, "running", {1, 2});
  REQUIRE(running.kind == Provenance::Kind::Scan);
  CHECK(numbers(*running.strips[0].found.record, running.strips[0].lanes) == std::vector<double>{4, 5, 6});
  const Provenance late = explained(*s, "late", {2, 1});
  CHECK(numbers(*late.strips[0].found.record, late.strips[0].lanes) == std::vector<double>{13, 9});
}

TEST_CASE("shape ops say where the element was, arithmetic is written with names and with numbers") {
  const auto c = at_end(opened_kernel(kShapesLaunch, kShapes));
  const auto s = c->scene();
  CHECK(explained(*s, "column", {5, 0}).formula == "x[5]");
  CHECK(explained(*s, "turned", {1, 2}).formula == "square[2, 1]");
  CHECK(explained(*s, "right", {3}).formula == "pair[3, 1]");
  CHECK(explained(*s, "table", {7, 3}).kind == Provenance::Kind::Moved);
  const Provenance big = explained(*s, "big", {3});
  REQUIRE(big.kind == Provenance::Kind::Formula);
  CHECK(big.formula == "where(x[3] > 7, x[3], 0 \u2212 x[3])");
  CHECK(big.with_values == "where(3 > 7, 3, 0 \u2212 3)");
  CHECK(big.text == "\u22123");
  CHECK(explained(*s, "small", {3}).formula == "f16(big[3])");
}

TEST_CASE("a loaded element knows its tensor element and its lane") {
  const auto c = matmul_at(10);  // load a, iteration 2
  const auto s = c->scene();
  const Provenance on = explained(*s, "a", {1, 13});
  REQUIRE(on.kind == Provenance::Kind::Load);
  CHECK(on.element == "a[1, 13]");
  CHECK(program_values(*s)->place_text(on.place) == "a_ptr[65, 45]");
  CHECK(on.state == LaneState::On);
  const Tensor& a = *s->find_tensor("a_ptr")->tensor;
  CHECK(on.text == typographic(format_element(a.dtype, a.element(65 * 50 + 45))));
  CHECK(program_values(*s)->place(on.address).offset == 65 * 50 + 45);
  const Provenance off = explained(*s, "a", {6, 0});
  CHECK(off.state == LaneState::Masked);
  CHECK(off.has_other);
  CHECK(off.text == "0");
  CHECK(uses(on) == "17 dot[1, :]");
}

TEST_CASE("the index of a dot's products is named by what makes the addresses, not by a variable that happens to have the same values") {
  // Programs (1, 1), (2, 1) and (1, 0): rows or cols are 32..63 too in the second iteration.
  for (const ProgramIndex program : {ProgramIndex{1, 1, 0}, ProgramIndex{2, 1, 0}, ProgramIndex{1, 0, 0}}) {
    const auto c = matmul_at(12, program);
    const Provenance p = explained(*c->scene(), "acc", {1, 2});
    REQUIRE(p.strips.size() == 2);
    CHECK(p.strips[0].varying == "ks");
    CHECK(p.strips[1].varying == "ks");
  }
}

TEST_CASE("a dot's products are those of the recorded operands, k ascending, with the masked part apart") {
  const auto c = matmul_at(12);
  const auto s = c->scene();
  const ProgramValues& values = *program_values(*s);
  const Provenance p = explained(*s, "acc", {1, 2});
  REQUIRE(p.kind == Provenance::Kind::Dot);
  REQUIRE(p.strips.size() == 2);
  REQUIRE(p.products.size() == 32);
  CHECK(p.strips[0].label == "a_ptr[65, ks]");
  CHECK(p.strips[1].label == "b_ptr[ks, 2]");
  CHECK(p.strips[0].varying == "ks");
  CHECK(p.strips[0].first == 32);
  const ValueRecord &a = *variable(*s, "a").record, &b = *variable(*s, "b").record;
  for (int64_t k = 0; k < 32; ++k) {
    const auto i = static_cast<size_t>(k);
    CHECK(p.strips[0].lanes[i] == 32 + k);
    CHECK(p.strips[1].lanes[i] == k * 32 + 2);
    CHECK(p.products[i] == lane_number(a, 32 + k) * lane_number(b, k * 32 + 2));
    CHECK(p.strips[0].off[i] == (k >= 18));
  }
  // 32 + 18 products of tensor elements make what is stored.
  const Tensor &ta = *s->find_tensor("a_ptr")->tensor, &tb = *s->find_tensor("b_ptr")->tensor;
  for (int64_t k = 0; k < 18; ++k)
    CHECK(p.products[static_cast<size_t>(k)] == read_double(ta.dtype, ta.element(65 * 50 + 32 + k)) * read_double(tb.dtype, tb.element((32 + k) * 45 + 2)));
  CHECK(p.destination == "c_ptr[65, 2]");
  CHECK(!p.destination_off);
  CHECK(uses(p) == "18 store");
  CHECK(std::stod(p.before.find("\u2212") == 0 ? "-" + p.before.substr(3) : p.before) ==
        doctest::Approx(lane_number(*values.at(variable(*s, "acc").value, s->timeline->lines[7].last).record, 34)).epsilon(1e-3));
}

TEST_CASE("an accumulator is used by the next iteration, and after the last one by the store") {
  const auto c = matmul_at(7);  // dot, iteration 1
  const auto s = c->scene();
  const Provenance first = explained(*s, "acc", {0, 0});
  CHECK(uses(first) == "17 dot[0, 0] in 1");
  CHECK(first.before == "0");
  CHECK(explained(*s, "rows", {3}).formula == "program_id(0) \u00d7 BLOCK_M + 3");
  CHECK(explained(*s, "rows", {3}).with_values == "2 \u00d7 32 + 3");
}

TEST_CASE("after the loop the accumulator is still explained by its last dot") {
  const auto c = matmul_at(13);
  const auto s = c->scene();
  const Provenance p = explained(*s, "acc", {5, 44 - 32});
  CHECK(p.kind == Provenance::Kind::Dot);
  CHECK(p.destination == "c_ptr[69, 12]");
  const Provenance outside = explained(*s, "acc", {6, 0});
  CHECK(outside.destination_off);
  CHECK(outside.destination.empty());
}

TEST_CASE("a loop's variable is its start and so many steps") {
  const auto c = matmul_at(8);
  const Provenance k = explained(*c->scene(), "k", {});
  CHECK(k.kind == Provenance::Kind::Counter);
  CHECK(k.formula == "0 + 1 \u00d7 32");
  CHECK(k.iteration == 1);
  CHECK(k.line == 11);
}

TEST_CASE("softmax: an element is followed through names, and into the store it is only a part of") {
  auto c = opened_lesson("softmax");
  c->go_to_end();
  const auto s = c->scene();
  const Provenance n = explained(*s, "numerator", {3});
  CHECK(n.formula == "exp(x[3])");
  CHECK(n.destination.empty());
  CHECK(uses(n) == "13 denominator; 14 store");
  const Provenance d = explained(*s, "denominator", {});
  CHECK(d.kind == Provenance::Kind::Reduce);
  CHECK(d.strips[0].lanes.size() == 1024);
}

TEST_CASE("pointers are elements of tensors, also when they walk with a loop") {
  auto c = opened_lesson("grouped_matmul");
  c->go_to_line_step(20);  // a_tile of iteration 1
  const auto s = c->scene();
  const Provenance p = explained(*s, "a_tile", {2, 1});
  CHECK(p.text == "a_ptr[2, 33]");
  CHECK(p.formula == "a_tile[2, 1] + 32");
  CHECK(p.with_values == "a_ptr[2, 1] + 32");
}

TEST_CASE("lanes and steps that do not exist are explained by nothing, not by a crash") {
  const auto c = matmul_at(0);
  const auto s = c->scene();
  const ProgramValues& values = *program_values(*s);
  const Variable* acc = s->find_variable("acc");
  REQUIRE(acc != nullptr);
  CHECK(explain(values, acc->value, 5, 0, nullptr).kind == Provenance::Kind::NotComputed);
  const Variable& rows = variable(*s, "rows");
  CHECK(explain(values, rows.value, -1, s->step, s->timeline).kind == Provenance::Kind::NotComputed);
  CHECK(explain(values, rows.value, 32, s->step, s->timeline).kind == Provenance::Kind::NotComputed);
  CHECK(explain(values, rows.value, 31, ~uint64_t{0}, s->timeline).text == "95");
}

TEST_CASE("every lane of every variable of the four kernels can be explained at every step") {
  for (const char* lesson : {"vector_add", "softmax", "matmul", "grouped_matmul"}) {
    const auto c = opened_lesson(lesson);
    size_t explained_lanes = 0;
    for (size_t step = 0; step < c->scene()->timeline->lines.size(); ++step) {
      c->go_to_line_step(step);
      const auto s = c->scene();
      for (const Variable& v : s->variables) {
        if (v.record == nullptr) continue;
        for (const int64_t lane : {int64_t{0}, v.type.elements() / 2, v.type.elements() - 1}) {
          const Provenance p = explain(*program_values(*s), v.value, lane, s->step, s->timeline);
          CHECK_MESSAGE(p.kind != Provenance::Kind::NotComputed, lesson, " ", v.name);
          CHECK(p.text == program_values(*s)->lane_text(*v.record, lane));
          ++explained_lanes;
        }
      }
    }
    CHECK(explained_lanes > 0);
  }
}

}  // namespace tilescope::model
