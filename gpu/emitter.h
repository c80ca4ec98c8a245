// The emitter's state, shared by the emit_*.cpp files: one file for each group of ops.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/dot_contract.h"
#include "gpu/assign.h"
#include "gpu/emit.h"
#include "gpu/hazards.h"
#include "gpu/pipeline.h"

namespace tilescope::gpu {

/// C++ type of an element: "float", "ts::f16", "ts::pointer".
std::string c_type(const Type& t);
/// A constant of that type as a C++ expression; readable where it is exact.
std::string c_constant(const Type& t, uint64_t bits);

/// "bit(lane, 0) * 4 + ..." with runs of doubling weights put together: "(lane & 7) * 4". "0" when all weights are 0.
std::string weighted_bits(const std::string& index, const std::vector<int64_t>& weights);

/// `wanted` as a C++ identifier.
std::string identifier(const std::string& wanted);
/// Names that a kernel's own variables may not take.
std::set<std::string> reserved_names();

class Emitter {
 public:
  Emitter(const Function& f, const EmitOptions& options);
  Expected<EmittedKernel> run();

 private:
  struct Refused {
    Diagnostic why;
  };

  // ---- emit.cpp: text and names ----
  void line(const std::string& text);
  void open(const std::string& text);
  void close(const std::string& text = "}");
  /// `body` once for each register of a tile; it sees the register's index as text.
  void each(int registers, const std::function<std::string(const std::string&)>& body);
  std::string unique(const std::string& wanted);
  [[noreturn]] void refuse(const Op& op, const std::string& why, const std::string& hint = {});
  void source_comment(const Op& op);
  void block(const Block& b);
  void op(const Op& op);
  std::string parameters();

  // ---- emit.cpp: values ----
  const Type& type(ValueId v) const { return f_.type(v); }
  const TileLayout& layout(int id) const { return a_.layouts[static_cast<size_t>(id)]; }
  int home(ValueId v) const { return a_.home[v]; }
  bool is_tile(ValueId v) const { return type(v).is_tile(); }
  /// Declares the variable of a value in a layout (scalars and uniform tiles: layout kScalar).
  std::string declare(ValueId v, int layout_id);
  /// A scalar (or the one value of a uniform tile), declared with its value.
  void define(ValueId v, const std::string& value);
  std::string variable_name(ValueId v);
  std::string declared(ValueId v, int layout_id) const;  ///< its name
  /// The expression of one register of a value in a layout.
  std::string at(ValueId v, int layout_id, const std::string& reg) const;
  std::string scalar(ValueId v) const;
  /// Some layout in which the value exists (for readers that take any).
  int any_layout(ValueId v) const;
  /// Gives every other wanted layout of a homed value that was just computed.
  void convert_others(ValueId v);
  void convert(ValueId v, int from, int to);
  /// Index of a register's element: "(l2 + r * 4)". Weights may be mapped first (padding, parts of an index).
  std::string element(int layout_id, const std::string& reg);
  std::string element(const TileLayout& l, const std::string& reg, const std::function<int64_t(int64_t)>& map);
  /// The variable that holds an expression of lane and warp, declared at the kernel's beginning.
  std::string thread_part(const std::string& expression);
  /// True for one thread of those that hold copies; "" when none do.
  std::string first_copy(const TileLayout& l) const;

  // ---- emit_control.cpp ----
  void emit_for(const Op& op);
  void emit_while(const Op& op);
  void emit_if(const Op& op);
  void assign(ValueId to, ValueId from);
  /// Carried values take their next ones all at once.
  void assign_all(const std::vector<ValueId>& to, const std::vector<ValueId>& from, size_t skip);
  void emit_debug(const Op& op);

  // ---- emit_elementwise.cpp ----
  void emit_elementwise(const Op& op);
  std::string elementwise_expression(const Op& op, const std::vector<std::string>& operands);
  void emit_philox(const Op& op, int layout_id);

  // ---- emit_shape.cpp ----
  void emit_shape(const Op& op);
  void emit_moved(const Op& op, int id);
  void emit_gather(const Op& op);

  // ---- emit_memory.cpp ----
  void emit_memory(const Op& op);
  void emit_load(const Op& op);
  void emit_store(const Op& op);
  void emit_atomic(const Op& op);
  void emit_scalar_access(const Op& op);
  std::string atomic_expression(const Op& op, const std::string& p, const std::string& x, const std::string& y);
  void order_before(const Op& op);

