// Tile kernels written in C++. The same engine runs them as runs Triton text: the operators and functions below follow
// Triton's typing and broadcasting rules by calling the very functions that lower Triton text, so that a kernel written
// either way gives the same IR.
//
//   namespace tl = tilescope::dsl;
//   auto add = tl::kernel("add_kernel", [](tl::Kernel& k) {
//     auto x_ptr = k.pointer("x_ptr"), y_ptr = k.pointer("y_ptr"), out_ptr = k.pointer("out_ptr");
//     auto n = k.scalar("n");
//     const int64_t BLOCK = k.constant("BLOCK");
//     auto pid = tl::program_id(0);
//     auto offsets = pid * BLOCK + tl::arange(0, BLOCK);
//     auto mask = offsets < n;
//     auto x = tl::load(x_ptr + offsets, mask);
//     auto y = tl::load(y_ptr + offsets, mask);
//     tl::store(out_ptr + offsets, x + y, mask);
//   });
//
// `add` goes into LaunchSpec::host or CompileRequest::host. The function runs once for each compilation, with the
// arguments of that launch; what it does to tl::Value becomes IR, what it does to plain C++ values happens at once. So
// a C++ `for` unrolls and a C++ `if` chooses, while tl::range, tl::if_ and tl::while_ make run-time control flow.
//
// Parameters. Declare them all before the first operation, in the order of the launch. Their types come from the
// launch,
//   as in Triton: the tensor's dtype, int32 or int64 by size, a constant when an integer equals 1, divisibility by 16.
//   To learn their names, the function is also called once when the kernel is made, up to its first operation;
//   constants then read 16, flags false, numbers 1.0 and texts "".
// Variables. A tl::Value is a variable. Assigned in a loop or branch, it is carried or joined when it was made outside:
//   auto acc = tl::zeros({M, N}, tl::float32);
//   for (auto k : tl::range(0, K, BLOCK)) acc += tl::dot(a, b);
//   A `tl::Value` made inside ends with the body. Plain C++ variables (int, double) are not carried.
// Names. A value is shown by the name of the C++ variable that it initialises (`auto x = ...`, `x = ...`), taken from
//   the C++ file when that can be read at run time; tl::named("x", ...) gives a name in any case.
// Operators. / divides as Triton's / (int32 / int32 is float32); tl::floordiv is Triton's //. Instead of x[:, None] and
//   x[None, :] write tl::column(x) and tl::row(x). `and`, `or` of conditions are & and |.
// Order. Within one statement, operations happen from left to right as in Triton text, whatever order the C++ compiler
//   chooses. (Do not std::move a Value: an rvalue is taken for a part of the expression it stands in.)
// Places. Every operation carries the C++ file and line. A window that shows the kernel shows the C++ file.
// Errors. Misuse throws tilescope::dsl::Error from the operation; compile_kernel gives it as its error value.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "core/compile.h"

namespace tilescope::dsl {

// ---- element types --------------------------------------------------------------------------------------------------

inline constexpr DType int1 = DType::Int1, int8 = DType::Int8, int16 = DType::Int16, int32 = DType::Int32,
                       int64 = DType::Int64, uint8 = DType::UInt8, uint16 = DType::UInt16, uint32 = DType::UInt32,
                       uint64 = DType::UInt64, float8e4nv = DType::Float8E4NV, float8e5 = DType::Float8E5,
                       float16 = DType::Float16, bfloat16 = DType::BFloat16, float32 = DType::Float32,
                       float64 = DType::Float64;

/// The place in the C++ text that an operation comes from; filled in by default arguments.
#ifdef __cpp_lib_source_location
using Site = std::source_location;
#else
/// The same for compilers without std::source_location.
class Site {
 public:
  static constexpr Site current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                unsigned column = __builtin_COLUMN()) {
    return {file, line, column};
  }
  constexpr Site() = default;
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }
  constexpr unsigned column() const { return column_; }

 private:
  constexpr Site(const char* file, unsigned line, unsigned column) : file_(file), line_(line), column_(column) {}
  const char* file_ = "";
  unsigned line_ = 0, column_ = 0;
};
#endif

