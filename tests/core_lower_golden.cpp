// The IR of each kernel in tests/golden, before any pass, is that of the .ir file beside it.
// TILESCOPE_UPDATE_GOLDEN=1 in the environment rewrites the files instead: then look at the difference before
// committing.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

#include "core/print.h"
#include "core/read.h"
#include "tests/core_lower_kernel.h"

namespace tilescope::test {
namespace {

TEST_CASE("each kernel in tests/golden lowers to the IR beside it") {
  const auto files = kernel_files("golden");
  REQUIRE(files.size() >= 6);
  for (auto path : files) {
    CAPTURE(path.filename().string());
    const auto compiled = compile_kernel(request_for(read_text(path), path.filename().string()));
    const std::string errors = compiled.ok() ? "" : render(compiled.errors());
    REQUIRE_MESSAGE(compiled.ok(), errors);
    const std::string ir = print(compiled->function);
    path.replace_extension(".ir");
    if (std::getenv("TILESCOPE_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << ir;
    CHECK(ir == read_text(path));
  }
}

TEST_CASE("a lowered kernel prints and reads back to the same text, with its places in the source") {
  for (const auto& path : kernel_files("golden")) {
    CAPTURE(path.filename().string());
    const auto compiled = compile_kernel(request_for(read_text(path), path.filename().string()));
    REQUIRE(compiled.ok());
    const std::string ir = print(compiled->function, {.locations = true});
    const auto again = read_ir(std::make_shared<SourceFile>(SourceFile{"golden.ir", ir}));
    const std::string errors = again.ok() ? "" : render(again.errors());
    REQUIRE_MESSAGE(again.ok(), errors);
    CHECK(print(*again, {.locations = true}) == ir);
  }
}

}  // namespace
}  // namespace tilescope::test
