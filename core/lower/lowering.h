// From the syntax tree to the IR: the state of one compilation. Each part of the work is one file:
//   lower_function.cpp  calls, frames, inlining, the kernel itself     lower_stmt.cpp     statements, assignment
//   lower_control.cpp   if, early return, and how branches join        lower_loop.cpp     for, while, static_range
//   lower_expr.cpp      expressions                                    names.cpp          globals, builtins
//   imports.cpp     files beside the kernel's file                     tuples.cpp         named tuples
//   host_conditions.cpp  which `if` and `try` of host code hold      host_values.cpp    facts about the machine, classes
//   attributes.cpp      x.dtype, x.T, x.shape, dtype methods           special_forms.cpp  len, isinstance,
//   static_assert
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "core/compile.h"
#include "core/host_facts.h"
#include "core/lower/scope.h"
#include "core/lower/semantics.h"
#include "core/syntax/ast.h"

namespace tilescope::lower {

inline constexpr int kMaxInlineDepth = 64;               ///< helpers inlined into each other
inline constexpr int kMaxNativeDepth = 700;              ///< nested expressions and blocks through all inlined helpers
inline constexpr size_t kMaxIrValues = size_t{1} << 17;  ///< unrolled loops can multiply a small text
inline constexpr int64_t kMaxSteps = 500'000;            ///< statements and expressions visited while lowering

/// One function body being lowered.
struct Frame {
  const FunctionDef* def = nullptr;  ///< null while a global is evaluated
  const Module* module = nullptr;
  int host_scope = 0;  ///< index into Module::scopes: where names that are not local are looked up first
  Scope scope;
  /// Names that existed in one branch or loop body only: why they are no longer there.
  std::map<std::string, Diagnostic> gone;
  SourceRange statement;
  CallChain calls;
  LocationPtr user_location;  ///< for prelude code: the place in the user's text that it works for
  int64_t before = INT64_MAX;  ///< of host code: what the file defines from this place on is not there yet
  int loops = 0;              ///< run-time loops around the current statement, in this function
  bool constexpr_function = false;
};

/// How a sequence of statements ended.
struct Flow {
  enum class Kind {
    Normal,    ///< ran to its end
    Returned,  ///< every path returned; `result` is the value
    Maybe,     ///< `flag` (int1) tells whether a return was reached; then `result` is its value
  };
  Kind kind = Kind::Normal;
  Value result;  ///< None for a return without a value
  ValueId flag = kNoValue;
  SourceRange where;      ///< the first return
  bool fell_off = false;  ///< Returned by reaching the end of the function, without a `return`
};

/// A branch that was lowered into a block of its own.
struct Branch {
  Block block;
  Changes changes;
  Flow flow;
};

class Lowering final : public Context {
 public:
  Lowering(Function& function, const Module& module);

  /// Binds the request's arguments to the kernel's parameters, and lowers its body.
  void lower_kernel(const FunctionDef& kernel, const CompileRequest& request);
  std::vector<Diagnostic> take_notes() { return std::move(notes_); }

  // Context
  using Context::fail;
  [[noreturn]] void fail(Diagnostic d) override;
  void note(const SourceRange& range, std::string message) override;
  Value call_function(const FunctionValue& f, std::vector<CallArg> args, const SourceRange& range) override;
  Value call_prelude(const std::string& name, std::vector<CallArg> args, const SourceRange& range) override;

  // For the front end without a syntax tree (core/dsl/)
  /// Calls a function of the prelude at the end of `block`; its ops stand at `location`.
  Value call_prelude_in(Block& block, LocationPtr location, const std::string& name, std::vector<CallArg> args,
                        const SourceRange& range);
  /// The value of a kernel's parameter, by Triton's rules of specialisation.
  Value kernel_param(const FunctionDef& kernel, const FunctionParam& p, const CompileArg& arg);
  /// The descriptor that the host makes of a tensor (core/lower/host_descriptor.cpp), without shape and strides yet.
  Value host_descriptor(const FunctionDef& kernel, const FunctionParam& p, const PointerArg& arg,
                        const CompileRequest& request);

