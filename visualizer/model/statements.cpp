#include "visualizer/model/statements.h"

#include <algorithm>

#include "core/syntax/parser.h"
#include "visualizer/model/statements_cpp.h"

namespace tilescope::model {
namespace {

bool starts_before(const SourceRange& a, const SourceRange& b) {
  return a.line != b.line ? a.line < b.line : a.column < b.column;
}

/// "r, c" for a tuple; empty for what is no plain name.
std::string target_name(const Expr& target) {
  if (target.kind == Expr::Kind::Name) return target.text;
  if (target.kind != Expr::Kind::Tuple && target.kind != Expr::Kind::List) return {};
  std::string out;
  for (const Expr* item : target.items) {
    const std::string name = target_name(*item);
    if (name.empty()) return {};
    out += (out.empty() ? "" : ", ") + name;
  }
  return out;
}

/// Last part of the function's name: "store" of tl.store(...).
std::string callee_name(const Expr& value) {
  if (value.kind != Expr::Kind::Call || value.base == nullptr) return {};
  const bool named = value.base->kind == Expr::Kind::Name || value.base->kind == Expr::Kind::Attribute;
  return named ? value.base->text : std::string();
}

Statement describe(const Stmt& s) {
  Statement out;
  out.range = s.range;
  using K = Stmt::Kind;
  switch (s.kind) {
    case K::Assign:
    case K::AnnAssign:
    case K::AugAssign:
      out.kind = Statement::Kind::Assign;
      out.name = s.targets.empty() ? "" : target_name(*s.targets[0]);
      out.one_name = s.targets.size() == 1 && s.targets[0]->kind == Expr::Kind::Name;
      break;
    case K::For:
      out.kind = Statement::Kind::For;
      out.name = s.targets.empty() ? "" : target_name(*s.targets[0]);
      break;
    case K::While:
      out.kind = Statement::Kind::While;
      out.name = "while";
      break;
    case K::If:
      out.kind = Statement::Kind::If;
      out.name = "if";
      break;
    case K::ExprStmt:
      out.kind = Statement::Kind::Call;
      out.name = s.value == nullptr ? "" : callee_name(*s.value);
      break;
    case K::Return:
      out.name = "return";
      break;
    case K::Assert:
      out.name = "assert";
      break;
    default:
      break;
  }
  return out;
}

void collect(const std::vector<Stmt*>& body, std::vector<Statement>& out) {
  for (const Stmt* s : body) {
    out.push_back(describe(*s));
    collect(s->body, out);
    collect(s->orelse, out);
  }
}

const SourceRange& place_in_kernel(const Location& loc) {
  const CallFrame* call = loc.calls.get();
  while (call != nullptr && call->outer != nullptr) call = call->outer.get();
  return call != nullptr ? call->call : loc.statement;
}

}  // namespace

bool Statement::assigns(const std::string& variable) const {
  if (kind != Kind::Assign) return false;
  return name == variable || (", " + name + ",").find(", " + variable + ",") != std::string::npos;
}

Statements::Statements(const Function& function) {
  if (function.source != nullptr) {
    const Expected<Module> module = parse_module(function.source);
    if (module)
      if (const FunctionDef* def = module->find_function(function.name)) collect(def->body, all_);
  }
  if (all_.empty())
    walk(function.body, [&](const Op& op) {
      if (op.code != OpCode::Return && op.loc != nullptr && place_in_kernel(*op.loc).valid()) {
        all_.emplace_back();
        all_.back().range = place_in_kernel(*op.loc);
        describe_cpp(all_.back().range.file->line(all_.back().range.line), all_.back());
      }
    });
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Statement& a, const Statement& b) { return starts_before(a.range, b.range); });
  const auto same = [](const Statement& a, const Statement& b) {
    return a.range.line == b.range.line && a.range.column == b.range.column;
  };
  all_.erase(std::unique(all_.begin(), all_.end(), same), all_.end());
}

int Statements::at(const SourceRange& place) const {
  const auto after = std::upper_bound(all_.begin(), all_.end(), place, [](const SourceRange& p, const Statement& s) {
    return starts_before(p, s.range);
  });
  return static_cast<int>(after - all_.begin()) - 1;
}

int Statements::of(const Op& op) const {
  if (op.loc == nullptr) return -1;
  const SourceRange& place = place_in_kernel(*op.loc);
  return place.line > 0 ? at(place) : -1;
}

}  // namespace tilescope::model
