// Random programs with loops, branches, early returns and helpers: what the compiled kernel stores is what a direct
// interpretation of the same program gives.
#include <doctest/doctest.h>

#include <array>
#include <memory>
#include <random>

#include "tests/sim_exec_data.h"

namespace tilescope::testing {
namespace {

constexpr int kVariables = 4;
constexpr const char* kNames[] = {"a", "b", "c", "d"};
using State = std::array<int32_t, kVariables>;

/// One statement; expressions are kept as operand triples so that both sides evaluate the same thing.
struct Node {
  enum class Kind { Assign, Pair, If, For, Static, While, Return, CallHelper } kind = Kind::Assign;
  int target = 0, other = 0, left = 0, right = 0, op = 0, constant = 0;
  std::vector<Node> body, orelse;
};

class Generator {
 public:
  explicit Generator(uint64_t seed) : rng_(seed) {}

  std::vector<Node> block(int depth, bool may_return, bool helper) {
    std::vector<Node> out;
    const int n = pick(1, 4);
    for (int i = 0; i < n; ++i) out.push_back(statement(depth, may_return, helper));
    return out;
  }
  int pick(int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(rng_); }

 private:
  Node statement(int depth, bool may_return, bool helper) {
    Node s;
    s.target = pick(0, kVariables - 1);
    s.other = pick(0, kVariables - 1);
    s.left = pick(0, kVariables - 1);
    s.right = pick(0, kVariables - 1);
    s.op = pick(0, 4);
    s.constant = pick(-3, 5);
    const int roll = pick(0, 99);
    if (depth == 0 || roll < 35) {
      s.kind = roll % 7 == 0              ? Node::Kind::Pair
               : !helper && roll % 7 == 1 ? Node::Kind::CallHelper
                                          : Node::Kind::Assign;
    } else if (roll < 68) {
      s.kind = Node::Kind::If;
      s.body = block(depth - 1, may_return, helper);
      if (pick(0, 1)) s.orelse = block(depth - 1, may_return, helper);
      if (may_return && pick(0, 2) == 0) {
        Node r = s;
        r.body.clear();
        r.orelse.clear();
        r.kind = Node::Kind::Return;
        (pick(0, 1) && !s.orelse.empty() ? s.orelse : s.body).push_back(r);
      }
    } else {
      s.kind = roll < 78 ? Node::Kind::For : roll < 90 ? Node::Kind::Static : Node::Kind::While;
      s.body = block(depth - 1, may_return && s.kind == Node::Kind::Static, helper);
    }
    return s;
  }

  std::mt19937_64 rng_;
};

/// Text of the statements. `fresh` numbers the loop variables.
class Writer {
 public:
  std::string block(const std::vector<Node>& nodes, int indent, bool helper) {
    std::string out;
    for (const Node& n : nodes) out += statement(n, indent, helper);
    return out;
  }

 private:
  static std::string expression(const Node& n) {
    const std::string l = kNames[n.left], r = kNames[n.right], k = "(" + std::to_string(n.constant) + ")";
    switch (n.op) {
      case 0:
        return l + " + " + r;
      case 1:
        return l + " - " + k;
      case 2:
        return l + " * " + k + " + " + r;
      case 3:
        return "(" + l + " ^ " + r + ") & 255";
      default:
        return l + " if " + r + " > " + k + " else " + k;
    }
  }
  std::string statement(const Node& n, int indent, bool helper) {
    const std::string pad(static_cast<size_t>(indent) * 4, ' '), t = kNames[n.target], o = kNames[n.other];
    const std::string l = kNames[n.left], k = std::to_string(n.constant);
    switch (n.kind) {
      case Node::Kind::Assign:
        return pad + t + " = " + expression(n) + "\n";
      case Node::Kind::Pair:
        return pad + t + ", " + o + " = " + l + ", " + expression(n) + "\n";
      case Node::Kind::CallHelper:
        return pad + t + " = helper(a, b, c, " + o + ")\n";
      case Node::Kind::Return:
        return pad + (helper ? "return " + t + " + " + k + "\n" : "return\n");
      case Node::Kind::If: {
        std::string out = pad + "if " + l + " > " + k + ":\n" + block(n.body, indent + 1, helper);
        if (!n.orelse.empty()) out += pad + "else:\n" + block(n.orelse, indent + 1, helper);
        return out;
      }
      case Node::Kind::For:
      case Node::Kind::Static: {
        const std::string i = "i" + std::to_string(fresh_++);
        const bool fixed = n.kind == Node::Kind::Static;
        return pad + "for " + i + " in " +
               (fixed ? "tl.static_range(" + std::to_string(n.op % 3) + ")" : "range(" + l + " & 3)") + ":\n" +
               block(n.body, indent + 1, helper) + std::string(static_cast<size_t>(indent + 1) * 4, ' ') + t +
               " += " + i + "\n";
      }
      default: {
        const std::string w = "w" + std::to_string(fresh_++);
        return pad + w + " = 0\n" + pad + "while " + w + " < 3 and " + l + " < 100:\n" +
               block(n.body, indent + 1, helper) + std::string(static_cast<size_t>(indent + 1) * 4, ' ') + w +
               " += 1\n";
      }
    }
  }
  int fresh_ = 0;
};

/// Runs the statements on plain integers. Arithmetic wraps.
class Interpreter {
 public:
  Interpreter(const std::vector<Node>& helper, int helper_result) : helper_(helper), helper_result_(helper_result) {}

