#include "lessons/formula.h"

#include <algorithm>
#include <optional>

#include "core/syntax/lexer.h"

namespace tilescope::lessons {
namespace {

using Kind = FormulaNode::Kind;

constexpr size_t kMostBytes = 2000;
constexpr int kMostDepth = 24;
constexpr size_t kMostColumns = 32;

struct Command {
  std::string_view name;
  Kind kind;
  std::string_view text;
};

constexpr Command kCommands[] = {
    {"le", Kind::Operator, "≤"},       {"leq", Kind::Operator, "≤"},     {"ge", Kind::Operator, "≥"},      {"geq", Kind::Operator, "≥"},
    {"ne", Kind::Operator, "≠"},       {"neq", Kind::Operator, "≠"},     {"approx", Kind::Operator, "≈"},  {"cdot", Kind::Operator, "·"},
    {"times", Kind::Operator, "×"},    {"div", Kind::Operator, "÷"},     {"pm", Kind::Operator, "±"},      {"to", Kind::Operator, "→"},
    {"in", Kind::Operator, "∈"},       {"bmod", Kind::Operator, "mod"},  {"sum", Kind::Limits, "Σ"},       {"prod", Kind::Limits, "Π"},
    {"max", Kind::Limits, "max"},      {"min", Kind::Limits, "min"},     {"exp", Kind::Function, "exp"},   {"log", Kind::Function, "log"},
    {"ln", Kind::Function, "ln"},      {"sin", Kind::Function, "sin"},   {"cos", Kind::Function, "cos"},   {"tanh", Kind::Function, "tanh"},
    {"erf", Kind::Function, "erf"},    {"ldots", Kind::Symbol, "…"},     {"dots", Kind::Symbol, "…"},      {"cdots", Kind::Symbol, "…"},
    {"vdots", Kind::Symbol, "⋮"},      {"infty", Kind::Symbol, "∞"},     {"partial", Kind::Symbol, "∂"},   {"alpha", Kind::Symbol, "α"},
    {"beta", Kind::Symbol, "β"},       {"gamma", Kind::Symbol, "γ"},     {"delta", Kind::Symbol, "δ"},     {"epsilon", Kind::Symbol, "ε"},
    {"eta", Kind::Symbol, "η"},        {"theta", Kind::Symbol, "θ"},     {"lambda", Kind::Symbol, "λ"},    {"mu", Kind::Symbol, "μ"},
    {"pi", Kind::Symbol, "π"},         {"rho", Kind::Symbol, "ρ"},       {"sigma", Kind::Symbol, "σ"},     {"tau", Kind::Symbol, "τ"},
    {"phi", Kind::Symbol, "φ"},        {"Delta", Kind::Symbol, "Δ"},     {"Sigma", Kind::Symbol, "Σ"},
};

struct Bracket {
  std::string_view written, sign;
  bool opens;
};
constexpr Bracket kBrackets[] = {
    {"(", "(", true},           {")", ")", false},           {"[", "[", true},           {"]", "]", false},           {"\\lceil", "⌈", true},
    {"\\rceil", "⌉", false},    {"\\lfloor", "⌊", true},     {"\\rfloor", "⌋", false},   {"\\lbrace", "{", true},     {"\\rbrace", "}", false},
};

bool closes(std::string_view open, std::string_view close) {
  if (open == "(") return close == ")";
  if (open == "[") return close == "]" || close == ")";
  if (open == "⌈") return close == "⌉";
  if (open == "⌊") return close == "⌋";
  return open == "{" && close == "}";
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

class Parser {
 public:
  explicit Parser(std::string_view text) : file_(std::make_shared<SourceFile>(SourceFile{"formula", std::string(text)})), s_(file_->text) {}

  Expected<FormulaNode> read() {
    if (s_.size() > kMostBytes) return plain_error("a formula of more than " + std::to_string(kMostBytes) + " bytes");
    FormulaNode out;
    if (row(out, 0)) {
      if (out.empty()) fail(0, "the formula is empty");
      else if (at_ < s_.size()) fail(at_, "\"" + std::string(next()) + "\" closes nothing here");
    }
    if (problem_) return *problem_;
    return out;
  }

 private:
  bool fail(size_t at, std::string message, std::string hint = {}) {
    if (problem_) return false;
    Diagnostic d;
    d.message = std::move(message);
    d.hint = std::move(hint);
    // Lines and columns of the place: formulas may run over several lines.
    at = std::min(at, s_.size());
    const size_t line_start = s_.substr(0, at).rfind('\n') + 1;
    const int line = static_cast<int>(std::count(s_.begin(), s_.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
    const int column = static_cast<int>(at - line_start) + 1;
    d.range = {file_, line, column, line, column + std::max(1, static_cast<int>(token_at(at).size()))};
    problem_ = std::move(d);
    return false;
  }

  void skip_blanks() {
    while (at_ < s_.size() && (s_[at_] == ' ' || s_[at_] == '\n' || s_[at_] == '\t' || s_[at_] == '\r')) ++at_;
  }

  /// A command with its backslash, a {{live number}}, a name, a number, or one character.
  std::string_view token_at(size_t at) const {
    if (at >= s_.size()) return {};
    size_t end = at + 1;
    if (s_[at] == '\\') {
      while (end < s_.size() && is_letter(s_[end])) ++end;
      if (end == at + 1 && end < s_.size()) end += character_bytes(end);
    } else if (s_.substr(at, 2) == "{{") {
      const size_t close = s_.find("}}", at);
      if (close != std::string_view::npos) end = close + 2;
    } else if (is_digit(s_[at])) {
      while (end < s_.size() && (is_digit(s_[end]) || (s_[end] == '.' && end + 1 < s_.size() && is_digit(s_[end + 1])))) ++end;
    } else if (is_letter(s_[at])) {
      while (end < s_.size() && (is_letter(s_[end]) || is_digit(s_[end]) || s_.substr(end, 2) == "\\_")) end += s_[end] == '\\' ? 2 : 1;
    } else {
      end = at + character_bytes(at);
    }
    return s_.substr(at, end - at);
  }
  /// Of the character at `at`; a byte that is no UTF-8 counts as one.
  size_t character_bytes(size_t at) const {
    uint32_t code = 0;
    return static_cast<size_t>(std::max(1, utf8_sequence(s_, at, &code)));
  }
  std::string_view next() {
    skip_blanks();
    return token_at(at_);
  }
  std::string_view take() {
    const std::string_view t = next();
    at_ += t.size();
    return t;
  }

  const Bracket* bracket(std::string_view token) const {
    for (const Bracket& b : kBrackets)
      if (b.written == token) return &b;
    return nullptr;
  }
  void skip_left_right() {
    while (next() == "\\left" || next() == "\\right") take();
  }

  bool ends_row() {
    skip_left_right();
    const std::string_view t = next();
    if (t.empty() || t == "}" || t == "&" || t == "\\\\" || t == "\\end") return true;
    const Bracket* b = bracket(t);
    return b != nullptr && !b->opens;
  }

  bool row(FormulaNode& out, int depth) {
    if (depth > kMostDepth) return fail(at_, "nested more than " + std::to_string(kMostDepth) + " deep");
    out.kind = Kind::Row;
    while (!ends_row()) {
      FormulaNode part;
      const bool first = out.children.empty() || out.children.back().kind == Kind::Operator || out.children.back().kind == Kind::Comma;
      if (!scripted(part, first, depth)) return false;
      if (!part.empty()) out.children.push_back(std::move(part));
    }
    return true;
  }

  bool group(FormulaNode& out, int depth, const char* of) {
    if (next() != "{") return fail(at_, std::string("expected { after ") + of);
    const size_t open = at_;
    take();
    if (!row(out, depth + 1)) return false;
    if (next() != "}") return fail(at_ < s_.size() ? at_ : open, at_ < s_.size() ? "expected } here" : "this { is not closed");
    take();
    return true;
  }

  bool script(FormulaNode& out, int depth) {
    const std::string_view t = next();
    if (t == "{") return group(out, depth, "_ or ^");
    const bool one = !t.empty() && (is_letter(t[0]) || is_digit(t[0]) || t.starts_with("{{"));
    if (!one) return fail(at_, "expected a name, a number or { after _ or ^");
    FormulaNode part;
    if (!atom(part, false, depth)) return false;
    out.children.push_back(std::move(part));
    return true;
  }

  /// An atom and its sub- and superscript.
  bool scripted(FormulaNode& out, bool first, int depth) {
    if (!atom(out, first, depth)) return false;
    FormulaNode scripts[2];
    bool any = false;
    while (next() == "_" || next() == "^") {
      const size_t at = at_;
      if (out.empty() || out.kind == Kind::Operator || out.kind == Kind::Comma) return fail(at, "there is nothing here that could have an index");
      FormulaNode& one = scripts[take() == "^" ? 1 : 0];
      if (!one.empty()) return fail(at, "a second index of the same kind");
      if (!script(one, depth)) return false;
      if (one.empty()) return fail(at, "an empty index");
      any = true;
    }
    if (out.kind == Kind::Limits) {
      if (!any) out.kind = Kind::Function;
      else out.children = {std::move(scripts[0]), std::move(scripts[1])};
    } else if (any) {
      FormulaNode whole;
      whole.kind = Kind::Scripts;
      whole.children = {std::move(out), std::move(scripts[0]), std::move(scripts[1])};
      out = std::move(whole);
    }
    return true;
  }

  /// `first`: no operand stands before it in its row, so that a minus is a sign.
  bool atom(FormulaNode& out, bool first, int depth) {
    const std::string_view t = next();
    const size_t at = at_;
    if (t.starts_with("\\")) return command(out, depth);
    if (const Bracket* b = bracket(t)) return fence(out, *b, depth);
    if (t == "{") return group(out, depth, "");
    take();
    if (t.starts_with("{{")) return leaf(out, Kind::Live, t);
    if (is_letter(t[0])) return name(out, t);
    if (is_digit(t[0])) return leaf(out, Kind::Symbol, t);
    if (t == "-") return leaf(out, first ? Kind::Symbol : Kind::Operator, "−");
    if (t == "+") return leaf(out, first ? Kind::Symbol : Kind::Operator, "+");
    if (t == "*") return leaf(out, Kind::Operator, "·");
    if (t == "=" || t == "<" || t == ">" || t == "/") return leaf(out, Kind::Operator, t);
    if (t == "," || t == ";" || t == ":") return leaf(out, Kind::Comma, t);
    if (t == "!" || t == "|" || t == "'" || t == ".") return leaf(out, Kind::Symbol, t);
    return fail(at, "a formula has no \"" + std::string(t) + "\"", "words go into \\text{...}");
  }

  static bool leaf(FormulaNode& out, Kind kind, std::string_view text) {
    out.kind = kind;
    out.text = text;
    return true;
  }
  static bool name(FormulaNode& out, std::string_view written) {
    out.kind = Kind::Symbol;
    for (char c : written)
      if (c != '\\') out.text += c;
    return true;
  }

  bool fence(FormulaNode& out, const Bracket& open, int depth) {
    const size_t at = at_;
    take();
    out.kind = Kind::Fence;
    out.text = open.sign;
    out.children.emplace_back();
    if (!row(out.children[0], depth + 1)) return false;
    const Bracket* close = bracket(next());
    if (close == nullptr) return fail(at, "this bracket is not closed");
    if (!closes(out.text, close->sign)) return fail(at_, "this bracket does not close \"" + std::string(open.written) + "\"");
    out.close = close->sign;
    take();
    return true;
  }

  bool command(FormulaNode& out, int depth) {
    const size_t at = at_;
    const std::string_view t = next();
    if (const Bracket* b = bracket(t)) return fence(out, *b, depth);
    take();
    const std::string_view word = t.substr(1);
    if (word == "frac") {
      out.kind = Kind::Fraction;
      out.children.resize(2);
      return group(out.children[0], depth, "\\frac") && group(out.children[1], depth, "\\frac{...}") &&
             ((!out.children[0].empty() && !out.children[1].empty()) || fail(at, "a part of this fraction is empty"));
    }
    if (word == "sqrt") {
      out.kind = Kind::Root;
      out.children.resize(1);
      return group(out.children[0], depth, "\\sqrt") && (!out.children[0].empty() || fail(at, "an empty root"));
    }
    if (word == "text") return words(out, at);
    if (word == "begin") return matrix(out, at, depth);
    if (word == "," || word == ";" || word == " " || word == "quad") return leaf(out, Kind::Symbol, word == "quad" ? "  " : " ");
    for (const Command& c : kCommands)
      if (c.name == word) return leaf(out, c.kind, c.text);
    return fail(at, "\"" + std::string(t) + "\" is not a command of formulas", "lessons/formula.h lists them; words go into \\text{...}");
  }

  bool words(FormulaNode& out, size_t at) {
    if (next() != "{") return fail(at_, "expected { after \\text");
    const size_t close = s_.find('}', at_);
    if (close == std::string_view::npos) return fail(at, "this \\text{ is not closed");
    leaf(out, Kind::Symbol, s_.substr(at_ + 1, close - at_ - 1));
    std::replace(out.text.begin(), out.text.end(), '\n', ' ');
    at_ = close + 1;
    return !out.text.empty() || fail(at, "an empty \\text{}");
  }

  bool matrix(FormulaNode& out, size_t at, int depth) {
    const auto named = [&](std::string_view name) { return s_.substr(std::min(at_, s_.size())).starts_with(name); };
    skip_blanks();
    const bool round = named("{pmatrix}");
    if (!round && !named("{bmatrix}")) return fail(at_, "expected {bmatrix} or {pmatrix} after \\begin");
    const std::string_view name = round ? "{pmatrix}" : "{bmatrix}";
    at_ += name.size();
    out.kind = Kind::Matrix;
    out.text = round ? "(" : "[";
    out.close = round ? ")" : "]";
    size_t in_row = 0;
    for (;;) {
      out.children.emplace_back();
      if (!row(out.children.back(), depth + 1)) return false;
      if (++in_row > kMostColumns) return fail(at_, "a matrix of more than " + std::to_string(kMostColumns) + " columns");
      const std::string_view t = next();
      const size_t end = at_;
      if (t == "&") {
        take();
        continue;
      }
      if (t != "\\\\" && t != "\\end") return fail(t.empty() ? at : end, t.empty() ? "this matrix has no \\end" : "expected &, \\\\ or \\end here");
      if (out.columns == 0) out.columns = static_cast<int>(in_row);
      if (in_row != static_cast<size_t>(out.columns)) return fail(end, "this row of the matrix has " + std::to_string(in_row) + " entries, the first has " + std::to_string(out.columns));
      in_row = 0;
      take();
      skip_blanks();
      if (t == "\\\\") continue;
      if (!named(name)) return fail(at_, "expected " + std::string(name) + " after \\end");
      at_ += name.size();
      return true;
    }
  }

  std::shared_ptr<const SourceFile> file_;
  std::string_view s_;
  size_t at_ = 0;
  std::optional<Diagnostic> problem_;
};

using Fill = std::function<std::string(const std::string&)>;

/// Needs brackets around it when something is tied to it: a sum, a fraction, several parts.
bool is_compound(const FormulaNode& n) {
  if (n.kind == Kind::Row) {
    if (n.children.size() == 1) return is_compound(n.children[0]);
    const bool call = n.children.size() == 2 && n.children[1].kind == Kind::Fence && (n.children[0].kind == Kind::Function || n.children[0].kind == Kind::Symbol);
    return !n.children.empty() && !call;
  }
  return n.kind == Kind::Fraction || n.kind == Kind::Operator;
}

std::string line_of(const FormulaNode& n, const Fill& fill);

std::string bound(const FormulaNode& n, const Fill& fill) { return is_compound(n) ? "(" + line_of(n, fill) + ")" : line_of(n, fill); }

std::string row_line(const FormulaNode& n, const Fill& fill) {
  std::string out;
  for (size_t i = 0; i < n.children.size(); ++i) {
    if (i > 0 && gap_between(n.children[i - 1], n.children[i]) != FormulaGap::None) out += " ";
    out += line_of(n.children[i], fill);
  }
  return out;
}

std::string matrix_line(const FormulaNode& n, const Fill& fill) {
  std::string out = n.text;
  for (size_t i = 0; i < n.children.size(); ++i) {
    if (i > 0) out += i % static_cast<size_t>(n.columns) == 0 ? "; " : ", ";
    out += line_of(n.children[i], fill);
  }
  return out + n.close;
}

std::string scripts_line(const std::string& base, const FormulaNode& below, const FormulaNode& above, const Fill& fill) {
  std::string out = base;
  if (!below.empty()) out += "[" + line_of(below, fill) + "]";
  if (!above.empty()) out += "^" + bound(above, fill);
  return out;
}

std::string limits_line(const FormulaNode& n, const Fill& fill) {
  const std::string below = line_of(n.children[0], fill), above = line_of(n.children[1], fill);
  return n.text + "[" + below + (below.empty() || above.empty() ? "" : " … ") + above + "]";
}

std::string line_of(const FormulaNode& n, const Fill& fill) {
  switch (n.kind) {
    case Kind::Row: return row_line(n, fill);
    case Kind::Symbol:
    case Kind::Function:
    case Kind::Operator:
    case Kind::Comma: return n.text;
    case Kind::Live: return fill(n.text);
    case Kind::Fraction: return bound(n.children[0], fill) + " / " + bound(n.children[1], fill);
    case Kind::Root: return "√" + bound(n.children[0], fill);
    case Kind::Scripts: return scripts_line(bound(n.children[0], fill), n.children[1], n.children[2], fill);
    case Kind::Limits: return limits_line(n, fill);
    case Kind::Fence: return n.text + line_of(n.children[0], fill) + n.close;
    case Kind::Matrix: return matrix_line(n, fill);
  }
  return {};
}

}  // namespace

Expected<FormulaNode> parse_formula(std::string_view text) { return Parser(text).read(); }

FormulaGap gap_between(const FormulaNode& left, const FormulaNode& right) {
  if (left.kind == Kind::Operator || right.kind == Kind::Operator || left.kind == Kind::Comma) return FormulaGap::Operator;
  if (right.kind == Kind::Comma) return FormulaGap::None;
  const auto is_one_of = [](const FormulaNode& n, std::initializer_list<std::string_view> signs) {
    return n.kind == Kind::Symbol && std::find(signs.begin(), signs.end(), n.text) != signs.end();
  };
  if (is_one_of(left, {"−", "+", "|", "."}) || is_one_of(right, {"!", "'", "|", "."})) return FormulaGap::None;
  if ((left.kind == Kind::Symbol && left.text.ends_with(' ')) || (right.kind == Kind::Symbol && right.text.starts_with(' '))) return FormulaGap::None;
  // f(x), 2(a + b)
  if (right.kind == Kind::Fence && left.kind != Kind::Limits) return FormulaGap::None;
  return FormulaGap::Word;
}

std::string formula_line(const FormulaNode& node, const Fill& fill) { return line_of(node, fill); }

}  // namespace tilescope::lessons
