// Calls of jit functions, which are always inlined, and what all lowering shares: errors, notes, locations, limits.
#include <algorithm>

#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/prelude_text.h"
#include "core/stop.h"
#include "core/syntax/parser.h"

namespace tilescope::lower {
namespace {

bool is_constexpr_function(const FunctionDef& def) {
  return std::any_of(def.decorators.begin(), def.decorators.end(), [](const Expr* d) {
    const Expr* e = d->kind == Expr::Kind::Call ? d->base : d;
    return e->text == "constexpr_function" || e->text == "constexpr";
  });
}

std::string parameter_list(const FunctionDef& def) {
  std::string out = def.name + "(";
  for (size_t i = 0; i < def.params.size(); ++i)
    out += (i ? ", " : "") + def.params[i].name + (def.params[i].default_value ? "=..." : "");
  return out + ")";
}

}  // namespace

void Context::fail(const SourceRange& range, std::string message, std::string hint) {
  Diagnostic d;
  d.range = range;
  d.message = std::move(message);
  d.hint = std::move(hint);
  fail(std::move(d));
  internal_error("Context::fail returned");
}

Lowering::Lowering(Function& function, const Module& module)
    : function_(function), builder_object_(function), user_module_(module) {
  builder_ = &builder_object_;
}

const Module& prelude() {
  static const Module module = [] {
    auto source = std::make_shared<SourceFile>();
    source->path = "<prelude>";
    source->text = std::string(prelude_text());
    Expected<Module> parsed = parse_module(source);
    if (!parsed) internal_error("the prelude does not parse: " + render(parsed.errors()));
    return std::move(*parsed);
  }();
  return module;
}

// ---- errors, notes, locations, limits
// ----------------------------------------------------------------------------------

void Lowering::fail(Diagnostic d) {
  if (frame_ != nullptr) d.calls = frame_->calls;
  if (frame_ != nullptr && frame_->user_location != nullptr) {
    // The user sees their own call, not the library's text.
    const SourcePtr& library = prelude().source;
    d.calls = frame_->user_location->calls;
    if (d.range.valid() && d.range.file != library && d.range.file != user_module_.source)
      d.calls = std::make_shared<CallFrame>(CallFrame{current_function(), frame_->user_location->range, d.calls});
    std::erase_if(d.labels, [&](const Label& l) { return l.range.file == library; });
    if (d.range.file == library) {
      d.range = frame_->user_location->range;
      d.range_label.clear();
    }
  }
  throw CompileError{std::move(d)};
}

void Lowering::note(const SourceRange& range, std::string message) {
  if (!noted_.insert({message, range.line}).second || noted_.size() > 200) return;
  Diagnostic d;
  d.severity = Diagnostic::Severity::Note;
  d.range = frame_ != nullptr && frame_->user_location != nullptr ? frame_->user_location->range : range;
  d.message = std::move(message);
  notes_.push_back(std::move(d));
}

void Lowering::set_location(const SourceRange& range) {
  if (frame_->user_location != nullptr) {
    builder_->set_location(frame_->user_location);
    return;
  }
  auto location = std::make_shared<Location>();
  location->range = range;
  location->statement = frame_->statement;
  location->calls = frame_->calls;
  builder_->set_location(std::move(location));
}

void Lowering::count_step(const SourceRange& range, int64_t steps) {
  stop_if_asked();
  steps_ += steps;
  if (steps_ > kMaxSteps || function_.values.size() > kMaxIrValues)
    fail(range, "this kernel grows too large: helpers are inlined and tl.static_range is unrolled",
         "use range(...) instead of tl.static_range, or smaller constexprs");
}

std::string Lowering::current_function() const {
  return frame_ != nullptr && frame_->def != nullptr ? frame_->def->name : "the function";
}

// ---- calls
// ---------------------------------------------------------------------------------------------------------------

void Lowering::check_callable(const FunctionValue& f, const SourceRange& range) {
  const FunctionDef& def = *f.def;
  // A function that runs at compile time may call any other.
  if (!def.is_jit && !is_constexpr_function(def) && !f.compile_time && !frame_->constexpr_function) {
    Diagnostic d;
    d.message = "`" + def.name + "` is host code: a kernel can only call functions with @triton.jit";
    d.range = range;
    d.labels.push_back({def.name_range, "put @triton.jit above this function"});
    fail(std::move(d));
  }
  if (!def.errors.empty()) fail(def.errors.front());
  if (inline_depth_ < kMaxInlineDepth) return;
  Diagnostic d;
  d.message = "calls are nested more than " + std::to_string(kMaxInlineDepth) + " deep";
  d.hint = "helpers are inlined, so a chain of calls must end";
  for (const CallFrame* c = frame_->calls.get(); c != nullptr; c = c->outer.get())
    if (c->callee == def.name) {
      d.message = "`" + def.name + "` calls itself without an end";
      d.hint = "helpers are inlined: recursion must end by an `if` on constexprs; use a loop";
    }
  d.range = range;
  d.labels.push_back({def.name_range, "defined here"});
  // The whole chain repeats itself: the message shows the innermost call only.
  frame_->calls = nullptr;
  fail(std::move(d));
}

Value Lowering::default_value(const Module& module, int scope, const Expr& value) {
  Frame frame;
  frame.module = &module;
  frame.host_scope = scope;
  frame.before = place_of(value.range);  // Python works defaults out where they stand
  frame.statement = value.range;
  if (frame_ != nullptr) {
    frame.calls = frame_->calls;
    frame.user_location = frame_->user_location;
  }
  FrameGuard guard(*this, frame);
  in_default_ = true;
  Value v = eval(value);
  in_default_ = false;
  if (!is_compile_time(v)) fail(value.range, "a default argument must be known at compile time");
  return v;
}

Names Lowering::bind_params(const FunctionValue& f, std::vector<CallArg> args, const SourceRange& range) {
  const FunctionDef& def = *f.def;
  Names scope;
  const auto reject = [&](const SourceRange& where, std::string message) {
    Diagnostic d;
    d.message = std::move(message);
    d.range = where;
    d.labels.push_back({def.name_range, "defined as " + parameter_list(def)});
    fail(std::move(d));
  };
  const auto bind = [&](const FunctionParam& p, const Value& v) {
    scope[p.name] = {v, p.range, is_compile_time(v) && is_constexpr_param(p)};
  };
  using Kind = FunctionParam::Kind;
  size_t next = 0;
  TupleValue rest;
  for (const CallArg& a : args) {
    if (!a.name.empty()) continue;
    while (next < def.params.size() && def.params[next].kind >= Kind::KeywordOnly) {
      if (def.params[next].kind == Kind::VarArgs) break;
      ++next;
    }
    if (next < def.params.size() && def.params[next].kind == Kind::VarArgs) {
      rest.items.push_back(a.value);
      continue;
    }
    if (next == def.params.size())
      reject(a.value.range,
             "`" + def.name + "` takes " + std::to_string(def.params.size()) + " arguments, this is one more");
    bind(def.params[next++], a.value);
  }
  for (const CallArg& a : args) {
    if (a.name.empty()) continue;
    auto p = std::find_if(def.params.begin(), def.params.end(),
                          [&](const auto& x) { return x.name == a.name && x.kind < Kind::VarArgs; });
    if (p == def.params.end()) {
      std::vector<std::string> names;
      for (const auto& x : def.params) names.push_back(x.name);
      const std::string near = closest_name(a.name, names);
      reject(a.value.range, "`" + def.name + "` has no parameter `" + a.name + "`" +
                                (near.empty() ? "" : "; did you mean `" + near + "`?"));
    }
    if (scope.count(a.name)) reject(a.value.range, "`" + a.name + "` is given twice");
    bind(*p, a.value);
  }
  for (const FunctionParam& p : def.params) {
    if (scope.count(p.name)) continue;
    if (p.kind == Kind::VarArgs) {
      check_tuple_size(*this, rest, range);
      bind(p, {rest, p.range});
    }
    if (p.kind == Kind::KwArgs) reject(p.range, "a helper cannot have **" + p.name + ": Triton passes no dictionaries");
    if (p.kind >= Kind::VarArgs) continue;
    if (p.default_value == nullptr) reject(range, "`" + def.name + "` is called without its argument `" + p.name + "`");
    bind(p, default_value(*f.module, def.scope, *p.default_value));
  }
  return scope;
}

Value Lowering::call_function(const FunctionValue& f, std::vector<CallArg> args, const SourceRange& range) {
  DepthGuard guard(*this, range);
  check_callable(f, range);
  for (const CallArg& a : args)
    if (!f.def->is_jit && !is_compile_time(a.value))
      fail(a.value.range,
           "`" + f.def->name + "` runs at compile time and needs constexprs, found " + describe(a.value, function_));
  // What a host function says about the machine by its name, when it cannot be worked out.
  const bool says = !f.def->is_jit && find_named_fact(f.def->name) != nullptr;
  if (!says) return run_function(f, bind_params(f, std::move(args), range), range);
  const Expected<Value> v = attempt([&] { return run_function(f, bind_params(f, std::move(args), range), range); });
  return v && is_compile_time(*v) ? *v : *named_fact(f.def->name, range);
}

Value Lowering::run_function(const FunctionValue& f, Names names, const SourceRange& range) {
  Frame frame;
  frame.def = f.def;
  frame.module = f.module;
  frame.host_scope = f.def->scope;
  frame.scope = Scope(std::move(names));
  frame.statement = f.def->range;
  frame.constexpr_function = !f.def->is_jit;
  frame.before = seen_until(*f.module);
  if (frame.constexpr_function) frame.before = std::min(frame.before, INT64_MAX - 1);  // sees the whole file, not as a kernel does
  // The prelude and other files: what runs is shown at the line of the kernel's file that called them.
  const bool enters_library = f.module != &user_module_;
  if (frame_->user_location != nullptr) {
    frame.user_location = frame_->user_location;
    frame.calls = frame_->calls;
  }
  if (!enters_library) {
    // Code of the user again, also when the library called it (the combine function of a reduction).
    frame.user_location = nullptr;
    frame.calls = std::make_shared<CallFrame>(CallFrame{f.def->name, range, frame_->calls});
  } else if (frame_->user_location == nullptr) {
    set_location(range);
    frame.user_location = builder_->location();
    frame.calls = frame_->calls;
  }
  ++inline_depth_;
  Flow flow;
  {
    FrameGuard guard(*this, frame);
    flow = exec_block(f.def->body, true);
  }
  --inline_depth_;
  set_location(range);
  flow.result.range = range;
  return flow.result;
}

Value Lowering::call_prelude(const std::string& name, std::vector<CallArg> args, const SourceRange& range) {
  const FunctionDef* def = prelude().find_function(name);
  if (def == nullptr) internal_error("the prelude has no function " + name);
  return call_function({def, &prelude()}, std::move(args), range);
}

Value Lowering::call_prelude_in(Block& block, LocationPtr location, const std::string& name, std::vector<CallArg> args,
                                const SourceRange& range) {
  Frame frame;
  frame.module = &user_module_;
  frame.statement = location->statement;
  frame.user_location = location;
  frame.calls = location->calls;
  FrameGuard guard(*this, frame);
  builder_->set_block(&block);
  return call_prelude(name, std::move(args), range);
}

}  // namespace tilescope::lower
