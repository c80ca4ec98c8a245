// core/decorators.h: what autotune and heuristics give a launch, and what is refused.
#include <doctest/doctest.h>

#include "core/compile.h"
#include "core/decorators.h"

namespace tilescope {
namespace {

SourcePtr file(const std::string& decorators, const std::string& host = "") {
  auto source = std::make_shared<SourceFile>();
  source->path = "k.py";
  source->text = "import triton\nimport triton.language as tl\n" + host + decorators +
                 "@triton.jit\ndef k(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr = False):\n"
                 "    i = tl.arange(0, BLOCK)\n    tl.store(x + i, i, mask=i < n)\n";
  return source;
}

LaunchSpec launch() {
  LaunchSpec spec;
  TensorSpec x;
  x.dtype = DType::Float16;
  x.layout = *make_layout("x", x.dtype, {6, 7}, {});
  spec.args = {{"x", x}, {"n", int64_t{42}}};
  return spec;
}

std::string got(const LaunchSpec& spec, const std::string& name) {
  const LaunchArg* arg = spec.find(name);
  return arg == nullptr ? "open" : argument_text(arg->value);
}

/// BLOCK after the decorators, or the message.
std::string block(const SourcePtr& source, LaunchSpec spec = launch()) {
  const auto out = apply_decorators(spec, source);
  return out ? got(*out, "BLOCK") : out.errors()[0].message;
}

const std::string kTwo = "@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=8, num_stages=2),\n"
                         "                          triton.Config({'BLOCK': 128}, num_warps=2)], key=['n'])\n";

TEST_CASE("the first config gives what the launch leaves open, and a note says which it is") {
  std::vector<Diagnostic> notes;
  const auto out = apply_decorators(launch(), file(kTwo), &notes);
  REQUIRE(out);
  CHECK(got(*out, "BLOCK") == "64");
  CHECK(out->num_warps == 8);
  CHECK(out->num_stages == 2);
  CHECK(out->config == 0);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "config 1 of 2: BLOCK = 64, 8 warps, 2 stages");
}

TEST_CASE("a chosen config, arguments of the launch and stated warps win in that order of explicitness") {
  LaunchSpec spec = launch();
  spec.config = 1;
  auto out = apply_decorators(spec, file(kTwo));
  REQUIRE(out);
  CHECK(got(*out, "BLOCK") == "128");
  CHECK(out->num_warps == 2);
  CHECK(out->num_stages == 3);  // the launch's default: the config names none
  spec.args.push_back({"BLOCK", int64_t{16}});
  spec.num_warps_stated = true;
  std::vector<Diagnostic> notes;
  out = apply_decorators(spec, file(kTwo), &notes);
  REQUIRE(out);
  CHECK(got(*out, "BLOCK") == "16");
  CHECK(out->num_warps == 4);
  CHECK(notes[0].message == "config 2 of 2: BLOCK = 128, 2 warps (the launch says BLOCK = 16, 4 warps)");
}

TEST_CASE("a launch that leaves nothing open and one without decorators stay as they are") {
  LaunchSpec spec = launch();
  spec.args.push_back({"BLOCK", int64_t{32}});
  std::vector<Diagnostic> notes;
  auto out = apply_decorators(spec, file(kTwo), &notes);
  REQUIRE(out);
  CHECK(out->num_warps == 4);
  CHECK_FALSE(out->config.has_value());
  CHECK(notes.empty());
  CHECK(block(file("")) == "open");
  CHECK(block(file("@triton.autotune(configs=unknown(), key=[])\n"), spec) == "32");
}

TEST_CASE("applying the decorators again changes nothing") {
  const SourcePtr source = file(kTwo + "@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0})\n");
  const auto once = apply_decorators(launch(), source);
  REQUIRE(once);
  const auto twice = apply_decorators(*once, source);
  REQUIRE(twice);
  CHECK(twice->args.size() == once->args.size());
  CHECK(got(*twice, "EVEN") == "False");
  CHECK(twice->num_warps == once->num_warps);
}

TEST_CASE("configs are read from a list of the file, a function, a comprehension, and keywords that are spread") {
  const std::string tuned = "@triton.autotune(configs=configs, key=['n'])\n";
  CHECK(block(file(tuned, "configs = [triton.Config({'BLOCK': 32})]\n")) == "32");
  CHECK(block(file("@triton.autotune(configs=make(2), key=[])\n",
                   "def make(scale, base=16):\n    out = []\n    for n in range(1, 3):\n        if n > 1:\n            out.append(triton.Config({'BLOCK': base * scale * n}))\n    return out\n")) == "64");
  CHECK(block(file(tuned, "configs = [triton.Config({'BLOCK': 32})]\n")) == "32");
  auto twice = std::make_shared<SourceFile>(*file(tuned, "configs = [triton.Config({'BLOCK': 32})]\n"));
  twice->text += "configs = [triton.Config({'BLOCK': 512})]\n";  // of another kernel below
  CHECK(block(twice) == "32");
  const std::string loops = "@triton.autotune([triton.Config({'BLOCK': b}, num_warps=w) for b in SIZES for w in [2, 4] if b // w > 8], key=[])\n";
  const auto configs = read_configs(file(loops, "SIZES = [32, 64]\n"), "k");
  REQUIRE(configs);
  REQUIRE(configs->size() == 3);
  CHECK(config_text((*configs)[2]) == "BLOCK = 64, 4 warps");
  CHECK(block(file("@triton.autotune(configs=[triton.Config(dict_of, **rest)], key=[])\n", "dict_of = {'BLOCK': 256}\nrest = {'num_warps': 1}\n")) == "256");
  CHECK(block(file("@triton.autotune(configs=get(), key=[])\n",
                   "def is_cuda():\n    return triton.runtime.driver.active.get_current_target().backend == 'cuda'\n"
                   "def get():\n    return [triton.Config({'BLOCK': 8 if is_cuda() else 4})]\n")) == "8");
}

TEST_CASE("heuristics see the launch's arguments, tensors and the config, in order") {
  const auto heuristic = [](const std::string& body, const std::string& host = "") {
    return block(file("@triton.heuristics({'BLOCK': lambda args: " + body + "})\n", host));
  };
  CHECK(heuristic("triton.next_power_of_2(args['n'])") == "64");
  CHECK(heuristic("max(16, min(1024, triton.cdiv(args['n'], 4)))") == "16");
  CHECK(heuristic("64 // args['x'].element_size()") == "32");
  CHECK(heuristic("args['x'].shape[1] * args['x'].stride(0) + args['x'].numel()") == "91");
  CHECK(heuristic("16 if args['x'].dtype == torch.float16 and not args['n'] < 8 else 32") == "16");
  CHECK(heuristic("pick(args)", "def pick(args):\n    if args['n'] is None:\n        return 1\n    return 2 ** 5\n") == "32");
  CHECK(block(file("@triton.heuristics(values={'EVEN': lambda a: a['n'] == 42, 'BLOCK': lambda a: 8 if a['EVEN'] else 4})\n")) == "8");
  CHECK(block(file("@triton.heuristics({'BLOCK': pick})\n", "def pick(nargs):\n    return 16\n")) == "16");
  const auto warps = apply_decorators(launch(), file("@triton.heuristics({'BLOCK': lambda a: 64, 'num_warps': lambda a: 2 if a['BLOCK'] < 128 else 8})\n"));
  REQUIRE(warps);
  CHECK(warps->num_warps == 2);
}

TEST_CASE("what cannot be read is refused with its place and never guessed") {
  const auto refused = [](const std::string& decorators, const std::string& host = "") {
    const auto out = apply_decorators(launch(), file(decorators, host));
    REQUIRE_FALSE(out);
    CHECK(out.errors()[0].hint.find("--arg") != std::string::npos);
    return out.errors()[0].message;
  };
  const std::string tuned = "@triton.autotune(configs=configs, key=[])\n";
  CHECK(refused("@triton.autotune(configs=table('k'), key=[])\n") == "the configs of @autotune cannot be read: `table` is not known here");
  CHECK(refused(tuned, "configs = [triton.Config({'BLOCK': 1})]\nconfigs.append(triton.Config({'BLOCK': 2}))\n") ==
        "the configs of @autotune cannot be read: host code changes `configs` after its definition");
  CHECK(refused(tuned, "import os\nif os.name:\n    configs = [triton.Config({'BLOCK': 1})]\nelse:\n    configs = []\n") ==
        "the configs of @autotune cannot be read: what `configs` is depends on the host code around it");
  CHECK(refused(tuned, "configs = []\n") == "the configs of @autotune cannot be read: the list is empty");
  CHECK(refused(tuned, "configs = configs + [1]\n") == "the configs of @autotune cannot be read: `configs` is not known here");
  CHECK(refused("@triton.heuristics({'BLOCK': lambda args: args['absent'] // 2})\n") ==
        "the heuristic of `BLOCK` cannot be read: the argument `absent` has no value yet");
  CHECK(refused("@triton.heuristics({'BLOCK': lambda args: args['n'] // 0})\n") == "the heuristic of `BLOCK` cannot be read: division by zero");
  CHECK(refused("@triton.heuristics({'BLOCK': lambda args: 2 ** 64})\n") == "the heuristic of `BLOCK` cannot be read: the value does not fit 64 bits");
  CHECK(refused("@triton.heuristics({'BLOCK': lambda args: torch.rand(1)})\n").starts_with("the heuristic of `BLOCK` cannot be read"));
}

TEST_CASE("a function that is returned sees the names around it, and its defaults are those of the moment") {
  CHECK(block(file("@triton.heuristics(give(64))\n", "BM = 32\ndef give(BM):\n    return {'BLOCK': lambda args: BM}\n")) == "64");
  CHECK(block(file("@triton.heuristics(give(64))\n", "V = 16\ndef give(V):\n    return {'BLOCK': lambda args, v=V: v}\n")) == "64");
  CHECK(block(file("@triton.heuristics(give())\n", "def give():\n    v = 16\n    f = lambda args: v\n    v = 128\n    return {'BLOCK': f}\n")) == "128");
  CHECK(block(file("@triton.heuristics({'BLOCK': make()[0]})\n", "def make():\n    return [lambda args: b for b in [16, 32]]\n")) == "32");
  CHECK(block(file("@triton.heuristics({'BLOCK': make()[0]})\n", "def make():\n    return [lambda args, b=b: b for b in [16, 32]]\n")) == "16");
  CHECK(block(file("@triton.heuristics({'BLOCK': lambda args: f()})\n", "V = 16\ndef f(v=V):\n    return v\nV = 32\n")) == "16");
}

TEST_CASE("names of the file have their value of the moment, whatever kind of statement gave it") {
  const auto configs = [](const std::string& host) { return block(file("@triton.autotune(configs=[triton.Config({'BLOCK': N})], key=[])\n", host)); };
  CHECK(configs("N = 16\nN = N * 4\n") == "64");
  CHECK(configs("if UNKNOWN:\n    N = 8\nN = 64\n") == "64");
  CHECK(block(file("@triton.autotune(configs=[triton.Config({'BLOCK': cdiv(95, 2)})], key=[])\n", "cdiv = lambda a, b: a // b + 1\n")) == "48");
  CHECK(block(file("@triton.autotune(configs=[triton.Config({'BLOCK': cdiv(95, 2)})], key=[])\n", "from triton import cdiv\n")) == "48");
  CHECK(block(file("@triton.autotune(configs=[triton.Config({'BLOCK': cdiv(95, 2)})], key=[])\n", "from mine import cdiv\n")) ==
        "the configs of @autotune cannot be read: `cdiv` is imported: what it is is not known here");
  const std::string imported = "the configs of @autotune cannot be read: what `N` is depends on the host code around it";
  CHECK(configs("N = 32\ntry:\n    from conf import N\nexcept ImportError:\n    pass\n") == imported);
  CHECK(configs("N = 32\nfrom conf import *\n") == "the configs of @autotune cannot be read: `N` is imported: what it is is not known here");
  CHECK(configs("N = 32\nclass N:\n    pass\n") == "the configs of @autotune cannot be read: the class `N` is not read here");
}

TEST_CASE("a list that host code changes behind its definition is refused, however it is changed") {
  const std::string changed = "the configs of @autotune cannot be read: host code changes `C` after its definition";
  for (const char* change : {"C.reverse()", "C.sort(key=lambda c: 0)", "C.clear()", "del C[0]", "C[0] = C[1]", "C[0].kwargs['BLOCK'] = 8", "x = 1; C.pop()",
                             "if True: C.pop()", "def f():\n    global C\n    C = []", "print(C := [])"}) {
    CAPTURE(change);
    CHECK(block(file("@triton.autotune(configs=C, key=[])\n", "C = [triton.Config({'BLOCK': 32}), triton.Config({'BLOCK': 64})]\n" + std::string(change) + "\n")) == changed);
  }
  CHECK(block(file("@triton.autotune(configs=C, key=[])\n", "C = [triton.Config({'BLOCK': 32})]\nshuffle(C)\n")) ==
        "the configs of @autotune cannot be read: host code hands `C` on after its definition");
  CHECK(block(file("@triton.autotune(configs=f(), key=[])\n", "C = [triton.Config({'BLOCK': 32})]\ndef f():\n    d = C\n    d.append(1)\n    return C\n")) ==
        "the configs of @autotune cannot be read: host code changes a list of the file");
  CHECK(block(file("@triton.autotune(configs=C, key=[])\n", "C = [triton.Config({'BLOCK': 32})]\nprint(C)\nassert C[0] == C[0]\nif C[0] == 1: pass\n")) == "32");
}

TEST_CASE("two names may stand for one list") {
  const auto count = [](const std::string& body) {
    const auto configs = read_configs(file("@triton.autotune(configs=f(), key=[])\n", "cfg = triton.Config({'BLOCK': 32})\ndef grow(l):\n    l.append(cfg)\ndef f():\n    out = [cfg]\n" + body + "    return out\n"), "k");
    return configs ? std::to_string(configs->size()) : configs.errors()[0].message;
  };
  CHECK(count("    alias = out\n    alias.append(cfg)\n") == "2");
  CHECK(count("    alias = out\n    alias += [cfg]\n") == "2");
  CHECK(count("    alias = out + []\n    alias.append(cfg)\n") == "1");
  CHECK(count("    out.extend(out)\n    a = b = []\n    a.append(cfg)\n    out = out + b\n") == "3");
}

TEST_CASE("a heuristic wins over the config, a launch over both, and the note tells") {
  const std::string below = "@triton.autotune([triton.Config({'BLOCK': 32}, num_warps=2)], key=[])\n@triton.heuristics({'BLOCK': lambda args: 2 * args['BLOCK'], 'num_warps': lambda args: 8})\n";
  std::vector<Diagnostic> notes;
  const auto out = apply_decorators(launch(), file(below), &notes);
  REQUIRE(out);
  CHECK(got(*out, "BLOCK") == "64");
  CHECK(out->num_warps == 8);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "config 1 of 1: BLOCK = 32, 2 warps (heuristics give BLOCK = 64, 8 warps)");
  LaunchSpec stated = launch();
  stated.args.push_back({"BLOCK", int64_t{16}});
  CHECK(block(file(below), stated) == "16");
  const std::string above = "@triton.heuristics({'BLOCK': lambda args: 64})\n@triton.autotune([triton.Config({'BLOCK': 32})], key=[])\n";
  CHECK(block(file(above)) == "@triton.autotune and the @heuristics above it both give `BLOCK`: Triton refuses that");
}