/// Misuse of a value or function, with the C++ line. what() is the whole message with the line and a hint.
class Error : public std::exception {
 public:
  explicit Error(Diagnostic d);
  const char* what() const noexcept override;
  const Diagnostic& diagnostic() const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

class Value;
namespace detail {
struct Cell;
class Session;
}  // namespace detail

/// Extents of a tile, or several axes: {BLOCK_M, BLOCK_N}.
struct Extents {
  std::vector<int64_t> values;
  Extents(std::initializer_list<int64_t> v) : values(v) {}
  Extents(std::vector<int64_t> v) : values(std::move(v)) {}
  Extents(const Shape& s) : values(s.dims.begin(), s.dims.begin() + s.rank) {}
};

/// An argument of an operation: a Value, or a C++ number, text, type or list that is known at compile time. Made by
/// conversion only; it refers to its Value, so it must not outlive the statement.
class Operand {
 public:
  enum class Kind { None, Int, UInt, Float, Bool, Text, Type, Extents, List, Value };

  Operand(Site at = Site::current()) : at_(at) {}
  Operand(std::nullptr_t, Site at = Site::current()) : at_(at) {}
  Operand(const Value& v, Site at = Site::current()) : kind_(Kind::Value), value_(&v), at_(at) {}
  Operand(Value&& v, Site at = Site::current()) : kind_(Kind::Value), temporary_(true), value_(&v), at_(at) {}
  template <std::same_as<bool> T>
  Operand(T v, Site at = Site::current()) : kind_(Kind::Bool), integer_(v), at_(at) {}
  template <std::signed_integral T>
  Operand(T v, Site at = Site::current()) : kind_(Kind::Int), integer_(static_cast<uint64_t>(int64_t{v})), at_(at) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Operand(T v, Site at = Site::current()) : kind_(Kind::UInt), integer_(v), at_(at) {}
  template <std::floating_point T>
  Operand(T v, Site at = Site::current()) : kind_(Kind::Float), number_(static_cast<double>(v)), at_(at) {}
  Operand(const char* v, Site at = Site::current()) : kind_(Kind::Text), text_(v), at_(at) {}
  Operand(std::string v, Site at = Site::current()) : kind_(Kind::Text), text_(std::move(v)), at_(at) {}
  Operand(DType v, Site at = Site::current()) : kind_(Kind::Type), integer_(static_cast<uint64_t>(v)), at_(at) {}
  Operand(Extents v, Site at = Site::current()) : kind_(Kind::Extents), extents_(std::move(v.values)), at_(at) {}
  /// Several of them where Triton takes a list: offsets and sizes, known at compile time or not.
  Operand(std::vector<Operand> v, Site at = Site::current()) : kind_(Kind::List), list_(std::move(v)), at_(at) {}

  Kind kind() const { return kind_; }
  bool given() const { return kind_ != Kind::None; }
  Site site() const { return at_; }

 private:
  friend class detail::Session;
  friend class Value;
  Kind kind_ = Kind::None;
  bool temporary_ = false;  ///< the Value is a part of the expression, not a variable
  const Value* value_ = nullptr;
  uint64_t integer_ = 0;
  double number_ = 0;
  std::string text_;
  std::vector<int64_t> extents_;
  std::vector<Operand> list_;
  Site at_;
};

/// A scalar, a tile or a pointer of the kernel: a variable that can be assigned. Without a kernel being built, making
/// or using one throws Error.
class Value {
 public:
  /// A variable without a value yet: assign it, for example in both branches of tl::if_.
  Value(Site at = Site::current());
  /// A C++ number becomes a run-time scalar, as `x = 0` does in Triton.
  template <class T>
  requires std::integral<T> || std::floating_point<T> Value(T number, Site at = Site::current())
      : Value(Operand(number, at), at) {}
  Value(const Value& other, Site at = Site::current());
  ~Value();

  Value& operator=(Value other);
  Value& operator+=(Operand other);
  Value& operator-=(Operand other);
  Value& operator*=(Operand other);
  Value& operator/=(Operand other);
  Value& operator%=(Operand other);
  Value& operator&=(Operand other);
  Value& operator|=(Operand other);
  Value& operator^=(Operand other);
  Value& operator<<=(Operand other);
  Value& operator>>=(Operand other);

