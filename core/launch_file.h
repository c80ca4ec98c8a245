// A launch: which kernel, over which grid, with which arguments, and what its outputs should be. Read from JSON or
// assembled from the command line (core/arg_spec.h).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/launch_expr.h"
#include "core/tensor.h"

namespace tilescope {

/// How a tensor gets its first values. Element i is the i-th logical element in row-major order.
///
/// rand:    uniform in [0, 1): `tl.rand(seed, i)`, then rounded to the dtype. Float dtypes only.
/// randn:   standard normal: `tl.randn(seed, i)`, then rounded to the dtype. Float dtypes only.
/// randint: lo + (u mod (hi - lo)) with u = `tl.randint(seed, i)` as uint32 when hi - lo fits 32 bits, else the two
///          first words of `tl.randint4x` as one 64-bit number; so lo <= value < hi.
/// arange:  i. full, values: the number, which must fit an integer dtype exactly and is rounded once to a float dtype.
/// empty:   every byte 0xff (NaN in floats, -1 in integers), and tracked as uninitialised.
struct Init {
  enum class Kind { Zeros, Ones, Empty, Arange, Full, Rand, Randn, RandInt, Values, Npy };
  /// One number as written: integers are kept exactly.
  using Number = std::variant<int64_t, uint64_t, double, bool>;
  Kind kind = Kind::Empty;
  std::vector<Number> values;  ///< Full: one; Values: all, row major (nested lists are flattened)
  uint64_t seed = 0;           ///< Rand, Randn, RandInt
  int64_t lo = 0, hi = 0;      ///< RandInt
  std::string npy_path;        ///< Npy, resolved relative to the launch file
};

struct TensorSpec {
  DType dtype = DType::Float32;
  TensorLayout layout;
  Init init;
  /// Block shape of the tensor descriptor that the kernel gets in place of the pointer; empty: a pointer.
  std::vector<GridExpr> block = {};
};

/// Integers: int64_t, or uint64_t only beyond 2^63 - 1. Floats are fp32 when passed to a kernel. A constexpr parameter
/// takes the same values; strings are for constexprs only.
/// std::monostate is None.
using ArgValue = std::variant<std::monostate, TensorSpec, int64_t, uint64_t, double, bool, std::string>;

struct LaunchArg {
  std::string name;
  ArgValue value;
};

/// What an output tensor must equal after the launch.
struct OutputSpec {
  std::string tensor;                    ///< name of the argument
  std::optional<Init> expected;          ///< the expected values (npy, values or full), or
  std::string reference;                 ///< a host reference ("softmax", "matmul", ...) computed in float64
  std::vector<std::string> inputs;       ///< the reference's inputs, by argument name; empty: its documented default
  std::map<std::string, double> params;  ///< numbers that a reference may take ("eps")
  bool exact = false;                    ///< equal bytes; NaN equals any NaN
  double rtol = 0, atol = 0;             ///< |got - expected| <= atol + rtol * |expected|
};

/// What is used when an output states neither "exact" nor a tolerance: integers exact, floats by their precision.
void set_default_tolerance(OutputSpec& output, DType dtype);

struct HostKernel;  // core/compile.h

struct LaunchSpec {
  std::string path;             ///< of the launch file; empty when assembled from the command line
  std::string kernel;           ///< name of the function; empty: the only kernel in the file
  std::string kernel_path;      ///< resolved relative to the launch file
  std::shared_ptr<const HostKernel> host;  ///< a kernel built by C++, in place of kernel_path; not in a file
  std::optional<int64_t> config;  ///< which of the kernel's @triton.autotune configs gives what `args` leave open, from 0
  std::string description;      ///< free text
  std::vector<GridExpr> grid;   ///< 1 to 3 entries
  std::vector<LaunchArg> args;  ///< in the order of the file
  int num_warps = 4;
  int num_stages = 3;
  bool num_warps_stated = false, num_stages_stated = false;  ///< by the launch: then no config changes them
  std::vector<OutputSpec> outputs;
  bool expect_error = false;                           ///< the kernel must be refused at compile time
  std::string expect_error_text;                       ///< what the launch file says about it
  std::optional<std::pair<int, int>> expect_error_at;  ///< line and column under which the caret must stand

  const LaunchArg* find(const std::string& name) const;
};

/// Reads and checks a launch file. Errors carry the line and column of the offending value and name its place
/// ("args.x_ptr.shape[1]").
Expected<LaunchSpec> load_launch_file(const std::string& path);
/// The same from text in memory; relative paths are resolved against the folder of `path`.
Expected<LaunchSpec> parse_launch_text(const std::string& text, const std::string& path);

/// The grid as three numbers (missing axes are 1). Each must be in 1 .. 2^31 - 1, and so must their product.
Expected<std::array<int64_t, 3>> evaluate_grid(const LaunchSpec& spec);

/// Allocates and fills the tensor arguments, in the order of spec.args. Reads .npy files.
Expected<std::vector<Tensor>> make_tensors(const LaunchSpec& spec);
/// Fills one tensor. `place` starts each message ("args.x_ptr").
std::optional<Diagnostic> fill_tensor(Tensor& tensor, const Init& init, const std::string& place);

/// True when every value can be written to that dtype: integers exactly, floats with rounding. Else the reason.
std::optional<std::string> number_problem(const Init::Number& number, DType dtype);

/// num_warps and num_stages, with a message that names the place.
std::optional<Diagnostic> check_num_warps(int64_t value, const std::string& place);
std::optional<Diagnostic> check_num_stages(int64_t value, const std::string& place);

/// The candidate nearest to a misspelt name; empty when none is near.
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace tilescope