 private:
  /// The statements that follow in the same sequence. A branch that cannot fall through hands them to the other branch.
  struct Rest {
    std::function<Flow()> run;
    bool empty = true;
    bool consumed = false;
  };
  class DepthGuard;
  class FrameGuard;

  // lower_function.cpp, specialise.cpp
  void bind_kernel_params(const FunctionDef& kernel, const CompileRequest& request);
  // composite_arguments.cpp
  static bool has_items(const CompileRequest& request, const std::string& prefix);
  Value tuple_argument(const FunctionDef& kernel, const FunctionParam& p, const std::string& name,
                       const CompileRequest& request, int depth = 0);
  Value function_argument(const FunctionDef& kernel, const FunctionParam& p, const std::string& name);
  Names bind_params(const FunctionValue& f, std::vector<CallArg> args, const SourceRange& range);
  Value default_value(const Module& module, int scope, const Expr& value);
  Value run_function(const FunctionValue& f, Names names, const SourceRange& range);
  void check_callable(const FunctionValue& f, const SourceRange& range);
  std::optional<DType> annotated_type(const FunctionParam& p) const;

  // lower_stmt.cpp
  Flow exec_block(std::span<Stmt* const> stmts, bool tail);
  Flow exec_sequence(size_t i, size_t n, bool tail, const std::function<Flow(size_t, Rest&)>& step);
  Flow exec_stmt(const Stmt& s, Rest& rest, bool tail);
  Flow exec_return(const Stmt& s);
  Flow fall_off_end(Flow flow);
  std::string missing_return_text() const;
  void exec_assign(const Stmt& s);
  void exec_annotated(const Stmt& s);
  void exec_assert(const Stmt& s);
  void assign(const Expr& target, const Value& value);
  void set_name(const std::string& name, Value value, const SourceRange& where, bool constexpr_ = false);
  /// As Triton: a Python number given to a variable becomes a run-time scalar; items of tuples too.
  Value run_time_form(const Value& v, const std::string& name);
  Value decay_result(const Value& v);

  // lower_control.cpp
  Flow exec_if(const Stmt& s, Rest& rest, bool tail);
  Flow run_time_if(const Stmt& s, ValueId condition, Rest& rest, bool tail);
  Flow continue_after_maybe(const Flow& flow, Rest& rest);
  /// Runs `body` into a block of its own; its changes of the scope are taken back into the branch.
  Branch lower_branch(const std::function<Flow()>& body);
  void run_branch(Branch& branch, const std::function<Flow()>& body);
  void extend_branch(Branch& branch, Rest& rest);
  /// Builds the If of two lowered branches. `mark`: values below it exist outside of the branches.
  Flow join(const SourceRange& place, ValueId condition, Branch& a, Branch& b, ValueId mark, bool ternary = false);
  struct Join;
  void join_results(Join& j);
  void join_name(Join& j, const std::string& name);
  Value join_values(Join& j, const std::string& name, const Value& a, const Value& b);
  ValueId join_leaf(Join& j, const std::string& name, ValueId a, ValueId b);
  Value pass_out(Join& j, const std::string& name, const Value& v, bool from_a);
  [[noreturn]] void fail_join(Join& j, const std::string& name, const Value& a, const Value& b);
  Value eval_ternary(const Expr& e);
  /// int1 scalar for `if` and `while`; `what` names the construct.
  ValueId condition(const Value& v, const std::string& what, const SourceRange& range);
  /// What `build` appends goes to the end of `block`.
  template <class F>
  auto in_block(Block& block, F&& build) {
    Block* outer = builder_->block();
    builder_->set_block(&block);
    auto result = build();
    builder_->set_block(outer);
    return result;
  }
  /// A value of that type for a path on which it is never used.
  ValueId dummy(const Type& t);

