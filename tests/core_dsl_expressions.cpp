// Random expressions, written as Triton text and built in C++: both give the same IR, or both are refused.
#include <random>

#include "core/dsl.h"
#include "tests/core_dsl_compare.h"

using namespace tilescope;
using namespace tilescope::test;
namespace tl = tilescope::dsl;

namespace {

/// A tree of operators and functions over the kernel's variables and numbers.
struct Node {
  std::string op;  ///< an operator, a function, "var", "int", "float"
  int index = 0;   ///< of the variable, or the integer
  double real = 0;
  std::vector<Node> parts;
};

const char* const kVariables[] = {"x", "y", "z", "c", "n", "f", "p"};
const char* const kBinary[] = {"+",  "-",  "*",  "/",  "//", "%",  "&", "|", "^",
                               "<<", ">>", "==", "!=", "<",  "<=", ">", ">="};
const char* const kFunctions[] = {"exp",    "abs",    "maximum", "where", "sum", "to_f16",
                                  "to_i64", "column", "row",     "max",   "load"};

class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  Node expression(int depth) {
    const int kind = depth == 0 ? 9 : pick(10);
    if (kind < 6) return {kBinary[pick(std::size(kBinary))], 0, 0, {expression(depth - 1), operand(depth - 1)}};
    if (kind == 6) return {pick(2) ? "neg" : "~", 0, 0, {expression(depth - 1)}};
    if (kind < 9) {
      Node n{kFunctions[pick(std::size(kFunctions))], 0, 0, {expression(depth - 1)}};
      if (n.op == "maximum") n.parts.push_back(operand(depth - 1));
      if (n.op == "where") n.parts = {expression(depth - 1), operand(depth - 1), expression(depth - 1)};
      return n;
    }
    return {"var", pick(std::size(kVariables)), 0, {}};
  }

 private:
  int pick(size_t n) { return static_cast<int>(random_() % n); }
  /// As above, or a number.
  Node operand(int depth) {
    const int kind = pick(5);
    if (kind == 0) return {"int", pick(2) ? pick(4) : pick(300) - 150, 0, {}};
    if (kind == 1) return {"float", 0, 0.25 * pick(20), {}};
    return expression(depth);
  }
  std::mt19937 random_;
};

std::string text_of(const Node& n) {
  const auto part = [&](size_t i) { return text_of(n.parts[i]); };
  if (n.op == "var") return kVariables[n.index];
  if (n.op == "int") return n.index < 0 ? "(" + std::to_string(n.index) + ")" : std::to_string(n.index);
  if (n.op == "float") return std::to_string(n.real);
  if (n.op == "neg") return "(-" + part(0) + ")";
  if (n.op == "~") return "(~" + part(0) + ")";
  if (n.op == "to_f16") return part(0) + ".to(tl.float16)";
  if (n.op == "to_i64") return part(0) + ".to(tl.int64)";
  if (n.op == "column") return "tl.expand_dims(" + part(0) + ", 1)";
  if (n.op == "row") return "tl.expand_dims(" + part(0) + ", 0)";
  if (n.op == "sum" || n.op == "max") return "tl." + n.op + "(" + part(0) + ", 0)";
  if (n.op == "where") return "tl.where(" + part(0) + ", " + part(1) + ", " + part(2) + ")";
  if (n.op == "maximum") return "tl.maximum(" + part(0) + ", " + part(1) + ")";
  if (n.op == "exp" || n.op == "abs" || n.op == "load") return "tl." + n.op + "(" + part(0) + ")";
  return "(" + part(0) + " " + n.op + " " + part(1) + ")";
}

struct Builder_ {
  const std::vector<tl::Value>& variables;

  /// With `operand` called on what stands on the right: a number or a Value.
  template <class F>
  tl::Value with(const Node& n, F&& f) {
    if (n.op == "int") return f(n.index);
    if (n.op == "float") return f(n.real);
    if (n.op == "var") return f(variables[static_cast<size_t>(n.index)]);
    return f(build(n));
  }

