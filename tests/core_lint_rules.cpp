// core/lint_verdict.h goes by the words of the compiler's messages: each of its rules against a kernel that gives the message.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "core/compile_module.h"
#include "core/guess.h"
#include "core/lint_verdict.h"
#include "core/syntax/parser.h"
#include "tests/temporary_folder.h"

using namespace tilescope;

namespace {

struct Example {
  const char* rule;
  const char* body;         ///< of `kernel(o)`, its lines apart by newlines
  const char* before = "";  ///< above the kernel
};

constexpr const char* kAsm = "tl.inline_asm_elementwise('mov.b32 $0, ";
constexpr Example kExamples[] = {
    {"`*` comes from the module *, which*", "tl.store(o, helper(1))", "from no_such_package import helper\n"},
    {"`*` is imported from *, which defines no `*`", "tl.store(o, helper(1))", "from .beside import helper\n"},
    {"`*` has no `*`", "tl.store(o, tl.no_such_function(1))"},
    {"tl.* is no element type of this GPU*", "tl.store(o, tl.load(o).to(tl.float8e4b15))"},
    {"* has no argument '*'", "tl.store(o, 1, no_such=2)"},
    {"* is not supported", "tl.store(o, tl.extra.cuda.globaltimer())"},
    {"* are not supported", "tl.store(o.to(tl.pointer_type(tl.pointer_type(tl.int8))), 1)"},
    {"* has no attribute `*`", "tl.store(o, tl.arange(0, 4).no_such)"},
    {"the class `*` cannot be used in a kernel", "tl.store(o, Thing(1))", "class Thing:\n    def __init__(self, x):\n        self.x = x\n"},
    {"the global `*` has no value that a kernel can use*", "tl.store(o, N)", "N = open('x').read()\n"},
    {"a kernel cannot use a `*` statement", "with tl.arange(0, 4):\n    pass"},
    {"a kernel cannot use a *", "f = lambda a: a"},
    {"a tile cannot be sliced*", "tl.store(o, tl.arange(0, 4)[0:2])"},
    {"a tile cannot be indexed by *", "tl.store(o, tl.arange(0, 4)[1])"},
    {"a kernel can only loop over a range*", "for i in o:\n    pass"},
    {"`*` is host code*", "tl.store(o, helper(1))", "def helper(x):\n    return x\n"},
    {"* cannot be called in a kernel: Triton does not compile it", "tl.store(o, round(tl.load(o)))"},
    {"* takes at most *", "tl.store(o, tl.program_id(0, 1, 2, 3, 4))"},
    {"the assembly operand `*` is not known", "@%rax;', '=r', [], tl.int32, True, 1)"},
    {"with pack above 1 the elements must have *", "@$2;', '=r,r', [tl.arange(0, 8).to(tl.int16)], tl.int16, True, 2)"},
    {"* has no argument `*`", "for i in tl.range(0, 4, no_such=1):\n    pass"},
    {"Triton has no *", "tl.store(o, 1 < tl.load(o) < 2)"},
    {"`*` is not defined", "tl.store(o, nowhere)"},
    {"`*` is not defined on every path to here", "if tl.program_id(0) == 0:\n    y = tl.program_id(1)\ntl.store(o, y)"},
    {"a kernel cannot use `*`", "for i in range(4):\n    break"},
    {"this kernel grows too large*", "for i in tl.static_range(2000):\n    for j in tl.static_range(2000):\n        tl.store(o, i)"},
    {"static assertion failed*", "tl.static_assert(False)"},
    {"this `raise` is reached", "raise ValueError('no')"},
    {"this assertion is false*", "assert False"},
    {"the length of tl.arange must be a power of two, not *", "tl.store(o, tl.sum(tl.arange(0, 100)))"},
    {"tl.arange(*) is empty: the end must be above the start", "tl.store(o, tl.sum(tl.arange(4, 4)))"},
    {"* has the extent *, which is no power of two", "tl.store(o, tl.sum(tl.zeros((3,), tl.float32)))"},
    {"* has the extent *; extents are positive", "tl.store(o, tl.sum(tl.zeros((0,), tl.float32)))"},
};

std::string kernel_text(const Example& e) {
  std::string body = e.body;
  if (body.starts_with('@')) body = "tl.store(o, " + std::string(kAsm) + body.substr(1) + ")";
  for (size_t at = 0; (at = body.find('\n', at)) != std::string::npos; at += 5) body.replace(at, 1, "\n    ");
  return std::string(e.before) + "@triton.jit\ndef kernel(o):\n    " + body + "\n";
}

/// What stops the kernel, as lint sees it.
GuessTrial trial_of(const std::string& path, const std::string& text) {
  auto source = std::make_shared<SourceFile>();
  source->path = path;
  source->text = "import triton\nimport triton.language as tl\n" + text;
  Expected<Module> module = parse_module(source);
  REQUIRE(module.ok());
  Expected<const FunctionDef*> kernel = choose_kernel(*module, "kernel");
  REQUIRE(kernel.ok());
  return try_guesses(*module, **kernel, {});
}

std::string message_of(const GuessTrial& t) {
  return t.no_such_argument ? t.no_such_argument->message : t.errors.empty() ? "it compiles" : t.errors[0].message;
}

}  // namespace

TEST_CASE("every message that lint goes by is one that the compiler gives, and another rule does not take it first") {
  const TemporaryFolder folder;
  folder.write("beside.py", "x = 1\n");
  std::map<std::string, std::string> texts;
  for (const Example& e : kExamples) texts[e.rule] = kernel_text(e);
  texts["the argument `*` is a function that this file does not have"] = "@triton.jit\ndef kernel(o, f: tl.constexpr):\n    tl.store(o, f(1.0))\n";
  texts["`*` is a Gluon kernel*"] = "from triton.experimental import gluon\n@gluon.jit\ndef kernel(o):\n    pass\n";
  texts["a kernel cannot have *"] = "@triton.jit\ndef kernel(o, *args):\n    pass\n";
  const std::vector<std::string> rules = judged_messages();
  for (const std::string& rule : rules) {
    CAPTURE(rule);
    REQUIRE(texts.count(rule) == 1);
    const std::string message = message_of(trial_of(folder.write("kernel.py", texts[rule]), texts[rule]));
    CAPTURE(message);
    const auto first = std::find_if(rules.begin(), rules.end(), [&](const std::string& r) { return matches(message, r, nullptr); });
    REQUIRE(first != rules.end());
    CHECK(*first == rule);
  }
  CHECK(texts.size() == rules.size());
}

TEST_CASE("lint's verdicts tell what is missing from what Triton refuses too") {
  const auto verdict = [](const std::string& body) {
    const Example e{"", body.c_str()};
    return judge(trial_of("kernel.py", kernel_text(e)));
  };
  CHECK(verdict("tl.store(o, tl.no_such_function(1))").feature == "tl.no_such_function");
  CHECK(verdict("tl.store(o, tl.no_such_function(1))").verdict == LintVerdict::Missing);
  CHECK(verdict("tl.store(o, tl.sum(tl.arange(0, 100)))").verdict == LintVerdict::Wrong);
  CHECK(verdict("for i in range(4):\n    break").verdict == LintVerdict::Wrong);
  CHECK(verdict("tl.static_assert(False)").verdict == LintVerdict::CannotTell);
}
