// The steps of compile_kernel (core/compile.h) for a caller that holds a parsed file and compiles it many times.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/compile.h"
#include "core/syntax/ast.h"

namespace tilescope {

/// The jit functions that a launch may name: those that no other jit function of the file mentions; among those, the ones
/// that return nothing. All of them when that leaves none.
std::vector<const FunctionDef*> entry_points(const Module& module);

/// Adds every name that the function takes from outside: parameters and names that it assigns are its own, as in Python.
void add_outer_names(const FunctionDef& f, std::set<std::string>& out);

/// The jit function of that name; empty: the only entry point. Errors: none, several, not a kernel, as compile_kernel.
Expected<const FunctionDef*> choose_kernel(const Module& module, const std::string& name);

/// Lowers one kernel; `request.source`, `kernel`, `host` and `optimise` are not looked at: no passes run, nothing is verified.
/// `values`: how many IR values there were at the end, also when it fails; of two attempts, who got further.
Expected<CompiledKernel> lower_kernel(const Module& module, const FunctionDef& kernel, const CompileRequest& request,
                                      size_t* values = nullptr);

/// compile_kernel for a caller that holds the parsed file; `request.source` and `host` are not looked at.
Expected<CompiledKernel> compile_kernel(const Module& module, const CompileRequest& request);

}  // namespace tilescope