  template <class A, class B>
  tl::Value apply(const std::string& op, A&& a, B&& b) {
    if (op == "+") return std::forward<A>(a) + std::forward<B>(b);
    if (op == "-") return std::forward<A>(a) - std::forward<B>(b);
    if (op == "*") return std::forward<A>(a) * std::forward<B>(b);
    if (op == "/") return std::forward<A>(a) / std::forward<B>(b);
    if (op == "//") return tl::floordiv(std::forward<A>(a), std::forward<B>(b));
    if (op == "%") return std::forward<A>(a) % std::forward<B>(b);
    if (op == "&") return std::forward<A>(a) & std::forward<B>(b);
    if (op == "|") return std::forward<A>(a) | std::forward<B>(b);
    if (op == "^") return std::forward<A>(a) ^ std::forward<B>(b);
    if (op == "<<") return std::forward<A>(a) << std::forward<B>(b);
    if (op == ">>") return std::forward<A>(a) >> std::forward<B>(b);
    if (op == "==") return std::forward<A>(a) == std::forward<B>(b);
    if (op == "!=") return std::forward<A>(a) != std::forward<B>(b);
    if (op == "<") return std::forward<A>(a) < std::forward<B>(b);
    if (op == "<=") return std::forward<A>(a) <= std::forward<B>(b);
    if (op == ">") return std::forward<A>(a) > std::forward<B>(b);
    if (op == ">=") return std::forward<A>(a) >= std::forward<B>(b);
    if (op == "maximum") return tl::maximum(std::forward<A>(a), std::forward<B>(b));
    FAIL("no operator " << op);
    return 0;
  }

  template <class A>
  tl::Value apply(const std::string& op, A&& a) {
    if (op == "neg") return -std::forward<A>(a);
    if (op == "~") return ~std::forward<A>(a);
    if (op == "to_f16") return std::forward<A>(a).to(tl::float16);
    if (op == "to_i64") return std::forward<A>(a).to(tl::int64);
    if (op == "column") return tl::column(std::forward<A>(a));
    if (op == "row") return tl::row(std::forward<A>(a));
    if (op == "sum") return tl::sum(std::forward<A>(a), 0);
    if (op == "max") return tl::max(std::forward<A>(a), 0);
    if (op == "exp") return tl::exp(std::forward<A>(a));
    if (op == "abs") return tl::abs(std::forward<A>(a));
    if (op == "load") return tl::load(std::forward<A>(a));
    FAIL("no function " << op);
    return 0;
  }

  /// Calls `f` with the variable itself or with what the expression gives.
  template <class F>
  tl::Value value(const Node& n, F&& f) {
    if (n.op == "var") return f(variables[static_cast<size_t>(n.index)]);
    return f(build(n));
  }

  tl::Value build(const Node& n) {
    if (n.op == "where")
      return value(n.parts[0], [&](auto&& c) {
        return with(n.parts[1], [&](auto&& x) {
          return value(n.parts[2], [&](auto&& y) {
            return tl::where(std::forward<decltype(c)>(c), std::forward<decltype(x)>(x), std::forward<decltype(y)>(y));
          });
        });
      });
    if (n.parts.size() == 1)
      return value(n.parts[0], [&](auto&& a) { return apply(n.op, std::forward<decltype(a)>(a)); });
    // The right side first: the order must come out as in the text all the same.
    return with(n.parts[1], [&](auto&& b) {
      return value(n.parts[0],
                   [&](auto&& a) { return apply(n.op, std::forward<decltype(a)>(a), std::forward<decltype(b)>(b)); });
    });
  }
};

}  // namespace

TEST_CASE("random expressions have the same IR, or are refused alike, in C++ and in Triton text") {
  int built = 0, refused = 0;
  for (unsigned seed = 0; seed < 1200; ++seed) {
    Generator generator(seed);
    const Node tree = generator.expression(1 + static_cast<int>(seed % 4));
    if (tree.op == "var") continue;
    const std::string expression = text_of(tree);
    CAPTURE(expression);
    const std::string text = R"(p=*fp16 q=*fp32 n=37 f=1.5
@triton.jit
def k(p, q, n, f):
    y = tl.arange(0, 16)
    x = tl.load(p + y)
    z = tl.load(q + y) > 0
    c = tl.expand_dims(y, 1) * 3
    r = )" + expression + "\n";
    auto host = tl::kernel("k", [&](tl::Kernel& k) {
      auto p = k.pointer("p"), q = k.pointer("q");
      auto n = k.scalar("n"), f = k.scalar("f");
      auto y = tl::arange(0, 16);
      auto x = tl::load(p + y);
      auto z = tl::load(q + y) > 0;
      auto c = tl::expand_dims(y, 1) * 3;
      const std::vector<tl::Value> variables = {x, y, z, c, n, f, p};
      tl::named("r", Builder_{variables}.build(tree));
    });
    const std::string cpp = ir_or_error(host_request(text, host)), triton = text_ir(text);
    const bool both_refuse = cpp.starts_with("error") && triton.starts_with("error");
    // Of several mistakes in one expression C++ may meet another one first.
    if (!both_refuse) CHECK(cpp == triton);
    if (!both_refuse && cpp != triton) break;
    ++(both_refuse ? refused : built);
  }
  CHECK(built > 200);
  CHECK(refused > 100);
}
