#include "core/guess_use.h"

#include <algorithm>

#include "core/guess_walk.h"

namespace tilescope::guessing {

bool is_dtype_name(const std::string& name) {
  static const std::vector<std::string> starts = {"float", "int", "uint", "bfloat"};
  return std::any_of(starts.begin(), starts.end(), [&](const std::string& s) {
    return name.starts_with(s) && name.size() > s.size() && std::isdigit(static_cast<unsigned char>(name[s.size()]));
  });
}

// ---- statements

namespace {

int last_line(const std::vector<Stmt*>& body) {
  if (body.empty()) return 0;
  const Stmt& s = *body.back();
  return std::max({s.range.end_line, last_line(s.body), last_line(s.orelse)});
}

}  // namespace

void Walk::block(const std::vector<Stmt*>& body) {
  for (const Stmt* s : body) statement(*s);
}

void Walk::statement(const Stmt& s) {
  if (++steps_ > kMaxSteps || nested_ > kMaxNested) return;
  const Nested nested(nested_);
  switch (s.kind) {
    case Stmt::Kind::Assign: {
      const Source v = eval(*s.value);
      for (const Expr* t : s.targets) assign(*t, v);
      return;
    }
    case Stmt::Kind::AnnAssign:
      if (s.value != nullptr) assign(*s.targets[0], eval(*s.value));
      return;
    case Stmt::Kind::AugAssign:
      assign(*s.targets[0], binary(s.op, eval(*s.targets[0]), eval(*s.value)));
      return;
    case Stmt::Kind::ExprStmt:
    case Stmt::Kind::Assert:
      if (s.value != nullptr) eval(*s.value);
      return;
    case Stmt::Kind::Return:
      if (s.value == nullptr) return;
      if (!frame_->returned)
        frame_->result = eval(*s.value);
      else
        merge(frame_->result, eval(*s.value));
      frame_->returned = true;
      return;
    case Stmt::Kind::If: {
      const Source test = eval(*s.value);
      as_truth(test);
      const ParamSet outer = guards_;
      guards_ |= test.touched;
      if (record_ && test.touched.any())
        out_.branches.push_back({s.range.file.get(), s.range.line, std::max(last_line(s.body), last_line(s.orelse)), test.touched});
      branches(s);
      guards_ = outer;
      return;
    }
    case Stmt::Kind::For:
      assign(*s.targets[0], eval(*s.value));
      loop(s);
      return;
    case Stmt::Kind::While:
      as_truth(eval(*s.value));
      loop(s);
      return;
    default:
      return;
  }
}

void Walk::loop(const Stmt& s) {
  for (int i = 0; i < 2; ++i) {
    const size_t mark = frame_->changes.size();
    ++frame_->open;
    block(s.body);
    for (auto& [name, before] : changed_since(mark))
      if (before) set_name(name, joined(frame_->names[name], *before));
    close_branch();
    if (steps_ > kMaxSteps / 2) return;
  }
}

/// Both branches begin with the same names; behind them a name may be what either made of it.
void Walk::branches(const Stmt& s) {
  const size_t mark = frame_->changes.size();
  ++frame_->open;
  block(s.body);
  auto first = changed_since(mark);
  for (auto& [name, value] : first) {  // back to the beginning: `value` is what it had then
    Source now = frame_->names[name];
    if (value) set_name(name, *value);
    else frame_->names.erase(name);
    value = std::move(now);
  }
  const size_t second = frame_->changes.size();
  block(s.orelse);
  for (auto& [name, before] : changed_since(second))
    if (before && first.count(name) == 0) set_name(name, joined(frame_->names[name], *before));
  for (auto& [name, value] : first) {
    const auto at = frame_->names.find(name);
    set_name(name, at == frame_->names.end() ? *value : joined(at->second, *value));
  }
  close_branch();
}

void Walk::set_name(const std::string& name, Source v) {
  const auto at = frame_->names.find(name);
  const bool fresh = at == frame_->names.end();
  if (frame_->open > 0) frame_->changes.push_back({name, fresh ? std::nullopt : std::optional<Source>(at->second)});
  if (fresh) frame_->names.emplace(name, std::move(v));
  else at->second = std::move(v);
}

std::map<std::string, std::optional<Source>> Walk::changed_since(size_t mark) {
  std::map<std::string, std::optional<Source>> out;
  steps_ += static_cast<int>(frame_->changes.size() - mark);
  for (size_t i = mark; i < frame_->changes.size() && steps_ <= kMaxSteps; ++i) out.try_emplace(frame_->changes[i].name, frame_->changes[i].before);
  return out;
}

void Walk::close_branch() {
  if (--frame_->open == 0) frame_->changes.clear();
}

void Walk::assign(const Expr& target, const Source& v) {
  if (target.kind == Expr::Kind::Name) {
    set_name(target.text, v);
    if (record_ && guards_.any()) out_.guards[target.text] |= guards_;
  } else if (target.kind == Expr::Kind::Tuple || target.kind == Expr::Kind::List) {
    const bool fits = v.items != nullptr && v.items->size() == target.items.size();
    for (size_t i = 0; i < target.items.size(); ++i) {
      Source item = fits ? (*v.items)[i] : v;
      if (!fits) item.items = nullptr, item.param = -1;
      assign(*target.items[i], item);
    }
    if (!fits && v.param >= 0) {
      ParamUse& u = out_.params[static_cast<size_t>(v.param)];
      u.indexed = true;
      if (target.items.size() < kMostItems) u.items = std::max<uint64_t>(u.items, target.items.size());
    }
  }
}

// ---- expressions

Source Walk::eval(const Expr& e) {
  if (++steps_ > kMaxSteps || nested_ > kMaxNested) return {};
  const Nested nested(nested_);
  Source s = evaluate(e);
  if (record_ && s.touched.any())
    out_.places.push_back({e.range.file.get(), e.range.line, e.range.column, e.range.end_line, e.range.end_column, s.touched});
  return s;
}

Source Walk::evaluate(const Expr& e) {
  using K = Expr::Kind;
  Source s;
  switch (e.kind) {
    case K::Name:
      return name(e.text);
    case K::Int:
      s.index = true;
      return s;
    case K::Float:
      s.real = true;
      return s;
    case K::Bool:
      s.truth = true;
      return s;
    case K::BinOp: {
      const Source a = eval(*e.items[0]);
      return binary(e.op, a, eval(*e.items[1]));
    }
    case K::UnaryOp:
      s = eval(*e.items[0]);
      if (e.op == SynOp::Not) as_truth(s), s.truth = true;
      if (e.op == SynOp::Neg) as_number(s);
      s.param = -1;
      return s;
    case K::Compare:
      return compare(e);
    case K::BoolOp:
      for (const Expr* item : e.items) {
        const Source v = eval(*item);
        as_truth(v);
        s.touched |= v.touched;
      }
      s.truth = true;
      return s;
    case K::IfExp: {
      const Source test = eval(*e.items[0]);
      as_truth(test);
      s = joined(eval(*e.items[1]), eval(*e.items[2]));
      s.touched |= test.touched;
      return s;
    }
    case K::Tuple:
    case K::List: {
      auto items = std::make_shared<std::vector<Source>>();
      for (const Expr* item : e.items) {
        items->push_back(eval(*item));
        s.touched |= items->back().touched;
        s.depth = std::max(s.depth, items->back().depth);
      }
      if (++s.depth > kMaxTupleDepth || items->size() > kMaxTupleItems) return s.depth = 0, s;
      s.items = std::move(items);
      return s;
    }
    case K::Attribute:
      return attribute(e);
    case K::Subscript:
      return subscript(e);
    case K::Call:
      return call(e);
    case K::Starred:
    case K::FormattedValue:
      return e.items.empty() ? s : eval(*e.items[0]);
    default:
      return s;
  }
}

Source Walk::name(const std::string& text) {
  if (auto at = frame_->names.find(text); at != frame_->names.end()) return at->second;
  Source s;
  const FoundFunction f = function_named(text);
  s.function = f.def;
  s.function_module = f.module;
  return s;
}

FoundFunction Walk::function_named(const std::string& text) {
  if (const FunctionDef* f = frame_->module->find_function(text)) return {f, frame_->module};
  return lookup_ ? lookup_(*frame_->module, text) : FoundFunction{};
}

Source Walk::binary(SynOp op, Source a, const Source& b) {
  const bool sum = op == SynOp::Add || op == SynOp::Sub;
  const bool bits = op == SynOp::BitAnd || op == SynOp::BitOr || op == SynOp::BitXor;
  const bool integers = op == SynOp::FloorDiv || op == SynOp::Mod || op == SynOp::Shl || op == SynOp::Shr || bits;
  if (bits && (a.truth || b.truth)) {
    for (const Source* s : {static_cast<const Source*>(&a), &b})
      if (!s->truth) as_truth(*s);
  } else if (integers) {
    as_integer(a), as_integer(b);
    if (op == SynOp::FloorDiv || op == SynOp::Mod)
      for (int axis = 0; axis < 3; ++axis)
        if (a.axes & (1 << axis)) out_.divided[static_cast<size_t>(axis)] = true;
  }
  if (!sum || op == SynOp::Sub) as_number(b);
  if (!sum) as_number(a);
  if (a.real && !b.real) as_real(b);
  if (b.real && !a.real) as_real(a);
  // A lone run-time scalar that meets loaded elements computes with them.
  for (const auto& [scalar, tile] : {std::pair<const Source*, const Source*>{&a, &b}, {&b, &a}})
    if (scalar->param >= 0 && tile->loaded.any() && tile->base < 0 && !tile->index && !integers)
      out_.params[static_cast<size_t>(scalar->param)].number = true;
  if (op == SynOp::Mul) as_step(b, a), as_step(a, b);
  Source out = a;
  merge(out, b);
  if (op == SynOp::Mul) {
    for (const Source* s : {static_cast<const Source*>(&a), &b})
      if (s->param >= 0 && !is_constexpr_param(kernel_.params[static_cast<size_t>(s->param)])) out.stepped.set(static_cast<size_t>(s->param));
  }
  if (!sum) out.plain.clear();
  // pid * BLOCK + tl.arange(0, BLOCK) is one index; rows * stride + cols has two.
  if (sum && out.stepped.none() && out.plain.size() == 1) out.plain[0].second = out.axes;
  out.param = -1;
  out.items = nullptr;
  out.function = nullptr;
  out.bases.reset();
  if (sum) {
    out.base = likely_address(a.base) ? a.base : likely_address(b.base) ? b.base : a.base >= 0 ? a.base : b.base;
    if (likely_address(a.base) && likely_address(b.base) && a.base != b.base && known_address(b.base) && !known_address(a.base)) out.base = b.base;
    if (a.pointer != b.pointer) {
      as_integer(a.pointer ? b : a);
      out.base = a.pointer ? a.base : b.base;
    }
    out.bases = out.base < 0 ? ParamSet{} : out.base == a.base ? a.bases : b.bases;
  } else {
    out.base = -1;
    out.pointer = false;
    out.factors |= out.added;
    out.added.reset();
  }
  if (op == SynOp::Mul) out.scale = b.param >= 0 ? b.param : a.param >= 0 ? a.param : out.scale;
  if (!sum && op != SynOp::Mul) out.scale = -1;
  if (op == SynOp::Div) out.real = true, out.index = false;
  out.truth = bits && (a.truth || b.truth);
  return out;
}

void Walk::as_step(const Source& factor, const Source& index) {
  if (!record_ || factor.param < 0 || !index.index) return;
  ParamUse& u = out_.params[static_cast<size_t>(factor.param)];
  if (!u.step_axis.empty()) return;
  if (const auto at = out_.below.find({index.extent, index.axes}); at != out_.below.end()) u.step_axis = at->second;
}

void Walk::learn_steps(const Source& address, const ParamSet& bases) {
  each(address.stepped, [&](ParamUse& u) {
    u.steps |= bases;
    for (const auto& index : address.plain) {
      const auto at = out_.below.find(index);
      if (at != out_.below.end() && std::find(u.rest.begin(), u.rest.end(), at->second) == u.rest.end()) u.rest.push_back(at->second);
    }
  });
}

bool Walk::known_address(int p) const {
  return p >= 0 && likely_address(p) && (out_.params[static_cast<size_t>(p)].address() || names_an_address(param_name(p)));
}

Source Walk::compare(const Expr& e) {
  std::vector<Source> v;
  for (const Expr* item : e.items) v.push_back(eval(*item));
  Source out;
  out.truth = true;
  for (const Source& s : v) out.touched |= s.touched;
  for (size_t i = 0; i + 1 < v.size(); ++i) {
    compare_pair(v[i], v[i + 1], *e.items[i + 1], e.ops[i]);
    compare_pair(v[i + 1], v[i], *e.items[i], SynOp::None);
  }
  return out;
}

void Walk::compare_pair(const Source& a, const Source& b, const Expr& eb, SynOp op) {
  ParamUse* u = a.param >= 0 ? &out_.params[static_cast<size_t>(a.param)] : nullptr;
  if (u != nullptr) {
    if (eb.kind == Expr::Kind::None) u->none = true;
    if (eb.kind == Expr::Kind::Str) u->strings.push_back(eb.text);
    if (eb.kind == Expr::Kind::Int) u->integers.push_back(static_cast<int64_t>(eb.integer));
    if (eb.kind == Expr::Kind::Bool) u->boolean = true;
    if (eb.kind == Expr::Kind::Attribute && is_dtype_name(eb.text)) u->dtype = true;
    if (eb.kind == Expr::Kind::Tuple || eb.kind == Expr::Kind::List)
      for (const Expr* item : eb.items)
        if (item->kind == Expr::Kind::Str) u->strings.push_back(item->text);
    if (eb.kind != Expr::Kind::None && eb.kind != Expr::Kind::Str) u->number |= b.index || b.real;
  }
  if (b.index && eb.kind != Expr::Kind::Int) as_integer(a);
  if (b.index && eb.kind == Expr::Kind::Int && !a.real) each(a.loaded, [](ParamUse& x) { x.maybe_integer_elements = true; });
  if (b.real) as_real(a);
  if (b.index && a.param >= 0) out_.params[static_cast<size_t>(a.param)].bound = true;
  // offsets < n: pieces of the program's axis.
  const bool below = op == SynOp::Lt || op == SynOp::Le || op == SynOp::Ge || op == SynOp::Gt;
  if (below && b.param >= 0 && a.extent >= 0) out_.below.try_emplace({a.extent, a.axes}, param_name(b.param));
  if (!below || b.param < 0 || a.axes == 0 || (a.axes & (a.axes - 1)) != 0) return;
  const size_t axis = a.axes == 1 ? 0 : a.axes == 2 ? 1 : 2;
  AxisUse use{param_name(b.param), a.extent >= 0 ? param_name(a.extent) : ""};
  auto& known = out_.limits[axis];
  if (std::none_of(known.begin(), known.end(), [&](const AxisUse& x) { return x.limit == use.limit; })) known.push_back(std::move(use));
}

Source Walk::attribute(const Expr& e) {
  if (e.base->kind == Expr::Kind::Name && frame_->names.count(e.base->text) == 0) {
    Source s;
    if (lookup_) {
      const FoundFunction f = lookup_(*frame_->module, e.base->text + "." + e.text);
      s.function = f.def, s.function_module = f.module;
    }
    return s;
  }
  const Source base = eval(*e.base);
  Source s;
  s.touched = base.touched;
  if (e.text == "element_ty" && base.base >= 0) out_.params[static_cast<size_t>(base.base)].loaded = true;
  if (e.text == "dtype" || e.text == "type") s.base = base.base, s.bases = base.bases, s.added = base.added;
  if (e.text == "T") return base;
  if (e.text == "value") return base;
  return s;
}

Source Walk::subscript(const Expr& e) {
  Source base = eval(*e.base);
  bool tile = false, plain = true;
  std::vector<const Expr*> items(e.items.begin(), e.items.end());
  if (items.size() == 1 && items[0]->kind == Expr::Kind::Tuple) items.assign(items[0]->items.begin(), items[0]->items.end());
  for (const Expr* item : items) {
    if (item->kind == Expr::Kind::Slice || item->kind == Expr::Kind::None) tile = true;
    else if (item->kind != Expr::Kind::Int) eval(*item), plain = false;
  }
  if (tile) {
    base.param = -1;
    return base;
  }
  if (base.param >= 0) {
    ParamUse& u = out_.params[static_cast<size_t>(base.param)];
    u.indexed = true;
    if (items.size() == 1 && items[0]->kind == Expr::Kind::Int && items[0]->integer < kMostItems) u.items = std::max(u.items, items[0]->integer + 1);
  }
  if (base.items != nullptr && plain && items.size() == 1 && items[0]->integer < base.items->size())
    return (*base.items)[items[0]->integer];
  if (base.items != nullptr) {
    Source s;
    for (const Source& x : *base.items) {
      if (++steps_ > kMaxSteps) break;
      merge(s, x);
    }
    return s;
  }
  base.param = -1;
  return base;
}

}  // namespace tilescope::guessing