  // ---- emit_reduce.cpp ----
  void emit_reduce(const Op& op);
  void emit_scan(const Op& op);
  /// Emits the combine function as a lambda where it is a user's, and calls of it.
  std::string combine_function(const Op& op);
  std::string combined(const Op& op, const std::string& function, const std::vector<std::string>& to,
                       const std::vector<std::string>& left, const std::vector<std::string>& right);
  /// The combination is associative and commutative in every bit, so that it may go the cheapest way.
  bool any_order(const Op& op) const;
  void combine_registers(const Op& op, const std::string& function, const std::vector<std::string>& x, TileLayout& l,
                         int64_t bit);
  void combine_lanes(const Op& op, const std::string& function, const std::vector<std::string>& x, TileLayout& l,
                     int64_t bit, int64_t end);
  std::string combined_across(const Op& op, const std::string& function, const std::vector<std::string>& to,
                              const std::vector<std::string>& low, const std::vector<std::string>& high, int mask,
                              bool swapped);
  std::vector<std::string> working_copies(const Op& op, int from);
  void reduce_across_warps(const Op& op, const std::string& function, const std::vector<std::string>& x,
                           const TileLayout& l, const std::vector<int64_t>& bits, const TileLayout& after);

  // ---- emit_order.cpp ----
  void emit_sort(const Op& op);
  void emit_histogram(const Op& op);

  // ---- emit_dot.cpp ----
  void emit_dot(const Op& op);
  /// How a dot's operands lie in shared memory: A [M][K], B [K][N], rows padded.
  struct DotStage {
    std::string element;
    int element_bytes = 2;
    int64_t M = 1, N = 1, K = 1, batch = 1, stride_a = 0, stride_b = 0, a_bytes = 0, b_bytes = 0;
    bool swizzled = false;  ///< 16-bit elements: rows are not padded, their pieces exchanged
    bool wgmma = false;     ///< B lies in panels of 64 columns
    struct Matrix {
      int64_t row, stride, rows;  ///< elements of a row, from row to row (fewer: of a panel); rows of one matrix
      bool swizzled;
    };
    Matrix a() const { return {K, stride_a, M, swizzled}; }
    Matrix b() const { return {N, stride_b, K, swizzled}; }
  };
  DotStage dot_stage(const Op& op);
  /// Index in shared memory of a register's element.
  std::string staged_element(const TileLayout& l, const std::string& reg, const DotStage::Matrix& m);
  void multiply(const Op& op, const DotStage& s, const std::string& A, const std::string& B);
  void multiply_by_groups(const Op& op, const DotStage& s, const std::string& acc, const std::string& A,
                          const std::string& B);

  // ---- emit_pipeline.cpp ----
  /// Emits the loop if its loads can run ahead; false when it is for emit_for to do.
  bool emit_pipelined(const Op& op);
  void emit_fetch(const Op& op, const Pipeline& p, const std::string& k, const std::vector<std::string>& stages);
  void copy_ahead(const Op& load, const std::string& to, const DotStage::Matrix& m);

  // ---- shared memory ----
  struct Buffer {
    int index = 0;
    std::string name;
  };
  /// The next of the two exchange buffers, free to be written, with room for that many bytes.
  Buffer exchange(const Op* op, int64_t bytes);
  std::string typed(const Buffer& b, const std::string& type, int64_t offset = 0);
  /// The stages of a pipeline and the buffers for exchanges lie in one place, unless a pipelined loop exchanges too.
  int64_t shared_bytes() const {
    return std::max(buffer_bytes_[0] + buffer_bytes_[1], stages_offset() + pipeline_bytes_);
  }
  /// Where the stages begin: copies of 16 bytes are fast where rows begin with a line of 128.
  int64_t stages_offset() const {
    return exchange_inside_ ? (buffer_bytes_[0] + buffer_bytes_[1] + 127) / 128 * 128 : 0;
  }
  /// What buffers begin at multiples of: 8 rows of 128 bytes, which wgmma swizzles by their address.
  int64_t line_bytes() const { return a_.wgmma.empty() ? 16 : 1024; }
  void barrier();
  void publish(const Buffer& b);  ///< what was written may now be read

  const Function& f_;
  EmitOptions options_;
  AxisAnalysis axes_;
  Assignment a_;
  Hazards hazards_;
  EmittedKernel out_;
  std::string text_;
  int indent_ = 1;
  int commented_line_ = 0;
  std::vector<std::string> names_;  ///< readable names by value
  std::set<std::string> used_;
  std::map<std::pair<ValueId, int>, std::string> places_;  ///< declared variables
  std::map<std::string, std::string> thread_parts_;  ///< expressions of lane and warp, and the variables that hold them
  std::string thread_lines_;                         ///< their declarations
  const Op* current_ = nullptr;
  std::map<const Op*, Pipeline> pipelines_;
  std::map<const Op*, std::pair<std::string, std::string>>
      copied_;                                  ///< dots whose operands are in shared memory already
  std::set<const Op*> ahead_;                   ///< loads that are
  std::map<ValueId, std::string> ahead_names_;  ///< carried values that run ahead of their loop
  int64_t pipeline_bytes_ = 0;
  int inside_pipeline_ = 0;       ///< depth of pipelined loops around the op at hand
  std::string meanwhile_;         ///< what the next dot of wgmma may have done while it runs
  bool exchange_inside_ = false;  ///< some pipelined loop exchanges values
  int64_t buffer_bytes_[2] = {0, 0};
  int next_buffer_ = 0;
  int lambda_count_ = 0;
};

}  // namespace tilescope::gpu
