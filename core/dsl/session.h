// One kernel while C++ builds it: the Context of Triton's typing rules for this front end, the variables that exist,
// the regions that are open, and the order of operations. Internal to core/dsl/.
//
//   session.cpp     places, names, variables, operations     loops.cpp, branches.cpp  control flow
//   parameters.cpp  what the launch passes; tl::kernel       order.cpp     left to right, whatever the compiler did
//   functions.cpp   functions of the table                   value.cpp     operators and assignment
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/dsl.h"
#include "core/dsl/cpp_text.h"
#include "core/lower/lowering.h"

namespace tilescope::dsl::detail {

/// What a variable holds.
struct Content {
  bool assigned = false;
  lower::Value value;
  int region = 0;  ///< where `value` was made; it can be used while that region is open
  int chunk = -1;  ///< the operation that made it
  Site at;         ///< where it was assigned
};

/// One tl::Value.
struct Cell {
  Session* owner = nullptr;  ///< null once the kernel is finished
  uint64_t id = 0;           ///< in the order of creation
  Content now;
  bool parameter = false;  ///< a folded argument stays a constant when it is used, as in Triton
  Site site;
  std::string name;
  bool name_known = false;
  bool copied = false;             ///< made as the copy of another variable
  size_t index = 0;                ///< which result of its operation it is
  std::optional<Diagnostic> gone;  ///< why it has no value
};

/// The ops of one operation, which stay together.
struct Chunk {
  int region = 0;
  size_t first = 0, count = 0;  ///< in the region's block, as appended
  std::vector<int> children;    ///< operations that stand as parts of this one's expression, left to right
  bool part = false;            ///< stands in another's expression
  Site site;
  lower::Value result;
  std::vector<std::unique_ptr<Op>> late;  ///< constants made when a constant result turned out to be a variable
};

struct Region {
  int id = 0;
  Block* block = nullptr;
  std::vector<int> chunks;
};

/// A loop body or branch that is open: which outer variables it assigned, in order.
struct Watch {
  uint64_t first_inner = 0;  ///< ids of variables made inside start here
  std::vector<uint64_t> assigned;
};

/// What tl::kernel was given.
struct Recipe {
  std::string name;
  Body body;
  Site site;
  SourcePtr source;
};

/// Ends the first run of the function, which only learns the parameters.
struct ProbeEnd {};

class Session final : public lower::Context {
 public:
  /// Without a request only the parameters are learnt.
  Session(Function& function, const Recipe& recipe, const CompileRequest* request);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The kernel being built by this thread; throws Error when there is none.
  static Session& active(Site at);
  static Session* current();
  bool is_probe() const { return request_ == nullptr; }

  // lower::Context
  using Context::fail;
  [[noreturn]] void fail(Diagnostic d) override;
  void note(const SourceRange& range, std::string message) override;
  lower::Value call_function(const lower::FunctionValue& f, std::vector<lower::CallArg> args,
                             const SourceRange& range) override;
  lower::Value call_prelude(const std::string& name, std::vector<lower::CallArg> args,
                            const SourceRange& range) override;

  // Places
  const CppText& text(Site at);
  SourceRange range(Site at);
  void set_location(Site at);

  // Variables
  Cell* new_cell(Content content, Site site);
  Cell* copy_cell(Cell& from, Site site);
  void drop_cell(Cell* cell) { cells_.erase(cell->id); }
  /// Null when the variable is gone.
  Cell* find_cell(uint64_t id);
  std::map<uint64_t, Cell*>& cells() { return cells_; }
  uint64_t next_cell() const { return next_cell_; }
  std::string name_of(Cell& cell);
  void assign(Cell& cell, const Content& content, Site at);
  static Cell* cell_of(const Value& v) { return v.cell_; }
  static Value make(Cell* cell) { return Value(cell); }
  static Kernel kernel_handle(Session& s) { return Kernel(s); }
  static bool is_temporary(const Operand& o) { return o.temporary_; }
  static const Value* value_of(const Operand& o) { return o.value_; }
  static const std::vector<Operand>& items_of(const Operand& o) { return o.list_; }
  /// The content of a variable that can be used here; otherwise Error.
  Content& usable(const Value& v, Site at) { return usable_content(*cell_of(v), at); }
  Content& usable_content(Cell& cell, Site at);
  lower::Value resolve(const Operand& o);
  /// A constant result that is held by a variable becomes a run-time scalar where it was computed.
  void settle(Cell& cell);
  /// As Triton: a number that a variable holds is a run-time scalar.
  lower::Value run_time_form(lower::Value v, const std::string& name);
  /// As in Triton, what a variable with a name holds keeps that name: `y = x`, and `y = x.to(its own type)`.
  /// `part` is not looked at: the operand that hands the value on.
  bool is_held_by_name(const lower::Value& v, const Value* part);
  void set_value_name(const lower::Value& v, const std::string& name);

