#include "tests/syntax_text.h"

namespace tilescope::test {
namespace {

std::string items(const Expr* e) {
  std::string out;
  for (const Expr* item : e->items) out += " " + text_of(item);
  return out;
}

}  // namespace

/// Lisp-like: (+ a (* b 2)).
std::string text_of(const Expr* e) {
  using Kind = Expr::Kind;
  if (e == nullptr) return "_";
  switch (e->kind) {
    case Kind::Name:
      return e->text;
    case Kind::Int:
      return e->too_big ? "too-big" : std::to_string(e->integer);
    case Kind::Float:
      return "float:" + std::to_string(e->real);
    case Kind::Bool:
      return e->integer != 0 ? "True" : "False";
    case Kind::None:
      return "None";
    case Kind::Ellipsis:
      return "...";
    case Kind::Str:
      return "'" + e->text + "'";
    case Kind::FString:
      return "(f" + items(e) + ")";
    case Kind::FormattedValue:
      return "{" + text_of(e->items[0]) + "|" + e->text + "}";
    case Kind::Attribute:
      return text_of(e->base) + "." + e->text;
    case Kind::Subscript:
      return "(index " + text_of(e->base) + items(e) + ")";
    case Kind::Slice:
      return "(slice" + items(e) + ")";
    case Kind::Call: {
      std::string out = "(call " + text_of(e->base) + items(e);
      for (const Keyword& k : e->keywords) out += " " + (k.name.empty() ? "**" : k.name + "=") + text_of(k.value);
      return out + ")";
    }
    case Kind::BinOp:
    case Kind::UnaryOp:
    case Kind::BoolOp:
      return "(" + std::string(spelling(e->op)) + items(e) + ")";
    case Kind::Compare: {
      std::string out = "(compare " + text_of(e->items[0]);
      for (size_t i = 0; i < e->ops.size(); ++i) {
        out += " " + std::string(spelling(e->ops[i])) + " " + text_of(e->items[i + 1]);
      }
      return out + ")";
    }
    case Kind::IfExp:
      return "(if" + items(e) + ")";
    case Kind::Tuple:
      return "(tuple" + items(e) + ")";
    case Kind::List:
      return "(list" + items(e) + ")";
    case Kind::Starred:
      return "*" + text_of(e->items[0]);
    case Kind::Unsupported:
      return "<" + e->text + items(e) + ">";
  }
  return "?";
}

std::string text_of(const std::vector<Stmt*>& block) {
  using Kind = Stmt::Kind;
  std::string out;
  for (const Stmt* s : block) {
    if (!out.empty()) out += "; ";
    std::string targets;
    for (const Expr* t : s->targets) targets += text_of(t) + " ";
    std::string blocks = " {" + text_of(s->body) + "}";
    if (!s->orelse.empty()) blocks += " else {" + text_of(s->orelse) + "}";
    switch (s->kind) {
      case Kind::Assign:
        out += targets + "= " + text_of(s->value);
        break;
      case Kind::AnnAssign:
        out += targets + ": " + text_of(s->annotation) + " = " + text_of(s->value);
        break;
      case Kind::AugAssign:
        out += targets + std::string(spelling(s->op)) + "= " + text_of(s->value);
        break;
      case Kind::ExprStmt:
        out += text_of(s->value);
        break;
      case Kind::If:
        out += "if " + text_of(s->value) + blocks;
        break;
      case Kind::For:
        out += "for " + targets + "in " + text_of(s->value) + blocks;
        break;
      case Kind::While:
        out += "while " + text_of(s->value) + blocks;
        break;
      case Kind::Return:
        out += "return " + text_of(s->value);
        break;
      case Kind::Assert:
        out += "assert " + text_of(s->value) + " " + text_of(s->message);
        break;
      case Kind::Pass:
        out += "pass";
        break;
      case Kind::Break:
        out += "break";
        break;
      case Kind::Continue:
        out += "continue";
        break;
      case Kind::Unsupported:
        out += "<" + s->text + ">";
        break;
    }
  }
  return out;
}

}  // namespace tilescope::test
