#include "core/launch_expr.h"

#include <algorithm>
#include <cctype>

namespace tilescope {
namespace {

using Op = GridExpr::Op;

/// Deeper nesting than this is refused: the parser recurses.
constexpr int kMaxDepth = 100;
constexpr size_t kMaxText = 4096;

struct Function {
  std::string_view name;
  Op op;
  int least, most;  // operands
};
constexpr Function kFunctions[] = {{"cdiv", Op::CDiv, 2, 2},
                                   {"min", Op::Min, 2, 16},
                                   {"max", Op::Max, 2, 16},
                                   {"next_power_of_2", Op::NextPow2, 1, 1}};

Diagnostic error_at(const std::string& place, const std::string& text, int column, const std::string& what,
                    std::string hint = {}) {
  return plain_error(place + ": " + what + " at column " + std::to_string(column) + " of \"" + text + "\"",
                     std::move(hint));
}

class ExprParser {
 public:
  ExprParser(const std::string& text, const std::string& place) : text_(text), place_(place) { out_.text = text; }

  Expected<GridExpr> parse() {
    if (text_.size() > kMaxText)
      return plain_error(place_ + ": an expression of " + std::to_string(text_.size()) + " bytes is too long");
    if (!sum(0)) return *error_;
    skip_space();
    if (at_ < text_.size()) {
      fail("unexpected '" + std::string(1, text_[at_]) + "'");
      return *error_;
    }
    return std::move(out_);
  }