  // Regions
  Region& region() { return *regions_.back(); }
  Region& push_region(Block& block);
  /// Puts its operations in order; the block may then get its terminator.
  void pop_region();
  size_t region_depth() const { return regions_.size(); }
  /// After an error: forgets what is open above that depth.
  void unwind_regions(size_t depth, Block* block);
  bool is_open(int region) const { return open_.count(region) != 0; }
  std::vector<Watch>& watches() { return watches_; }

  /// Operations beyond this many are refused (a C++ loop unrolls).
  void count_step(Site at);
  void defer(Diagnostic d);

  // parameters.cpp
  void declare(const std::string& name, bool constant, Site at);
  Value parameter(const std::string& name, std::optional<DType> type, Site at);
  Value descriptor(const std::string& name, Site at);
  lower::Value constant(const std::string& name, const std::optional<lower::Value>& fallback, Site at);
  /// Before the first operation: the shape and strides of descriptors that are parameters, which are constants.
  void complete_descriptors();
  void finish();

  Function& function() { return function_; }
  std::vector<Chunk>& chunks() { return chunks_; }
  std::vector<Diagnostic> take_notes();
  std::vector<std::string> declared, declared_constants;

  /// Combine functions of reductions that are being called, by the definition that stands for them.
  std::map<const FunctionDef*, const Combine*> combines;

 private:
  const CompileArg* find_argument(const std::string& name) const;
  Value declare_value(const std::string& name, Site at, const std::function<lower::Value(const SourceRange&, const CompileArg&)>& make_value);
  void apply_names(const Chunk& chunk);
  void reorder(Region& region);

  Function& function_;
  const Recipe& recipe_;
  const CompileRequest* request_;
  Builder builder_object_;
  Module empty_;
  lower::Lowering library_;  ///< runs the functions that are written in the kernel language
  std::map<std::string, std::unique_ptr<CppText>> texts_;
  std::map<uint64_t, Cell*> cells_;
  uint64_t next_cell_ = 1;
  std::vector<Chunk> chunks_;
  std::vector<std::unique_ptr<Region>> regions_;
  std::set<int> open_;
  int next_region_ = 0;
  std::vector<Watch> watches_;
  std::map<ValueId, const PointerArg*> descriptors_;  ///< parameters without shape and strides yet, by their base
  std::vector<Diagnostic> notes_;
  std::set<std::pair<std::string, int>> noted_;
  std::optional<Diagnostic> deferred_;
  Session* outer_ = nullptr;
};

/// One operation: resolves its operands, and closes the chunk of ops that were appended meanwhile. When an exception
/// passes, the ops are taken out again.
class Operation {
 public:
  Operation(Session& session, Site at);
  ~Operation();
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;

  lower::Value operator()(const Operand& o);
  /// Ends without a result; its operands become those of another operation.
  void release(std::vector<int>& children) {
    finished_ = true;
    children = std::move(chunk_.children);
  }
  void adopt(std::vector<int> children) { chunk_.children = std::move(children); }
  /// The content of the result.
  Content finish(lower::Value result);

 private:
  Session& session_;
  Chunk chunk_;
  Block* block_;
  size_t depth_;
  bool finished_ = false;
};

/// The error with its hint in C++: tl::column(x) for x[:, None].
Diagnostic in_cpp(Diagnostic d);

/// CompileError, which only lives inside core/lower, becomes Error.
template <class F>
auto guarded(F&& f) {
  try {
    return f();
  } catch (lower::CompileError& e) {
    throw Error(in_cpp(std::move(e.diagnostic)));
  }
}

[[noreturn]] void throw_error(const SourceRange& range, std::string message, std::string hint = {});

}  // namespace tilescope::dsl::detail