TEST_CASE("configs take their arguments by keywords that are spread, and element types") {
  const auto out = apply_decorators(launch(), file("@triton.autotune([triton.Config(**{'kwargs': {'BLOCK': 64}, 'num_warps': 8})], key=[])\n"));
  REQUIRE(out);
  CHECK(got(*out, "BLOCK") == "64");
  CHECK(out->num_warps == 8);
  CHECK(block(file("@triton.autotune([triton.Config({'BLOCK': 64}, **{1: 2})], key=[])\n")) ==
        "the configs of @autotune cannot be read: the keys behind `**` must be strings, found 1");
  CHECK(block(file("@triton.autotune([triton.Config({'BLOCK': tl.float16})], key=[])\n")) == "'tl.float16'");
}

TEST_CASE("numbers are Python's") {
  const auto value = [](const std::string& e) { return block(file("@triton.autotune([triton.Config({'BLOCK': " + e + "})], key=[])\n")); };
  CHECK(value("1.0 // 0.1") == "9.0");
  CHECK(value("-7.5 // 2.0") == "-4.0");
  CHECK(value("6.0 // 2.0") == "3.0");
  CHECK(value("True & False") == "False");
  CHECK(value("len(range(-9223372036854775807 - 1, 0))").ends_with("this range is not read here"));
}

