// Compiles small kernels around one expression, for the tests of the builtins.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "core/compile.h"
#include "core/print.h"
#include "core/verify.h"

namespace tilescope {

/// In scope in every test kernel: tiles of 16 elements x (f32), h (f16), b (bf16), d (f64), i (i32), l (i64), u (u32),
/// c (i8), v (u8), m (i1), e (e4m3); 4 x 8 tiles x2, h2, i2; run-time scalars n (i32) and s (f32); constexpr N = 16.
inline SourcePtr builtin_kernel(const std::string& body) {
  std::string text =
      "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n\n\n"
      "@triton.jit\ndef add_fn(p, q):\n    return p + q\n\n\n"
      "@triton.jit\ndef pair_fn(p0, p1, q0, q1):\n    return tl.where(p0 > q0, p0, q0), p1 + q1\n\n\n"
      "@triton.jit\ndef wide_fn(p, q):\n    return (p + q).to(tl.float64)\n\n\n"
      "@triton.jit\ndef kernel(x_ptr, h_ptr, b_ptr, d_ptr, i_ptr, l_ptr, u_ptr, c_ptr, v_ptr, m_ptr, e_ptr, n, s, "
      "N: tl.constexpr):\n"
      "    r = tl.arange(0, 16)\n"
      "    q = tl.arange(0, 4)[:, None] * 8 + tl.arange(0, 8)[None, :]\n";
  for (const char* name : {"x", "h", "b", "d", "i", "l", "u", "c", "v", "m", "e"})
    text += std::string("    ") + name + " = tl.load(" + name + "_ptr + r)\n";
  for (const char* name : {"x", "h", "i"}) text += std::string("    ") + name + "2 = tl.load(" + name + "_ptr + q)\n";
  size_t from = 0;
  while (from < body.size()) {
    size_t end = std::min(body.find('\n', from), body.size());
    text += "    " + body.substr(from, end - from) + "\n";
    from = end + 1;
  }
  return std::make_shared<SourceFile>(SourceFile{"kernel.py", text});
}

inline Expected<CompiledKernel> compile_builtin(const std::string& body) {
  CompileRequest request;
  request.source = builtin_kernel(body);
  request.kernel = "kernel";
  request.optimise = false;
  const std::pair<const char*, DType> pointers[] = {
      {"x_ptr", DType::Float32}, {"h_ptr", DType::Float16}, {"b_ptr", DType::BFloat16},  {"d_ptr", DType::Float64},
      {"i_ptr", DType::Int32},   {"l_ptr", DType::Int64},   {"u_ptr", DType::UInt32},    {"c_ptr", DType::Int8},
      {"v_ptr", DType::UInt8},   {"m_ptr", DType::Int1},    {"e_ptr", DType::Float8E4NV}};
  for (auto [name, elem] : pointers) request.args.push_back({name, PointerArg{elem}});
  request.args.push_back({"n", IntArg{100}});
  request.args.push_back({"s", FloatArg{1.5}});
  request.args.push_back({"N", IntArg{16}});
  return compile_kernel(request);
}

/// The compiled function, verified.
inline Function compiled(const std::string& body) {
  Expected<CompiledKernel> k = compile_builtin(body);
  if (!k.ok()) {
    FAIL(body << "\n" << render(k.errors()));
    return {};
  }
  const std::vector<Diagnostic> broken = verify(k->function);
  if (!broken.empty()) FAIL(body << "\n" << render(broken) << print(k->function));
  return std::move(k->function);
}

/// The IR after the loads of the prologue.
inline std::string ir_of(const std::string& body) {
  const std::string text = print(compiled(body));
  size_t at = text.find("%i2: ");
  return at == std::string::npos ? text : text.substr(text.find('\n', at) + 1);
}

/// The type of an expression, in the IR's form.
inline std::string type_of(const std::string& expression) {
  const Function f = compiled("tl.device_print(\"r\", " + expression + ")");
  std::string type;
  walk(f.body, [&](const Op& op) {
    if (op.code == OpCode::Print) type = to_string(f.type(op.operands[0]));
  });
  return type;
}

/// How often an op occurs in the kernel that prints the expression, beyond the prologue.
inline int count_ops(const std::string& body, OpCode code) {
  auto count = [code](const Function& f) {
    int n = 0;
    walk(f.body, [&](const Op& op) { n += op.code == code; });
    return n;
  };
  return count(compiled(body)) - count(compiled("pass"));
}
inline int count_in(const std::string& expression, OpCode code) {
  return count_ops("tl.device_print(\"r\", " + expression + ")", code);
}

/// What a refused kernel is told: "message @ the underlined text | hint".
inline std::string refusal(const std::string& body) {
  Expected<CompiledKernel> k = compile_builtin(body);
  if (k.ok()) return "compiled";
  const Diagnostic& d = k.errors().front();
  std::string under;
  if (d.range.valid() && d.range.line == d.range.end_line)
    under =
        std::string(d.range.file->line(d.range.line))
            .substr(static_cast<size_t>(d.range.column - 1), static_cast<size_t>(d.range.end_column - d.range.column));
  return d.message + " @ " + under + " | " + d.hint;
}

/// Whether the refusal underlines `under` and says each of the words.
inline bool refused(const std::string& body, const std::string& under, std::initializer_list<const char*> words) {
  const std::string got = refusal(body);
  bool ok = got.find(" @ " + under + " |") != std::string::npos;
  for (const char* w : words) ok = ok && got.find(w) != std::string::npos;
  if (!ok) MESSAGE(got);
  return ok;
}

}  // namespace tilescope
