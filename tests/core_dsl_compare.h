// Compares a kernel written in C++ with the same kernel as Triton text.
#pragma once

#include <doctest/doctest.h>

#include "core/print.h"
#include "tests/core_lower_kernel.h"

namespace tilescope::test {

/// `text` begins with the arguments; the imports are added.
inline std::string whole_text(const std::string& text) {
  const size_t line = text.find('\n') + 1;
  return "# args: " + text.substr(0, line) + "import triton\nimport triton.language as tl\n" + text.substr(line);
}

/// The IR without locations, or the first error's message.
inline std::string ir_or_error(const CompileRequest& request) {
  Expected<CompiledKernel> built = compile_kernel(request);
  return built ? print(built->function) : "error: " + built.errors().front().message;
}

inline std::string text_ir(const std::string& text, bool optimise = false) {
  CompileRequest r = request_for(whole_text(text));
  r.optimise = optimise;
  return ir_or_error(r);
}

/// The C++ kernel for the arguments that the first line of the text lists.
inline CompileRequest host_request(const std::string& args, std::shared_ptr<const HostKernel> host) {
  CompileRequest r = request_for("# args: " + args.substr(0, args.find('\n')));
  r.host = std::move(host);
  return r;
}

/// `text` begins with the arguments' line; both front ends must give one IR, before and after the passes.
inline void check_same_ir(const std::string& text, const std::shared_ptr<const HostKernel>& host) {
  CompileRequest cpp = host_request(text, host);
  CHECK(ir_or_error(cpp) == text_ir(text));
  cpp.optimise = true;
  CHECK(ir_or_error(cpp) == text_ir(text, true));
}

}  // namespace tilescope::test
