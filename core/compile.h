// From kernel text and argument types to a specialised, optimised Function. The one entry for every caller.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/ir.h"
#include "core/launch_expr.h"

namespace tilescope {

/// What the compiler must know about one argument of a launch.
struct PointerArg {
  DType elem;
  int64_t divisible_by = 16;  ///< bytes: 16 when the address is a multiple of 16, else 1
  /// A tensor descriptor made by the host: its block shape, over the integers among the arguments. Empty: a pointer.
  std::vector<GridExpr> block = {};
  std::vector<int64_t> shape = {}, strides = {};  ///< of the tensor behind a descriptor, in elements
};
struct IntArg {
  int64_t value = 0;         ///< when `is_u64`, the same bits as uint64
  bool is_u64 = false;       ///< beyond 2^63 - 1
};
struct FloatArg { double value = 0; };
struct BoolArg { bool value = false; };
struct NoneArg {};
struct StringArg { std::string value; };
struct CompileArg {
  using Kind = std::variant<PointerArg, IntArg, FloatArg, BoolArg, NoneArg, StringArg>;
  std::string name;
  Kind value;
};

struct HostKernel;

struct CompileRequest {
  std::shared_ptr<const HostKernel> host;  ///< a kernel built by C++; `source` and `kernel` are then not looked at
  SourcePtr source;
  std::string kernel;            ///< empty: the only jit function that no other one calls
  std::vector<CompileArg> args;  ///< by name, any order
  int num_warps = 4, num_stages = 3;
  bool optimise = true;          ///< run the passes of core/passes.h
};

struct CompiledKernel {
  Function function;
  std::vector<Diagnostic> notes;  ///< hints accepted and ignored, warnings
};

/// A kernel that C++ code builds (core/dsl.h) in place of a kernel file.
struct HostKernel {
  std::string name;
  SourcePtr source;                     ///< the C++ file: what its locations point into, and what a window shows; never null
  std::vector<std::string> params;      ///< in order, constexprs among them
  std::vector<std::string> constexprs;  ///< those of `params` that must be known when it is built
  /// Builds it for these arguments, not optimised. Errors carry the C++ line.
  std::function<Expected<CompiledKernel>(const CompileRequest&)> build;
};

/// Parses, lowers, verifies and optimises. Whether an argument is a constexpr is the kernel's annotation; a run-time
/// integer becomes int32, int64 or uint64 by its value, and a constexpr when it equals 1 (Triton's specialisation).
/// Errors: syntax, types, an argument that is missing, unknown or of the wrong kind.
Expected<CompiledKernel> compile_kernel(const CompileRequest& request);

/// Names of the jit functions of a file, in order. Used for "which kernel?" messages.
Expected<std::vector<std::string>> list_kernels(const SourcePtr& source);

/// Reads a kernel file. Errors: unreadable, too large, not text.
Expected<SourcePtr> read_source(const std::string& path);

}  // namespace tilescope
