// Kernels that C++ builds, in the window's model: their text, their statements, their colours; sliders build them anew.
#include <doctest/doctest.h>

#include "core/dsl.h"
#include "tests/window_session.h"
#include "visualizer/model/argument_controls.h"
#include "visualizer/model/follow_sizes.h"
#include "visualizer/model/highlight.h"
#include "visualizer/model/kernel_file.h"
#include "visualizer/model/statements_cpp.h"

using namespace tilescope;
using namespace tilescope::model;
namespace tl = tilescope::dsl;

namespace {

LaunchSpec host_launch() {
  LaunchSpec spec;
  spec.host = tl::kernel("doubled", [](tl::Kernel& k) {
    auto x_ptr = k.pointer("x_ptr");
    auto n = k.scalar("n");
    const int64_t BLOCK = k.constant("BLOCK");
    auto i = tl::program_id(0) * BLOCK + tl::arange(0, BLOCK);
    auto x = tl::load(x_ptr + i, i < n);
    tl::store(x_ptr + i, x * 2, i < n);
  });
  spec.kernel = spec.host->name;
  spec.grid = {*parse_grid_expr("cdiv(n, BLOCK)", "grid[0]")};
  TensorSpec x{DType::Float32, TensorLayout::contiguous({50}), {}};
  x.init.kind = Init::Kind::Arange;
  spec.args = {{"x_ptr", x}, {"n", int64_t{50}}, {"BLOCK", int64_t{16}}};
  return spec;
}

std::string described(std::string_view line) {
  static constexpr const char* kKinds[] = {"assign", "call", "for", "while", "if", "other"};
  Statement s;
  describe_cpp(line, s);
  return std::string(kKinds[static_cast<size_t>(s.kind)]) + " " + s.name;
}

std::string colours(std::string_view line) {
  static constexpr const char* kRoles[] = {"name", "constexpr", "word", "string", "comment", "load", "store", "dot", "reduce", "broken"};
  KnownNames names{{}, {"BLOCK"}, true};
  std::string out;
  for (const TextSpan& s : highlight_line(line, {}, names))
    if (s.role != TextRole::Word && s.role != TextRole::Name)
      out += std::string(out.empty() ? "" : " ") + kRoles[static_cast<size_t>(s.role)] + ":" + std::string(line.substr(s.begin, s.end - s.begin));
  return out;
}

}  // namespace

TEST_CASE("a session shows a kernel that C++ builds with the lines of its C++ file, and does not edit it") {
  Controller c(std::make_unique<Session>(host_launch()));
  REQUIRE(c.session().wait());
  c.advance(0);
  const auto scene = c.scene();
  REQUIRE(scene->ready);
  REQUIRE(scene->run.text != nullptr);
  CHECK(scene->run.text->text.find("tl::kernel(\"doubled\"") != std::string::npos);
  CHECK(source_path(c.session().spec()).ends_with("window_host_kernel.cpp"));
  c.edit("nothing");
  REQUIRE(c.session().wait());
  CHECK(c.session().published().errors.empty());
  CHECK(c.session().published().text->text.find("tl::kernel(\"doubled\"") != std::string::npos);
  REQUIRE(scene->timeline->lines.size() == 3);
  const Statements statements(*scene->function);
  REQUIRE(statements.all().size() == 3);
  CHECK(statements.all()[0].name == "i");
  CHECK(statements.all()[2].name == "store");
}

TEST_CASE("another constant builds the kernel anew") {
  Controller c(std::make_unique<Session>(host_launch()));
  REQUIRE(c.session().wait());
  CHECK(c.session().published().launch->grid[0] == 4);
  CHECK(constexpr_parameters(nullptr, c.session().spec()) == std::set<std::string>{"BLOCK"});
  c.set_argument("BLOCK", int64_t{32});
  REQUIRE(c.session().wait());
  const Published now = c.session().published();
  CHECK(now.errors.empty());
  CHECK(now.launch->grid[0] == 2);
  CHECK(now.launch->kernel.function.constexprs[0].second == "32");
  REQUIRE(now.totals != nullptr);
  CHECK(read_double(DType::Float32, now.totals->tensors[0].element(49)) == 98);
}

TEST_CASE("statements of C++ are named by what they assign, call or loop over") {
  CHECK(described("forces = tl::load(p);") == "assign forces");
  CHECK(described("    auto x = tl::load(p + i, i < n);") == "assign x");
  CHECK(described("acc += tl::dot(a, b);") == "assign acc");
  CHECK(described("  const tl::Value y = x <= 3;") == "assign y");
  CHECK(described("for (auto k : tl::range(0, n, BLOCK)) acc += k;") == "for k");
  CHECK(described("tl::store(p, x == 1, m);") == "call store");
  CHECK(described("} tl::if_(x > 1, [&] { y = 2; });") == "if if");
  CHECK(described("tl::while_([&] { return x < 1; }, [&] {") == "while while");
  CHECK(described("x <<= 2;") == "assign x");
  CHECK(described("") == "other ");
  CHECK(described("// auto x = 1") == "other ");
  CHECK(described("= ( [ \"") == "other ");
}

TEST_CASE("C++ has its own colours: functions that touch memory, constants, strings, comments") {
  CHECK(colours("auto x = tl::load(p + 'c', BLOCK);  // why") == "load:load string:'c' constexpr:BLOCK comment:// why");
  CHECK(colours("tl::store(p, tl::sum(x, 0), \"a\\\"b\");") == "store:store reduce:sum string:\"a\\\"b\"");
  CHECK(colours("int load = 1; \"open").find("load:") == std::string::npos);
}
