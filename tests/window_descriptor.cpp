// Sliders and tensors behind descriptors: the shape follows, the block stays, rows stay at multiples of 16 bytes.
#include <doctest/doctest.h>

#include <algorithm>

#include "core/arg_spec.h"
#include "core/launch_text.h"
#include "visualizer/model/follow_sizes.h"
#include "window_session.h"

using namespace tilescope;

TEST_CASE("the tensor behind a descriptor follows a size with rows that a GPU can describe") {
  LaunchSpec spec;
  for (const char* text : {"a_desc=f16[250,40]:block(BLOCK,32)=randn(1)", "K=40", "BLOCK=32"}) {
    auto arg = parse_arg(text);
    REQUIRE(arg.ok());
    spec.args.push_back(*arg);
  }
  CHECK(model::change_argument(spec, "K", int64_t{45}, {"BLOCK"}).empty());
  CHECK(arg_text(spec.args[0].value) == "f16[250,45]:strides(48,1):block(BLOCK,32)=randn(1)");
  CHECK(model::change_argument(spec, "K", int64_t{64}, {"BLOCK"}).empty());
  CHECK(arg_text(spec.args[0].value) == "f16[250,64]:block(BLOCK,32)=randn(1)");
  CHECK(model::change_argument(spec, "BLOCK", int64_t{64}, {"BLOCK"}).empty());
  CHECK(arg_text(spec.args[0].value) == "f16[250,64]:block(BLOCK,32)=randn(1)");
  CHECK(model::change_argument(spec, "K", INT64_MAX, {"BLOCK"}).size() == 1);
}

TEST_CASE("a kernel with descriptors begins with a step of that name, at its first line") {
  const auto spec = load_launch_file(std::string(TILESCOPE_SOURCE_DIR) + "/tests/descriptors/matmul/launch.json");
  REQUIRE(spec.ok());
  const auto c = model::opened(*spec);
  const std::shared_ptr<const model::Scene> s = c->scene();
  REQUIRE(s->ready);
  const std::vector<model::LineStep>& lines = s->timeline->lines;
  CHECK(lines.front().label == "descriptors");
  CHECK(lines.front().statement.line == 7);
  CHECK(lines[1].label == "row");
  CHECK(std::none_of(lines.begin(), lines.end(), [](const model::LineStep& l) { return l.label == "constant"; }));
}