  // lower_loop.cpp
  Flow exec_for(const Stmt& s, bool tail);
  Flow exec_static_range(const Stmt& s, const std::string& target, const std::vector<Value>& bounds, bool tail);
  void exec_range(const Stmt& s, const std::string& target, const std::vector<Value>& bounds,
                  const std::vector<CallArg>& options);
  Flow exec_while(const Stmt& s);
  Flow exec_constexpr_while(const Stmt& s);
  struct Carried;
  struct Loop;
  /// The variables that the body assigns and that exist before it, as initial values.
  std::vector<Carried> find_carried(const Stmt& s, const std::string& target, const std::set<std::string>& promoted);
  void enter_region(Loop& loop, Block& block);
  /// Compares what the body left in each variable with what it started from. False: some constexpr must be carried as a
  /// run-time value (added to `promoted`), so the body has to be lowered again.
  bool find_changes(Loop& loop, std::set<std::string>& promoted);
  void check_carried(const Carried& c, const Binding& before, const Binding& after);
  void leave_loop(Loop& loop, const std::vector<ValueId>& results);

  // lower_expr.cpp
  Value eval(const Expr& e);
  Value eval_inner(const Expr& e);
  Value eval_compare(const Expr& e);
  std::optional<Value> contained(const Expr& e);
  Value eval_bool_op(const Expr& e);
  Value eval_subscript(const Expr& e);
  Value index_tensor(const Value& base, const Expr& e);
  Value index_tuple(const Value& base, const Expr& e);
  Value eval_fstring(const Expr& e);
  Value eval_call(const Expr& e);
  std::vector<CallArg> eval_args(const Expr& call);
  Value call_value(const Value& callee, std::vector<CallArg> args, const Expr& e);

  // names.cpp
  Value lookup(const Expr& name);
  /// What a name means in a scope of the file or in those around it; nothing when no binding has that name.
  std::optional<Value> lookup_global(const Module& module, int scope, const std::string& name, const SourceRange& use);
  std::optional<Value> lookup_in_scope(const Module& module, int scope, const std::string& name,
                                       const SourceRange& use);
  /// Up to where definitions of the file are seen from here.
  int64_t seen_until(const Module& module) const { return frame_->module == &module ? frame_->before : INT64_MAX; }
  /// What an assignment, import or function of the file defines; nothing for an import that leads nowhere.
  std::optional<Value> value_of(const Module& module, const Definition& d, const SourceRange& use);
  void note_choice(const Module& module, const std::string& name, const Definition& taken, const Value& value,
                   std::span<const Definition* const> others, const SourceRange& use);
  void refuse_changed(const Module& module, const ModuleAssign& assign, const SourceRange& use);
  Value evaluate_global(const Module& module, const ModuleAssign& assign, const SourceRange& use);
  std::optional<Value> resolve_path(const std::string& path);
  Value module_attribute(const ModuleValue& m, const Expr& e);
  [[noreturn]] void fail_unknown_name(const Expr& name);

  // host_conditions.cpp
  enum class Truth { No, Unknown, Yes };
  /// Whether host code runs a block of the file: what its `if`s and `try`s around it say, as far as that can be known.
  Truth is_reached(const Module& module, int block);
  Truth is_reached_beside(const Module& module, int block);
  /// Whether host code gets past a block of an `if` and all before it, to the next `elif` or `else`.
  Truth is_passed(const Module& module, int block);
  Truth test_of(const Module& module, int block);
  Truth imports_of(const Module& module, int block);
  /// Runs `evaluate` beside the kernel: what it emits is dropped, and an error is a value.
  Expected<Value> attempt(const std::function<Value()>& evaluate);
  std::optional<Value> has_attribute(const Expr& call);
  /// The blocks of host code that the kernel stands in are reached: it is there.
  void reach_kernel(const FunctionDef& kernel);