TEST_CASE("host code that never ends or grows without bound is stopped") {
  const auto message = [](const std::string& host) { return block(file("@triton.autotune(configs=f(), key=[])\n", host)); };
  CHECK(message("def f():\n    return f()\n").find("nested deeper") != std::string::npos);
  CHECK(message("def f():\n    return [0] * 1000000000\n").find("more than 10000 items") != std::string::npos);
  CHECK(message("def f():\n    a = [i for i in range(9000)]\n    return [x for x in a for y in a for z in a if False]\n").find("too long") != std::string::npos);
  CHECK(message("def f():\n    return [[[0] * 10000] * 10000]\n").ends_with("is a triton.Config, found a list"));
  CHECK(message("def f():\n    x = 0\n    for i in range(1000):\n        x = [x, x]\n    return x\n").ends_with("found a list"));
  CHECK(message("def f():\n    x = 0\n    for i in range(10000):\n        x = [x]\n    return [x] == [[x]]\n").ends_with("lists nested too deep to compare"));
  CHECK(message("def f():\n    x = []\n    x.append(x)\n    return x == [x]\n").ends_with("lists nested too deep to compare"));
  CHECK(message("def f():\n    x = [0]\n    for i in x:\n        x.append(i)\n    return x\n").find("more than 10000 items") != std::string::npos);
  CHECK(message("def f():\n    for x in range(10000):\n        for y in range(10000):\n            pass\n").ends_with("this takes too long to work out"));
  CHECK(message("def f():\n    return [[0] * 10000 for i in range(10000)]\n").ends_with("this takes too long to work out"));
  CHECK(message("def f():\n    while True:\n        pass\n").find("not read here") != std::string::npos);
}

TEST_CASE("a config that does not exist is refused by its number") {
  LaunchSpec spec = launch();
  spec.config = 2;
  CHECK(block(file(kTwo), spec) == "there is no config 3: @autotune has 2");
  CHECK(block(file(""), spec) == "the kernel `k` has no @triton.autotune, so there is no config 3");
}

}  // namespace
}  // namespace tilescope
