// Text to syntax tree. Never throws, crashes or hangs on any bytes.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/diagnostic.h"
#include "core/syntax/ast.h"

namespace tilescope {

inline constexpr size_t kMaxKernelFileBytes = 4u << 20;

/// Reads a kernel file. Only functions with a decorator that ends in `jit` must be right; their errors are kept with
/// each function (FunctionDef::errors), so that one broken helper does not hide the other kernels. Host code never
/// causes an error: what does not parse is skipped by indentation. Fails as a whole only when the text is too long.
Expected<Module> parse_module(SourcePtr source);

/// An expression that stands alone, such as a grid entry of a launch file.
struct ParsedExpr {
  SourcePtr source;
  std::unique_ptr<AstArena> arena;
  const Expr* root = nullptr;
};
Expected<ParsedExpr> parse_expression(SourcePtr source);

/// Whether the decorator makes a kernel: a name or attribute that ends in `jit`, or a call of one.
bool is_jit_decorator(const Expr& decorator);

/// Whether the annotation says tl.constexpr.
bool is_constexpr_param(const FunctionParam& p);

}  // namespace tilescope
