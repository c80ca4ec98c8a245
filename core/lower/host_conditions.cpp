// Which `if` and `try` of host code hold, for names that the file defines more than once. Known are: hasattr() of the modules
// of the kernel language, the release of Triton, constants of the file, typing.TYPE_CHECKING (false), environment variables
// (none is set), the machine (core/host_facts.h), whether imports lead anywhere, and that the kernel itself is reached.
// Everything else stays unknown.
#include "core/lower/builtins.h"
#include "core/lower/depth_guard.h"
#include "core/lower/lowering.h"
#include "core/lower/module_names.h"

namespace tilescope::lower {

Expected<Value> Lowering::attempt(const std::function<Value()>& evaluate) {
  Block scratch;
  Block* const block = builder_->block();
  const int inlined = inline_depth_;
  const bool in_default = in_default_;
  const size_t notes = notes_.size();
  builder_->set_block(&scratch);
  Expected<Value> result = [&]() -> Expected<Value> {
    try {
      return evaluate();
    } catch (CompileError& e) {
      return std::move(e.diagnostic);
    }
  }();
  builder_->set_block(block);
  inline_depth_ = inlined;
  in_default_ = in_default;
  if (!result) notes_.resize(notes);
  return result;
}

Lowering::Truth Lowering::test_of(const Module& module, int block) {
  const Expr* test = module.blocks[static_cast<size_t>(block)].test;
  if (test == nullptr) return Truth::Unknown;
  // A test that needs itself, through a name that it chooses, is unknown.
  const auto [known, fresh] = block_tests_.emplace(std::pair{&module, block}, Truth::Unknown);
  if (!fresh) return known->second;
  const size_t notes = notes_.size();
  ++host_tests_;
  const Expected<Value> v = attempt([&] {
    Frame frame;
    frame.module = &module;
    frame.host_scope = module.blocks[static_cast<size_t>(block)].scope;
    frame.constexpr_function = true;  // host code
    frame.before = place_of(test->range);
    frame.statement = test->range;
    frame.calls = frame_->calls;
    frame.user_location = frame_->user_location;
    FrameGuard guard(*this, frame);
    DepthGuard depth(*this, test->range);
    in_default_ = true;
    return eval(*test);
  });
  --host_tests_;
  notes_.resize(std::min(notes, notes_.size()));  // about host code
  std::optional<Value> value = v ? std::optional(*v) : host_python(module, module.blocks[static_cast<size_t>(block)].scope, *test);
  if (!value || !is_compile_time(*value)) return Truth::Unknown;
  return block_tests_[{&module, block}] = const_truth(*value) ? Truth::Yes : Truth::No;
}

/// Whether all imports of a `try` lead somewhere; unknown when some do not, or when there are none.
Lowering::Truth Lowering::imports_of(const Module& module, int block) {
  const auto [known, fresh] = block_tests_.emplace(std::pair{&module, block}, Truth::Unknown);
  if (!fresh) return known->second;
  bool any = false;
  for (const Import& i : module.imports) {
    if (i.block != block) continue;
    any = true;
    bool found = i.name == "*";
    const Expected<Value> tried = attempt([&] {
      found = found || import_value(module, i, i.range).has_value();
      return Value{};
    });
    if (!tried || !found) return Truth::Unknown;
  }
  return known->second = any ? Truth::Yes : Truth::Unknown;
}

/// Whether the block runs when its statement does.
Lowering::Truth Lowering::is_reached_beside(const Module& module, int block) {
  using K = HostBlock::Kind;
  const HostBlock& b = module.blocks[static_cast<size_t>(block)];
  if (b.kind == K::Other || b.kind == K::Try) return Truth::Yes;
  if (b.kind == K::Except) {
    int first = block;
    while (module.blocks[static_cast<size_t>(first)].before >= 0) first = module.blocks[static_cast<size_t>(first)].before;
    return imports_of(module, first) == Truth::Yes ? Truth::No : Truth::Unknown;
  }
  const Truth own = b.kind == K::Else ? Truth::Yes : test_of(module, block);
  return own == Truth::No || b.before < 0 ? own : std::min(own, is_passed(module, b.before));
}

// Each block is looked at once, however many come after it.
Lowering::Truth Lowering::is_passed(const Module& module, int block) {
  std::vector<int> open;
  Truth passed = Truth::Yes;
  for (int i = block; i >= 0; i = module.blocks[static_cast<size_t>(i)].before) {
    if (const auto known = passed_.find({&module, i}); known != passed_.end()) {
      passed = known->second;
      break;
    }
    open.push_back(i);
  }
  for (size_t i = open.size(); i-- > 0;) {
    const Truth test = passed == Truth::No ? Truth::Yes : test_of(module, open[i]);
    passed = std::min(passed, test == Truth::Yes ? Truth::No : test == Truth::No ? Truth::Yes : Truth::Unknown);
    passed_[{&module, open[i]}] = passed;
  }
  return passed;
}

Lowering::Truth Lowering::is_reached(const Module& module, int block) {
  Truth all = Truth::Yes;
  for (int i = block; i >= 0 && all != Truth::No; i = module.blocks[static_cast<size_t>(i)].parent)
    all = std::min(all, is_reached_beside(module, i));
  return all;
}

void Lowering::reach_kernel(const FunctionDef& kernel) {
  for (int i = kernel.block; i >= 0; i = user_module_.blocks[static_cast<size_t>(i)].parent) {
    const HostBlock& b = user_module_.blocks[static_cast<size_t>(i)];
    if (b.kind == HostBlock::Kind::If || b.kind == HostBlock::Kind::Try) block_tests_[{&user_module_, i}] = Truth::Yes;
    for (int k = b.before; k >= 0; k = user_module_.blocks[static_cast<size_t>(k)].before)
      if (user_module_.blocks[static_cast<size_t>(k)].kind == HostBlock::Kind::If) block_tests_[{&user_module_, k}] = Truth::No;
  }
}

/// hasattr(tl, "name") in host code: whether the kernel language has that name. Nothing in a kernel, which has no hasattr.
std::optional<Value> Lowering::has_attribute(const Expr& call) {
  if (!frame_->constexpr_function || call.items.size() != 2 || !call.keywords.empty()) return std::nullopt;
  const Value base = eval(*call.items[0]), name = eval(*call.items[1]);
  if (!base.is<ModuleValue>() || !name.is<std::string>()) return std::nullopt;
  const ModuleValue& m = base.as<ModuleValue>();
  if (m.file != nullptr) return Value{file_attribute(*m.file, m.path, name.as<std::string>(), call.range).has_value(), call.range};
  if (!is_module_prefix("tl", m.path) && m.path != "triton" && m.path != "libdevice") return std::nullopt;
  const std::optional<Value> v = resolve_path(canonical_module(m.path + "." + name.as<std::string>()));
  return Value{v && !(v->is<BuiltinValue>() && is_refused(*v->as<BuiltinValue>().builtin)), call.range};
}

}  // namespace tilescope::lower