namespace tilescope {
namespace {

bool before(int line_a, int column_a, int line_b, int column_b) {
  return line_a < line_b || (line_a == line_b && column_a < column_b);
}

bool overlaps(const KernelUse::Place& a, const SourceRange& b) {
  return a.file == b.file.get() && before(a.line, a.column, b.end_line, b.end_column) && before(b.line, b.column, a.end_line, a.end_column);
}

}  // namespace

ParamSet KernelUse::behind(const SourceRange& place) const {
  ParamSet inside, around;
  for (const Place& p : places) {
    if (!overlaps(p, place)) continue;
    around |= p.params;
    if (!before(p.line, p.column, place.line, place.column) && !before(place.end_line, place.end_column, p.end_line, p.end_column)) inside |= p.params;
  }
  return inside.any() ? inside : around;
}

bool KernelUse::is_constant(const SourceRange& place) const {
  const auto inside = [&](const Place& p) {
    return overlaps(p, place) && !before(p.line, p.column, place.line, place.column) && !before(place.end_line, place.end_column, p.end_line, p.end_column);
  };
  return conditions_around(place).none() && std::none_of(places.begin(), places.end(), inside);
}

ParamSet KernelUse::conditions_around(const SourceRange& place) const {
  ParamSet out;
  for (const Branch& b : branches)
    if (b.file == place.file.get() && b.line <= place.line && place.line <= b.end_line) out |= b.params;
  return out;
}

KernelUse study_kernel(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup) {
  KernelUse out;
  out.params.resize(std::min(kernel.params.size(), kMaxGuessedParams));
  guessing::Walk walk(module, kernel, lookup, out);
  walk.run(false);
  // Once more: what was learnt tells addresses from offsets.
  for (ParamUse& u : out.params)
    if (u.integer || u.number) u.loaded = u.stored = false;
  out.limits = {};
  walk.run(true);
  return out;
}

}  // namespace tilescope