  // host_values.cpp
  /// An expression of host code by core/host_eval.h; nothing when that does not know it, or when it is no value of a kernel.
  std::optional<Value> host_python(const Module& module, int scope, const Expr& e);
  Value fact_value(const HostFact& fact, const SourceRange& use);
  std::optional<Value> path_fact(const std::string& path);
  std::optional<Value> named_fact(const std::string& name, const SourceRange& use);
  std::optional<Value> call_fact(const Value& callee, const Expr& call);
  std::optional<Value> class_attribute(const ClassValue& c, const std::string& name, const SourceRange& use);
  std::optional<Value> get_attribute(const Expr& call);

  // imports.cpp
  std::optional<Value> import_value(const Module& module, const Import& import, const SourceRange& use);
  std::optional<Value> star_import_value(const Module& module, const std::string& name, const SourceRange& use);
  const Module* import_file(const Module& importing, const std::string& module);
  std::optional<Value> dotted_import(const Expr& e);
  /// `name` of a file, or the module of that name beside it.
  std::optional<Value> file_attribute(const Module& file, const std::string& module, const std::string& name,
                                      const SourceRange& use);
  /// Where an import brings in `row_meen` and the code uses `row_mean`: the error is at the import.
  void fail_misspelt_import(const Expr& name);
  [[noreturn]] void fail_import(const Module& module, const Import& import, const std::string& name,
                                const SourceRange& use);

  // tuples.cpp
  Value make_named_tuple(const ClassValue& type, std::vector<CallArg> args, const SourceRange& range);

  // attributes.cpp
  Value eval_attribute(const Expr& e);
  std::optional<Value> find_attribute(const Value& base, const std::string& name);

  // special_forms.cpp: calls whose arguments are not all evaluated
  std::optional<Value> special_form(const Value& callee, const Expr& call);

  void set_location(const SourceRange& range);
  void count_step(const SourceRange& range, int64_t steps = 1);
  std::string current_function() const;

  Function& function_;
  Builder builder_object_;
  const Module& user_module_;
  Frame* frame_ = nullptr;
  int inline_depth_ = 0;
  int native_depth_ = 0;
  int64_t steps_ = 0;
  bool in_default_ = false;  ///< a default argument is evaluated: plain globals are fine
  std::vector<Diagnostic> notes_;
  std::set<std::pair<std::string, int>> noted_;
  using GlobalName = std::tuple<const Module*, int, std::string, int64_t>;  ///< with the scope, and Frame::before
  std::map<GlobalName, std::optional<Value>> globals_;
  std::set<GlobalName> evaluating_;
  std::map<std::pair<const Module*, int>, Truth> block_tests_;
  std::map<std::pair<const Module*, int>, Truth> passed_;
  int host_tests_ = 0;  ///< conditions of host code that are being worked out: nobody sees their errors
  std::vector<std::shared_ptr<const Module>> files_;  ///< imported, kept while this kernel is compiled
};

// ---- values that have run-time parts, core/lower/leaves.cpp
// -------------------------------------------------------------

/// "x" of "x[0]": the parameter whose tuple holds the argument.
std::string parameter_of_argument(const std::string& name);

/// The IR values in `v`, in a fixed order: tensors, the items of tuples, the scalars of block pointers.
void append_leaves(const Value& v, std::vector<ValueId>& out);
/// `v` with its leaves replaced, in that order, from `leaves[at]` on.
Value with_leaves(const Value& v, const std::vector<ValueId>& leaves, size_t& at);
/// Whether two values differ at most in their leaves' ids and types: same kinds, same tuple lengths, equal constants.
bool same_structure(const Value& a, const Value& b);
bool has_leaves(const Value& v);

/// Names that the statements assign, nested blocks included, in order of appearance.
std::vector<std::string> assigned_names(std::span<Stmt* const> stmts);
bool contains_return(std::span<Stmt* const> stmts);

/// The embedded library of helpers written in the kernel language, parsed once.
const Module& prelude();

/// The row of a name that the lowering answers itself, or null.
const Builtin* find_special_form(const std::string& path);

}  // namespace tilescope::lower
