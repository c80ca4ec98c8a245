// Host references: what a kernel should compute, in float64 with Eigen, from the logical values of its inputs
// (strides and transposed views honoured).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/diagnostic.h"
#include "core/tensor.h"

namespace tilescope {

/// Expected values in row-major logical order of the output.
using ReferenceResult = std::vector<double>;

struct ReferenceInfo {
  std::string name;
  int min_inputs, max_inputs;
  std::string doc;
};
/// add, sub, mul: elementwise (2 inputs). copy, relu, exp, sigmoid (1). transpose (1, rank 2). softmax (1; along the last
/// axis). sum, max, mean (1; along the last axis). matmul (2 or 3; [M,K] x [K,N] + C, or batched with leading axes).
/// layer_norm (1 to 3: x, weight, bias; param eps, default 1e-5). attention (3: q, k, v of [..., L, D]; params scale,
/// causal).
const std::vector<ReferenceInfo>& references();

/// An unknown name (with the nearest), or a wrong number of inputs; messages start with `place`.
std::optional<Diagnostic> find_reference_problem(const std::string& name, int inputs, const std::string& place);

/// Errors: those of find_reference_problem, shapes that do not fit; messages start with `place`.
Expected<ReferenceResult> compute_reference(const std::string& name, const std::vector<const Tensor*>& inputs,
                                            const std::map<std::string, double>& params, const Tensor& output,
                                            const std::string& place);

}  // namespace tilescope