 private:
  bool fail(const std::string& what, std::string hint = {}) {
    if (!error_) error_ = error_at(place_, text_, column(), what, std::move(hint));
    return false;
  }
  int column() const { return static_cast<int>(at_) + 1; }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool take(std::string_view token) {
    skip_space();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void emit(Op op, int column, int operands = 2) { out_.steps.push_back({op, 0, {}, column, operands}); }

  bool sum(int depth) {
    if (!product(depth)) return false;
    while (true) {
      skip_space();
      int place = column();
      Op op = take("+") ? Op::Add : take("-") ? Op::Sub : Op::Number;
      if (op == Op::Number) return true;
      if (!product(depth)) return false;
      emit(op, place);
    }
  }

  bool product(int depth) {
    if (!unary(depth)) return false;
    while (true) {
      skip_space();
      int place = column();
      Op op = take("//") ? Op::FloorDiv : take("*") ? Op::Mul : take("%") ? Op::Mod : Op::Number;
      if (op == Op::Number) {
        if (at_ < text_.size() && text_[at_] == '/')
          return fail("'/' gives a fraction", "use // to divide and round down, or cdiv(a, b) to round up");
        return true;
      }
      if (!unary(depth)) return false;
      emit(op, place);
    }
  }

  bool unary(int depth) {
    if (depth > kMaxDepth) return fail("nesting deeper than " + std::to_string(kMaxDepth) + " levels");
    skip_space();
    int place = column();
    if (take("-")) {
      if (!unary(depth + 1)) return false;
      emit(Op::Neg, place, 1);
      return true;
    }
    if (take("(")) {
      if (!sum(depth + 1)) return false;
      return take(")") || fail("expected ')'");
    }
    if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) return number();
    if (at_ < text_.size() && (std::isalpha(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      return name(depth);
    return fail(at_ < text_.size() ? "expected a number, a name or '('"
                                   : "expected a number, a name or '(', found the end");
  }

  bool number() {
    int place = column();
    int64_t value = 0;
    for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
      if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, text_[at_] - '0', &value))
        return fail("a number does not fit 64 bits");
    if (at_ < text_.size() && (text_[at_] == '.' || std::isalpha(static_cast<unsigned char>(text_[at_]))))
      return fail("a grid entry is an integer");
    out_.steps.push_back({Op::Number, value, {}, place, 0});
    return true;
  }

  std::string identifier() {
    size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  bool name(int depth) {
    int place = column();
    std::string id = identifier();
    if ((id == "triton" || id == "tl") && take(".")) id = identifier();
    if (!take("(")) {
      out_.steps.push_back({Op::Name, 0, id, place, 0});
      return true;
    }
    for (const Function& f : kFunctions)
      if (f.name == id) return call(f, place, depth);
    at_ = place - 1;
    return fail("unknown function `" + id + "`", "known functions: cdiv(a, b), min, max, next_power_of_2(a)");
  }

  bool call(const Function& f, int place, int depth) {
    int count = 0;
    do {
      if (!sum(depth + 1)) return false;
      ++count;
    } while (take(","));
    if (!take(")")) return fail("expected ',' or ')'");
    if (count < f.least || count > f.most) {
      at_ = place - 1;
      return fail("`" + std::string(f.name) + "` takes " +
                  (f.least == f.most ? std::to_string(f.least) : "2 to " + std::to_string(f.most)) +
                  " arguments, found " + std::to_string(count));
    }
    emit(f.op, place, count);
    return true;
  }

  const std::string& text_;
  const std::string& place_;
  size_t at_ = 0;
  GridExpr out_;
  std::optional<Diagnostic> error_;
};

int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

/// a op b, or what is wrong.
std::string apply(Op op, int64_t a, int64_t b, int64_t& out) {
  const char* too_large = "a value does not fit 64 bits";
  switch (op) {
    case Op::Add:
      return __builtin_add_overflow(a, b, &out) ? too_large : "";
    case Op::Sub:
      return __builtin_sub_overflow(a, b, &out) ? too_large : "";
    case Op::Mul:
      return __builtin_mul_overflow(a, b, &out) ? too_large : "";
    case Op::Min:
      return out = std::min(a, b), "";
    case Op::Max:
      return out = std::max(a, b), "";
    default:
      break;
  }
  if (b == 0) return "division by zero";
  if (b == -1) {
    if (a == INT64_MIN) return too_large;
    out = op == Op::Mod ? 0 : -a;
    return "";
  }
  int64_t q = floor_div(a, b);
  int64_t rest = a - q * b;
  out = op == Op::Mod ? rest : op == Op::CDiv && rest != 0 ? q + 1 : q;
  return "";
}

std::string apply_one(Op op, int64_t a, int64_t& out) {
  if (op == Op::Neg) return __builtin_sub_overflow(int64_t{0}, a, &out) ? "a value does not fit 64 bits" : "";
  if (a > int64_t{1} << 62) return "next_power_of_2 does not fit 64 bits";
  for (out = 1; out < a;) out *= 2;
  return "";
}

}  // namespace

GridExpr GridExpr::constant(int64_t value) {
  GridExpr e;
  e.text = std::to_string(value);
  e.steps.push_back({Op::Number, value, {}, 1, 0});
  return e;
}

Expected<GridExpr> parse_grid_expr(const std::string& text, const std::string& place) {
  return ExprParser(text, place).parse();
}

Expected<int64_t> evaluate(const GridExpr& expr, const GridLookup& lookup, const std::string& place) {
  std::vector<int64_t> stack;
  for (const GridExpr::Step& s : expr.steps) {
    if (s.op == Op::Number) {
      stack.push_back(s.number);
      continue;
    }
    if (s.op == Op::Name) {
      auto value = lookup(s.name);
      if (!value)
        return error_at(place, expr.text, s.column, "`" + s.name + "` is not an integer argument of this launch",
                        "a grid may use the scalar and constexpr arguments by name");
      stack.push_back(*value);
      continue;
    }
    std::string problem;
    int64_t value = stack.back();
    if (s.op == Op::Neg || s.op == Op::NextPow2) {
      problem = apply_one(s.op, stack.back(), value);
      stack.pop_back();
    } else {
      size_t first = stack.size() - s.operands;
      value = stack[first];
      for (int i = 1; i < s.operands && problem.empty(); ++i) problem = apply(s.op, value, stack[first + i], value);
      stack.resize(first);
    }
    if (!problem.empty()) return error_at(place, expr.text, s.column, problem);
    stack.push_back(value);
  }
  return stack.back();
}

}  // namespace tilescope
