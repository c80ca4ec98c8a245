// `def`: the header with its parameters, and the body.
#include <set>

#include "core/syntax/parser_state.h"

namespace tilescope {

/// Reads the function at `def`; errors go to f.errors and the caller continues after the function.
void Parser::function(FunctionDef& f) {
  errors_ = &f.errors;
  try {
    header(f);
    block_depth_ = 0;
    block(f.body, "def", f.range);
  } catch (SyntaxError& e) {
    f.errors.push_back(std::move(e.diagnostic));
  }
  errors_ = nullptr;
  if (!f.body.empty() && f.body[0]->kind == Stmt::Kind::ExprStmt && f.body[0]->value->kind == Expr::Kind::Str) {
    f.body.erase(f.body.begin());
  }
}

void Parser::header(FunctionDef& f) {
  size_t first = at_;
  advance();
  f.name_range = range_of(now());
  f.range = range_from(first);
  if (!at_kind(TokenKind::Name)) fail_here("a function name after `def`");
  f.name = text(now());
  advance();
  if (at("[") && now().mate >= 0) {  // type parameters
    at_ = static_cast<size_t>(now().mate);
    advance();
  }
  size_t opener = at_;
  if (!accept("(")) fail_here("`(` after the function name");
  f.range = range_from(first);
  parameters(f, opener);
  if (accept("->")) f.returns = expression();
  colon("the function header");
  f.range = range_from(first);
}

void Parser::parameters(FunctionDef& f, size_t opener) {
  std::set<std::string> names;
  bool keyword_only = false, defaults = false;
  while (!at(")")) {
    if (accept("/")) {
      for (FunctionParam& p : f.params) p.kind = FunctionParam::Kind::PositionalOnly;
    } else if (at("*") && (is(ahead(), ",") || is(ahead(), ")"))) {
      advance();
      keyword_only = true;
    } else {
      FunctionParam p = parameter(keyword_only);
      if (!names.insert(p.name).second) fail(p.range, "the parameter `" + p.name + "` appears twice");
      if (p.kind == FunctionParam::Kind::Normal && defaults && p.default_value == nullptr) {
        fail(p.range, "the parameter `" + p.name + "` has no default, but one before it has",
             "give it a default too, or move it before the parameters with defaults");
      }
      defaults = defaults || (p.kind == FunctionParam::Kind::Normal && p.default_value != nullptr);
      keyword_only = keyword_only || p.kind == FunctionParam::Kind::VarArgs;
      f.params.push_back(std::move(p));
    }
    if (!accept(",")) break;
  }
  close_bracket(opener);
}

FunctionParam Parser::parameter(bool keyword_only) {
  FunctionParam p;
  p.kind = keyword_only ? FunctionParam::Kind::KeywordOnly : FunctionParam::Kind::Normal;
  if (accept("**")) {
    p.kind = FunctionParam::Kind::KwArgs;
  } else if (accept("*")) {
    p.kind = FunctionParam::Kind::VarArgs;
  }
  if (!at_kind(TokenKind::Name)) fail_here("a parameter name");
  p.range = range_of(now());
  p.name = text(now());
  advance();
  if (accept(":")) p.annotation = p.kind == FunctionParam::Kind::VarArgs && at("*") ? starred() : expression();
  if (accept("=")) p.default_value = expression();
  return p;
}

}  // namespace tilescope
