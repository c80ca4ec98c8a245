// What host code learns about the machine it runs on, as it would on an NVIDIA H200 with Triton 3.6: module-level conditions
// (`if is_hip():`) and constants (`IS_NVIDIA = ...`) of kernel files ask for it. One table, core/host_facts.cpp.
#pragma once

#include <string_view>

#include "core/syntax/ast.h"

namespace tilescope {

/// The release of Triton whose rules are followed.
inline constexpr std::string_view kTritonRelease = "3.6.0";

struct HostFact {
  /// "torch.version.hip", "torch.cuda.get_device_capability()" whatever stands between its parentheses, or a bare name:
  /// "is_hip", with `*` at its end for any ending.
  std::string_view name;
  std::string_view value;  ///< as Python writes it: "(9, 0)"
  std::string_view why;
};

/// The fact of exactly that path, or null.
const HostFact* find_host_fact(std::string_view path);

/// Whether facts lie below the path: "torch.version", "torch.cuda.get_device_capability".
bool holds_host_facts(std::string_view path);

/// What a name of a file says about the machine where its own definition cannot be worked out: IS_NVIDIA, _is_hip, is_hip.
/// Null for a name that says nothing.
const HostFact* find_named_fact(std::string_view name);

/// The value, parsed once.
const Expr& value_of(const HostFact& fact);

}  // namespace tilescope