  /// Converts the elements: x.to(tl::float16).
  Value to(DType type, Site at = Site::current()) const&;
  Value to(DType type, Site at = Site::current()) &&;
  /// The same bits as another type of that width.
  Value bitcast(DType type, Site at = Site::current()) const&;
  Value bitcast(DType type, Site at = Site::current()) &&;

  /// Element type; of a pointer or a tensor descriptor, that of the elements behind it.
  DType dtype(Site at = Site::current()) const;
  /// Static shape; rank 0 for scalars; of a tensor descriptor, that of its blocks.
  Shape shape(Site at = Site::current()) const;
  bool is_pointer(Site at = Site::current()) const;
  /// The launch passes None for this parameter.
  bool is_none(Site at = Site::current()) const;
  /// Known while the kernel is built: None, an argument that is folded, or computed from such.
  bool is_constant(Site at = Site::current()) const;
  /// The items of a tuple result (of tl::call); a single value is its own item.
  std::vector<Value> items(Site at = Site::current()) const;

  friend Value operator+(Operand a, Operand b) { return binary("+", a, b); }
  friend Value operator-(Operand a, Operand b) { return binary("-", a, b); }
  friend Value operator*(Operand a, Operand b) { return binary("*", a, b); }
  friend Value operator/(Operand a, Operand b) { return binary("/", a, b); }
  friend Value operator%(Operand a, Operand b) { return binary("%", a, b); }
  friend Value operator&(Operand a, Operand b) { return binary("&", a, b); }
  friend Value operator|(Operand a, Operand b) { return binary("|", a, b); }
  friend Value operator^(Operand a, Operand b) { return binary("^", a, b); }
  friend Value operator<<(Operand a, Operand b) { return binary("<<", a, b); }
  friend Value operator>>(Operand a, Operand b) { return binary(">>", a, b); }
  friend Value operator==(Operand a, Operand b) { return binary("==", a, b); }
  friend Value operator!=(Operand a, Operand b) { return binary("!=", a, b); }
  friend Value operator<(Operand a, Operand b) { return binary("<", a, b); }
  friend Value operator<=(Operand a, Operand b) { return binary("<=", a, b); }
  friend Value operator>(Operand a, Operand b) { return binary(">", a, b); }
  friend Value operator>=(Operand a, Operand b) { return binary(">=", a, b); }
  friend Value operator-(Operand a) { return unary("-", a); }
  friend Value operator+(Operand a) { return unary("+", a); }
  friend Value operator~(Operand a) { return unary("~", a); }
  friend Value operator!(Operand a) { return unary("not", a); }
  /// A run-time condition has no C++ truth: use tl::if_, tl::where or a mask, and & or | in place of && and ||.
  explicit operator bool() const = delete;

  /// `a op b` by Triton's spelling of the operator ("//" too).
  static Value binary(const char* op, const Operand& a, const Operand& b);
  static Value unary(const char* op, const Operand& a);

 private:
  friend class detail::Session;
  Value(const Operand& number, Site at);
  explicit Value(detail::Cell* cell) : cell_(cell) {}
  Value& update(const char* op, Operand other);
  detail::Cell* cell_;
};

// ---- kernels --------------------------------------------------------------------------------------------------------

/// The kernel that is being built: declares its parameters.
class Kernel {
 public:
  /// A tensor argument. None is accepted: ask is_none().
  Value pointer(const std::string& name, Site at = Site::current());
  /// A tensor argument with blocks, which the host made a descriptor of: for tl::load_tensor_descriptor and its kin. The
  /// launch gives the blocks' extents (KernelLaunch::descriptor, `"descriptor": [64, 64]`, `:block(64,64)`).
  Value descriptor(const std::string& name, Site at = Site::current());
  /// A number passed at run time; an integer equal to 1 is folded, as in Triton.
  Value scalar(const std::string& name, Site at = Site::current());
  /// A number of that type whatever its value, as an annotated parameter in Triton.
  Value scalar(const std::string& name, DType type, Site at = Site::current());
  /// Arguments known while the kernel is built (tl.constexpr). Those with a default may be missing in the launch.
  int64_t constant(const std::string& name, Site at = Site::current());
  int64_t constant(const std::string& name, int64_t fallback, Site at = Site::current());
  bool flag(const std::string& name, Site at = Site::current());
  bool flag(const std::string& name, bool fallback, Site at = Site::current());
  double number(const std::string& name, Site at = Site::current());
  double number(const std::string& name, double fallback, Site at = Site::current());
  std::string text(const std::string& name, Site at = Site::current());
  std::string text(const std::string& name, const std::string& fallback, Site at = Site::current());

