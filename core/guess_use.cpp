#include "core/guess_use.h"

#include "core/guess_names.h"

#include <algorithm>
#include <map>
#include <memory>
#include <unordered_map>

namespace tilescope {
namespace {

constexpr int kMaxSteps = 60'000;
constexpr int kMaxCalls = 10;    ///< helpers inside each other
constexpr int kMaxNested = 500;  ///< statements and expressions inside each other: the walk recurses

/// Where a value comes from.
struct Source {
  int base = -1;     ///< the parameter that is the address, if it is one
  ParamSet bases;    ///< all that may be: `p = a if flag else b`
  ParamSet added;    ///< run-time parameters that are terms of it
  ParamSet factors;  ///< parameters that went through other arithmetic
  ParamSet loaded;   ///< parameters whose elements it is made of
  ParamSet touched;  ///< all that had a part in it
  bool index = false, real = false, truth = false, descriptor = false;
  bool pointer = false;  ///< converted to a pointer type: what is added to it are offsets
  uint8_t axes = 0;  ///< bit a: tl.program_id(a) is part of it
  int extent = -1;   ///< parameter that is the length of a tl.arange in it
  int param = -1;    ///< exactly this parameter
  const FunctionDef* function = nullptr;
  const Module* function_module = nullptr;
  std::shared_ptr<std::vector<Source>> items;  ///< of a tuple
};

void merge(Source& a, const Source& b) {
  if (a.base < 0) a.base = b.base;
  a.bases |= b.bases, a.added |= b.added, a.factors |= b.factors, a.loaded |= b.loaded, a.touched |= b.touched;
  a.index |= b.index, a.real |= b.real, a.truth |= b.truth, a.descriptor |= b.descriptor, a.pointer |= b.pointer;
  a.axes |= b.axes;
  if (a.extent < 0) a.extent = b.extent;
  if (a.param != b.param) a.param = -1;
  if (a.function == nullptr) a.function = b.function, a.function_module = b.function_module;
  if (a.items == nullptr) a.items = b.items;
}

Source joined(Source a, const Source& b) {
  merge(a, b);
  return a;
}

enum class Fn {
  Other, Load, Store, Atomic, Arange, ProgramId, NumPrograms, CDiv, MakeBlockPtr, MakeDescriptor, Advance, Cast, Tile,
  Range, StaticRange, RealMath, Where, Dot, Reduce, MinMax, Pass, ConstexprCast, PythonInt, PythonFloat, StaticAssert, Assume,
};

const std::unordered_map<std::string, Fn>& functions() {
  static const std::unordered_map<std::string, Fn> table = [] {
    std::unordered_map<std::string, Fn> t;
    const auto add = [&](Fn fn, std::initializer_list<const char*> names) {
      for (const char* n : names) t[n] = fn;
    };
    add(Fn::Load, {"load"});
    add(Fn::Store, {"store"});
    add(Fn::Atomic, {"atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or", "atomic_xor", "atomic_xchg", "atomic_cas"});
    add(Fn::Arange, {"arange"});
    add(Fn::ProgramId, {"program_id"});
    add(Fn::NumPrograms, {"num_programs"});
    add(Fn::CDiv, {"cdiv"});
    add(Fn::MakeBlockPtr, {"make_block_ptr"});
    add(Fn::MakeDescriptor, {"make_tensor_descriptor", "_experimental_make_tensor_descriptor"});
    add(Fn::Advance, {"advance"});
    add(Fn::Cast, {"to", "cast"});
    add(Fn::Tile, {"zeros", "full", "empty"});
    add(Fn::Range, {"range"});
    add(Fn::StaticRange, {"static_range"});
    add(Fn::RealMath, {"exp", "exp2", "log", "log2", "sqrt", "sqrt_rn", "rsqrt", "sin", "cos", "tanh", "erf", "sigmoid", "softmax", "fdiv", "div_rn", "pow", "log1p", "expm1", "fast_expf", "tan", "rint", "ceil", "floor", "fma"});
    add(Fn::Where, {"where"});
    add(Fn::Dot, {"dot", "dot_scaled"});
    add(Fn::MinMax, {"minimum", "maximum", "min", "max"});
    add(Fn::Reduce, {"sum", "cumsum", "argmax", "argmin", "reduce", "associative_scan", "cumprod", "xor_sum", "sort", "topk"});
    add(Fn::Pass, {"multiple_of", "max_contiguous", "max_constancy", "reshape", "view", "trans", "permute", "expand_dims", "broadcast_to", "ravel", "broadcast", "abs", "join", "interleave", "cat", "flip", "gather"});
    add(Fn::ConstexprCast, {"constexpr"});
    add(Fn::PythonInt, {"int", "next_power_of_2", "len"});
    add(Fn::PythonFloat, {"float"});
    add(Fn::StaticAssert, {"static_assert", "device_assert", "static_print", "device_print", "print"});
    add(Fn::Assume, {"assume"});
    return t;
  }();
  return table;
}

bool is_dtype_name(const std::string& name) {
  static const std::vector<std::string> starts = {"float", "int", "uint", "bfloat"};
  return std::any_of(starts.begin(), starts.end(), [&](const std::string& s) {
    return name.starts_with(s) && name.size() > s.size() && std::isdigit(static_cast<unsigned char>(name[s.size()]));
  });
}

class Walk {
 public:
  Walk(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup, KernelUse& out)
      : module_(module), kernel_(kernel), lookup_(lookup), out_(out) {}