  /// True when a return was reached; `result` is then its value.
  bool block(const std::vector<Node>& nodes, State& s, int32_t& result) {
    for (const Node& n : nodes)
      if (statement(n, s, result)) return true;
    return false;
  }

 private:
  static int32_t wrap(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }
  static int32_t expression(const Node& n, const State& s) {
    const int64_t l = s[static_cast<size_t>(n.left)], r = s[static_cast<size_t>(n.right)], k = n.constant;
    switch (n.op) {
      case 0:
        return wrap(l + r);
      case 1:
        return wrap(l - k);
      case 2:
        return wrap(wrap(l * k) + r);
      case 3:
        return wrap((l ^ r) & 255);
      default:
        return wrap(r > k ? l : k);
    }
  }
  bool statement(const Node& n, State& s, int32_t& result) {
    int32_t& t = s[static_cast<size_t>(n.target)];
    const int32_t l = s[static_cast<size_t>(n.left)];
    switch (n.kind) {
      case Node::Kind::Assign:
        t = expression(n, s);
        return false;
      case Node::Kind::Pair: {
        const int32_t value = expression(n, s);
        t = l;
        s[static_cast<size_t>(n.other)] = value;
        return false;
      }
      case Node::Kind::CallHelper: {
        State inner = {s[0], s[1], s[2], s[static_cast<size_t>(n.other)]};
        int32_t value = 0;
        if (!block(helper_, inner, value)) value = inner[static_cast<size_t>(helper_result_)];
        t = value;
        return false;
      }
      case Node::Kind::Return:
        result = wrap(int64_t{t} + n.constant);
        return true;
      case Node::Kind::If:
        return block(l > n.constant ? n.body : n.orelse, s, result);
      case Node::Kind::For:
      case Node::Kind::Static: {
        const int count = n.kind == Node::Kind::Static ? n.op % 3 : l & 3;
        for (int i = 0; i < count; ++i) {
          if (block(n.body, s, result)) return true;
          t = wrap(int64_t{t} + i);
        }
        return false;
      }
      default:
        for (int w = 0; w < 3 && s[static_cast<size_t>(n.left)] < 100; ++w)
          if (block(n.body, s, result)) return true;
        return false;
    }
  }

  const std::vector<Node>& helper_;
  int helper_result_;
};

TEST_CASE("random programs with loops, branches, helpers and early returns compute what their text says") {
  int returned_early = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    Generator g(seed);
    const std::vector<Node> helper = g.block(2, true, true), body = g.block(3, true, false);
    const int helper_result = g.pick(0, kVariables - 1);
    Writer w;
    const std::string text =
        "def helper(a, b, c, d):\n" + w.block(helper, 1, true) + "    return " + kNames[helper_result] +
        "\n\n@triton.jit\ndef kernel(o, a, b, c, d):\n" + w.block(body, 1, false) +
        "    tl.store(o, a)\n    tl.store(o + 1, b)\n    tl.store(o + 2, c)\n    tl.store(o + 3, d)\n";
    State s;
    for (int32_t& x : s) x = g.pick(-4, 9);
    Bench bench;
    Tensor& o = bench.tensor("o", DType::Int32, {kVariables});
    for (int i = 0; i < kVariables; ++i) bench.integer(kNames[i], s[static_cast<size_t>(i)]);
    const RunTrace trace = bench.run(text);
    CAPTURE(seed);
    CAPTURE(text);
    const std::string fault = trace.faults.empty() ? "" : trace.faults[0].message;
    REQUIRE_MESSAGE(trace.faults.empty(), fault);
    Interpreter interpreter(helper, helper_result);
    int32_t ignored = 0;
    if (interpreter.block(body, s, ignored)) {
      s = {};
      ++returned_early;
    }
    for (int i = 0; i < kVariables; ++i) CHECK(read_double(DType::Int32, o.element(i)) == s[static_cast<size_t>(i)]);
  }
  CHECK(returned_early > 20);
}

}  // namespace
}  // namespace tilescope::testing
