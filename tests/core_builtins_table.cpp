#include "core/lower/builtins.h"
#include "core/lower/prelude_text.h"
#include "tests/core_builtins_support.h"

using namespace tilescope;
using namespace tilescope::lower;

TEST_CASE("every builtin is found by its path, has a description and a signature") {
  CHECK(all_builtins().size() > 250);
  for (const Builtin* b : all_builtins()) {
    CHECK(find_builtin(b->path) == b);
    CHECK_MESSAGE(!b->doc.empty(), b->path);
    CHECK_MESSAGE(b->signature.front() == '(', b->path);
    CHECK_MESSAGE((b->fn != nullptr), b->path);
  }
}

TEST_CASE("modules of older and newer Triton lead to the same functions") {
  const Builtin* tanh = find_builtin("libdevice.tanh");
  REQUIRE(tanh != nullptr);
  CHECK(find_builtin("tl.math.tanh") == tanh);
  CHECK(find_builtin("tl.extra.cuda.libdevice.tanh") == tanh);
  CHECK(find_builtin("tl.extra.libdevice.tanh") == tanh);
  CHECK(find_builtin("triton.language.load") == find_builtin("tl.load"));
  CHECK(find_builtin("tl.nothing") == nullptr);
  CHECK(is_builtin_namespace("tl.math"));
  CHECK(is_builtin_namespace("tl.extra.cuda"));
  CHECK_FALSE(is_builtin_namespace("tl.load"));
}

TEST_CASE("a misspelt name leads to the right one") {
  CHECK(nearest_builtin("tl.lod") == "load");
  CHECK(nearest_builtin("tl.cidv") == "cdiv");
  CHECK(nearest_builtin("tl.tensor.reshap") == "reshape");
  CHECK(nearest_builtin("tl.completely_different") == "");
}

TEST_CASE("arguments that are missing, unknown or given twice are refused by name") {
  CHECK(refused("tl.load()", "tl.load()", {"tl.load() needs its argument 'pointer'", "pointer, mask=None"}));
  CHECK(refused("tl.load(x_ptr + r, maks=r < 3)", "r < 3", {"has no argument 'maks'", "did you mean 'mask'?"}));
  CHECK(refused("tl.load(x_ptr + r, pointer=x_ptr)", "x_ptr", {"tl.load() is given 'pointer' twice"}));
  CHECK(refused("tl.program_id(0, 1)", "1", {"takes at most 1 positional argument"}));
  CHECK(refused("x.sum(axs=0)", "0", {".sum() has no argument 'axs'", "did you mean 'axis'?"}));
  CHECK(refused("tl.reshape(x, 4, 4, reorder=True)", "True", {"has no argument 'reorder'"}));
}

TEST_CASE("what the simulator does not run is refused by name") {
  CHECK(refused("tl.dot_scaled(x2, x2, 'e4m3', x2, x2, 'e4m3')", "x2",
                {"a tile in the format e4m3 holds float8e4nv, not float32"}));
  CHECK(refused("tl.inline_asm_elementwise('bar.sync 0;', '=r,r', [x], tl.float32, True, 1)", "'bar.sync 0;'",
                {"the assembly instruction `bar.sync 0` is not supported"}));
  CHECK(refused("round(s)", "round(s)", {"round()", "libdevice.rint"}));
  CHECK(refused("libdevice.lgamma(x)", "libdevice.lgamma(x)", {"libdevice.lgamma() is not supported"}));
}

TEST_CASE("the prelude's text is embedded") { CHECK(prelude_text().find("def softmax(") != std::string_view::npos); }