  void run(bool record) {
    record_ = record;
    steps_ = 0;
    Frame frame{&module_, {}, {}, false};
    frame_ = &frame;
    for (size_t i = 0; i < kernel_.params.size() && i < kMaxGuessedParams; ++i) {
      Source s;
      if (!is_constexpr_param(kernel_.params[i])) s.added.set(i), s.bases.set(i), s.base = static_cast<int>(i);
      s.touched.set(i);
      s.param = static_cast<int>(i);
      frame.names[kernel_.params[i].name] = s;
    }
    block(kernel_.body);
    out_.cut_off = steps_ > kMaxSteps;
  }

 private:
  using Names = std::map<std::string, Source>;
  /// One level of the walk's recursion.
  struct Nested {
    explicit Nested(int& n) : n_(n) { ++n_; }
    ~Nested() { --n_; }
    Nested(const Nested&) = delete;
    int& n_;
  };
  struct Frame {
    const Module* module;
    Names names;
    Source result;
    bool returned;
  };

  template <class F>
  void each(const ParamSet& set, F&& f) {
    if (set.none()) return;
    for (size_t i = 0; i < out_.params.size(); ++i)
      if (set.test(i)) f(out_.params[i]);
  }

  // ---- what a use says

  bool likely_address(int p) const {
    if (p < 0) return false;
    const ParamUse& u = out_.params[static_cast<size_t>(p)];
    return !u.integer && !u.number && !u.real;
  }
  void as_integer(const Source& s) {
    each(s.added | s.factors, [](ParamUse& u) { u.integer = true; });
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].integer = true;
    if (!s.real) each(s.loaded, [](ParamUse& u) { u.integer_elements = true; });
  }
  void as_number(const Source& s) {
    each(s.added, [](ParamUse& u) { u.number = true; });
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].number = true;
  }
  void as_real(const Source& s) {
    if (!s.index) each(s.added, [](ParamUse& u) { u.real = true; });
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].real = true;
    if (!s.index) each(s.loaded, [](ParamUse& u) { u.real_elements = true; });
  }
  void as_truth(const Source& s) {
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].boolean = true;
    if (!s.index && !s.real) each(s.loaded, [](ParamUse& u) { u.bool_elements = true; });
  }
  void as_extent(const Source& s) {
    if (s.items != nullptr)
      for (const Source& x : *s.items) as_extent(x);
    each(s.touched, [](ParamUse& u) { u.integer = true; });
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].extent = true;
  }
  void as_dtype(const Source& s) {
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].dtype = true;
  }
  static void as_option(const std::string& keyword, ParamUse& u) {
    static const std::map<std::string, const char*> texts = {
        {"input_precision", "ieee"}, {"eviction_policy", ""}, {"cache_modifier", ""},           {"sem", "relaxed"},
        {"scope", "gpu"},            {"padding_option", "zero"}, {"fp_downcast_rounding", "rtne"}, {"msg", "text"},
    };
    if (auto at = texts.find(keyword); at != texts.end()) u.option = at->second;
    for (const char* other : {"num_stages", "warp_specialize", "allow_tf32", "flatten", "loop_unroll_factor", "disallow_acc_multi_buffer", "volatile"})
      if (keyword == other) u.hint = true;
  }
  /// Read or written through: the base is a tensor, everything added to it counts elements.
  Source as_address(const Source& s, bool load, bool store) {
    Source out;
    out.touched = s.touched;
    if (s.base >= 0) {
      ParamSet bases = s.bases;
      bases.set(static_cast<size_t>(s.base));
      each(bases, [&](ParamUse& u) { u.loaded |= load, u.stored |= store; });
      out.loaded = bases;
      Source rest = s;
      rest.added &= ~bases;
      rest.loaded &= ~bases;
      rest.param = -1;
      rest.real = false;
      if (!record_) rest.added.reset();  // which of the terms is the address is certain only the second time
      as_integer(rest);
    } else if (s.loaded.any()) {
      each(s.loaded, [](ParamUse& u) { u.pointer_elements = true; });
    }
    return out;
  }

  // ---- statements

  void block(const std::vector<Stmt*>& body) {
    for (const Stmt* s : body) statement(*s);
  }

  void statement(const Stmt& s) {
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
        as_truth(eval(*s.value));
        Names before = frame_->names;
        block(s.body);
        std::swap(before, frame_->names);
        block(s.orelse);
        for (auto& [name, v] : before) {
          auto [at, fresh] = frame_->names.try_emplace(name, v);
          if (!fresh) merge(at->second, v);
        }
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

  /// Twice: what the end of the body gives reaches its beginning.
  void loop(const Stmt& s) {
    for (int i = 0; i < 2; ++i) {
      const Names before = frame_->names;
      block(s.body);
      for (const auto& [name, v] : before) merge(frame_->names[name], v);
      if (steps_ > kMaxSteps / 2) return;
    }
  }

  void assign(const Expr& target, const Source& v) {
    if (target.kind == Expr::Kind::Name) {
      frame_->names[target.text] = v;
    } else if (target.kind == Expr::Kind::Tuple || target.kind == Expr::Kind::List) {
      const bool fits = v.items != nullptr && v.items->size() == target.items.size();
      for (size_t i = 0; i < target.items.size(); ++i) {
        Source item = fits ? (*v.items)[i] : v;
        if (!fits) item.items = nullptr, item.param = -1;
        assign(*target.items[i], item);
      }
      if (!fits && v.param >= 0) out_.params[static_cast<size_t>(v.param)].indexed = true;
    }
  }

  // ---- expressions

  Source eval(const Expr& e) {
    if (++steps_ > kMaxSteps || nested_ > kMaxNested) return {};
    const Nested nested(nested_);
    Source s = evaluate(e);
    if (record_ && s.touched.any())
      out_.places.push_back({e.range.file.get(), e.range.line, e.range.column, e.range.end_line, e.range.end_column, s.touched});
    return s;
  }

  Source evaluate(const Expr& e) {
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
        }
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

  Source name(const std::string& text) {
    if (auto at = frame_->names.find(text); at != frame_->names.end()) return at->second;
    Source s;
    const FoundFunction f = function_named(text);
    s.function = f.def;
    s.function_module = f.module;
    return s;
  }

  FoundFunction function_named(const std::string& text) {
    if (const FunctionDef* f = frame_->module->find_function(text)) return {f, frame_->module};
    return lookup_ ? lookup_(*frame_->module, text) : FoundFunction{};
  }

  Source binary(SynOp op, Source a, const Source& b) {
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
    Source out = a;
    merge(out, b);
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
    if (op == SynOp::Div) out.real = true, out.index = false;
    out.truth = bits && (a.truth || b.truth);
    return out;
  }

  bool known_address(int p) const {
    return p >= 0 && likely_address(p) && (out_.params[static_cast<size_t>(p)].address() || names_an_address(param_name(p)));
  }

  Source compare(const Expr& e) {
    std::vector<Source> v;
    for (const Expr* item : e.items) v.push_back(eval(*item));
    Source out;
    out.truth = true;
    for (const Source& s : v) out.touched |= s.touched;
    for (size_t i = 0; i + 1 < v.size(); ++i) {
      compare_pair(v[i], v[i + 1], *e.items[i], *e.items[i + 1], e.ops[i]);
      compare_pair(v[i + 1], v[i], *e.items[i + 1], *e.items[i], SynOp::None);
    }
    return out;
  }

  /// What the comparison with `b` says about `a`. `op` is None when the sides were exchanged.
  void compare_pair(const Source& a, const Source& b, const Expr& ea, const Expr& eb, SynOp op) {
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
    (void)ea;
    // offsets < n: pieces of the program's axis.
    const bool below = op == SynOp::Lt || op == SynOp::Le || op == SynOp::Ge || op == SynOp::Gt;
    if (!below || b.param < 0 || a.axes == 0 || (a.axes & (a.axes - 1)) != 0) return;
    const size_t axis = a.axes == 1 ? 0 : a.axes == 2 ? 1 : 2;
    AxisUse use{param_name(b.param), a.extent >= 0 ? param_name(a.extent) : ""};
    auto& known = out_.limits[axis];
    if (std::none_of(known.begin(), known.end(), [&](const AxisUse& x) { return x.limit == use.limit; })) known.push_back(std::move(use));
  }

  const std::string& param_name(int p) const { return kernel_.params[static_cast<size_t>(p)].name; }

  Source attribute(const Expr& e) {
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

  Source subscript(const Expr& e) {
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
    if (base.param >= 0) out_.params[static_cast<size_t>(base.param)].indexed = true;
    if (base.items != nullptr && plain && items.size() == 1 && items[0]->integer < base.items->size())
      return (*base.items)[items[0]->integer];
    if (base.items != nullptr) {
      Source s;
      for (const Source& x : *base.items) merge(s, x);
      return s;
    }
    base.param = -1;
    return base;
  }

  // ---- calls

  struct Argument {
    std::string name;
    Source value;
    const Expr* expr;
  };

  const Argument* find(const std::vector<Argument>& args, size_t position, std::string_view name) {
    for (const Argument& a : args)
      if (!a.name.empty() && a.name == name) return &a;
    size_t at = 0;
    for (const Argument& a : args)
      if (a.name.empty() && at++ == position) return &a;
    return nullptr;
  }

  Source call(const Expr& e) {
    std::vector<Argument> args;
    // A method of a value: the value is the first argument.
    const Expr& callee = *e.base;
    const bool dotted = callee.kind == Expr::Kind::Attribute;
    Source target = dotted ? Source{} : eval(callee);
    bool method = false;
    if (dotted) {
      const Expr* root = callee.base;
      while (root->kind == Expr::Kind::Attribute) root = root->base;
      method = root->kind != Expr::Kind::Name || frame_->names.count(root->text) != 0;
      if (method)
        args.push_back({"", eval(*callee.base), callee.base});
      else
        target = eval(callee);
    }
    for (const Expr* item : e.items) args.push_back({"", eval(*item), item});
    for (const Keyword& k : e.keywords)
      if (k.value != nullptr) args.push_back({k.name, eval(*k.value), k.value});
    if (target.function != nullptr) return inlined(target, args);
    if (target.param >= 0) out_.params[static_cast<size_t>(target.param)].called = true;
    const std::string& text = callee.text;
    if (method && (text == "load" || text == "store" || text == "gather" || text.starts_with("atomic_"))) return descriptor_call(text, args);
    if (text == "atomic_and" || text == "atomic_or" || text == "atomic_xor" || text == "atomic_cas")
      if (!args.empty()) each(args[0].value.bases, [](ParamUse& u) { u.integer_elements = true; });
    auto row = functions().find(text);
    return builtin(row == functions().end() ? Fn::Other : row->second, args);
  }

  Source descriptor_call(const std::string& text, const std::vector<Argument>& args) {
    const Source& d = args[0].value;
    if (d.param >= 0) out_.params[static_cast<size_t>(d.param)].descriptor = true;
    for (size_t i = 1; i < args.size(); ++i)
      if (args[i].value.items != nullptr)
        for (const Source& x : *args[i].value.items) as_integer(x);
    Source s;
    s.touched = d.touched;
    if (d.base >= 0) {
      s.loaded.set(static_cast<size_t>(d.base));
      (text == "load" || text == "gather" ? out_.params[static_cast<size_t>(d.base)].loaded : out_.params[static_cast<size_t>(d.base)].stored) = true;
    }
    return s;
  }

  Source inlined(const Source& target, const std::vector<Argument>& args) {
    Source all;
    for (const Argument& a : args) merge(all, a.value);
    if (depth_ >= kMaxCalls || steps_ > kMaxSteps) return all;
    const FunctionDef& f = *target.function;
    Frame frame{target.function_module, {}, {}, false};
    size_t next = 0;
    for (const Argument& a : args) {
      if (!a.name.empty()) {
        frame.names[a.name] = a.value;
      } else if (next < f.params.size()) {
        frame.names[f.params[next++].name] = a.value;
      }
    }
    for (const FunctionParam& p : f.params) {
      if (frame.names.count(p.name)) continue;
      Source s;
      if (p.default_value != nullptr && p.default_value->kind == Expr::Kind::Float) s.real = true;
      frame.names[p.name] = s;
    }
    ++depth_;
    Frame* outer = frame_;
    frame_ = &frame;
    block(f.body);
    frame_ = outer;
    --depth_;
    Source out = frame.result;
    out.touched |= all.touched;
    return out;
  }

  Source builtin(Fn fn, const std::vector<Argument>& args) {
    Source all;
    for (const Argument& a : args) merge(all, a.value);
    all.param = -1;
    Source first = args.empty() ? Source{} : args[0].value;
    Source out;
    out.touched = all.touched;
    for (const Argument& a : args) {
      if (a.name == "mask") as_truth(a.value);
      if (a.name == "dtype" || a.name == "out_dtype") as_dtype(a.value);
      if (a.value.param >= 0) as_option(a.name, out_.params[static_cast<size_t>(a.value.param)]);
    }
    switch (fn) {
      case Fn::Load: {
        if (const Argument* mask = find(args, 1, "mask")) as_truth(mask->value);
        if (const Argument* p = find(args, 0, "pointer")) out = as_address(p->value, true, false);
        out.touched = all.touched;
        return out;
      }
      case Fn::Store: {
        if (const Argument* p = find(args, 0, "pointer")) as_address(p->value, false, true);
        if (const Argument* mask = find(args, 2, "mask")) as_truth(mask->value);
        return out;
      }
      case Fn::Atomic:
        if (const Argument* p = find(args, 0, "pointer")) out = as_address(p->value, true, true);
        out.touched = all.touched;
        return out;
      case Fn::Arange:
        for (const Argument& a : args) {
          as_extent(a.value);
          if (a.value.param >= 0) out.extent = a.value.param;
        }
        out.index = true;
        return out;
      case Fn::ProgramId:
      case Fn::NumPrograms: {
        const Argument* axis = find(args, 0, "axis");
        const uint64_t n = axis != nullptr && axis->expr->kind == Expr::Kind::Int ? axis->expr->integer : 0;
        if (n < 3) {
          out_.axes[n] = true;
          if (fn == Fn::ProgramId) out.axes = static_cast<uint8_t>(1 << n);
        }
        out.index = true;
        return out;
      }
      case Fn::CDiv:
        if (args.size() == 2 && args[0].value.param >= 0 && args[1].value.param >= 0) {
          AxisUse use{param_name(args[0].value.param), param_name(args[1].value.param)};
          if (std::none_of(out_.cdivs.begin(), out_.cdivs.end(), [&](const AxisUse& x) { return x.limit == use.limit && x.block == use.block; }))
            out_.cdivs.push_back(std::move(use));
        }
        for (const Argument& a : args) as_integer(a.value);
        out.index = true;
        out.axes = all.axes;
        out.factors = all.added | all.factors;
        out.loaded = all.loaded;
        return out;
      case Fn::MakeBlockPtr:
      case Fn::MakeDescriptor: {
        const Argument* base = find(args, 0, "base");
        if (base == nullptr) return out;
        out = base->value;
        Source b = base->value;
        if (b.base >= 0) out_.params[static_cast<size_t>(b.base)].loaded = true;
        for (const Argument& a : args) {
          if (&a == base || a.value.items == nullptr) continue;
          const bool block_shape = a.name == "block_shape" || (fn == Fn::MakeBlockPtr ? &a == find(args, 4, "block_shape") : &a == find(args, 3, "block_shape"));
          if (block_shape) as_extent(a.value);
          for (const Source& x : *a.value.items) as_integer(x);
        }
        out.param = -1;
        out.touched = all.touched;
        return out;
      }
      case Fn::Advance:
        if (args.size() > 1 && args[1].value.items != nullptr)
          for (const Source& x : *args[1].value.items) as_integer(x);
        return first;
      case Fn::Cast: {
        out = first;
        out.param = -1;
        out.touched = all.touched;
        const Argument* to = find(args, 1, "dtype");
        if (to == nullptr) return out;
        as_dtype(to->value);
        if (to->expr->kind == Expr::Kind::Call && to->expr->base->text == "pointer_type") {
          if (first.base < 0) each(first.loaded, [](ParamUse& u) { u.pointer_elements = true; });
          out.pointer = true;
          return out;
        }
        const std::string& t = to->expr->text;
        const bool dtype = to->expr->kind == Expr::Kind::Attribute && is_dtype_name(t);
        if (dtype && (t.starts_with("float") || t.starts_with("bfloat"))) {
          out.real = true, out.index = false;
          out.base = -1;
        } else if (dtype) {
          if (!first.real) each(first.loaded, [](ParamUse& u) { u.maybe_integer_elements = true; });
          out.index = true, out.real = false;
        }
        return out;
      }
      case Fn::Tile:
        if (const Argument* shape = find(args, 0, "shape")) as_extent(shape->value);
        if (const Argument* d = find(args, args.size() > 2 && args[1].name.empty() ? 2 : 1, "dtype")) as_dtype(d->value);
        return out;
      case Fn::Range:
      case Fn::StaticRange:
        for (const Argument& a : args) {
          if (!a.name.empty() && a.name != "start" && a.name != "end" && a.name != "step") continue;
          as_integer(a.value);
          if (fn == Fn::StaticRange) each(a.value.touched, [](ParamUse& u) { u.unrolled = true; });
        }
        out.index = true;
        out.axes = all.axes;
        return out;
      case Fn::RealMath:
        as_real(all);
        for (const Argument& a : args)
          if (a.value.param >= 0 && a.name.empty()) as_real(a.value);
        all.real = true, all.index = false, all.base = -1;
        return all;
      case Fn::Where: {
        if (const Argument* c = find(args, 0, "condition")) as_truth(c->value);
        for (size_t i = 1; i < args.size(); ++i) merge(out, args[i].value);
        if (args.size() > 2) {
          if (args[1].value.real && args[2].value.param >= 0) as_real(args[2].value);
          if (args[2].value.real && args[1].value.param >= 0) as_real(args[1].value);
        }
        out.param = -1;
        out.touched = all.touched;
        return out;
      }
      case Fn::Dot:
        out.loaded = all.loaded;
        out.real = true;
        if (const Argument* d = find(args, 5, "out_dtype")) as_dtype(d->value);
        return out;
      case Fn::MinMax:
        for (const Argument& a : args) as_number(a.value);
        all.base = -1;
        all.bases.reset();
        all.factors |= all.added;
        all.added.reset();
        all.items = nullptr;
        return all;
      case Fn::PythonInt:
        all.index = true;
        return all;
      case Fn::PythonFloat:
        all.real = true;
        return out;
      case Fn::StaticAssert:
      case Fn::Assume:
        return out;
      default:
        all.truth = false;
        all.items = nullptr;
        return all;
    }
  }

  const Module& module_;
  const FunctionDef& kernel_;
  const FunctionLookup& lookup_;
  KernelUse& out_;
  Frame* frame_ = nullptr;
  int depth_ = 0, nested_ = 0, steps_ = 0;
  bool record_ = false;
};

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

bool is_constexpr_param(const FunctionParam& p) {
  const Expr* e = p.annotation;
  if (e == nullptr) return false;
  if (e->kind == Expr::Kind::Subscript) e = e->base;
  return e->text.find("constexpr") != std::string::npos;
}

KernelUse study_kernel(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup) {
  KernelUse out;
  out.params.resize(std::min(kernel.params.size(), kMaxGuessedParams));
  Walk walk(module, kernel, lookup, out);
  walk.run(false);
  // Once more: what was learnt tells addresses from offsets.
  for (ParamUse& u : out.params)
    if (u.integer || u.number) u.loaded = u.stored = false;
  out.limits = {};
  walk.run(true);
  return out;
}

}  // namespace tilescope