 private:
  friend class detail::Session;
  explicit Kernel(detail::Session& session) : session_(session) {}
  detail::Session& session_;
};

using Body = std::function<void(Kernel&)>;

/// A kernel for LaunchSpec::host and CompileRequest::host. Its source is the C++ file that calls this function; the
/// text is empty when the file cannot be read.
std::shared_ptr<const HostKernel> kernel(std::string name, Body body, Site at = Site::current());

/// Builds the kernel for these arguments without the passes. Throws Error where compile_kernel gives an error value.
CompiledKernel build(const HostKernel& kernel, const CompileRequest& request);

/// Gives the value a name in the IR and in panels: auto acc = tl::named("acc", tl::zeros(...)).
Value named(const std::string& name, Operand value, Site at = Site::current());

// ---- control flow ---------------------------------------------------------------------------------------------------

/// Hints of tl.range; they change nothing in the simulator.
struct RangeOptions {
  int64_t num_stages = -1;  ///< -1: not given
  int64_t loop_unroll_factor = -1;
  std::string name = {};  ///< of the loop variable; empty: from the C++ text
};

/// for (auto k : tl::range(0, n, step)) { ... }: a loop of the kernel. The body runs once, to be built. `break` and
/// `return` out of it are errors; `continue` ends the iteration.
class Range {
 public:
  struct Sentinel {};
  class Iterator {
   public:
    explicit Iterator(Range* range) : range_(range) {}
    Value operator*() const { return range_->variable(); }
    Iterator& operator++() {
      range_->end_body();
      return *this;
    }
    bool operator!=(Sentinel) const { return !range_->done_; }

   private:
    Range* range_;
  };
  Iterator begin();
  Sentinel end() const { return {}; }
  Range(Operand start, Operand stop, Operand step, RangeOptions options, Site at);
  ~Range();
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;

 private:
  Value variable();
  void end_body();
  struct State;
  std::unique_ptr<State> state_;
  bool done_ = false;
};
inline Range range(Operand stop, Site at = Site::current()) { return Range(0, std::move(stop), 1, {}, at); }
inline Range range(Operand start, Operand stop, Site at = Site::current()) {
  return Range(std::move(start), std::move(stop), 1, {}, at);
}
inline Range range(Operand start, Operand stop, Operand step, RangeOptions options = {}, Site at = Site::current()) {
  return Range(std::move(start), std::move(stop), std::move(step), std::move(options), at);
}

/// Both branches are built; variables made outside that they assign are joined. A condition known at compile time
/// builds one branch only.
void if_(Operand condition, const std::function<void()>& then, const std::function<void()>& otherwise = {},
         Site at = Site::current());
/// Runs `body` while `condition` returns a true scalar.
void while_(const std::function<Value()>& condition, const std::function<void()>& body, Site at = Site::current());

// ---- functions ------------------------------------------------------------------------------------------------------

/// An argument of tl::call: positional, or {"name", value}.
struct Argument {
  std::string name;
  Operand value;
  Argument(Operand v, Site) : value(std::move(v)) {}
  Argument(const char* n, Operand v, Site) : name(n), value(std::move(v)) {}
  template <class T>
  requires std::constructible_from<Operand, T, Site> Argument(T&& v, Site at = Site::current())
      : value(std::forward<T>(v), at) {}
  template <class T>
  requires std::constructible_from<Operand, T, Site> Argument(const char* n, T&& v, Site at = Site::current())
      : name(n), value(std::forward<T>(v), at) {}
};

/// Any function of the language by its Triton name: tl::call("tl.sort", {x, {"descending", true}}), "libdevice.tanh".
/// Methods take their object first: "tl.tensor.to".
Value call(const char* function, std::vector<Argument> arguments, Site at = Site::current());

}  // namespace tilescope::dsl

#include "core/dsl/functions.h"
