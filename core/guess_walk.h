// The walk behind study_kernel (core/guess_use.h): statements and expressions in guess_use.cpp, calls in guess_calls.cpp.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/guess_names.h"
#include "core/guess_use.h"
#include "core/syntax/parser.h"

namespace tilescope::guessing {

inline constexpr int kMaxSteps = 60'000;
inline constexpr uint64_t kMostItems = 16;  ///< of a tuple that is guessed
inline constexpr int kMaxCalls = 10;    ///< helpers inside each other
inline constexpr int kMaxNested = 500;  ///< statements and expressions inside each other: the walk recurses
inline constexpr int kMaxTupleDepth = 8;  ///< tuples inside each other; deeper ones are known as a whole only
inline constexpr size_t kMaxTupleItems = 256;
inline constexpr size_t kMostPlain = 4;   ///< indices of one address that are told apart

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
  ParamSet stepped;  ///< parameters that multiply an index in it
  std::vector<std::pair<int, uint8_t>> plain;  ///< its indices that nothing multiplies, as KernelUse::below has them
  int scale = -1;    ///< the parameter that it is a multiple of: pid * BLOCK, or the step of a loop
  const FunctionDef* function = nullptr;
  const Module* function_module = nullptr;
  std::shared_ptr<std::vector<Source>> items;  ///< of a tuple
  int depth = 0;                               ///< of a tuple: 1 + that of its deepest item
};

enum class Fn;  ///< what a function of the language says about its arguments (core/guess_calls.cpp)

inline void merge(Source& a, const Source& b) {
  if (a.base < 0) a.base = b.base;
  a.bases |= b.bases, a.added |= b.added, a.factors |= b.factors, a.loaded |= b.loaded, a.touched |= b.touched;
  a.index |= b.index, a.real |= b.real, a.truth |= b.truth, a.descriptor |= b.descriptor, a.pointer |= b.pointer;
  a.axes |= b.axes, a.stepped |= b.stepped;
  for (const auto& index : b.plain)
    if (a.plain.size() < kMostPlain && std::find(a.plain.begin(), a.plain.end(), index) == a.plain.end()) a.plain.push_back(index);
  if (a.extent < 0) a.extent = b.extent;
  if (a.param != b.param) a.param = -1;
  if (a.scale < 0) a.scale = b.scale;
  if (a.function == nullptr) a.function = b.function, a.function_module = b.function_module;
  if (a.items == nullptr) a.items = b.items, a.depth = b.depth;
}

inline Source joined(Source a, const Source& b) {
  merge(a, b);
  return a;
}

/// One walk over a kernel's body; helpers are walked at each call.
class Walk {
 public:
  Walk(const Module& module, const FunctionDef& kernel, const FunctionLookup& lookup, KernelUse& out)
      : module_(module), kernel_(kernel), lookup_(lookup), out_(out) {}

  void run(bool record) {
    record_ = record;
    steps_ = 0;
    Frame frame{&module_, {}, {}, false, {}, 0};
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
  struct Change {
    std::string name;
    std::optional<Source> before;  ///< nothing: the name is new
  };
  struct Frame {
    const Module* module;
    Names names;
    Source result;
    bool returned;
    std::vector<Change> changes;  ///< of names inside of the open branches and loops, in order
    int open = 0;                 ///< branches and loops around the current statement
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
    if (++steps_ > kMaxSteps) return;  // tuples of tuples share their items: (t, t) doubles the visits
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
      if (record_) learn_steps(s, bases);
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

  void as_bound(const Source& s) {
    as_integer(s);
    if (s.param >= 0) out_.params[static_cast<size_t>(s.param)].bound = true;
  }
  /// A multiplication of an index by a run-time parameter.
  void as_step(const Source& factor, const Source& index);
  void learn_steps(const Source& address, const ParamSet& bases);

  // ---- statements
  void block(const std::vector<Stmt*>& body);
  void statement(const Stmt& s);
  /// Twice: what the end of the body gives reaches its beginning.
  void loop(const Stmt& s);
  void branches(const Stmt& s);
  void assign(const Expr& target, const Source& v);
  void set_name(const std::string& name, Source v);
  /// The names that changed since `mark`, each with the value it had then; none when the walk has become too long.
  std::map<std::string, std::optional<Source>> changed_since(size_t mark);
  /// Ends a branch or loop; outside of all of them nobody asks for changes.
  void close_branch();

  // ---- expressions
  Source eval(const Expr& e);
  Source evaluate(const Expr& e);
  Source name(const std::string& text);
  FoundFunction function_named(const std::string& text);
  Source binary(SynOp op, Source a, const Source& b);
  bool known_address(int p) const;
  Source compare(const Expr& e);
  /// What the comparison with `b`, written as `eb`, says about `a`. `op` is None when the sides were exchanged.
  void compare_pair(const Source& a, const Source& b, const Expr& eb, SynOp op);
  const std::string& param_name(int p) const { return kernel_.params[static_cast<size_t>(p)].name; }
  Source attribute(const Expr& e);
  Source subscript(const Expr& e);

  // ---- calls
  struct Argument {
    std::string name;
    Source value;
    const Expr* expr;
  };
  const Argument* find(const std::vector<Argument>& args, size_t position, std::string_view name);
  Source call(const Expr& e);
  Source descriptor_call(const std::string& text, const std::vector<Argument>& args);
  void learn_block(int descriptor, const Source& offsets);
  Source inlined(const Source& target, const std::vector<Argument>& args);
  void scaled_operand(const std::vector<Argument>& args, size_t at);
  Source builtin(const std::string& name, const std::vector<Argument>& args);
  void keywords(const std::string& name, const std::vector<Argument>& args);
  Source known_call(Fn fn, const std::vector<Argument>& args, const Source& all);
  Source memory_call(Fn fn, const std::vector<Argument>& args);
  Source grid_call(Fn fn, const std::vector<Argument>& args);
  Source cdiv_call(const std::vector<Argument>& args, const Source& all);
  Source made_pointer(Fn fn, const std::vector<Argument>& args);
  Source cast_call(const std::vector<Argument>& args);
  Source range_call(Fn fn, const std::vector<Argument>& args, const Source& all);
  Source where_call(const std::vector<Argument>& args);
  Source dot_call(Fn fn, const std::vector<Argument>& args, const Source& all);
  Source value_call(Fn fn, const std::vector<Argument>& args, Source all);
  const Module& module_;
  const FunctionDef& kernel_;
  const FunctionLookup& lookup_;
  KernelUse& out_;
  Frame* frame_ = nullptr;
  int depth_ = 0, nested_ = 0, steps_ = 0;
  bool record_ = false;
  ParamSet guards_;  ///< asked by the conditions around the statement
};

/// "float32", "int1": names of element types.
bool is_dtype_name(const std::string& name);

}  // namespace tilescope::guessing
